//! Names of jobs that say what differs.

use std::collections::{HashMap, HashSet};

/// These names without the words that all jobs of a stage share; the stage, which is the first word, stays.
pub(super) fn telling(names: &[&str]) -> Vec<String> {
    let mut stages: HashMap<&str, HashSet<&str>> = HashMap::new();
    for name in names {
        let (stage, words) = words(name);
        let words: HashSet<&str> = words.collect();
        stages.entry(stage).and_modify(|common| common.retain(|word| words.contains(word))).or_insert(words);
    }
    let telling = |name: &&str| {
        let (stage, words) = words(name);
        let own = words.filter(|word| !stages[stage].contains(word));
        std::iter::once(stage).chain(own).collect::<Vec<_>>().join(" ")
    };
    names.iter().map(telling).collect()
}

fn words(name: &str) -> (&str, impl Iterator<Item = &str>) {
    let mut words = name.split_whitespace();
    (words.next().unwrap_or_default(), words)
}

#[cfg(test)]
mod tests {
    use super::telling;

    #[test]
    fn what_a_stage_shares_is_left_out() {
        let names = ["train game=othello agent=saz seed=1", "train game=othello agent=cnn seed=1", "test seed=1"];
        assert_eq!(telling(&names), ["train agent=saz", "train agent=cnn", "test"]);
        assert_eq!(telling(&names[..1]), ["train"]);
        assert_eq!(telling(&["", "t1"]), ["", "t1"]);
    }
}
