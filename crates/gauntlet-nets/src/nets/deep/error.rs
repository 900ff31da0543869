//! Why a network gives no answer.

use crate::encoders::Dims;

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
    /// A gradient cannot be shortened.
    #[error("the gradient holds a number that is not finite, or its norm is too large for single precision")]
    Gradient,
    /// A tensor cannot be computed with.
    #[error("tensor `{name}` holds a number that is not finite")]
    NotFinite {
        /// Which tensor.
        name: String,
    },
}
