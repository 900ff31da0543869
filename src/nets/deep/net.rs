//! What all networks that are trained by gradients have in common.

use candle_core::Tensor;

use super::{DeepError, Inference, Param};
use crate::base::Rng;
use crate::encoders::{Batch, Dims};

/// Whether a network is at inference or in training.
pub enum Mode<'a> {
    /// Running moments, no dropout: a position's heads depend on that position alone.
    Evaluate,
    /// The batch's moments, which the running ones follow, and dropout drawn from this stream.
    Train(&'a mut Rng),
}

/// What a network makes of a batch.
pub struct Heads {
    /// One logit for each slot of each position, `[logits]`, as [`Batch::span`] lays them out.
    pub policy_logits: Tensor,
    /// The expected outcome for the side to move, -1 to 1, `[positions]`.
    pub value: Tensor,
}

/// A trainable network with its weights.
pub trait Net: Send {
    /// The batches that it reads.
    fn dims(&self) -> Dims;

    /// Its tensors, in a fixed order.
    fn params(&self) -> &[Param];

    /// Logits and values of a batch, with everything that gradients need.
    ///
    /// # Errors
    /// [`DeepError::Batch`] for a batch of another kind or size, and whatever Candle reports.
    fn forward(&self, batch: &Batch, mode: Mode<'_>) -> Result<Heads, DeepError>;

    /// What the heads read of some nodes of a batch of graphs, numbered through the batch: in evaluation, `[nodes][H]`.
    ///
    /// # Errors
    /// [`DeepError::Nodeless`] of networks that read no graphs, and as [`Net::forward`].
    fn embeddings(&self, _batch: &Batch, _nodes: &[usize]) -> Result<Vec<Vec<f64>>, DeepError> {
        Err(DeepError::Nodeless)
    }

    /// The same function in evaluation, with the weights as they are now, on one core of the CPU.
    ///
    /// # Errors
    /// Candle's.
    fn inference(&self) -> Result<Box<dyn Inference>, DeepError>;

    /// Floating-point operations of the matrix products of evaluating one position of a batch that it reads, as the
    /// formulas have them: two for each weight and row. The unit of deterministic compute.
    fn flops(&self, batch: &Batch, index: usize) -> u64;
}

/// Number of trained weights.
#[must_use]
pub fn weight_count(net: &dyn Net) -> usize {
    net.params().iter().filter(|param| param.trained).map(|param| param.var.elem_count()).sum()
}
