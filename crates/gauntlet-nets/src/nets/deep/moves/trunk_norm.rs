//! The norms of a trunk, each with its ReLU: batch norm, or batch norm with frozen moments.

use candle_core::Tensor;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::nets::deep::dense::{Scale, wide};
use crate::nets::deep::ops;
use crate::nets::deep::params::{BatchNorm, Maker, Norm, floats};
use crate::nets::deep::{DeepError, Mode};

/// Normalisation of a trunk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TrunkNorm {
    /// Batch norm.
    #[default]
    Batch,
    /// Batch norm whose running moments stay at 0 and 1, also in training: a factor and an offset for each feature.
    Frozen,
}

/// Batch norm, frozen or not, with the ReLU after it.
pub enum Bnr {
    /// Only factors and offsets.
    Frozen(Norm),
    /// Batch norm.
    Batch(BatchNorm),
}

impl Bnr {
    pub(super) fn new(kind: TrunkNorm, name: &str, features: usize, maker: &mut Maker<'_>) -> Result<Bnr, DeepError> {
        Ok(match kind {
            TrunkNorm::Frozen => Bnr::Frozen(maker.norm(name, features)?),
            TrunkNorm::Batch => Bnr::Batch(maker.biased_batch_norm(name, features)?),
        })
    }

    pub(super) fn forward(&self, x: &Tensor, mode: &mut Mode<'_>) -> Result<Tensor, DeepError> {
        match self {
            Bnr::Frozen(norm) => Ok(ops::scale_relu(x, &(norm.gain.as_tensor() * ops::unit_scale())?, &norm.bias)?),
            Bnr::Batch(norm) => norm.forward(x, 0.0, mode),
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
