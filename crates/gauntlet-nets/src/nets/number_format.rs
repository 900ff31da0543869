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

/// Maximum number of inputs of a product of bytes: sums of more could exceed 32 bits.
pub(super) const MOST_BYTES: usize = (i32::MAX / (127 * 127)) as usize;

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

    /// The format of a product with this many inputs, or of a network whose trunk has this many features. With few of
    /// them, it is `f32`, as fewer bits would not save time; so it is if sums of bytes could exceed 32 bits.
    #[must_use]
    pub(super) fn of_width(self, inputs: usize) -> NumberFormat {
        match self {
            _ if inputs < LEAST => NumberFormat::F32,
            NumberFormat::Int8 if inputs > MOST_BYTES => NumberFormat::F32,
            _ => self,
        }
    }

    /// Whether this is the default: settings with it are not written.
    #[must_use]
    pub fn is_f32(&self) -> bool {
        *self == NumberFormat::F32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_of_too_few_or_too_many_inputs_is_f32() {
        for (inputs, [bf16, int8]) in [
            (0, [NumberFormat::F32; 2]),
            (31, [NumberFormat::F32; 2]),
            (32, [NumberFormat::Bf16, NumberFormat::Int8]),
            (MOST_BYTES, [NumberFormat::Bf16, NumberFormat::Int8]),
            (MOST_BYTES + 1, [NumberFormat::Bf16, NumberFormat::F32]),
            (usize::MAX, [NumberFormat::Bf16, NumberFormat::F32]),
        ] {
            assert_eq!(NumberFormat::F32.of_width(inputs), NumberFormat::F32);
            assert_eq!(NumberFormat::Bf16.of_width(inputs), bf16, "{inputs}");
            assert_eq!(NumberFormat::Int8.of_width(inputs), int8, "{inputs}");
        }
        assert!(MOST_BYTES as i64 * 127 * 127 <= i64::from(i32::MAX));
    }
}
