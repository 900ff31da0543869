//! Batch norm of every column, with an optional ReLU and dropout after it.

use std::ops::Range;

use candle_core::backend::BackendStorage as _;
use candle_core::{CpuStorage, CustomOp3, Layout, Result, Shape, Tensor, WithDType};
use rand::Rng as _;

use super::blocks::{ROWS, by_block, by_column};
use super::gpu::{batch_norm_rows, has_columns, moments_of_columns};
use super::recording::apply3;
use super::{EPSILON, Stored, ThreeGradients, answer, by_type, gradient, is_fused, lent, list, numbers};
use gauntlet_games::base::Rng;

/// Mean and variance of each column, `[C]` each; the variance is divided by the number of rows.
pub struct Moments {
    /// Means.
    pub mean: Tensor,
    /// Variances.
    pub variance: Tensor,
}

/// The moments of the columns of `x [N, C]`, without a gradient.
///
/// # Errors
/// Errors of Candle.
pub fn moments(x: &Tensor) -> Result<Moments> {
    let x = x.detach().contiguous()?;
    if is_fused(&x) {
        return by_type!(x.dtype(), column_moments::<T>(&x));
    }
    if has_columns(&x) {
        let [mean, variance] = moments_of_columns(&x)?;
        return Ok(Moments { mean, variance });
    }
    let mean = x.mean(0)?;
    let variance = x.broadcast_sub(&mean)?.sqr()?.mean(0)?;
    Ok(Moments { mean, variance })
}

fn column_moments<T: WithDType>(x: &Tensor) -> Result<Moments> {
    let (rows, width) = x.dims2()?;
    let (storage, layout) = x.storage_and_layout();
    let x = lent::<T>(&storage, layout)?;
    let both = by_column(rows, width, |columns| moments_of(x, width, columns));
    let part = |part: usize| {
        Tensor::from_vec(both.iter().map(|moments| moments[part]).collect(), width, &candle_core::Device::Cpu)
    };
    Ok(Moments { mean: part(0)?, variance: part(1)? })
}

/// Mean and variance of some columns.
fn moments_of<T: WithDType>(x: &[T], width: usize, columns: Range<usize>) -> Vec<[T; 2]> {
    let (rows, count) = (x.chunks_exact(width), T::from_f64((x.len() / width) as f64));
    let mut mean = vec![T::zero(); columns.len()];
    for row in rows.clone() {
        mean.iter_mut().zip(&row[columns.clone()]).for_each(|(sum, &x)| *sum += x);
    }
    mean.iter_mut().for_each(|sum| *sum /= count);
    let mut variance = vec![T::zero(); columns.len()];
    for row in rows {
        for ((sum, &x), &mean) in variance.iter_mut().zip(&row[columns.clone()]).zip(&mean) {
            *sum += (x - mean) * (x - mean);
        }
    }
    mean.iter().zip(&variance).map(|(&mean, &sum)| [mean, sum / count]).collect()
}

/// A dropout mask, and the factor that compensates for dropped numbers.
pub struct Dropout {
    kept: Vec<bool>,
    scale: f64,
}

impl Dropout {
    /// Drops each of `count` numbers with this probability, rounded to a 65,536th; `None` if nothing is dropped.
    pub fn draw(count: usize, probability: f64, rng: &mut Rng) -> Option<Dropout> {
        let limit = (probability * 65_536.0).round() as u64;
        if limit == 0 {
            return None;
        }
        let mut kept = Vec::with_capacity(count.next_multiple_of(4));
        while kept.len() < count {
            let bits = rng.next_u64();
            kept.extend([0, 16, 32, 48].map(|shift| (bits >> shift) & 0xffff >= limit));
        }
        kept.truncate(count);
        Some(Dropout { kept, scale: 65_536.0 / (65_536 - limit) as f64 })
    }

    /// The factors of numbers shaped like these.
    pub(super) fn tensor(&self, like: &Tensor) -> Result<Tensor> {
        // Bytes, as they travel to the device.
        let kept: Vec<u8> = self.kept.iter().map(|&kept| u8::from(kept)).collect();
        Tensor::from_vec(kept, like.shape(), like.device())?.to_dtype(like.dtype())? * self.scale
    }
}

/// `dropout(relu((x - mean) / sqrt(variance + 1e-5) g + b))`, or the same without the ReLU; `x [N, C]`, the rest `[C]`.
///
/// The moments must be those of `x`: the gradient flows through them. Without a ReLU there is no dropout.
///
/// # Errors
/// Errors of Candle for incompatible shapes.
pub fn batch_norm(
    x: &Tensor,
    [gain, bias]: [&Tensor; 2],
    moments: &Moments,
    relu: bool,
    dropout: Option<Dropout>,
) -> Result<Tensor> {
    if !is_fused(x) {
        if !has_columns(x) {
            return composed(x, [gain, bias], relu, dropout.as_ref());
        }
        let y = batch_norm_rows(x, [gain, bias], [&moments.mean, &moments.variance], relu)?;
        return dropped(y, dropout.as_ref());
    }
    let scale = (moments.variance.to_dtype(candle_core::DType::F64)? + EPSILON)?.sqrt()?.recip()?.to_vec1()?;
    let mean = moments.mean.to_dtype(candle_core::DType::F64)?.to_vec1()?;
    apply3(BatchNormOp { mean, scale, relu, dropout }, [&x.contiguous()?, gain, bias])
}

pub(super) fn composed(
    x: &Tensor,
    [gain, bias]: [&Tensor; 2],
    relu: bool,
    dropout: Option<&Dropout>,
) -> Result<Tensor> {
    let centred = x.broadcast_sub(&x.mean_keepdim(0)?)?;
    let variance = centred.sqr()?.mean_keepdim(0)?;
    let normal = centred.broadcast_div(&(variance + EPSILON)?.sqrt()?)?;
    let y = normal.broadcast_mul(gain)?.broadcast_add(bias)?;
    let y = if relu { y.relu()? } else { y };
    dropped(y, dropout)
}

fn dropped(y: Tensor, dropout: Option<&Dropout>) -> Result<Tensor> {
    match dropout {
        Some(dropout) => &y * dropout.tensor(&y)?,
        None => Ok(y),
    }
}

struct BatchNormOp {
    mean: Vec<f64>,
    /// Inverse standard deviations.
    scale: Vec<f64>,
    relu: bool,
    dropout: Option<Dropout>,
}

impl BatchNormOp {
    /// Means and inverse standard deviations.
    fn moments<T: WithDType>(&self) -> (Vec<T>, Vec<T>) {
        let cast = |list: &[f64]| list.iter().map(|&number| T::from_f64(number)).collect();
        (cast(&self.mean), cast(&self.scale))
    }
}

impl CustomOp3 for BatchNormOp {
    fn name(&self) -> &'static str {
        "batch-norm"
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
        by_type!(x.dtype(), forward::<T>(self, (x, lx), (g, lg), (b, lb)))
    }

    fn bwd(&self, x: &Tensor, gain: &Tensor, _: &Tensor, y: &Tensor, dy: &Tensor) -> Result<ThreeGradients> {
        by_type!(x.dtype(), backward::<T>(self, x, gain, y, dy))
    }
}

fn forward<T: WithDType>(
    op: &BatchNormOp,
    (x, lx): Stored<'_>,
    (g, lg): Stored<'_>,
    (b, lb): Stored<'_>,
) -> Result<(CpuStorage, Shape)> {
    let (x, gain, bias) = (numbers::<T>(x, lx)?, numbers::<T>(g, lg)?, numbers::<T>(b, lb)?);
    let ((mean, scale), zero, width) = (op.moments::<T>(), T::zero(), gain.len());
    let of = |rows: Range<usize>| {
        let numbers = rows.start * width..rows.end * width;
        let mut out = Vec::with_capacity(numbers.len());
        for row in x[numbers.clone()].chunks_exact(width) {
            let columns = mean.iter().zip(&scale).zip(gain).zip(bias);
            let normal = row.iter().zip(columns).map(|(&x, (((&mean, &scale), &g), &b))| (x - mean) * scale * g + b);
            match op.relu {
                true => out.extend(normal.map(|y| if y > zero { y } else { zero })),
                false => out.extend(normal),
            }
        }
        if let Some(Dropout { kept, scale }) = &op.dropout {
            let scale = T::from_f64(*scale);
            out.iter_mut().zip(&kept[numbers]).for_each(|(y, &kept)| *y = if kept { *y * scale } else { zero });
        }
        out
    };
    Ok(answer(by_block(x.len() / width, ROWS, of), lx.shape()))
}

/// The gradient that flows back into a norm through the dropout and the ReLU: a number that is zero after a ReLU was
/// cut off or dropped, and has no gradient.
struct Inflow<'a, T> {
    x: &'a [T],
    y: &'a [T],
    dy: &'a [T],
    relu: bool,
    /// The factor of dropout.
    factor: T,
}

impl<T: WithDType> Inflow<'_, T> {
    /// `x` and the gradient of some numbers.
    #[inline]
    fn of(&self, numbers: Range<usize>) -> impl Iterator<Item = (T, T)> + Clone + '_ {
        let (factor, relu, zero) = (self.factor, self.relu, T::zero());
        let flows = self.y[numbers.clone()].iter().zip(&self.dy[numbers.clone()]);
        let flows = flows.map(move |(&y, &dy)| if y > zero || !relu { dy * factor } else { zero });
        self.x[numbers].iter().copied().zip(flows)
    }

    /// The gradients of the gain and of the bias of some columns, in columns of these means and scales.
    fn sums(&self, [mean, scale]: [&[T]; 2], columns: Range<usize>) -> Vec<[T; 2]> {
        let (mean, scale, width) = (&mean[columns.clone()], &scale[columns.clone()], mean.len());
        let (mut dg, mut db) = (vec![T::zero(); columns.len()], vec![T::zero(); columns.len()]);
        for start in (0..self.x.len()).step_by(width) {
            let row = self.of(start + columns.start..start + columns.end);
            db.iter_mut().zip(row.clone()).for_each(|(sum, (_, d))| *sum += d);
            let moments = mean.iter().zip(scale);
            let terms = row.zip(moments).map(|((x, d), (&mean, &scale))| d * (x - mean) * scale);
            dg.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
        }
        dg.into_iter().zip(db).map(|(dg, db)| [dg, db]).collect()
    }
}

fn backward<T: WithDType>(
    op: &BatchNormOp,
    x: &Tensor,
    gain: &Tensor,
    y: &Tensor,
    dy: &Tensor,
) -> Result<ThreeGradients> {
    let (gains, dy) = (list::<T>(gain)?, dy.contiguous()?);
    let ((x_storage, x_layout), (y_storage, y_layout)) = (x.storage_and_layout(), y.storage_and_layout());
    let (dy_storage, dy_layout) = dy.storage_and_layout();
    let (xs, ys, dys) =
        (lent::<T>(&x_storage, x_layout)?, lent::<T>(&y_storage, y_layout)?, lent::<T>(&dy_storage, dy_layout)?);
    let factor = T::from_f64(op.dropout.as_ref().map_or(1.0, |dropout| dropout.scale));
    let inflow = Inflow { x: xs, y: ys, dy: dys, relu: op.relu, factor };
    let ((mean, scale), width) = (op.moments::<T>(), gains.len());
    let rows = xs.len() / width;
    let sums = by_column(rows, width, |columns| inflow.sums([&mean, &scale], columns));
    let (dg, db): (Vec<T>, Vec<T>) = sums.iter().map(|&[dg, db]| (dg, db)).unzip();
    // dx = g s (d - mean(d) - n mean(d n)) with n = (x - mean) s, as `a d - b - c (x - mean)`.
    let count = T::from_f64(rows as f64);
    let factor: Vec<T> = gains.iter().zip(&scale).map(|(&gain, &scale)| gain * scale).collect();
    let level: Vec<T> = factor.iter().zip(&db).map(|(&factor, &db)| factor * db / count).collect();
    let slope: Vec<T> = (0..width).map(|i| factor[i] * dg[i] / count * scale[i]).collect();
    let of = |rows: Range<usize>| {
        let mut dx = Vec::with_capacity(rows.len() * width);
        for start in rows.map(|row| row * width) {
            let columns = factor.iter().zip(&level).zip(&slope).zip(&mean);
            let row = inflow.of(start..start + width).zip(columns);
            dx.extend(
                row.map(|((x, d), (((&factor, &level), &slope), &mean))| factor * d - level - slope * (x - mean)),
            );
        }
        dx
    };
    let dx = by_block(rows, ROWS, of);
    Ok((gradient(dx, x)?, gradient(dg, gain)?, gradient(db, gain)?))
}
