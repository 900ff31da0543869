//! The trait of networks trained by gradients.

use candle_core::Tensor;
use candle_core::backprop::GradStore;

use super::ops::{self, Recording};
use super::{DeepError, Inference, Param};
use crate::encoders::{Batch, Dims};
use crate::nets::NumberFormat;
use gauntlet_games::base::Rng;

/// Whether a network is at inference or in training.
pub enum Mode<'a> {
    /// Running moments, no dropout: the heads of a position depend only on that position.
    Evaluate,
    /// The batch's moments, which also update the running ones.
    Train {
        /// The stream that dropout is drawn from.
        rng: &'a mut Rng,
        /// The number format of matrix products, on the CPU: `f32` or `bf16`.
        numbers: NumberFormat,
    },
}

impl<'a> Mode<'a> {
    /// Training in `f32`.
    pub fn train(rng: &'a mut Rng) -> Mode<'a> {
        Mode::Train { rng, numbers: NumberFormat::F32 }
    }

    /// The number format of matrix products.
    pub(super) fn numbers(&self) -> NumberFormat {
        match self {
            Mode::Evaluate => NumberFormat::F32,
            Mode::Train { numbers, .. } => *numbers,
        }
    }

    /// A pass through layers with operations of `ops` and weights of this type; it is recorded in training on the
    /// CPU.
    pub(super) fn pass(
        &mut self,
        weight: &Tensor,
        pass: impl FnOnce(&mut Self) -> Result<Vec<Tensor>, DeepError>,
    ) -> Result<(Vec<Tensor>, Option<Recording>), DeepError> {
        if matches!(self, Mode::Evaluate) || !ops::is_fused(weight) {
            return Ok((pass(self)?, None));
        }
        let (answers, recording) = ops::record(|| pass(self))?;
        Ok((answers, Some(recording)))
    }
}

/// The outputs of a network for a batch.
pub struct Heads {
    /// One logit for each slot of each position, `[logits]`, in the order of [`Batch::span`].
    pub policy_logits: Tensor,
    /// The expected outcome for the side to move, -1 to 1, `[positions]`.
    pub value: Tensor,
    /// The recorded backward pass, if Candle's graph ends before the weights.
    recording: Option<Recording>,
}

impl Heads {
    /// Heads that are connected with the weights in Candle's graph.
    #[must_use]
    #[inline]
    pub fn new(policy_logits: Tensor, value: Tensor) -> Heads {
        Heads { policy_logits, value, recording: None }
    }

    /// The heads after a pass.
    pub(super) fn behind(recording: Option<Recording>, policy_logits: Tensor, value: Tensor) -> Heads {
        Heads { policy_logits, value, recording }
    }

    /// The gradients, by all weights, of a loss computed from these heads.
    ///
    /// # Errors
    /// Errors of Candle.
    pub fn gradients(&self, loss: &Tensor) -> Result<GradStore, DeepError> {
        let mut gradients = loss.backward()?;
        if let Some(recording) = &self.recording {
            recording.carry_back(&mut gradients)?;
        }
        Ok(gradients)
    }
}

/// A trainable network with its weights.
pub trait Net: Send + Sync {
    /// The batches that it reads.
    fn dims(&self) -> Dims;

    /// Its tensors, in a fixed order.
    fn params(&self) -> &[Param];

    /// Logits and values of a batch, with everything that [`Heads::gradients`] needs.
    ///
    /// # Errors
    /// [`DeepError::Batch`] for a batch of another kind or size, and errors of Candle.
    fn forward(&self, batch: &Batch, mode: Mode<'_>) -> Result<Heads, DeepError>;

    /// The head inputs of some nodes of a batch of graphs, numbered through the batch: in evaluation, `[nodes][H]`.
    ///
    /// # Errors
    /// [`DeepError::Nodeless`] for networks that read no graphs, and as [`Net::forward`].
    fn embeddings(&self, _batch: &Batch, _nodes: &[usize]) -> Result<Vec<Vec<f64>>, DeepError> {
        Err(DeepError::Nodeless)
    }

    /// The same function in evaluation, with the current weights, on one core of the CPU. Wide hidden layers are
    /// computed in this number format.
    ///
    /// # Errors
    /// Errors of Candle.
    fn inference(&self, numbers: NumberFormat) -> Result<Box<dyn Inference>, DeepError>;

    /// Floating-point operations of the matrix macs for one position of a supported batch, by the formulas: two
    /// for each weight and row. The unit of deterministic compute.
    fn flops(&self, batch: &Batch, index: usize) -> u64;
}

/// Number of trained weights.
#[must_use]
pub fn weight_count(net: &dyn Net) -> usize {
    net.params().iter().filter(|param| param.trained).map(|param| param.var.elem_count()).sum()
}
