//! Sources of an agent's weights: drawn at random, evolved against an opponent, trained in self-play, or made by
//! another program. Numbers of an agent's settings are tuned here, too.
//!
//! Each source is one job function from a spec and a seed to weights; none of them accesses a store.

mod adam;
mod alphazero;
mod cmaes;
mod evolution;
mod examples;
mod external;
mod job;
mod keep;
mod loss;
mod metrics;
mod optimise;
mod packed;
mod rates;
mod replay;
mod selfplay;
mod shorter;
mod spec;
mod spsa;

use crate::arena::ArenaError;
use crate::players::PlayerError;
pub use adam::{Adam, AdamSpec};
pub use alphazero::{
    AlphaZeroJob, AlphaZeroSpec, AlphaZeroTrained, Draw, EvaluationSpec, GateSpec, Iteration, RULE_STEP, SizeShare,
    Snapshot, train_alphazero,
};
pub use cmaes::{Cmaes, Parameters, Population, default_population};
pub use evolution::{EvolutionState, Generation, GenerationMetrics, Trained, evolve, train_cmaes};
pub use examples::Examples;
pub use external::{ExternalJob, Numbers, TrainingBudget};
use gauntlet_games::base::Interrupted;
use gauntlet_nets::nets::deep::DeepError;
use gauntlet_nets::nets::{CheckpointError, NetError};
pub use job::TrainSpec;
pub use keep::{Keep, KeepState};
pub use loss::{LossSpec, Losses, PolicyLoss, Targets, measure_loss};
pub use metrics::{MetricsLine, TrainerEffort, TrainingResult};
pub use optimise::{StepRules, inference_loss, train_step};
pub use packed::{ExampleSegment, PackedExamples};
pub use rates::{CosineSpec, RateSchedule, RateStep};
pub use replay::{KeptIteration, Replay, Sampler, Symmetries, Window};
pub use selfplay::{
    Amount, OnProgress, PliesSpec, PolicyTarget, SelfPlay, Trajectory, ValueTarget, WeightedBoard, draw_board,
};
pub use shorter::shorter;
pub use spec::{CmaesJob, CmaesSpec, InitialMean, ReturnedWeights};
pub use spsa::{Spsa, SpsaJob, SpsaResult, SpsaSpec, SpsaStep, Trial, TunedNumber};

/// Errors of a training.
#[derive(Debug, thiserror::Error)]
pub enum LearningError {
    /// The training was interrupted; its last checkpoint holds its state.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
    /// Games failed.
    #[error(transparent)]
    Arena(ArenaError),
    /// A player cannot play this game.
    #[error(transparent)]
    Player(#[from] PlayerError),
    /// The weights do not fit the network on this board.
    #[error(transparent)]
    Net(#[from] NetError),
    /// A deep network failed.
    #[error(transparent)]
    Deep(#[from] DeepError),
    /// A checkpoint cannot be written or read.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// A checkpoint is incomplete, or of another training.
    #[error("the checkpoint is incomplete, or of another training")]
    Torn,
    /// The loss is infinite, NaN, or far beyond that of guessing.
    #[error(
        "the loss exploded after {steps} steps of iteration {iteration}: value {value}, policy {policy}; a smaller \
         learning rate may help"
    )]
    Diverged {
        /// The iteration, from 1.
        iteration: u64,
        /// Steps of the iteration before it.
        steps: u64,
        /// The value's part of the loss.
        value: f64,
        /// The policy's part of the loss.
        policy: f64,
    },
    /// The weights are not finite.
    #[error(
        "the weights exploded in iteration {iteration}: tensor `{tensor}` is not finite; a smaller learning rate may help"
    )]
    NotFinite {
        /// The iteration, from 1.
        iteration: u64,
        /// The first such tensor.
        tensor: String,
    },
    /// The program of a network names a metric as one of an iteration.
    #[error("the program of the network names a metric `{0}`: this name is reserved")]
    MetricName(String),
    /// The checkpoint cannot be parsed.
    #[error("the checkpoint cannot be read: {0}")]
    Unreadable(#[from] serde_json::Error),
    /// The checkpoint belongs to another training.
    #[error("the checkpoint has {found} weights, and this search has {expected}")]
    Foreign {
        /// Weights of this training.
        expected: usize,
        /// Weights in the checkpoint.
        found: usize,
    },
}

impl From<ArenaError> for LearningError {
    fn from(error: ArenaError) -> LearningError {
        match error {
            ArenaError::Interrupted(interrupted) => LearningError::Interrupted(interrupted),
            other => LearningError::Arena(other),
        }
    }
}
