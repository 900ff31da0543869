//! The settings of a network of another program, as in a manifest.
//!
//! The program computes and trains it: here are no layers and no weights. Higher layers start its process and speak its
//! protocol (docs/network-protocol.md).

use std::collections::BTreeMap;
use std::num::NonZeroU8;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::architecture::Architecture;
use super::image::ResNetV2;
use super::input::{InputKind, Logits};
use super::layers::Network;
use super::params::Maker;
use super::{DeepError, Net};
use crate::encoders::{Dims, Extent};
use gauntlet_games::base::{Patience, Place};

/// A network that another program computes and trains, such as one of PyTorch or JAX.
///
/// | key | default | |
/// |---|---|---|
/// | `command` | | the program and its arguments. Files that it names are part of the job's key, by their contents |
/// | `name` | the last file of the command | the name in tables |
/// | `settings` | none | settings that the program gets at its start |
/// | `startup-seconds` | 120 | the time for its first answer |
/// | `timeout-seconds` | 60 | the time for every other answer |
/// | `directory` | that of the manifest | the working directory |
/// | `needs` | none | other files and directories that the program reads; they are part of the key, too |
/// | `writes` | none | files and directories that it writes, such as a log: they are not part of the key |
/// | `environment` | none | additional environment variables. Files that they name are part of the key, too |
/// | `instances` | 1 | processes that evaluate at the same time; each finds its number, from 0, in `GAUNTLET_INSTANCE` |
/// | `deterministic` | false | whether equal seeds and batches give equal bits in every process; a training checks it |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct External {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The name in tables. Default: the last file of the command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Settings that the program gets at its start.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub settings: Map<String, Value>,
    /// Seconds for its first answer.
    #[serde(default = "startup", with = "Patience")]
    pub startup_seconds: f64,
    /// Seconds for every other answer.
    #[serde(default = "timeout", with = "Patience")]
    pub timeout_seconds: f64,
    /// The working directory; in a manifest, relative to its own directory.
    #[serde(default, skip_serializing_if = "Place::is_here")]
    pub directory: Place,
    /// Files and directories that the program reads besides those of its settings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<String>,
    /// Files and directories that it writes: no result depends on them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub writes: Vec<String>,
    /// Additional environment variables.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub environment: BTreeMap<String, String>,
    /// Processes that evaluate at the same time, with equal weights; the first one learns. Each finds its number, from 0, in the
    /// environment variable `GAUNTLET_INSTANCE`.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub instances: NonZeroU8,
    /// Whether equal seeds and batches give equal bits in every process. A training checks it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub deterministic: bool,
    /// Hashes of these files, by their names; planning adds them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
}

fn startup() -> f64 {
    120.0
}

fn timeout() -> f64 {
    60.0
}

fn one() -> NonZeroU8 {
    NonZeroU8::MIN
}

fn is_one(number: &NonZeroU8) -> bool {
    *number == one()
}

impl External {
    /// Its name in messages and tables: a script is called by its own file, not by its interpreter or its flags.
    #[must_use]
    pub fn called(&self) -> String {
        let own = self.command.iter().rev().find(|word| self.files.contains_key(*word)).or(self.command.first());
        let file = |word: &String| word.rsplit('/').next().unwrap_or_default().to_owned();
        self.name.clone().or_else(|| own.map(file)).unwrap_or_default()
    }

    /// The network that a file of weights names: without the places, files and limits of the machine.
    #[must_use]
    pub fn portable(&self) -> External {
        External {
            command: self.command.clone(),
            name: Some(self.called()),
            settings: self.settings.clone(),
            startup_seconds: startup(),
            timeout_seconds: timeout(),
            directory: Place::default(),
            needs: Vec::new(),
            writes: Vec::new(),
            environment: BTreeMap::new(),
            instances: one(),
            deterministic: self.deterministic,
            files: BTreeMap::new(),
        }
    }
}

impl Architecture for External {
    fn title(&self) -> &'static str {
        "the network of another program"
    }

    fn name(&self) -> String {
        self.called()
    }

    fn reads(&self) -> InputKind {
        InputKind::Images { least: 1, logits: Logits::Slots }
    }

    fn scales(&self) -> bool {
        false
    }

    /// The layers are in the program.
    fn network(&self, _dims: Dims) -> Option<Network> {
        None
    }

    /// That of a ResNet with five blocks of 128 channels: estimates do not start the program.
    fn board_macs(&self, extent: Extent) -> f64 {
        ResNetV2::default().board_macs(extent)
    }

    fn weight_count(&self, _dims: Dims) -> Option<usize> {
        None
    }

    /// Refused: the program has the weights.
    fn build(&self, _dims: Dims, _maker: Maker<'_>) -> Result<Box<dyn Net>, DeepError> {
        Err(DeepError::Program(format!("{} is computed by its own program, and not here", self.called())))
    }
}
