//! How agents come by their weights: drawn at random, or evolved against an opponent.
//!
//! Each way is one job function that turns a spec and a seed into weights; none of them touches a store.

mod cmaes;
mod evolution;
mod job;
mod optimise;
mod spec;

use crate::arena::ArenaError;
use crate::base::Interrupted;
use crate::nets::NetError;
use crate::nets::deep::DeepError;
use crate::players::PlayerError;
pub use cmaes::{Cmaes, Parameters, Population, default_population};
pub use evolution::{Generation, Trained, evolve, train_cmaes};
pub use job::{CmaesJob, TrainSpec};
pub use optimise::{Adam, AdamSpec, LossSpec, Losses, PolicyLoss, Targets, measure_loss, train_step};
pub use spec::{Answer, CmaesSpec, RandomSpec, Start};

/// Why a training gave no weights.
#[derive(Debug, thiserror::Error)]
pub enum LearningError {
    /// The training was asked to stop; its last checkpoint holds its state.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
    /// The games could not be played.
    #[error(transparent)]
    Arena(#[from] ArenaError),
    /// A player cannot play this game.
    #[error(transparent)]
    Player(#[from] PlayerError),
    /// The weights make no network on this board.
    #[error(transparent)]
    Net(#[from] NetError),
    /// A deep network failed.
    #[error(transparent)]
    Deep(#[from] DeepError),
    /// The loss is infinite or no number.
    #[error("the loss is not finite after {step} steps: value {}, policy {}", losses.value, losses.policy)]
    Diverged {
        /// Steps before it.
        step: u64,
        /// The parts of the loss.
        losses: Losses,
    },
    /// What should be a checkpoint is none.
    #[error("the checkpoint cannot be read: {0}")]
    Unreadable(#[from] serde_json::Error),
    /// The checkpoint belongs to another training.
    #[error("the checkpoint is of a search over {found} weights, this is one over {expected}")]
    Foreign {
        /// Weights of this training.
        expected: usize,
        /// Weights in the checkpoint.
        found: usize,
    },
}
