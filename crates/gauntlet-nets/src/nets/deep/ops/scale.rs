//! A factor and an offset for every column, with the ReLU after them: batch norm with frozen moments.

use candle_core::backend::BackendStorage as _;
use candle_core::{CpuStorage, CustomOp3, Layout, Result, Shape, Tensor, WithDType};

use super::at_play::is_at_play;
use super::gpu::{RowMap, map_rows};
use super::{EPSILON, Stored, ThreeGradients, answer, by_type, gradient, is_fused, lent, list, numbers};

/// The factor of batch norm with a variance of 1.
pub fn unit_scale() -> f64 {
    1.0 / (1.0 + EPSILON).sqrt()
}

/// `relu(x f + b)`; `x [N, C]`, `f` and `b [C]`.
///
/// # Errors
/// Errors of Candle for incompatible shapes.
pub fn scale_relu(x: &Tensor, factor: &Tensor, bias: &Tensor) -> Result<Tensor> {
    if is_fused(x) {
        return x.contiguous()?.apply_op3(factor, bias, ScaleRelu);
    }
    if is_at_play() {
        return map_rows(x, RowMap::Scale { parameters: [factor.clone(), bias.clone()], relu: true });
    }
    x.broadcast_mul(factor)?.broadcast_add(bias)?.relu()
}

struct ScaleRelu;

impl CustomOp3 for ScaleRelu {
    fn name(&self) -> &'static str {
        "scale-relu"
    }

    fn cpu_fwd(
        &self,
        x: &CpuStorage,
        lx: &Layout,
        f: &CpuStorage,
        lf: &Layout,
        b: &CpuStorage,
        lb: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        by_type!(x.dtype(), forward::<T>((x, lx), (f, lf), (b, lb)))
    }

    fn bwd(&self, x: &Tensor, factor: &Tensor, _: &Tensor, y: &Tensor, dy: &Tensor) -> Result<ThreeGradients> {
        by_type!(x.dtype(), backward::<T>(x, factor, y, dy))
    }
}

fn forward<T: WithDType>((x, lx): Stored<'_>, (f, lf): Stored<'_>, (b, lb): Stored<'_>) -> Result<(CpuStorage, Shape)> {
    let (x, factor, bias, zero) = (numbers::<T>(x, lx)?, numbers::<T>(f, lf)?, numbers::<T>(b, lb)?, T::zero());
    let mut rows = Vec::with_capacity(x.len());
    for row in x.chunks_exact(bias.len()) {
        let scaled = row.iter().zip(factor).zip(bias).map(|((&x, &f), &b)| x * f + b);
        rows.extend(scaled.map(|y| if y > zero { y } else { zero }));
    }
    Ok(answer(rows, lx.shape()))
}

fn backward<T: WithDType>(x: &Tensor, factor: &Tensor, y: &Tensor, dy: &Tensor) -> Result<ThreeGradients> {
    let ((x_storage, x_layout), (y_storage, y_layout)) = (x.storage_and_layout(), y.storage_and_layout());
    let (xs, ys, factors, zero) =
        (lent::<T>(&x_storage, x_layout)?, lent::<T>(&y_storage, y_layout)?, list::<T>(factor)?, T::zero());
    let (mut dx, width) = (list::<T>(dy)?, factors.len());
    let (mut df, mut db) = (vec![zero; width], vec![zero; width]);
    for ((dx, x), y) in dx.chunks_exact_mut(width).zip(xs.chunks_exact(width)).zip(ys.chunks_exact(width)) {
        for column in 0..width {
            let dy = if y[column] > zero { dx[column] } else { zero };
            df[column] += dy * x[column];
            db[column] += dy;
            dx[column] = dy * factors[column];
        }
    }
    Ok((gradient(dx, x)?, gradient(df, factor)?, gradient(db, factor)?))
}
