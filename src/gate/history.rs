//! The nights so far: one line of JSON each, for trends. No decision rests on it.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::night::{Estimate, Night};
use super::ruling::Ruling;

/// One line: a night in short.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// When it ended, in UTC.
    pub when: String,
    /// The commit.
    pub commit: String,
    /// Which attempt at it.
    pub attempt: u32,
    /// Its seed.
    pub seed: u64,
    /// Commit of the baseline it was compared with.
    pub baseline: Option<String>,
    /// The matches.
    pub matches: Vec<Found>,
}

/// One match of a line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Found {
    /// Its name.
    pub name: String,
    /// How it was ruled.
    pub ruling: Ruling,
    /// The change as the first round found it.
    pub estimate: Option<Estimate>,
}

impl Line {
    /// A night in short.
    #[must_use]
    pub fn of(night: &Night, when: String) -> Line {
        let found = night.matches.iter().map(|found| Found {
            name: found.name.clone(),
            ruling: found.ruling,
            estimate: found.rounds.first().and_then(|round| round.estimate),
        });
        Line {
            when,
            commit: night.commit.clone(),
            attempt: night.attempt,
            seed: night.seed,
            baseline: night.baseline.clone(),
            matches: found.collect(),
        }
    }

    /// Whether both are the same night: a replay is.
    #[must_use]
    pub fn is_replay_of(&self, other: &Line) -> bool {
        (&self.commit, self.seed, &self.baseline) == (&other.commit, other.seed, &other.baseline)
    }
}

/// The file of a suite in a results tree.
#[must_use]
pub fn path(results: &Path, suite: &str) -> PathBuf {
    results.join("baselines").join(format!("{suite}.history.jsonl"))
}

/// All nights, the oldest first. Lines that cannot be read are left out: one may have been cut off.
#[must_use]
pub fn read(results: &Path, suite: &str) -> Vec<Line> {
    let text = std::fs::read_to_string(path(results, suite)).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Adds a night.
///
/// # Errors
/// When the file cannot be written.
pub fn append(results: &Path, suite: &str, line: &Line) -> std::io::Result<()> {
    let path = path(results, suite);
    std::fs::create_dir_all(path.parent().unwrap_or(results))?;
    // A line that was cut off must not swallow the next one.
    let torn = std::fs::read(&path).is_ok_and(|bytes| bytes.last().is_some_and(|&byte| byte != b'\n'));
    let mut bytes = if torn { vec![b'\n'] } else { Vec::new() };
    serde_json::to_writer(&mut bytes, line)?;
    bytes.push(b'\n');
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(path)?;
    file.write_all(&bytes)?;
    file.sync_data()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_torn_line_costs_only_itself() {
        let results = tempfile::tempdir().expect("a directory");
        let line = |seed| Line {
            when: "2026-01-01T00:00:00Z".into(),
            commit: "c0".into(),
            attempt: 1,
            seed,
            baseline: None,
            matches: Vec::new(),
        };
        append(results.path(), "nightly", &line(1)).expect("it can be written");
        let torn = std::fs::read_to_string(path(results.path(), "nightly")).expect("it is there") + "{\"when\": \"20";
        std::fs::write(path(results.path(), "nightly"), torn).expect("it can be written");
        append(results.path(), "nightly", &line(2)).expect("it can be written");
        let found: Vec<u64> = read(results.path(), "nightly").iter().map(|line| line.seed).collect();
        assert_eq!(found, [1, 2]);
        assert!(line(1).is_replay_of(&line(1)) && !line(1).is_replay_of(&line(2)));
    }
}
