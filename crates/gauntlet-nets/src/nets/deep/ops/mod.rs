//! Differentiable operations that Candle lacks or computes slowly on a CPU: fused, with explicit gradients.
//!
//! Each has two implementations: a fused one for the CPU, and the composition of Candle's own operations, which runs
//! on all other devices and is the oracle in the tests. Rows are nodes or sites, columns are features: `[N, C]`. This
//! module holds no weights.

mod aggregate;
mod at_play;
mod batch_norm;
mod blocks;
mod convolution;
mod edges;
mod features;
mod gpu;
mod layer_norm;
mod links;
mod offset;
mod patches;
mod product;
mod recording;
mod relu;
mod scale;
mod shared;
mod tape;

#[cfg(test)]
mod laws;

use std::cell::Cell;

use candle_core::{CpuStorage, Layout, Result, Shape, Storage, Tensor, WithDType};

pub use aggregate::{Adjacency, aggregate};
pub use at_play::{at_play, is_at_play, norm_at_play};
pub use batch_norm::{Dropout, Moments, batch_norm, moments};
pub use convolution::convolution;
pub use edges::{collect_weighted, ends, gather_weighted, join, leaky_relu, softmax_by_receiver};
pub use features::{edge_features, node_features};
pub use gpu::{Edges, numbers_at, weighted_sum_rows as edge_sums};
pub use layer_norm::layer_norm_relu;
pub use links::Links;
pub use offset::offset;
pub use patches::{Window, rows_of};
pub use product::{affine, product};
pub use recording::{Recording, as_rows, beside, record, sum};
pub use relu::relu;
pub use scale::{scale_relu, unit_scale};
pub use tape::{EdgeBuffers, EdgeLayer, EdgeTape, NormStats};

/// A contiguous tensor on the CPU.
type Stored<'a> = (&'a CpuStorage, &'a Layout);

/// The gradients of an operation of two arguments.
type TwoGradients = (Option<Tensor>, Option<Tensor>);

/// The gradients of an operation of three arguments.
type ThreeGradients = (Option<Tensor>, Option<Tensor>, Option<Tensor>);

/// Whether the fused operations can compute with this tensor.
pub fn is_fused(x: &Tensor) -> bool {
    x.device().is_cpu() && !COMPOSED_ALONE.get()
}

thread_local! {
    /// Whether this thread uses only composed operations, as other devices do.
    static COMPOSED_ALONE: Cell<bool> = const { Cell::new(false) };
}

/// The previous mode of this thread, which is restored on drop.
struct Restored(bool);

impl Drop for Restored {
    fn drop(&mut self) {
        COMPOSED_ALONE.set(self.0);
    }
}

/// Calls a function with only composed operations on this thread, as on devices other than the CPU.
///
/// The composed operations are the oracle of the fused ones; tests of crates that train networks compare the two.
pub fn composed_alone<T>(call: impl FnOnce() -> T) -> T {
    let _before = Restored(COMPOSED_ALONE.replace(true));
    call()
}

/// Added to a variance before the square root.
pub const EPSILON: f64 = 1e-5;

/// The numbers of a contiguous tensor on the CPU.
fn numbers<'a, T: WithDType>(storage: &'a CpuStorage, layout: &Layout) -> Result<&'a [T]> {
    let (start, end) = layout.contiguous_offsets().ok_or_else(|| candle_core::Error::msg("rows must be contiguous"))?;
    Ok(&T::cpu_storage_as_slice(storage)?[start..end])
}

/// The numbers of a contiguous tensor on the CPU, borrowed.
fn lent<'a, T: WithDType>(storage: &'a Storage, layout: &Layout) -> Result<&'a [T]> {
    match storage {
        Storage::Cpu(storage) => numbers(storage, layout),
        _ => candle_core::bail!("the numbers are not on the CPU"),
    }
}

/// A copy of the numbers of a tensor.
fn list<T: WithDType>(tensor: &Tensor) -> Result<Vec<T>> {
    tensor.flatten_all()?.to_vec1()
}

/// A result of a forward pass.
fn answer<T: WithDType>(numbers: Vec<T>, shape: impl Into<Shape>) -> (CpuStorage, Shape) {
    (T::to_cpu_storage_owned(numbers), shape.into())
}

/// A gradient of the shape and device of `like`.
fn gradient<T: WithDType>(numbers: Vec<T>, like: &Tensor) -> Result<Option<Tensor>> {
    Ok(Some(Tensor::from_vec(numbers, like.shape(), like.device())?))
}

/// Calls a function that is generic over the number type with the type of the storage.
macro_rules! by_type {
    ($dtype:expr, $call:ident :: <T> $arguments:tt) => {
        match $dtype {
            candle_core::DType::F32 => {
                type T = f32;
                $call::<T> $arguments
            }
            candle_core::DType::F64 => {
                type T = f64;
                $call::<T> $arguments
            }
            other => candle_core::bail!("networks compute with f32 or f64, not {other:?}"),
        }
    };
}
use by_type;
