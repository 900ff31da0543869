//! One step of optimisation of a deep network: the loss, its gradient, a step of Adam.
//!
//! It plays no game and keeps no examples. Everything random comes from the caller's stream, so that network, [`Adam`] and
//! stream together continue to the same bytes.

use super::Adam;
use super::loss::{LossSpec, Losses, Targets, measure_loss};
use gauntlet_games::base::Rng;
use gauntlet_nets::encoders::Batch;
use gauntlet_nets::nets::deep::{DeepError, Mode, Net};

/// Moves the weights one step against the gradient of the loss over a batch; the parts of the loss before it. A loss that
/// is not finite has no gradient: the trained weights are then as they were, and the caller has to look at what it gets.
///
/// `rng` is the stream that dropout is drawn from.
///
/// # Errors
/// Targets of another batch, and what the network reports.
pub fn train_step(
    net: &dyn Net,
    adam: &mut Adam,
    batch: &Batch,
    targets: &Targets,
    loss: LossSpec,
    rng: &mut Rng,
) -> Result<Losses, DeepError> {
    let heads = net.forward(batch, Mode::Train(rng))?;
    let (total, losses) = measure_loss(&heads, batch, targets, loss)?;
    if losses.total().is_finite() {
        adam.descend(net, &heads.gradients(&total)?, loss.l2)?;
    }
    Ok(losses)
}

/// The parts of the loss over a batch of a network as it plays; nothing is learned, and nothing is drawn.
///
/// # Errors
/// As [`train_step`].
pub fn loss_at_play(net: &dyn Net, batch: &Batch, targets: &Targets, loss: LossSpec) -> Result<Losses, DeepError> {
    Ok(measure_loss(&net.forward(batch, Mode::Evaluate)?, batch, targets, loss)?.1)
}

#[cfg(test)]
mod tests;
