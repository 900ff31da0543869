//! How agents come by their weights: drawn at random, or evolved against an opponent.
//!
//! Each way is one job function that turns a spec and a seed into weights; none of them touches a store.

mod cmaes;
mod evolution;
mod spec;

use rand_distr::{Distribution, StandardNormal};

use crate::arena::ArenaError;
use crate::base::{Interrupted, Seed};
use crate::nets::NetError;
use crate::players::PlayerError;
pub use cmaes::{Cmaes, Parameters, Population, default_population};
pub use evolution::{Generation, Trained, evolve, train_cmaes};
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

/// `count` weights from the standard normal distribution.
#[must_use]
pub fn random_weights(count: usize, seed: &Seed) -> Vec<f64> {
    StandardNormal.sample_iter(seed.rng()).take(count).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_weights_are_standard_normal() {
        let weights = random_weights(20_000, &Seed::new(1));
        let mean = weights.iter().sum::<f64>() / 20_000.0;
        let variance = weights.iter().map(|weight| (weight - mean).powi(2)).sum::<f64>() / 20_000.0;
        assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.04, "mean {mean}, variance {variance}");
        assert_eq!(random_weights(3, &Seed::new(1)), weights[..3]);
    }
}
