//! The history of a suite: one JSON line for each suite run, for trends. No decision depends on it.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::suite_run::{ChangeEstimate, SuiteRun};
use super::verdict::Verdict;
use gauntlet_games::base::files::{LARGEST_NOTE, read_text};
use gauntlet_store::{Error, Opening, create_directory, open_to_write};

/// The summary of a suite run: one line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SuiteRunSummary {
    /// The time of its end, in UTC.
    pub when: String,
    /// The profile it ran at. Nights of different profiles are different series.
    pub profile: String,
    /// The commit.
    pub commit: String,
    /// The number of the attempt at this commit.
    pub attempt: u32,
    /// Its seed.
    pub seed: u64,
    /// The device that ran it.
    pub device: String,
    /// Commit of the baseline that it was compared with.
    pub baseline: Option<String>,
    /// The matches.
    pub matches: Vec<MatchSummary>,
}

/// The summary of a match.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MatchSummary {
    /// Its name.
    pub name: String,
    /// Its verdict.
    #[serde(rename = "ruling")]
    pub verdict: Verdict,
    /// The change in the first round.
    pub estimate: Option<ChangeEstimate>,
}

impl SuiteRunSummary {
    /// The summary of a suite run.
    #[must_use]
    pub fn of(suite_run: &SuiteRun, when: String) -> SuiteRunSummary {
        let found = suite_run.matches.iter().map(|found| MatchSummary {
            name: found.name.clone(),
            verdict: found.verdict,
            estimate: found.rounds.first().and_then(|round| round.estimate),
        });
        SuiteRunSummary {
            when,
            profile: suite_run.profile.clone(),
            commit: suite_run.commit.clone(),
            attempt: suite_run.attempt,
            seed: suite_run.seed,
            device: suite_run.device.clone(),
            baseline: suite_run.baseline.clone(),
            matches: found.collect(),
        }
    }

    /// Whether both are the same suite run, such as a replay. Changes that are not committed give other results.
    #[must_use]
    pub fn is_replay_of(&self, other: &SuiteRunSummary) -> bool {
        (self.seed, &self.profile, &self.commit, &self.device, &self.baseline, &self.matches)
            == (other.seed, &other.profile, &other.commit, &other.device, &other.baseline, &other.matches)
    }
}

/// The file of a suite in a results tree.
#[must_use]
pub fn path(results: &Path, suite: &str) -> PathBuf {
    results.join("baselines").join(format!("{suite}.history.jsonl"))
}

/// All suite runs of a suite at a profile, oldest first. Unreadable lines are skipped: the last one may be
/// incomplete.
#[must_use]
pub fn read(results: &Path, suite: &str, profile: &str) -> Vec<SuiteRunSummary> {
    let text = read_text(&path(results, suite), LARGEST_NOTE).unwrap_or_default();
    let lines = text.lines().filter_map(|line| serde_json::from_str::<SuiteRunSummary>(line).ok());
    lines.filter(|line| line.profile == profile).collect()
}

/// Adds a suite run.
///
/// # Errors
/// If the file cannot be written.
pub fn append(results: &Path, suite: &str, line: &SuiteRunSummary) -> Result<(), Error> {
    let path = path(results, suite);
    create_directory(results, path.parent().unwrap_or(results))?;
    let appended = open_to_write(&path, Opening::Append).and_then(|mut file| {
        // An incomplete line must not absorb the next one.
        let mut bytes = if is_torn(&mut file)? { vec![b'\n'] } else { Vec::new() };
        serde_json::to_writer(&mut bytes, line)?;
        bytes.push(b'\n');
        file.write_all(&bytes)?;
        file.sync_data()
    });
    appended.map_err(|source| Error::File { action: "append to", path, source })
}

/// Whether the last line of a file is incomplete.
fn is_torn(file: &mut File) -> io::Result<bool> {
    let mut last = [b'\n'];
    if file.seek(SeekFrom::End(0))? > 0 {
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
    }
    Ok(last != [b'\n'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(seed: u64, profile: &str) -> SuiteRunSummary {
        SuiteRunSummary {
            when: "2026-01-01T00:00:00Z".into(),
            profile: profile.into(),
            commit: "c0".into(),
            attempt: 1,
            seed,
            device: "cpu".into(),
            baseline: None,
            matches: Vec::new(),
        }
    }

    fn seeds(results: &Path, profile: &str) -> Vec<u64> {
        read(results, "nightly", profile).iter().map(|line| line.seed).collect()
    }

    #[test]
    fn a_torn_line_costs_only_itself() {
        let results = tempfile::tempdir().expect("a directory");
        append(results.path(), "nightly", &line(1, "laptop")).expect("it can be written");
        let torn = std::fs::read_to_string(path(results.path(), "nightly")).expect("it is there") + "{\"when\": \"20";
        std::fs::write(path(results.path(), "nightly"), torn).expect("it can be written");
        append(results.path(), "nightly", &line(2, "laptop")).expect("it can be written");
        assert_eq!(seeds(results.path(), "laptop"), [1, 2]);
    }

    #[test]
    fn profiles_are_series_of_their_own() {
        let results = tempfile::tempdir().expect("a directory");
        for (seed, profile) in [(1, "laptop"), (2, "smoke"), (3, "laptop")] {
            append(results.path(), "nightly", &line(seed, profile)).expect("it can be written");
        }
        assert_eq!((seeds(results.path(), "laptop"), seeds(results.path(), "smoke")), (vec![1, 3], vec![2]));
        assert!(seeds(results.path(), "paper").is_empty());
    }

    #[test]
    fn a_replay_is_the_same_night() {
        let suite_run = line(1, "laptop");
        assert!(suite_run.is_replay_of(&suite_run));
        let lost = MatchSummary { name: "mine".into(), verdict: Verdict::Regressed, estimate: None };
        let changed = SuiteRunSummary { matches: vec![lost], ..line(1, "laptop") };
        let elsewhere = SuiteRunSummary { device: "gpu".into(), ..line(1, "laptop") };
        for other in [line(2, "laptop"), line(1, "smoke"), elsewhere, changed] {
            assert!(!suite_run.is_replay_of(&other), "{other:?}");
        }
    }
}
