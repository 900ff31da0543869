//! A bias for every row, with an optional ReLU after it.

use std::ops::Range;

use candle_core::backend::BackendStorage as _;
use candle_core::{CpuStorage, CustomOp2, Layout, Result, Shape, Tensor, WithDType};

use super::blocks::{ROWS, by_block, by_column};
use super::gpu::{has_columns, offset_rows};
use super::recording::apply2;
use super::{Stored, TwoGradients, answer, by_type, gradient, is_fused, lent, numbers};

/// `x + b`, with a ReLU if `relu`; `x [N, C]`, `b [C]`.
///
/// # Errors
/// Errors of Candle for incompatible shapes.
pub fn offset(x: &Tensor, bias: &Tensor, relu: bool) -> Result<Tensor> {
    if is_fused(x) { apply2(OffsetOp { relu }, [&x.contiguous()?, bias]) } else { composed(x, bias, relu) }
}

pub(super) fn composed(x: &Tensor, bias: &Tensor, relu: bool) -> Result<Tensor> {
    if has_columns(x) {
        return offset_rows(x, bias, relu);
    }
    let sum = x.broadcast_add(bias)?;
    if relu { sum.relu() } else { Ok(sum) }
}

struct OffsetOp {
    relu: bool,
}

impl CustomOp2 for OffsetOp {
    fn name(&self) -> &'static str {
        "offset"
    }

    fn cpu_fwd(&self, x: &CpuStorage, lx: &Layout, b: &CpuStorage, lb: &Layout) -> Result<(CpuStorage, Shape)> {
        by_type!(x.dtype(), forward::<T>(self, x, lx, b, lb))
    }

    fn bwd(&self, _: &Tensor, bias: &Tensor, y: &Tensor, dy: &Tensor) -> Result<TwoGradients> {
        backward(self.relu, bias, y, dy)
    }
}

fn forward<T: WithDType>(
    op: &OffsetOp,
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

/// Adds a bias to every row in place.
pub(super) fn add<T: WithDType>(x: CpuStorage, (b, lb): Stored<'_>, relu: bool) -> Result<CpuStorage> {
    let (mut x, bias, zero) = (T::cpu_storage_data(x)?, numbers::<T>(b, lb)?, T::zero());
    for row in x.chunks_exact_mut(bias.len()) {
        let row = row.iter_mut().zip(bias);
        match relu {
            true => row.for_each(|(x, &b)| *x = if *x + b > zero { *x + b } else { zero }),
            false => row.for_each(|(x, &b)| *x += b),
        }
    }
    Ok(T::to_cpu_storage_owned(x))
}

/// The gradients of the input, and of the bias.
pub(super) fn backward(relu: bool, bias: &Tensor, y: &Tensor, dy: &Tensor) -> Result<TwoGradients> {
    let dy = dy.contiguous()?;
    let dx = if relu { by_type!(dy.dtype(), passed::<T>(y, &dy))? } else { dy };
    let db = by_type!(dx.dtype(), sums::<T>(&dx, bias))?;
    Ok((Some(dx), db))
}

/// The gradient of numbers that were not cut off.
fn passed<T: WithDType>(y: &Tensor, dy: &Tensor) -> Result<Tensor> {
    let ((y_storage, y_layout), (dy_storage, dy_layout)) = (y.storage_and_layout(), dy.storage_and_layout());
    let (ys, dys, zero) = (lent::<T>(&y_storage, y_layout)?, lent::<T>(&dy_storage, dy_layout)?, T::zero());
    let width = y.dim(1)?;
    let of = |rows: Range<usize>| {
        let numbers = rows.start * width..rows.end * width;
        let pairs = ys[numbers.clone()].iter().zip(&dys[numbers]);
        pairs.map(|(&y, &dy)| if y > zero { dy } else { zero }).collect()
    };
    Tensor::from_vec(by_block(ys.len() / width, ROWS, of), y.shape(), y.device())
}

/// The sums of all rows, shaped like these.
fn sums<T: WithDType>(rows: &Tensor, like: &Tensor) -> Result<Option<Tensor>> {
    let ((count, width), (storage, layout)) = (rows.dims2()?, rows.storage_and_layout());
    let rows = lent::<T>(&storage, layout)?;
    let of = |columns: Range<usize>| {
        let mut sums = vec![T::zero(); columns.len()];
        for row in rows.chunks_exact(width) {
            sums.iter_mut().zip(&row[columns.clone()]).for_each(|(sum, &x)| *sum += x);
        }
        sums
    };
    gradient(by_column(count, width, of), like)
}
