//! Names of players: two names in one text, and names that look alike and may be one player.

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

/// The word between the names of two players.
const VERSUS: &str = " vs ";

/// The two names of `A vs B`. Names may contain that word; then `are_known` decides, or else the brackets of the names.
///
/// # Errors
/// A sentence, if there are not two names, or several ways to read them.
pub(super) fn versus(text: &str, are_known: impl Fn(&str, &str) -> bool) -> Result<[&str; 2], String> {
    let split = |(at, _)| {
        let (one, other) = (text[..at].trim(), text[at..].strip_prefix(VERSUS)?.trim());
        (!one.is_empty() && !other.is_empty()).then_some([one, other])
    };
    let mut ways: Vec<[&str; 2]> = text.char_indices().filter_map(split).collect();
    if ways.len() > 1 {
        let is_one_known = ways.iter().any(|[one, other]| are_known(one, other));
        ways.retain(|[one, other]| match is_one_known {
            true => are_known(one, other),
            false => is_balanced(one) && is_balanced(other),
        });
        if ways.len() != 1 {
            return Err(format!("{text:?} can be read as several pairs of names"));
        }
    }
    match ways[..] {
        [[one, other]] if one == other => Err(format!("{one:?} plays against itself")),
        [names] => Ok(names),
        _ => Err(format!("{text:?} does not name two players, as `A vs B`")),
    }
}

/// Whether a text closes as many brackets as it opens.
fn is_balanced(text: &str) -> bool {
    text.matches('(').count() == text.matches(')').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_names_are_told_apart() {
        let unknown = |_: &str, _: &str| false;
        assert_eq!(versus("A vs B", unknown), Ok(["A", "B"]));
        assert_eq!(versus("low (a vs b) vs high", unknown), Ok(["low (a vs b)", "high"]));
        assert_eq!(versus("vs vs vs", unknown), Err("\"vs\" plays against itself".to_owned()));
        assert_eq!(versus("a vs b vs c", |one, _| one == "a vs b"), Ok(["a vs b", "c"]));
        for bad in ["a vs b vs c", "a", "a vs ", " vs b", "avsb", ""] {
            assert!(versus(bad, unknown).is_err(), "{bad}");
        }
    }

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
