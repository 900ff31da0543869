//! Names of players that look alike and may be one player.

use std::collections::BTreeMap;

use unicode_normalization::UnicodeNormalization;

/// Zero-width characters.
const UNSEEN: [char; 5] = ['\u{200b}', '\u{200c}', '\u{200d}', '\u{2060}', '\u{feff}'];

/// Groups of two or more names that only differ in case, white space or Unicode normal form.
pub(super) fn look_alikes(names: &[String]) -> Vec<Vec<&str>> {
    let mut groups: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for name in names {
        groups.entry(plain(name)).or_default().push(name);
    }
    groups.into_values().filter(|group| group.len() > 1).collect()
}

/// The normalised form of a name.
fn plain(name: &str) -> String {
    let is_seen = |letter: &char| !letter.is_whitespace() && !UNSEEN.contains(letter);
    name.nfkc().flat_map(char::to_lowercase).filter(is_seen).nfkc().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_white_space_and_normal_forms_make_no_other_name() {
        let names = ["Jörg", "Ann Lee", "Jo\u{308}rg", "Bob", "ann  lee", "AnnLee", "Bobb", "J\u{200b}örg", "Ａnn Lee"];
        let names = names.map(str::to_owned);
        let found = look_alikes(&names);
        assert_eq!(
            found,
            [vec!["Ann Lee", "ann  lee", "AnnLee", "Ａnn Lee"], vec!["Jörg", "Jo\u{308}rg", "J\u{200b}örg"]]
        );
        assert!(look_alikes(&names[..2]).is_empty());
    }
}
