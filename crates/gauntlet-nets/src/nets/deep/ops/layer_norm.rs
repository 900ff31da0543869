//! Layer norm of every row, with the ReLU after it. (Candle's own fused layer norm silently has no gradient.)

use std::ops::Range;

use candle_core::backend::BackendStorage as _;
use candle_core::{CpuStorage, CustomOp3, D, Layout, Result, Shape, Tensor, WithDType};

use super::at_play::is_at_play;
use super::blocks::by_block;
use super::gpu::{RowMap, map_rows};
use super::recording::apply3;
use super::{EPSILON, Stored, ThreeGradients, answer, by_type, gradient, is_fused, lent, list, numbers};

/// Rows of a block.
const ROWS: usize = 512;

/// `relu((x - mean) / sqrt(variance + 1e-5) g + b)`, moments over the features of a row; `x [N, C]`, `g` and `b` `[C]`.
///
/// # Errors
/// Errors of Candle for incompatible shapes.
pub fn layer_norm_relu(x: &Tensor, gain: &Tensor, bias: &Tensor) -> Result<Tensor> {
    match is_fused(x) {
        true => apply3(LayerNorm, [&x.contiguous()?, gain, bias]),
        false if is_at_play() => map_rows(x, RowMap::LayerNorm { parameters: [gain.clone(), bias.clone()] }),
        false => composed(x, gain, bias),
    }
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

    fn bwd(&self, x: &Tensor, gain: &Tensor, _: &Tensor, y: &Tensor, dy: &Tensor) -> Result<ThreeGradients> {
        by_type!(x.dtype(), backward::<T>(x, gain, y, dy))
    }
}

/// Number of rows that are summed side by side. Each sum adds its terms in order, and each addition waits for the
/// previous one; sums of other rows are independent.
const ABREAST: usize = 8;

/// The sums of the terms of `N` rows, which `term` computes from row and column.
#[inline]
fn row_sums<T: WithDType, const N: usize>(width: usize, term: impl Fn(usize, usize) -> T) -> [T; N] {
    let mut sums = [T::zero(); N];
    for column in 0..width {
        sums.iter_mut().enumerate().for_each(|(row, sum)| *sum += term(row, column));
    }
    sums
}

/// Means and inverse standard deviations of `N` rows.
fn moments<T: WithDType, const N: usize>(rows: &[T]) -> [(T, T); N] {
    let width = rows.len() / N;
    let (row, count) = (lines::<T, N>(rows), T::from_f64(width as f64));
    let mean = row_sums::<T, N>(width, |r, c| row[r][c]).map(|sum| sum / count);
    let variance = row_sums::<T, N>(width, |r, c| (row[r][c] - mean[r]) * (row[r][c] - mean[r]));
    std::array::from_fn(|r| (mean[r], T::from_f64(1.0 / ((variance[r] / count).to_f64() + EPSILON).sqrt())))
}

/// `N` rows as separate slices.
fn lines<T, const N: usize>(rows: &[T]) -> [&[T]; N] {
    let width = rows.len() / N;
    std::array::from_fn(|row| &rows[row * width..][..width])
}

fn forward<T: WithDType>((x, lx): Stored<'_>, (g, lg): Stored<'_>, (b, lb): Stored<'_>) -> Result<(CpuStorage, Shape)> {
    let (x, gain, bias) = (numbers::<T>(x, lx)?, numbers::<T>(g, lg)?, numbers::<T>(b, lb)?);
    let (width, zero) = (gain.len(), T::zero());
    let normalise = |row: &[T], (mean, scale): (T, T), out: &mut Vec<T>| {
        out.extend(row.iter().zip(gain).zip(bias).map(|((&x, &g), &b)| {
            let y = (x - mean) * scale * g + b;
            if y > zero { y } else { zero }
        }));
    };
    let of = |rows: Range<usize>| {
        let mut out = Vec::with_capacity(rows.len() * width);
        let groups = x[rows.start * width..rows.end * width].chunks_exact(ABREAST * width);
        let rest = groups.remainder().chunks_exact(width);
        for rows in groups {
            let rows = rows.chunks_exact(width).zip(moments::<T, ABREAST>(rows));
            rows.for_each(|(row, moments)| normalise(row, moments, &mut out));
        }
        rest.for_each(|row| normalise(row, moments::<T, 1>(row)[0], &mut out));
        out
    };
    Ok(answer(by_block(x.len() / width, ROWS, of), lx.shape()))
}

fn backward<T: WithDType>(x: &Tensor, gain: &Tensor, y: &Tensor, dy: &Tensor) -> Result<ThreeGradients> {
    let (gains, dy) = (list::<T>(gain)?, dy.contiguous()?);
    let ((x_storage, x_layout), (y_storage, y_layout)) = (x.storage_and_layout(), y.storage_and_layout());
    let (dy_storage, dy_layout) = dy.storage_and_layout();
    let (xs, ys, dys) =
        (lent::<T>(&x_storage, x_layout)?, lent::<T>(&y_storage, y_layout)?, lent::<T>(&dy_storage, dy_layout)?);
    let mut gradients = Gradients::new(&gains, xs.len());
    let abreast = xs.len() / gains.len() / ABREAST * ABREAST * gains.len();
    let ((xs, x_rest), (ys, y_rest), (dys, dy_rest)) =
        (xs.split_at(abreast), ys.split_at(abreast), dys.split_at(abreast));
    gradients.pass::<ABREAST>(xs, ys, dys);
    gradients.pass::<1>(x_rest, y_rest, dy_rest);
    let Gradients { x: dx, gain: dg, bias: db, .. } = gradients;
    Ok((gradient(dx, x)?, gradient(dg, gain)?, gradient(db, gain)?))
}

/// The gradients accumulated over the rows so far.
struct Gradients<'a, T> {
    gains: &'a [T],
    x: Vec<T>,
    gain: Vec<T>,
    bias: Vec<T>,
}

impl<T: WithDType> Gradients<'_, T> {
    /// Zero gradients, with capacity for `count` numbers.
    fn new(gains: &[T], count: usize) -> Gradients<'_, T> {
        let zeros = || vec![T::zero(); gains.len()];
        Gradients { gains, x: Vec::with_capacity(count), gain: zeros(), bias: zeros() }
    }

    /// Adds those of further rows, `N` at a time.
    fn pass<const N: usize>(&mut self, xs: &[T], ys: &[T], dys: &[T]) {
        let (zero, width, size) = (T::zero(), self.gains.len(), N * self.gains.len());
        let (mut normal, mut flow, count) = (vec![zero; size], vec![zero; size], T::from_f64(width as f64));
        for ((x, y), dy) in xs.chunks_exact(size).zip(ys.chunks_exact(size)).zip(dys.chunks_exact(size)) {
            let moments = moments::<T, N>(x);
            flow.iter_mut().zip(dy).zip(y).for_each(|((d, &dy), &y)| *d = if y > zero { dy } else { zero });
            let rows = x.chunks_exact(width).zip(normal.chunks_exact_mut(width)).zip(flow.chunks_exact_mut(width));
            for (((x, normal), d), &(mean, scale)) in rows.zip(&moments) {
                normal.iter_mut().zip(x).for_each(|(normal, &x)| *normal = (x - mean) * scale);
                self.gain.iter_mut().zip(&*d).zip(&*normal).for_each(|((sum, &d), &normal)| *sum += d * normal);
                self.bias.iter_mut().zip(&*d).for_each(|(sum, &d)| *sum += d);
                d.iter_mut().zip(self.gains).for_each(|(d, &gain)| *d *= gain);
            }
            let (flows, normals) = (lines::<T, N>(&flow), lines::<T, N>(&normal));
            let sums = row_sums::<T, N>(width, |r, c| flows[r][c]);
            let products = row_sums::<T, N>(width, |r, c| flows[r][c] * normals[r][c]);
            for (row, (d, normal)) in flows.into_iter().zip(normals).enumerate() {
                let (sum, product, scale) = (sums[row] / count, products[row] / count, moments[row].1);
                self.x.extend(d.iter().zip(normal).map(|(&d, &n)| (d - sum - n * product) * scale));
            }
        }
    }
}
