//! Training jobs as a manifest writes them.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CmaesSpec, LearningError, Trained, train_cmaes};
use crate::base::{Seed, Sink};
use crate::games::{Game, GameSpec};
use crate::nets::{Checkpoint, NetSpec};
use crate::players::PlayerSpec;

/// The kinds of training.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub enum TrainSpec {
    /// Evolution of all weights against a fixed opponent.
    #[serde(rename = "cma-es")]
    Cmaes(CmaesJob),
}

/// One training with CMA-ES.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct CmaesJob {
    /// The game it learns.
    pub game: GameSpec,
    /// The network that learns, as a player.
    pub agent: PlayerSpec,
    /// Whom it plays against.
    pub opponent: PlayerSpec,
    /// How it learns.
    #[serde(default)]
    pub settings: CmaesSpec,
}

impl TrainSpec {
    /// A few words for people.
    #[must_use]
    pub fn slug(&self) -> String {
        let TrainSpec::Cmaes(job) = self;
        format!("{} {} {}", job.game.build().name(), job.agent.name(), job.opponent.name())
    }

    /// Rough seconds of one core.
    #[must_use]
    pub fn cost(&self) -> f64 {
        let TrainSpec::Cmaes(job) = self;
        let Some(net) = job.net() else { return 0.0 };
        let sites = job.game.build().topology().sites();
        let settings = &job.settings;
        let candidates = settings.population(net.weight_count(sites)) as f64 * f64::from(settings.generations);
        candidates * settings.games.get() as f64 * sites as f64 * SECONDS_PER_SITE
    }

    /// Whether the agent can learn, and both players know the game.
    ///
    /// # Errors
    /// A sentence for people.
    pub fn check(&self) -> Result<(), String> {
        let TrainSpec::Cmaes(job) = self;
        let game = job.game.build();
        if job.net().is_none() {
            return Err(format!("{} has no weights to train", job.agent.name()));
        }
        job.agent.check(&game).and_then(|()| job.opponent.check(&game))
    }

    /// Games that one fitness takes.
    #[must_use]
    pub fn games_per_candidate(&self) -> u64 {
        let TrainSpec::Cmaes(job) = self;
        job.settings.games.get() as u64
    }

    /// Trains; `resume` is the last checkpoint of an interrupted call.
    ///
    /// # Errors
    /// As [`train_cmaes`].
    pub fn run(
        &self,
        number: u64,
        resume: Option<&[u8]>,
        sink: &mut dyn Sink,
    ) -> Result<(Checkpoint, Trained), LearningError> {
        let TrainSpec::Cmaes(job) = self;
        let game: Arc<dyn Game> = job.game.build();
        let net = *job.net().expect("the plan has checked that the agent is a network");
        let seed = Seed::new(number).child("train", 0).child(&game.name(), 0);
        let trained = train_cmaes(&job.settings, &net, &game, &job.opponent, &seed, resume, sink)?;
        let origin = format!("CMA-ES on {} against {}, seed {number}", game.name(), job.opponent.name());
        let board = game.topology().rows();
        Ok((Checkpoint { net, weights: trained.weights.clone(), board, origin }, trained))
    }
}

/// What a game costs, per site of the board, in seconds of one core.
const SECONDS_PER_SITE: f64 = 1.5e-6;

impl CmaesJob {
    fn net(&self) -> Option<&NetSpec> {
        match &self.agent {
            PlayerSpec::Net(agent) => Some(&agent.network),
            _ => None,
        }
    }
}
