//! Calls of the twins by the type of the numbers.

/// Calls a twin with the type of the storage and that of its sums.
macro_rules! by_sums {
    ($dtype:expr, $call:ident :: <T, A> $arguments:tt) => {
        match $dtype {
            candle_core::DType::F32 => $call::<f32, f32> $arguments,
            candle_core::DType::F64 => $call::<f64, f64> $arguments,
            candle_core::DType::F16 => $call::<half::f16, f32> $arguments,
            candle_core::DType::BF16 => $call::<half::bf16, f32> $arguments,
            other => candle_core::bail!("sums of rows are of floating-point numbers, not {other:?}"),
        }
    };
}

pub(super) use by_sums;

/// Calls a twin with the type of the storage.
macro_rules! by_numbers {
    ($dtype:expr, $call:ident :: <T> $arguments:tt) => {
        match $dtype {
            candle_core::DType::F32 => $call::<f32> $arguments,
            candle_core::DType::F64 => $call::<f64> $arguments,
            candle_core::DType::F16 => $call::<half::f16> $arguments,
            candle_core::DType::BF16 => $call::<half::bf16> $arguments,
            other => candle_core::bail!("rows are of floating-point numbers, not {other:?}"),
        }
    };
}
pub(super) use by_numbers;
