//! What tonight is compared with: players, raw counts of pairs, and how they came about.
//!
//! `results/baselines/<suite>.json`, replaced as a whole and only on request, with who, when and why. Players are
//! opaque here: the values that a manifest resolves to.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::pairs::Pairs;
use crate::store::{self, atomic_write};
use gauntlet_games::base::Key;

/// The baseline of a suite.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    /// Version of this format.
    pub version: u32,
    /// The suite.
    pub suite: String,
    /// The commit that it was measured at.
    pub commit: String,
    /// What it was measured on.
    pub device: String,
    /// Where its random streams started.
    pub seed: u64,
    /// Every change of the baseline, the last one at the end.
    pub changes: Vec<BaselineChange>,
    /// The matches, by name.
    pub matches: BTreeMap<String, BaselineEntry>,
}

/// Who changed a baseline, when and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BaselineChange {
    /// Who.
    pub who: String,
    /// When, in UTC.
    pub when: String,
    /// Why.
    pub why: String,
    /// At which commit.
    pub commit: String,
}

/// The baseline of one match.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BaselineEntry {
    /// Id of what both have in common: game, opponent, opening. Another one cannot be compared with.
    pub setting: Key,
    /// Id of the configuration: the setting with the player.
    pub config: Key,
    /// The player, as a manifest resolves to it.
    pub player: Value,
    /// Seed of its random weights.
    pub weights_seed: u64,
    /// Its trained weights, where it has some.
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
    /// The weights `bytes` under a name that tells versions apart: `<name>-<hash>.safetensors`.
    #[must_use]
    pub fn of(name: &str, bytes: &[u8]) -> Model {
        let hash = blake3::hash(bytes).to_hex().to_string();
        Model { file: format!("{name}-{}.safetensors", &hash[..12]), hash }
    }

    /// Whether these are the weights.
    #[must_use]
    pub fn is(&self, bytes: &[u8]) -> bool {
        blake3::hash(bytes).to_hex().as_str() == self.hash
    }
}

/// Why there is no baseline.
#[derive(Debug, thiserror::Error)]
pub enum BaselineError {
    /// Nobody has made one yet.
    #[error("there is no baseline {}", .0.display())]
    Absent(PathBuf),
    /// The file is no baseline of this version.
    #[error("{} is no baseline: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

impl Baseline {
    /// The version that is written and read.
    pub const VERSION: u32 = 1;

    /// The file of a suite in a results tree.
    #[must_use]
    pub fn path(results: &Path, suite: &str) -> PathBuf {
        results.join("baselines").join(format!("{suite}.json"))
    }

    /// Reads a suite's baseline.
    ///
    /// # Errors
    /// When there is none, or none of this version.
    pub fn read(results: &Path, suite: &str) -> Result<Baseline, BaselineError> {
        let path = Baseline::path(results, suite);
        let text = match std::fs::read_to_string(&path) {
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
            Ok(found) => Ok(found),
            Err(error) => Err(BaselineError::Unreadable { path, reason: error.to_string() }),
        }
    }

    /// Writes the baseline, durably and as a whole.
    ///
    /// # Errors
    /// When the file cannot be written; an older one is then untouched.
    pub fn write(&self, results: &Path) -> Result<PathBuf, store::Error> {
        let path = Baseline::path(results, &self.suite);
        let directory = path.parent().unwrap_or(results).to_owned();
        std::fs::create_dir_all(&directory).map_err(|source| store::Error::File {
            action: "create",
            path: directory,
            source,
        })?;
        let mut text = serde_json::to_string_pretty(self).expect("plain data is JSON");
        text.push('\n');
        atomic_write(&path, text.as_bytes())?;
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
    fn what_was_written_is_read_back() {
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
    fn weights_are_known_by_their_bytes() {
        let model = Model::of("net", b"weights");
        assert!(model.is(b"weights") && !model.is(b"other") && model.file.starts_with("net-"));
    }
}
