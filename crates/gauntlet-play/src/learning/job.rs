//! Training jobs as a manifest writes them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::alphazero::AlphaZeroJob;
use super::external::ExternalJob;
use super::spec::CmaesJob;
use super::spsa::SpsaJob;
use crate::jobs::Job;

/// The kinds of training.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub enum TrainSpec {
    /// Evolution of all weights against a fixed opponent.
    #[serde(rename = "cma-es")]
    Cmaes(CmaesJob),
    /// Self-play and optimisation of a network that guides a search.
    #[serde(rename = "alpha-zero")]
    AlphaZero(Box<AlphaZeroJob>),
    /// A training by another program: its files are the result.
    #[serde(rename = "external")]
    External(Box<ExternalJob>),
    /// Tunes numbers of a player's settings by games against itself (SPSA).
    #[serde(rename = "spsa")]
    Spsa(Box<SpsaJob>),
}

impl TrainSpec {
    /// The job.
    #[must_use]
    pub fn job(&self) -> &dyn Job {
        match self {
            TrainSpec::Cmaes(job) => job,
            TrainSpec::AlphaZero(job) => &**job,
            TrainSpec::External(job) => &**job,
            TrainSpec::Spsa(job) => &**job,
        }
    }
}
