//! Short names of jobs, for lists and bars.

use std::collections::{HashMap, HashSet};

/// The names without the words that all jobs of a stage share, and without control characters. The first word, the
/// stage, stays.
pub(super) fn short_names(names: &[&str]) -> Vec<String> {
    let mut stages: HashMap<&str, HashSet<&str>> = HashMap::new();
    for name in names {
        let (stage, words) = words(name);
        let words: HashSet<&str> = words.collect();
        stages.entry(stage).and_modify(|common| common.retain(|word| words.contains(word))).or_insert(words);
    }
    let short = |name: &&str| {
        let (stage, words) = words(name);
        let own = words.filter(|word| !stages[stage].contains(word));
        std::iter::once(stage).chain(own).collect::<Vec<_>>().join(" ")
    };
    names.iter().map(short).map(|name| printable(&name)).collect()
}

/// Text without the control characters of terminals.
fn printable(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

fn words(name: &str) -> (&str, impl Iterator<Item = &str>) {
    let mut words = name.split_whitespace();
    (words.next().unwrap_or_default(), words)
}

#[cfg(test)]
mod tests {
    use super::short_names;

    #[test]
    fn words_that_a_stage_shares_are_left_out() {
        let names = ["train game=othello agent=saz seed=1", "train game=othello agent=cnn seed=1", "test seed=1"];
        assert_eq!(short_names(&names), ["train agent=saz", "train agent=cnn", "test"]);
        assert_eq!(short_names(&names[..1]), ["train"]);
        assert_eq!(short_names(&["", "t1"]), ["", "t1"]);
    }
}
