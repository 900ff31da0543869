//! One optimisation step of a deep network: the loss, its gradient, a step of Adam.
//!
//! All randomness comes from the caller's stream, so that network, [`Adam`] and
//! stream together resume to the same bytes.

use super::Adam;
use super::loss::{LossSpec, Losses, Targets, measure_loss};
use gauntlet_games::base::Rng;
use gauntlet_nets::encoders::Batch;
use gauntlet_nets::nets::NumberFormat;
use gauntlet_nets::nets::deep::{DeepError, Mode, Net, on_device};

/// The rules of a step.
#[derive(Debug, Clone, Copy)]
pub struct StepRules {
    /// The loss.
    pub loss: LossSpec,
    /// The number format of matrix products, on the CPU: `f32` or `bf16`.
    pub numbers: NumberFormat,
}

impl StepRules {
    /// Steps in `f32`.
    #[must_use]
    pub fn in_f32(loss: LossSpec) -> StepRules {
        StepRules { loss, numbers: NumberFormat::F32 }
    }
}

/// Moves the weights one step against the gradient of the loss over a batch; returns the parts of the loss before the
/// step. A loss that is not finite has no gradient: the weights do not change, and the caller must check the result.
///
/// `rng` is the stream that dropout is drawn from.
///
/// # Errors
/// For targets of another batch, and errors of the network.
pub fn train_step(
    net: &dyn Net,
    adam: &mut Adam,
    batch: &Batch,
    targets: &Targets,
    rules: StepRules,
    rng: &mut Rng,
) -> Result<Losses, DeepError> {
    let StepRules { loss, numbers } = rules;
    on_device(|| {
        let heads = net.forward(batch, Mode::Train { rng, numbers })?;
        let (total, losses) = measure_loss(&heads, batch, targets, loss)?;
        if losses.total().is_finite() {
            adam.descend(net, &heads.gradients(&total)?, loss.l2)?;
        }
        Ok(losses)
    })
}

/// The parts of the inference loss of a network over a batch; it trains nothing and draws no random numbers.
///
/// # Errors
/// Those of [`train_step`].
pub fn inference_loss(net: &dyn Net, batch: &Batch, targets: &Targets, loss: LossSpec) -> Result<Losses, DeepError> {
    on_device(|| Ok(measure_loss(&net.forward(batch, Mode::Evaluate)?, batch, targets, loss)?.1))
}

#[cfg(test)]
mod tests;
