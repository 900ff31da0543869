//! The divergence check: weights are finite, and the loss is not far above that of a uniform guess.
//!
//! The loss of a step is computed before its update. A separate check therefore follows the last step of an iteration:
//! an iteration that diverged is not used for games, files or checkpoints.

use crate::learning::{Examples, LearningError, LossSpec, Losses, inference_loss};
use gauntlet_nets::nets::deep::{Net, not_finite};

/// A loss above this means divergence: even a uniform policy over the largest board costs less.
const EXPLODED: f64 = 100.0;

/// Refuses a NaN or excessive loss of iteration `number`, from 0, after `steps` of its steps.
pub(super) fn check_loss(losses: Losses, number: u64, steps: usize) -> Result<(), LearningError> {
    let Losses { value, policy, .. } = losses;
    match losses.total() <= EXPLODED {
        true => Ok(()),
        false => Err(LearningError::Diverged { iteration: number + 1, steps: steps as u64, value, policy }),
    }
}

/// Refuses a network that diverged in the steps of iteration `number`, from 0: by its weights, and by its inference
/// loss over the examples of the last step.
pub(super) fn check_network(
    net: &dyn Net,
    last: &Examples,
    loss: LossSpec,
    number: u64,
    steps: usize,
) -> Result<(), LearningError> {
    if let Some(tensor) = not_finite(net.params())? {
        return Err(LearningError::NotFinite { iteration: number + 1, tensor: tensor.to_owned() });
    }
    check_loss(inference_loss(net, last.batch(), last.targets(), loss)?, number, steps)
}
