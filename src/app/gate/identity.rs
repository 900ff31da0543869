//! The identity of a suite run: commit and attempt, and the seed that is derived from them.

use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::app::checkout::{git, is_changed};
use crate::app::errors::Misuse;
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
    ///
    /// # Errors
    /// If no commit is named, and git does not read the checkout: the version would give all commits one seed.
    pub fn new(suite: &str, commit: Option<&str>, attempt: u32, seed: Option<u64>) -> anyhow::Result<Identity> {
        let named = commit.map(str::trim).filter(|commit| !commit.is_empty()).map(str::to_owned);
        let commit = match named.or_else(|| git(&["rev-parse", "HEAD"])) {
            Some(commit) => commit,
            None => {
                require_no_checkout(&std::env::current_dir()?)?;
                VERSION.to_owned()
            }
        };
        let derived = seed_of(suite, &commit, attempt);
        Ok(Identity { commit, attempt, seed: seed.unwrap_or(derived), is_changed: false, is_replay: seed.is_some() })
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

/// Requires that a directory is in no checkout that git cannot read. A checkout without a commit is fine.
fn require_no_checkout(directory: &Path) -> anyhow::Result<()> {
    let Some(checkout) = directory.ancestors().find(|place| place.join(".git").exists()) else { return Ok(()) };
    let mut git = Command::new("git");
    git.env("LC_ALL", "C").arg("-C").arg(directory).args(["rev-parse", "--git-dir"]);
    let reason = match git.output() {
        Ok(output) if output.status.success() => return Ok(()),
        Ok(output) => String::from_utf8_lossy(&output.stderr).lines().next().unwrap_or_default().to_owned(),
        Err(error) => format!("git does not start: {error}"),
    };
    let place = checkout.display();
    let hint = match reason.contains("dubious ownership") {
        true => format!("`git config --global --add safe.directory {place}`, or name the commit with --commit"),
        false => "name the commit with --commit".to_owned(),
    };
    Err(Misuse::new(format!("git cannot read the checkout {place}: {reason}"), hint))
}

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
        let of = |commit, attempt, seed| Identity::new("nightly", Some(commit), attempt, seed).unwrap();
        assert_eq!(of("c0", 1, None), of("c0", 1, None));
        assert_ne!(of("c0", 1, None).seed, of("c0", 2, None).seed);
        assert_ne!(of("c0", 1, None).seed, of("c1", 1, None).seed);
        let replay = of("c0", 9, Some(7));
        assert!(replay.seed == 7 && replay.is_replay);
    }

    #[test]
    fn a_checkout_that_git_cannot_read_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        assert!(require_no_checkout(directory.path()).is_ok(), "no checkout");
        // A worktree whose repository is elsewhere, as in a container.
        std::fs::write(directory.path().join(".git"), "gitdir: nowhere\n").unwrap();
        let error = require_no_checkout(directory.path()).unwrap_err();
        let misuse = error.downcast_ref::<Misuse>().unwrap();
        assert!(misuse.message.starts_with("git cannot read the checkout /"), "{misuse}");
        assert!(misuse.hint.contains("--commit"), "{}", misuse.hint);
    }
}
