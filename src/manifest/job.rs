//! One job, resolved: everything that it depends on except its seed. The spec types belong to the rooms that
//! do the work; this file only puts them side by side.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::arena::PlaySpec;
use crate::learning::TrainSpec;
use crate::measure::MeasureSpec;

/// What a job does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum JobSpec {
    /// Makes a trained network.
    Train(TrainSpec),
    /// Plays games.
    Play(PlaySpec),
    /// Measures numbers.
    Measure(MeasureSpec),
}

impl JobSpec {
    /// The kind, as in directory names.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            JobSpec::Train(_) => "train",
            JobSpec::Play(_) => "play",
            JobSpec::Measure(_) => "measure",
        }
    }

    /// A few words that tell jobs of a kind apart, for people.
    #[must_use]
    pub fn slug(&self) -> String {
        match self {
            JobSpec::Train(spec) => spec.slug(),
            JobSpec::Play(spec) => spec.slug(),
            JobSpec::Measure(spec) => spec.slug(),
        }
    }

    /// The files of the data directory that the job reads.
    #[must_use]
    pub fn inputs(&self) -> Vec<&str> {
        match self {
            JobSpec::Measure(spec) => spec.inputs(),
            JobSpec::Train(_) | JobSpec::Play(_) => Vec::new(),
        }
    }

    /// What is wrong with the combination of otherwise sound settings, if anything.
    ///
    /// # Errors
    /// A sentence for people: a player that cannot play the game, a network that does not fit the board.
    pub fn check(&self) -> Result<(), String> {
        match self {
            JobSpec::Train(spec) => spec.check(),
            JobSpec::Play(spec) => spec.check(),
            JobSpec::Measure(spec) => spec.check(),
        }
    }
}
