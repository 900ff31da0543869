//! Networks that are trained by gradients, on Candle: one file is one architecture.
//!
//! A [`Net`] reads a [`Batch`] and answers with [`Heads`]. For play it hands out an [`Inference`]: the same function
//! with its weights as they are now, without bookkeeping for gradients, its normalisations folded into its weights
//! where that is exact. `ops` holds the differentiable operations, `params` the named tensors.
//!
//! To add one: a file with a configuration, which is an [`Architecture`], and a [`Net`]; then a variant of [`DeepSpec`],
//! its arm and one of [`DeepSpec::examples`], on which the laws in `laws` run.

mod agz_cnn;
mod architecture;
mod az_cnn;
mod checkpoint;
mod conv_inference;
mod dense;
mod device;
mod image_inference;
mod inference;
mod layers;
mod ops;
mod params;
mod saz;
mod saz_inference;
mod spec;
mod window_cnn;

#[cfg(test)]
mod laws;

use candle_core::Tensor;

use crate::base::Rng;
use crate::encoders::{Batch, Dims};
pub use agz_cnn::AgzCnn;
pub use architecture::{Architecture, Images, Reads};
pub use az_cnn::AzCnn;
pub use checkpoint::{DeepCheckpoint, read_tensors, write_tensors};
pub use device::{DeviceError, Place, compute_on, device_class};
pub use inference::{Answers, Inference, Plain, at_play};
#[cfg(test)]
pub use ops::composed_alone;
pub use params::{Init, Param, Saved, load, not_finite, save};
pub use saz::{Pool, Saz};
pub use saz_inference::SazInference;
pub use spec::DeepSpec;
pub use window_cnn::WindowCnn;

/// Whether a network is asked or taught.
pub enum Mode<'a> {
    /// Running moments, no dropout: a position's heads depend on that position alone.
    Evaluate,
    /// The batch's moments, which the running ones follow, and dropout drawn from this stream.
    Train(&'a mut Rng),
}

/// What a network makes of a batch.
pub struct Heads {
    /// One logit for each action of each position, `[logits]`, as [`Batch::span`] lays them out.
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

    /// Floating-point operations of one evaluation's matrix products on a board of `sites` sites, as the formulas
    /// have them: two for each weight and row. The unit of deterministic compute.
    fn flops(&self, sites: usize) -> u64;
}

/// Number of trained weights.
#[must_use]
pub fn weight_count(net: &dyn Net) -> usize {
    net.params().iter().filter(|param| param.trained).map(|param| param.var.elem_count()).sum()
}

/// Why a network gives no answer.
#[derive(Debug, thiserror::Error)]
pub enum DeepError {
    /// The tensor library failed.
    #[error("the tensor library failed")]
    Candle(#[from] candle_core::Error),
    /// The batch is of another kind or size than the network reads.
    #[error("{net} reads {wanted}, not {given:?}")]
    Batch {
        /// Which network.
        net: &'static str,
        /// What it reads.
        wanted: String,
        /// The dimensions of the batch.
        given: Dims,
    },
    /// Nodes are asked for, and there are none.
    #[error("only graph networks have nodes to be looked at")]
    Nodeless,
    /// Other tensors than the network has.
    #[error("the network has {wanted} tensors, not {given}")]
    Tensors {
        /// How many it has.
        wanted: usize,
        /// How many were given.
        given: usize,
    },
    /// A tensor is missing or has another shape.
    #[error("tensor `{name}` is missing or has another shape")]
    Tensor {
        /// Which tensor.
        name: String,
    },
    /// A tensor that is trained has no part in the loss.
    #[error("tensor `{name}` has no gradient")]
    NoGradient {
        /// Which tensor.
        name: String,
    },
    /// A tensor cannot be computed with.
    #[error("tensor `{name}` holds a number that is not finite")]
    NotFinite {
        /// Which tensor.
        name: String,
    },
}
