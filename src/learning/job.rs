//! Training jobs as a manifest writes them.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{AlphaZeroJob, CmaesSpec, LearningError, Snapshot, train_alphazero, train_cmaes};
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
    /// Self-play and optimisation of a network that guides a search.
    #[serde(rename = "alpha-zero")]
    AlphaZero(Box<AlphaZeroJob>),
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

/// What a training leaves.
#[derive(Debug, Clone, PartialEq)]
pub struct Training {
    /// The weights, as the bytes of a safetensors file.
    pub weights: Vec<u8>,
    /// The networks of the iterations that are kept.
    pub kept: Vec<Snapshot>,
    /// `curve`, an entry for each generation or iteration, and `games`, how many were played.
    pub result: Value,
    /// The numbers of the curve as JSON lines, an object for each generation or iteration.
    pub metrics: Vec<u8>,
}

impl TrainSpec {
    /// A few words for people.
    #[must_use]
    pub fn slug(&self) -> String {
        match self {
            TrainSpec::Cmaes(job) => {
                format!("{} {} {}", job.game.build().name(), job.agent.name(), job.opponent.name())
            }
            TrainSpec::AlphaZero(job) => format!("{} {}", job.game.build().name(), job.agent.name()),
        }
    }

    /// Whether the agent can learn, and everything fits together.
    ///
    /// # Errors
    /// A sentence for people.
    pub fn check(&self) -> Result<(), String> {
        match self {
            TrainSpec::Cmaes(job) => job.check(),
            TrainSpec::AlphaZero(job) => job.check(),
        }
    }

    /// The first board that is learned on.
    #[must_use]
    pub fn first_board(&self) -> GameSpec {
        match self {
            TrainSpec::Cmaes(job) => job.game,
            TrainSpec::AlphaZero(job) => job.first_board(),
        }
    }

    /// Who learns.
    #[must_use]
    pub fn agent(&self) -> &PlayerSpec {
        match self {
            TrainSpec::Cmaes(job) => &job.agent,
            TrainSpec::AlphaZero(job) => &job.agent,
        }
    }

    /// The iterations whose networks are kept, ascending.
    #[must_use]
    pub fn kept(&self) -> &[u32] {
        match self {
            TrainSpec::Cmaes(_) => &[],
            TrainSpec::AlphaZero(job) => &job.settings.keep,
        }
    }

    /// Trains; `resume` is the last checkpoint of an interrupted call.
    ///
    /// # Errors
    /// As [`train_cmaes`] and [`train_alphazero`].
    pub fn run(&self, number: u64, resume: Option<&[u8]>, sink: &mut dyn Sink) -> Result<Training, LearningError> {
        match self {
            TrainSpec::Cmaes(job) => job.run(number, resume, sink),
            TrainSpec::AlphaZero(job) => {
                let trained = train_alphazero(job, &Seed::new(number), resume, sink)?;
                let games = trained.curve.last().map_or(0, |last| last.games);
                let result = json!({ "curve": trained.curve, "games": games });
                let (weights, metrics) = (trained.network.to_bytes()?, trained.metrics()?);
                Ok(Training { weights, kept: trained.kept, result, metrics })
            }
        }
    }
}

impl CmaesJob {
    /// The network that learns, where the agent has one.
    #[must_use]
    pub fn net(&self) -> Option<&NetSpec> {
        if let PlayerSpec::Net(agent) = &self.agent { Some(&agent.network) } else { None }
    }

    fn check(&self) -> Result<(), String> {
        let game = self.game.build();
        if self.net().is_none() {
            return Err(format!("{} has no weights to train", self.agent.name()));
        }
        self.agent.check(&game).and_then(|()| self.opponent.check(&game))
    }

    fn run(&self, number: u64, resume: Option<&[u8]>, sink: &mut dyn Sink) -> Result<Training, LearningError> {
        let game: Arc<dyn Game> = self.game.build();
        let net = *self.net().expect("the plan has checked that the agent is a network");
        let seed = Seed::new(number).child("train", 0).child(&game.name(), 0);
        let trained = train_cmaes(&self.settings, &net, &game, &self.opponent, &seed, resume, sink)?;
        let origin = format!("CMA-ES on {} against {}, seed {number}", game.name(), self.opponent.name());
        let games = trained.candidates() * self.settings.games.get() as u64;
        let result = json!({ "curve": trained.curve, "games": games });
        let metrics = trained.metrics()?;
        let checkpoint = Checkpoint { net, weights: trained.weights, board: game.topology().rows(), origin };
        Ok(Training { weights: checkpoint.to_bytes()?, kept: Vec::new(), result, metrics })
    }
}
