//! Measuring jobs as a manifest writes them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::complexity::ComplexityJob;
use super::embeddings::EmbeddingsJob;
use super::fitness::FitnessJob;
use super::hours::HoursJob;
use super::ladder::LadderJob;
use super::network::NetworkJob;
use super::optimal::OptimalJob;
use super::random_play::RandomPlayJob;
use super::solutions::SolutionsJob;
use crate::jobs::Job;

/// The kinds of measurements.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MeasureSpec {
    /// An agent's score against an opponent.
    Fitness(FitnessJob),
    /// The share of an agent's moves that keep the exact value of a position.
    Optimal(OptimalJob),
    /// Positions with the exact values of their actions.
    Solutions(SolutionsJob),
    /// Ratings of the results in a file of the data directory.
    Ladder(LadderJob),
    /// Running times of trainings, from a file of the data directory.
    Hours(HoursJob),
    /// The size of a game.
    Complexity(ComplexityJob),
    /// The size of a network.
    Network(NetworkJob),
    /// Outcomes of random games.
    RandomPlay(RandomPlayJob),
    /// A graph network's embeddings of a good and a bad action on boards of many sizes.
    Embeddings(EmbeddingsJob),
}

impl MeasureSpec {
    /// The job.
    #[must_use]
    pub fn job(&self) -> &dyn Job {
        match self {
            MeasureSpec::Fitness(job) => job,
            MeasureSpec::Optimal(job) => job,
            MeasureSpec::Solutions(job) => job,
            MeasureSpec::Ladder(job) => job,
            MeasureSpec::Hours(job) => job,
            MeasureSpec::Complexity(job) => job,
            MeasureSpec::Network(job) => job,
            MeasureSpec::RandomPlay(job) => job,
            MeasureSpec::Embeddings(job) => job,
        }
    }
}
