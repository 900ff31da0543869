//! The messages of the protocol of networks, version 1: `docs/network-protocol.md` specifies them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The version of the protocol.
pub const PROTOCOL: u32 = 1;

/// Longest line of a message in bytes, without its blocks.
pub const LONGEST_LINE: usize = 1 << 20;

/// A message to the program.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ToNetwork<'a> {
    /// The first message.
    Hello(Hello<'a>),
    /// Draw new weights by this seed.
    Seed(Seeded),
    /// Evaluate the block `input` with these weights.
    Evaluate(Version),
    /// One step of optimisation.
    Learn(Learn),
    /// Save everything that the next steps depend on.
    Save {},
    /// Replace weights and optimiser by the block `state`. They have this version from now on.
    Load(Version),
    /// Exit.
    Quit {},
}

/// The first message.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Hello<'a> {
    /// The version of the protocol.
    pub protocol: u32,
    /// The game and the images.
    #[serde(flatten)]
    pub greeting: &'a Greeting,
    /// The settings of the manifest.
    pub settings: &'a Map<String, Value>,
}

/// The facts that a network is made for.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Greeting {
    /// The name of the game, with its size.
    pub game: String,
    /// Channels, rows and columns of an image.
    pub shape: [usize; 3],
    /// Logits of a position.
    pub logits: usize,
}

/// New weights.
#[derive(Debug, Serialize)]
pub struct Seeded {
    /// Below 2^53, so that every language reads it.
    pub seed: u64,
}

/// The version of weights: 0 for new ones, one more after each step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Version {
    /// The version.
    pub version: u64,
}

/// A step of optimisation.
#[derive(Debug, Serialize)]
pub struct Learn {
    /// The version of the weights before the step.
    pub version: u64,
    /// Its rules.
    #[serde(flatten)]
    pub rules: LearnRules,
}

/// The rules of a step of optimisation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct LearnRules {
    /// The learning rate.
    pub rate: f64,
    /// Whether the optimiser is reset before the step.
    pub fresh: bool,
    /// Weight of the squared error of the values.
    pub value_weight: f64,
    /// Weight of the squares of all weights.
    pub l2: f64,
    /// Whether the softmax of the policy is over legal actions alone.
    pub legal_only: bool,
}

/// A message of the program.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct FromNetwork {
    /// The answer to `hello`.
    pub hello: Option<HelloFromNetwork>,
    /// The answer to `seed` and `load`.
    pub ready: Option<Value>,
    /// The answer to `evaluate`, with the blocks `logits` and `values`.
    pub answers: Option<Version>,
    /// The answer to `learn`.
    pub learned: Option<Learned>,
    /// The answer to `save`, with the block `state`.
    pub saved: Option<Value>,
    /// The program cannot go on.
    pub error: Option<String>,
    /// A note for the log.
    pub log: Option<String>,
}

/// The answer to `hello`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct HelloFromNetwork {
    /// The version of the protocol.
    pub protocol: u32,
    /// The name of the network.
    pub name: String,
    /// Versions of the network and of its libraries, by their names.
    #[serde(default)]
    pub versions: BTreeMap<String, String>,
    /// The device that computes it.
    #[serde(default)]
    pub device: String,
    /// The numbers of rows that it evaluates at once, ascending: others are filled up with zeros. Default: any.
    #[serde(default)]
    pub rows: Vec<usize>,
    /// Floating-point operations of the evaluation of a position; 0 if unknown.
    #[serde(default)]
    pub operations: u64,
}

impl HelloFromNetwork {
    /// Its name, versions and device: a training goes on only with the same ones.
    #[must_use]
    pub fn identity(&self) -> String {
        let versions = self.versions.iter().map(|(name, version)| format!("{name} {version}"));
        let device = (!self.device.is_empty()).then(|| self.device.clone());
        std::iter::once(self.name.clone()).chain(versions).chain(device).collect::<Vec<String>>().join(", ")
    }
}

/// The answer to `learn`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Learned {
    /// The version of the weights after the step.
    pub version: u64,
    /// The parts of the loss before the step.
    pub losses: LossParts,
    /// Other numbers of the step, for the curves.
    #[serde(default)]
    pub metrics: BTreeMap<String, f64>,
}

/// The parts of the loss of a step.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub struct LossParts {
    /// Mean squared error of the values.
    pub value: f64,
    /// Cross entropy of the policies, nats.
    pub policy: f64,
    /// Entropy of the network's policies, nats, if the program tells it.
    pub entropy: Option<f64>,
}
