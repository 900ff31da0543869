//! The identity of a suite run: commit and attempt, and the seed that is derived from them.

use std::path::Path;

use serde_json::json;

use crate::app::checkout::{git, is_changed};
use gauntlet_games::base::Key;

/// The identity of a suite run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The commit under test.
    pub commit: String,
    /// The number of the attempt at it.
    pub attempt: u32,
    /// The seed of all random streams.
    pub seed: u64,
    /// Whether tracked files differ from the commit.
    pub is_changed: bool,
    /// Whether the seed was given, so that the suite run is a replay.
    pub is_replay: bool,
}

impl Identity {
    /// The suite run of a suite at a commit: the named one, or else that of the checkout, or else the version of this
    /// program.
    pub fn new(suite: &str, commit: Option<&str>, attempt: u32, seed: Option<u64>) -> Identity {
        let named = commit.map(str::trim).filter(|commit| !commit.is_empty()).map(str::to_owned);
        let commit = named.or_else(|| git(&["rev-parse", "HEAD"])).unwrap_or_else(|| VERSION.to_owned());
        let derived = seed_of(suite, &commit, attempt);
        Identity { commit, attempt, seed: seed.unwrap_or(derived), is_changed: false, is_replay: seed.is_some() }
    }

    /// The same with the changes of the checkout since the commit, without those in the directories of output.
    pub fn of_checkout(self, output: [&Path; 2]) -> Identity {
        let is_head = git(&["rev-parse", "HEAD"]).is_some_and(|head| head.starts_with(&self.commit));
        Identity { is_changed: is_head && is_changed(&output), ..self }
    }

    /// Whether the version replaces the commit.
    pub fn is_version(&self) -> bool {
        self.commit == VERSION
    }
}

/// The replacement of the commit outside of a checkout.
const VERSION: &str = concat!("v", env!("CARGO_PKG_VERSION"));

/// The seed: the same commit and attempt play the same games, others play other games.
fn seed_of(suite: &str, commit: &str, attempt: u32) -> u64 {
    let digits = Key::of("night", &json!([suite, commit, attempt])).hex();
    u64::from_str_radix(&digits[..16], 16).expect("a key is written in hexadecimal digits")
}

/// The user who runs this, as far as known.
pub fn who() -> String {
    let variable = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    let found = variable("GITHUB_ACTOR").or_else(|| git(&["config", "user.name"])).or_else(|| variable("USER"));
    found.unwrap_or_else(|| "unknown".to_owned())
}

/// The current time in UTC.
pub fn now() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_derive_from_commit_and_attempt() {
        let of = |commit, attempt, seed| Identity::new("nightly", Some(commit), attempt, seed);
        assert_eq!(of("c0", 1, None), of("c0", 1, None));
        assert_ne!(of("c0", 1, None).seed, of("c0", 2, None).seed);
        assert_ne!(of("c0", 1, None).seed, of("c1", 1, None).seed);
        let replay = of("c0", 9, Some(7));
        assert!(replay.seed == 7 && replay.is_replay);
    }
}
