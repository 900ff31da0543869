//! Layer norm of every row, and the ReLU behind it. (Candle's own fused layer norm silently has no gradient.)

use std::ops::Range;

use candle_core::backend::BackendStorage as _;
use candle_core::{CpuStorage, CustomOp3, D, Layout, Result, Shape, Tensor, WithDType};

use super::blocks::by_block;
use super::{EPSILON, answer, by_type, gradient, is_fused, lent, list, numbers};

/// Rows of a block.
const ROWS: usize = 512;

/// `relu((x - mean) / sqrt(variance + 1e-5) g + b)`, moments over the features of a row; `x [N, C]`, `g` and `b` `[C]`.
///
/// # Errors
/// Candle's, for impossible shapes.
pub fn layer_norm_relu(x: &Tensor, gain: &Tensor, bias: &Tensor) -> Result<Tensor> {
    if is_fused(x) { x.contiguous()?.apply_op3(gain, bias, LayerNorm) } else { composed(x, gain, bias) }
}

pub(super) fn composed(x: &Tensor, gain: &Tensor, bias: &Tensor) -> Result<Tensor> {
    let centred = x.broadcast_sub(&x.mean_keepdim(D::Minus1)?)?;
    let variance = centred.sqr()?.mean_keepdim(D::Minus1)?;
    let normal = centred.broadcast_div(&(variance + EPSILON)?.sqrt()?)?;
    normal.broadcast_mul(gain)?.broadcast_add(bias)?.relu()
}

struct LayerNorm;

impl CustomOp3 for LayerNorm {
    fn name(&self) -> &'static str {
        "layer-norm-relu"
    }

    fn cpu_fwd(
        &self,
        x: &CpuStorage,
        lx: &Layout,
        g: &CpuStorage,
        lg: &Layout,
        b: &CpuStorage,
        lb: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        by_type!(x.dtype(), forward::<T>((x, lx), (g, lg), (b, lb)))
    }

    fn bwd(
        &self,
        x: &Tensor,
        gain: &Tensor,
        _: &Tensor,
        y: &Tensor,
        dy: &Tensor,
    ) -> Result<(Option<Tensor>, Option<Tensor>, Option<Tensor>)> {
        by_type!(x.dtype(), backward::<T>(x, gain, y, dy))
    }
}

/// Mean and inverse standard deviation of a row.
fn moments<T: WithDType>(row: &[T]) -> (T, T) {
    let count = T::from_f64(row.len() as f64);
    let mean = row.iter().fold(T::zero(), |sum, &x| sum + x) / count;
    let variance = row.iter().fold(T::zero(), |sum, &x| sum + (x - mean) * (x - mean)) / count;
    (mean, T::from_f64(1.0 / (variance.to_f64() + EPSILON).sqrt()))
}

fn forward<T: WithDType>(
    (x, lx): (&CpuStorage, &Layout),
    (g, lg): (&CpuStorage, &Layout),
    (b, lb): (&CpuStorage, &Layout),
) -> Result<(CpuStorage, Shape)> {
    let (x, gain, bias) = (numbers::<T>(x, lx)?, numbers::<T>(g, lg)?, numbers::<T>(b, lb)?);
    let (width, zero) = (gain.len(), T::zero());
    let of = |rows: Range<usize>| {
        let mut out = Vec::with_capacity(rows.len() * width);
        for row in x[rows.start * width..rows.end * width].chunks_exact(width) {
            let (mean, scale) = moments(row);
            out.extend(row.iter().zip(gain).zip(bias).map(|((&x, &g), &b)| {
                let y = (x - mean) * scale * g + b;
                if y > zero { y } else { zero }
            }));
        }
        out
    };
    Ok(answer(by_block(x.len() / width, ROWS, of), lx.shape()))
}

fn backward<T: WithDType>(
    x: &Tensor,
    gain: &Tensor,
    y: &Tensor,
    dy: &Tensor,
) -> Result<(Option<Tensor>, Option<Tensor>, Option<Tensor>)> {
    let (gains, mut dx) = (list::<T>(gain)?, list::<T>(dy)?);
    let ((x_storage, x_layout), (y_storage, y_layout)) = (x.storage_and_layout(), y.storage_and_layout());
    let (xs, ys) = (lent::<T>(&x_storage, x_layout)?, lent::<T>(&y_storage, y_layout)?);
    let (zero, width) = (T::zero(), gains.len());
    let (mut dg, mut db, mut normal) = (vec![zero; width], vec![zero; width], vec![zero; width]);
    let count = T::from_f64(width as f64);
    for ((x, y), d) in xs.chunks_exact(width).zip(ys.chunks_exact(width)).zip(dx.chunks_exact_mut(width)) {
        let (mean, scale) = moments(x);
        normal.iter_mut().zip(x).for_each(|(normal, &x)| *normal = (x - mean) * scale);
        d.iter_mut().zip(y).for_each(|(d, &y)| *d = if y > zero { *d } else { zero });
        dg.iter_mut().zip(&*d).zip(&normal).for_each(|((sum, &d), &normal)| *sum += d * normal);
        db.iter_mut().zip(&*d).for_each(|(sum, &d)| *sum += d);
        d.iter_mut().zip(&gains).for_each(|(d, &gain)| *d *= gain);
        let (mut sum, mut product) = (zero, zero);
        d.iter().zip(&normal).for_each(|(&d, &normal)| (sum, product) = (sum + d, product + d * normal));
        let (sum, product) = (sum / count, product / count);
        d.iter_mut().zip(&normal).for_each(|(d, &n)| *d = (*d - sum - n * product) * scale);
    }
    Ok((gradient(dx, x)?, gradient(dg, gain)?, gradient(db, gain)?))
}
