//! The norms of a trunk, each with its ReLU, for inference and steps by own kernels.

use candle_core::Tensor;

use crate::nets::deep::DeepError;
use crate::nets::deep::dense::{Scale, wide};
use crate::nets::deep::layers::Weights;
use crate::nets::deep::ops;
use crate::nets::deep::params::{BatchNorm, Norm, floats};

/// Batch norm, frozen or not, with the ReLU after it.
pub enum Bnr {
    /// Only factors and offsets.
    Frozen(Norm),
    /// Batch norm.
    Batch(BatchNorm),
}

impl Bnr {
    /// The norm of these weights.
    pub(super) fn of(weights: &Weights) -> Bnr {
        match weights {
            Weights::BatchNorm(norm) => Bnr::Batch(norm.clone()),
            other => Bnr::Frozen(other.norm().clone()),
        }
    }

    /// Factor and offset of each feature in inference.
    pub(super) fn folded(&self) -> Result<(Tensor, Tensor), DeepError> {
        match self {
            Bnr::Frozen(norm) => Ok(((norm.gain.as_tensor() * ops::unit_scale())?, norm.bias.as_tensor().clone())),
            Bnr::Batch(norm) => norm.folded(),
        }
    }

    /// The same as rows of the kernels.
    pub(super) fn scale(&self) -> Result<Scale, DeepError> {
        let (factor, offset) = self.folded()?;
        Ok([wide(&floats(&factor)?), wide(&floats(&offset)?)])
    }
}
