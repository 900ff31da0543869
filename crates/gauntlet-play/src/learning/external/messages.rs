//! The messages of the protocol of trainers, version 1: `docs/trainer.md` specifies them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::engines::messages::GameFacts;

/// The version of the protocol.
pub const PROTOCOL: u32 = 1;

/// Longest line of a message in bytes.
pub const LONGEST_LINE: usize = 1 << 20;

/// The answer to a checkpoint: its files are saved, and can change again.
pub const SAVED: &str = r#"{"saved":true}"#;

/// The first message to a trainer.
#[derive(Debug, Serialize)]
pub struct ToTrainer<'a> {
    /// The version of the protocol.
    pub protocol: u32,
    /// The game.
    pub game: GameFacts,
    /// A seed for all of its randomness.
    pub seed: u32,
    /// The settings of the manifest.
    pub settings: &'a Map<String, Value>,
    /// The amount of work after which it ends.
    pub budget: Map<String, Value>,
    /// The cores that it may use.
    pub threads: u32,
    /// The directory for its files.
    pub directory: String,
    /// The files of its last checkpoint, if it continues; they are in the directory again.
    pub resumed: &'a [String],
    /// The files of the training that it starts from, if there is one; they are in the directory as well.
    pub started_from: &'a [String],
    /// Seconds before its last checkpoint.
    pub elapsed: f64,
    /// Seconds of processor time before its last checkpoint.
    pub processor_elapsed: f64,
}

/// A message of a trainer.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FromTrainer {
    /// Its name and versions.
    pub hello: Option<HelloFromTrainer>,
    /// The finished share of its work, 0 to 1.
    pub progress: Option<f64>,
    /// Named numbers; those that were not measured are null.
    pub metrics: Option<BTreeMap<String, Option<f64>>>,
    /// Names of files in its directory from which it can continue. They do not change until the answer.
    pub checkpoint: Option<Vec<String>>,
    /// The games so far.
    pub games: Option<u64>,
    /// The evaluations by its network so far.
    pub evaluations: Option<u64>,
    /// A note for the log.
    pub log: Option<String>,
    /// The reason for which it cannot go on.
    pub error: Option<String>,
}

/// Name and versions of a trainer.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HelloFromTrainer {
    /// Its name.
    pub name: String,
    /// The versions of its packages.
    #[serde(default)]
    pub versions: BTreeMap<String, String>,
}
