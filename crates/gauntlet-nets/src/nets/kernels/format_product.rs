//! The matrix product of training in any of its number formats.

use candle_core::{DType, WithDType};

use super::bf16_product::multiply_bf16;
use super::product::{MatrixView, multiply};
use crate::nets::NumberFormat;

/// [`multiply`] in a number format: `bf16` for `f32` matrices alone, others keep their type.
///
/// # Panics
/// If the shapes do not fit, and in `int8`, which is not a format of training.
pub fn multiply_in<T: WithDType>(
    numbers: NumberFormat,
    a: MatrixView<'_, T>,
    b: MatrixView<'_, T>,
    into: &mut [T],
    add: bool,
) {
    match numbers {
        NumberFormat::Bf16 if T::DTYPE == DType::F32 => {
            // SAFETY: `f32` is the only type with this tag, so `T` is `f32`.
            let into = unsafe { std::slice::from_raw_parts_mut(into.as_mut_ptr().cast::<f32>(), into.len()) };
            multiply_bf16(a.as_f32(), b.as_f32(), into, add);
        }
        NumberFormat::F32 | NumberFormat::Bf16 => multiply(a, b, into, add),
        NumberFormat::Int8 => panic!("int8 is only a format of inference"),
    }
}
