//! A bias for every row, and the ReLU behind it.

use candle_core::{CpuStorage, CustomOp2, Layout, Result, Shape, Tensor, WithDType};

use super::{answer, by_type, gradient, is_fused, lent, list, numbers};

/// `x + b`, its negative numbers cut off where `relu`; `x [N, C]`, `b [C]`.
///
/// # Errors
/// Candle's, for impossible shapes.
pub fn offset(x: &Tensor, bias: &Tensor, relu: bool) -> Result<Tensor> {
    if is_fused(x) { x.contiguous()?.apply_op2(bias, Offset { relu }) } else { composed(x, bias, relu) }
}

pub(super) fn composed(x: &Tensor, bias: &Tensor, relu: bool) -> Result<Tensor> {
    let sum = x.broadcast_add(bias)?;
    if relu { sum.relu() } else { Ok(sum) }
}

struct Offset {
    relu: bool,
}

impl CustomOp2 for Offset {
    fn name(&self) -> &'static str {
        "offset"
    }

    fn cpu_fwd(&self, x: &CpuStorage, lx: &Layout, b: &CpuStorage, lb: &Layout) -> Result<(CpuStorage, Shape)> {
        by_type!(x.dtype(), forward::<T>(self, x, lx, b, lb))
    }

    fn bwd(&self, _: &Tensor, bias: &Tensor, y: &Tensor, dy: &Tensor) -> Result<(Option<Tensor>, Option<Tensor>)> {
        by_type!(dy.dtype(), backward::<T>(self, bias, y, dy))
    }
}

use candle_core::backend::BackendStorage as _;

fn forward<T: WithDType>(
    op: &Offset,
    x: &CpuStorage,
    lx: &Layout,
    b: &CpuStorage,
    lb: &Layout,
) -> Result<(CpuStorage, Shape)> {
    let (x, bias, zero) = (numbers::<T>(x, lx)?, numbers::<T>(b, lb)?, T::zero());
    let mut sums = Vec::with_capacity(x.len());
    for row in x.chunks_exact(bias.len()) {
        match op.relu {
            true => sums.extend(row.iter().zip(bias).map(|(&x, &b)| if x + b > zero { x + b } else { zero })),
            false => sums.extend(row.iter().zip(bias).map(|(&x, &b)| x + b)),
        }
    }
    Ok(answer(sums, lx.shape()))
}

fn backward<T: WithDType>(
    op: &Offset,
    bias: &Tensor,
    y: &Tensor,
    dy: &Tensor,
) -> Result<(Option<Tensor>, Option<Tensor>)> {
    let (mut dx, zero) = (list::<T>(dy)?, T::zero());
    if op.relu {
        let (storage, layout) = y.storage_and_layout();
        let y = lent::<T>(&storage, layout)?;
        dx.iter_mut().zip(y).for_each(|(dx, &y)| *dx = if y > zero { *dx } else { zero });
    }
    let mut db = vec![zero; bias.elem_count()];
    for row in dx.chunks_exact(db.len()) {
        db.iter_mut().zip(row).for_each(|(sum, &dx)| *sum += dx);
    }
    Ok((gradient(dx, y)?, gradient(db, bias)?))
}
