//! The baseline of a regression suite: players, raw counts of pairs, and their origin.
//!
//! The file is `results/baselines/<suite>.json`. It is replaced as a whole and only on request, with author, time and
//! reason. Players are opaque here: the values that a manifest resolves to.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::pairs::Pairs;
use gauntlet_games::base::Key;
use gauntlet_games::base::files::{LARGEST_NOTE, read_text};
use gauntlet_store::write_below;

/// The baseline of a suite.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    /// Version of this format.
    pub version: u32,
    /// The suite.
    pub suite: String,
    /// The commit of the measurement.
    pub commit: String,
    /// The device of the measurement.
    pub device: String,
    /// The seed of its random streams.
    pub seed: u64,
    /// All changes of the baseline, oldest first.
    pub changes: Vec<BaselineChange>,
    /// The matches, by name.
    pub matches: BTreeMap<String, BaselineEntry>,
}

/// Author, time and reason of a change of the baseline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BaselineChange {
    /// The author.
    pub who: String,
    /// The time, in UTC.
    pub when: String,
    /// The reason.
    pub why: String,
    /// The commit.
    pub commit: String,
}

/// The baseline of one match.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BaselineEntry {
    /// Id of the common settings: game, opponent, opening. Counts with another id cannot be compared.
    pub setting: Key,
    /// Id of the configuration: the setting with the player.
    pub config: Key,
    /// The player, as a manifest resolves to it.
    pub player: Value,
    /// Seed of its random weights.
    pub weights_seed: u64,
    /// Its trained weights, if it has any.
    pub model: Option<Model>,
    /// Its pairs against the match's opponent, by points.
    pub pairs: Pairs,
    /// Number of different games among them.
    pub distinct_games: u64,
}

/// Trained weights in `results/models`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// Name of the file.
    pub file: String,
    /// BLAKE3 of its bytes, in hexadecimal digits.
    pub hash: String,
}

impl Model {
    /// A model entry for the weights `bytes`, with a file name that identifies the version:
    /// `<name>-<hash>.safetensors`.
    #[must_use]
    pub fn of(name: &str, bytes: &[u8]) -> Model {
        let hash = blake3::hash(bytes).to_hex().to_string();
        Model { file: format!("{name}-{}.safetensors", &hash[..12]), hash }
    }

    /// Whether `bytes` are these weights.
    #[must_use]
    pub fn is(&self, bytes: &[u8]) -> bool {
        blake3::hash(bytes).to_hex().as_str() == self.hash
    }
}

/// Errors of reading a baseline.
#[derive(Debug, thiserror::Error)]
pub enum BaselineError {
    /// The baseline does not exist.
    #[error("there is no baseline {}", .0.display())]
    Absent(PathBuf),
    /// The file is not a baseline of this version.
    #[error("{} is not a baseline: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The problem.
        reason: String,
    },
}

/// Most pairs of a match.
const MOST_PAIRS: u128 = 1 << 40;

impl Baseline {
    /// The version that is written and can be read.
    pub const VERSION: u32 = 1;

    /// The file of a suite in a results tree.
    #[must_use]
    pub fn path(results: &Path, suite: &str) -> PathBuf {
        results.join("baselines").join(format!("{suite}.json"))
    }

    /// Reads a suite's baseline.
    ///
    /// # Errors
    /// If there is no baseline, or none of this version.
    pub fn read(results: &Path, suite: &str) -> Result<Baseline, BaselineError> {
        let path = Baseline::path(results, suite);
        let text = match read_text(&path, LARGEST_NOTE) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Err(BaselineError::Absent(path)),
            Err(error) => return Err(BaselineError::Unreadable { path, reason: error.to_string() }),
        };
        match serde_json::from_str::<Baseline>(&text) {
            Ok(found) if found.version != Baseline::VERSION => {
                let reason = format!("it has version {}, not {}", found.version, Baseline::VERSION);
                Err(BaselineError::Unreadable { path, reason })
            }
            Ok(found) if found.suite != suite => {
                Err(BaselineError::Unreadable { path, reason: format!("it is that of suite {}", found.suite) })
            }
            Ok(found) => match (found.foreign_model(), found.impossible_count()) {
                (Some(file), _) => {
                    let reason = format!("`{file}` is not the name of a file in {}", results.join("models").display());
                    Err(BaselineError::Unreadable { path, reason })
                }
                (None, Some(name)) => {
                    let reason = format!("the numbers of games of `{name}` are impossible");
                    Err(BaselineError::Unreadable { path, reason })
                }
                (None, None) => Ok(found),
            },
            Err(error) => Err(BaselineError::Unreadable { path, reason: error.to_string() }),
        }
    }

    /// The first model file that is not a plain name, and could lead out of its directory.
    fn foreign_model(&self) -> Option<&str> {
        let files = self.matches.values().filter_map(|entry| Some(entry.model.as_ref()?.file.as_str()));
        files.into_iter().find(|file| Path::new(file).file_name() != Some(OsStr::new(file)))
    }

    /// The first match with more games than can be played, or with more different games than games.
    fn impossible_count(&self) -> Option<&str> {
        let is_possible = |entry: &BaselineEntry| {
            let pairs: u128 = entry.pairs.0.iter().map(|&count| u128::from(count)).sum();
            pairs <= MOST_PAIRS && u128::from(entry.distinct_games) <= 2 * pairs
        };
        self.matches.iter().find(|(_, entry)| !is_possible(entry)).map(|(name, _)| name.as_str())
    }

    /// Writes the baseline, durably and as a whole.
    ///
    /// # Errors
    /// If the file cannot be written; the previous one is then unchanged.
    pub fn write(&self, results: &Path) -> Result<PathBuf, gauntlet_store::Error> {
        let path = Baseline::path(results, &self.suite);
        let mut text = serde_json::to_string_pretty(self).expect("plain data is JSON");
        text.push('\n');
        write_below(results, &path, text.as_bytes())?;
        Ok(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn sample() -> Baseline {
        let entry = BaselineEntry {
            setting: Key::of("setting", &json!(1)),
            config: Key::of("config", &json!(1)),
            player: json!({ "naive": {} }),
            weights_seed: 1,
            model: Some(Model::of("net", b"weights")),
            pairs: Pairs([1, 2, 3, 4, 5]),
            distinct_games: 30,
        };
        let change = BaselineChange {
            who: "me".into(),
            when: "2026-01-01T00:00:00Z".into(),
            why: "first".into(),
            commit: "c0".into(),
        };
        Baseline {
            version: Baseline::VERSION,
            suite: "nightly".into(),
            commit: "c0".into(),
            device: "cpu".into(),
            seed: u64::MAX,
            changes: vec![change],
            matches: BTreeMap::from([("a".to_owned(), entry)]),
        }
    }

    #[test]
    fn written_baselines_are_read_back() {
        let results = tempfile::tempdir().expect("a directory");
        assert!(matches!(Baseline::read(results.path(), "nightly"), Err(BaselineError::Absent(_))));
        let path = sample().write(results.path()).expect("it can be written");
        assert_eq!(Baseline::read(results.path(), "nightly").expect("it is there"), sample());
        std::fs::rename(&path, Baseline::path(results.path(), "other")).expect("it can be renamed");
        assert!(Baseline::read(results.path(), "other").expect_err("another suite's").to_string().contains("nightly"));
    }

    #[test]
    fn other_versions_and_torn_files_are_no_baselines() {
        let results = tempfile::tempdir().expect("a directory");
        let path = Baseline { version: 9, ..sample() }.write(results.path()).expect("it can be written");
        let error = Baseline::read(results.path(), "nightly").expect_err("another version");
        assert!(error.to_string().contains("version 9"), "{error}");
        std::fs::write(&path, "{\"version\": 1, ").expect("it can be written");
        assert!(matches!(Baseline::read(results.path(), "nightly"), Err(BaselineError::Unreadable { .. })));
    }

    #[test]
    fn impossible_numbers_of_games_are_damage() {
        let results = tempfile::tempdir().expect("a directory");
        let half = u64::MAX / 2 + 1;
        for (pairs, distinct_games) in [([half, 0, 0, 0, half], 0), ([u64::MAX; 5], 0), ([1, 0, 0, 0, 0], 3)] {
            let mut baseline = sample();
            let entry = baseline.matches.get_mut("a").expect("it is there");
            (entry.pairs, entry.distinct_games) = (Pairs(pairs), distinct_games);
            baseline.write(results.path()).expect("it can be written");
            let error = Baseline::read(results.path(), "nightly").expect_err("more games than can be");
            assert!(error.to_string().contains("the numbers of games of `a` are impossible"), "{error}");
        }
    }

    #[test]
    fn weights_are_known_by_their_bytes() {
        let model = Model::of("net", b"weights");
        assert!(model.is(b"weights") && !model.is(b"other") && model.file.starts_with("net-"));
    }
}
