//! One job, resolved: everything that it depends on except its seed. The spec types belong to the rooms that
//! do the work; this file only puts them side by side.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::arena::PlaySpec;
use crate::games::Game;
use crate::learning::{AlphaZeroJob, TrainSpec};
use crate::measure::MeasureSpec;
use crate::players::PlayerSpec;

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

    /// Work in seconds of one 2024 core, roughly; measured durations correct it by class.
    #[must_use]
    pub fn cost(&self) -> f64 {
        match self {
            JobSpec::Train(spec) => spec.cost(),
            JobSpec::Play(spec) => spec.cost(),
            JobSpec::Measure(spec) => spec.cost(),
        }
    }

    /// The searching player that takes most of the job's time, and on which game, where there is one.
    #[must_use]
    pub fn searcher(&self) -> Option<(&PlayerSpec, Arc<dyn Game>)> {
        let (players, game) = match self {
            JobSpec::Train(TrainSpec::AlphaZero(job)) => (vec![&job.agent], job.largest()),
            JobSpec::Play(spec) => (spec.players(), spec.game().build()),
            JobSpec::Measure(MeasureSpec::Fitness(job)) => (vec![&job.agent, &job.opponent], job.game.build()),
            JobSpec::Train(_) | JobSpec::Measure(_) => return None,
        };
        let searchers = players.into_iter().filter(|player| player.searches());
        let slowest = searchers.max_by(|a, b| a.seconds(&*game).total_cmp(&b.seconds(&*game)))?;
        Some((slowest, game))
    }

    /// The training by gradients, where it is one.
    #[must_use]
    pub fn training(&self) -> Option<&AlphaZeroJob> {
        match self {
            JobSpec::Train(TrainSpec::AlphaZero(job)) => Some(job),
            _ => None,
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
