//! Number formats of matrix products: in inference, and in steps of optimisation.
//!
//! In each format, the results are the same bits on every set of instructions. Sums, norms, activations and updates
//! of weights are always `f32`; so are first layers and heads in inference.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The format of the factors of matrix products.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum NumberFormat {
    /// IEEE single precision.
    #[default]
    F32,
    /// Factors rounded to `bf16`, which has seven mantissa bits; products and sums in `f32`.
    Bf16,
    /// Factors rounded to 255 levels: weights by the largest of their output, inputs by the largest of their row. Sums
    /// are exact. Only for inference.
    Int8,
}

/// Minimum number of inputs of a product in fewer bits: the length of a block of AMX.
const LEAST: usize = 32;

impl NumberFormat {
    /// All formats. (Not a constant `ALL`: jobs use others of this name, and would depend on all kernels.)
    #[must_use]
    pub fn formats() -> [NumberFormat; 3] {
        [NumberFormat::F32, NumberFormat::Bf16, NumberFormat::Int8]
    }

    /// The word in a manifest.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            NumberFormat::F32 => "f32",
            NumberFormat::Bf16 => "bf16",
            NumberFormat::Int8 => "int8",
        }
    }

    /// The format of a product with this many inputs, or of a network whose trunk has this many features: with few of
    /// them, it is `f32`, as fewer bits would not save time.
    #[must_use]
    pub(super) fn of_width(self, inputs: usize) -> NumberFormat {
        if inputs < LEAST { NumberFormat::F32 } else { self }
    }

    /// Whether this is the default: settings with it are not written.
    #[must_use]
    pub fn is_f32(&self) -> bool {
        *self == NumberFormat::F32
    }
}
