//! The ReLU of any tensor; Candle's own gradient is three operations.

use candle_core::backend::BackendStorage as _;
use candle_core::{CpuStorage, CustomOp1, Layout, Result, Shape, Tensor, WithDType};

use super::recording::apply1;
use super::{answer, by_type, gradient, is_fused, lent, numbers};

/// `max(x, 0)`.
///
/// # Errors
/// Errors of Candle.
pub fn relu(x: &Tensor) -> Result<Tensor> {
    if is_fused(x) { apply1(Relu, &x.contiguous()?) } else { x.relu() }
}

struct Relu;

impl CustomOp1 for Relu {
    fn name(&self) -> &'static str {
        "relu"
    }

    fn cpu_fwd(&self, x: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        by_type!(x.dtype(), forward::<T>(x, layout))
    }

    fn bwd(&self, x: &Tensor, _: &Tensor, dy: &Tensor) -> Result<Option<Tensor>> {
        by_type!(dy.dtype(), backward::<T>(x, &dy.contiguous()?))
    }
}

fn forward<T: WithDType>(x: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
    let zero = T::zero();
    let y = numbers::<T>(x, layout)?.iter().map(|&x| if x > zero { x } else { zero }).collect();
    Ok(answer(y, layout.shape()))
}

/// The gradient at 0 is 1, as in Candle.
fn backward<T: WithDType>(x: &Tensor, dy: &Tensor) -> Result<Option<Tensor>> {
    let ((x_storage, x_layout), (dy_storage, dy_layout)) = (x.storage_and_layout(), dy.storage_and_layout());
    let (xs, dys, zero) = (lent::<T>(&x_storage, x_layout)?, lent::<T>(&dy_storage, dy_layout)?, T::zero());
    gradient(xs.iter().zip(dys).map(|(&x, &dy)| if x >= zero { dy } else { zero }).collect(), x)
}
