//! Sums of columns, and the layers in training whose gradients need them: offsets and batch norm.
//!
//! Candle sums the columns of a matrix with one block of threads a column, which reads the rows with gaps: for the edges
//! of AlphaGateau this takes longer than all products.

#[cfg(feature = "cuda")]
use candle_core::CudaStorage;
use candle_core::backend::BackendStorage as _;
use candle_core::{CpuStorage, CustomOp1, CustomOp2, CustomOp3, DType, Layout, Result, Shape, Tensor, WithDType};

use super::super::{EPSILON, Stored, ThreeGradients, TwoGradients, answer, numbers};
use super::by_sums::{by_numbers, by_sums};
use super::maps::map_rows;
use super::row_map::RowMap;
use super::twin;

/// Rows of a part, whose sum is one thread's.
const PART: usize = 512;

/// The sums of the columns of `x [N, C]`, `[C]`, without a gradient.
///
/// # Errors
/// Errors of Candle.
pub fn column_sums(x: &Tensor) -> Result<Tensor> {
    in_parts(x.contiguous()?.apply_op1_no_bwd(&ColumnSums)?)
}

/// The sums of the products of the columns of `x` and `y [N, C]`, `[C]`, without a gradient.
fn column_dots(x: &Tensor, y: &Tensor) -> Result<Tensor> {
    in_parts(x.contiguous()?.apply_op2_no_bwd(&y.contiguous()?, &ColumnDots)?)
}

/// The sums of the parts.
fn in_parts(mut sums: Tensor) -> Result<Tensor> {
    while sums.dim(0)? > 1 {
        sums = sums.apply_op1_no_bwd(&ColumnSums)?;
    }
    sums.squeeze(0)
}

/// Mean and variance of the columns of `x [N, C]`, `[C]` each, without a gradient.
///
/// # Errors
/// Errors of Candle.
pub fn moments_of_columns(x: &Tensor) -> Result<[Tensor; 2]> {
    let (x, count) = (x.detach(), x.dim(0)? as f64);
    let mean = (column_sums(&x)? / count)?;
    let centred = scaled(&x, &mean.ones_like()?, &mean.neg()?)?;
    let variance = (column_dots(&centred, &centred)? / count)?;
    Ok([mean, variance])
}

/// `x + b`, with a ReLU if `relu`; `x [N, C]`, `b [C]`.
///
/// # Errors
/// Errors of Candle for incompatible shapes.
pub fn offset_rows(x: &Tensor, bias: &Tensor, relu: bool) -> Result<Tensor> {
    let map = RowMap::Scale { parameters: [bias.ones_like()?, bias.detach()], relu };
    x.contiguous()?.apply_op2(bias, OffsetRows { map, relu })
}

/// Batch norm of the columns of `x [N, C]` by their moments, with a ReLU if `relu`. The gradient flows through the moments.
///
/// # Errors
/// Errors of Candle for incompatible shapes.
pub fn batch_norm_rows(
    x: &Tensor,
    [gain, bias]: [&Tensor; 2],
    [mean, variance]: [&Tensor; 2],
    relu: bool,
) -> Result<Tensor> {
    let parameters = [gain, bias, mean, variance].map(Tensor::detach);
    let op =
        BatchNormRows { map: RowMap::Norm { parameters, relu }, mean: mean.clone(), variance: variance.clone(), relu };
    x.contiguous()?.apply_op3(gain, bias, op)
}

/// `x scale + shift` by column, without a gradient.
fn scaled(x: &Tensor, scale: &Tensor, shift: &Tensor) -> Result<Tensor> {
    map_rows(x, RowMap::Scale { parameters: [scale.clone(), shift.clone()], relu: false })
}

/// The gradient before a ReLU, if there is one, with the result `y`.
fn behind_relu(y: &Tensor, dy: &Tensor, relu: bool) -> Result<Tensor> {
    let dy = dy.contiguous()?;
    if relu { y.detach().contiguous()?.apply_op2_no_bwd(&dy, &Passed) } else { Ok(dy) }
}

struct ColumnSums;

impl CustomOp1 for ColumnSums {
    fn name(&self) -> &'static str {
        "column-sums"
    }

    fn cpu_fwd(&self, x: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        by_sums!(x.dtype(), summed::<T, A>((x, layout), None))
    }

    #[cfg(feature = "cuda")]
    fn cuda_fwd(&self, x: &CudaStorage, layout: &Layout) -> Result<(CudaStorage, Shape)> {
        super::cuda::column_sums((x, layout), None, PART)
    }
}

struct ColumnDots;

impl CustomOp2 for ColumnDots {
    fn name(&self) -> &'static str {
        "column-dots"
    }

    fn cpu_fwd(&self, x: &CpuStorage, lx: &Layout, y: &CpuStorage, ly: &Layout) -> Result<(CpuStorage, Shape)> {
        by_sums!(x.dtype(), summed::<T, A>((x, lx), Some((y, ly))))
    }

    #[cfg(feature = "cuda")]
    fn cuda_fwd(&self, x: &CudaStorage, lx: &Layout, y: &CudaStorage, ly: &Layout) -> Result<(CudaStorage, Shape)> {
        super::cuda::column_sums((x, lx), Some((y, ly)), PART)
    }
}

/// Where the result of a ReLU is above 0, the gradient.
struct Passed;

impl CustomOp2 for Passed {
    fn name(&self) -> &'static str {
        "passed"
    }

    fn cpu_fwd(&self, y: &CpuStorage, ly: &Layout, dy: &CpuStorage, ld: &Layout) -> Result<(CpuStorage, Shape)> {
        by_numbers!(y.dtype(), passed::<T>((y, ly), (dy, ld)))
    }

    #[cfg(feature = "cuda")]
    fn cuda_fwd(&self, y: &CudaStorage, ly: &Layout, dy: &CudaStorage, ld: &Layout) -> Result<(CudaStorage, Shape)> {
        super::cuda::passed((y, ly), (dy, ld))
    }
}

fn summed<T: WithDType, A: WithDType>((x, layout): Stored<'_>, y: Option<Stored<'_>>) -> Result<(CpuStorage, Shape)> {
    let (rows, width) = layout.shape().dims2()?;
    let y = y.map(|(y, layout)| numbers::<T>(y, layout)).transpose()?;
    let sums = twin::column_sums::<T, A>(numbers::<T>(x, layout)?, y, width, PART);
    Ok(answer(sums, (rows.div_ceil(PART), width)))
}

fn passed<T: WithDType>((y, ly): Stored<'_>, (dy, ld): Stored<'_>) -> Result<(CpuStorage, Shape)> {
    Ok(answer(twin::passed(numbers::<T>(y, ly)?, numbers::<T>(dy, ld)?), ly.shape()))
}

struct OffsetRows {
    map: RowMap,
    relu: bool,
}

impl CustomOp2 for OffsetRows {
    fn name(&self) -> &'static str {
        "offset-rows"
    }

    fn cpu_fwd(&self, x: &CpuStorage, layout: &Layout, _: &CpuStorage, _: &Layout) -> Result<(CpuStorage, Shape)> {
        self.map.cpu_fwd(x, layout)
    }

    #[cfg(feature = "cuda")]
    fn cuda_fwd(&self, x: &CudaStorage, layout: &Layout, _: &CudaStorage, _: &Layout) -> Result<(CudaStorage, Shape)> {
        self.map.cuda_fwd(x, layout)
    }

    fn bwd(&self, _: &Tensor, _: &Tensor, y: &Tensor, dy: &Tensor) -> Result<TwoGradients> {
        let dx = behind_relu(y, dy, self.relu)?;
        let db = column_sums(&dx)?;
        Ok((Some(dx), Some(db)))
    }
}

struct BatchNormRows {
    map: RowMap,
    mean: Tensor,
    variance: Tensor,
    relu: bool,
}

impl CustomOp3 for BatchNormRows {
    fn name(&self) -> &'static str {
        "batch-norm-rows"
    }

    fn cpu_fwd(
        &self,
        x: &CpuStorage,
        layout: &Layout,
        _: &CpuStorage,
        _: &Layout,
        _: &CpuStorage,
        _: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        self.map.cpu_fwd(x, layout)
    }

    #[cfg(feature = "cuda")]
    fn cuda_fwd(
        &self,
        x: &CudaStorage,
        layout: &Layout,
        _: &CudaStorage,
        _: &Layout,
        _: &CudaStorage,
        _: &Layout,
    ) -> Result<(CudaStorage, Shape)> {
        self.map.cuda_fwd(x, layout)
    }

    /// With `n = (x - mean) / deviation` and the gradient `d` before the ReLU, sums over the `N` rows of a column:
    /// `db = sum d`, `dg = sum d n`, `dx = g / deviation (d - db / N - n dg / N)`.
    fn bwd(&self, x: &Tensor, gain: &Tensor, _: &Tensor, y: &Tensor, dy: &Tensor) -> Result<ThreeGradients> {
        let (d, count) = (behind_relu(y, dy, self.relu)?, x.dim(0)? as f64);
        let inverse = (&self.variance + EPSILON)?.sqrt()?.recip()?;
        let normal = scaled(&x.detach(), &inverse, &(&self.mean * &inverse)?.neg()?)?;
        let (db, dg) = (column_sums(&d)?, column_dots(&d, &normal)?);
        let factor = (gain.detach() * &inverse)?;
        let by_mean = |sum: &Tensor| (sum * &factor)? / -count;
        let dx = (scaled(&d, &factor, &by_mean(&db)?)? + scaled(&normal, &by_mean(&dg)?, &db.zeros_like()?)?)?;
        Ok((Some(dx), Some(dg), Some(db)))
    }
}

/// Whether the layers of a device in training are these.
pub fn has_columns(x: &Tensor) -> bool {
    !x.device().is_cpu() && matches!(x.dtype(), DType::F32 | DType::BF16)
}

#[cfg(test)]
mod tests {
    use candle_core::{Device, Var};

    use super::super::super::{batch_norm::composed, list, offset};
    use super::*;

    fn var(shape: (usize, usize), phase: f64) -> Var {
        let numbers: Vec<f64> = (0..shape.0 * shape.1).map(|i| (i as f64 * 0.9 + phase).sin() + 0.3).collect();
        Var::from_tensor(&Tensor::from_vec(numbers, shape, &Device::Cpu).unwrap()).unwrap()
    }

    /// A result and all gradients of the sum of its squares.
    fn all(y: &Tensor, vars: &[&Var]) -> Vec<f64> {
        let weights = Tensor::arange(0.0, y.elem_count() as f64, &Device::Cpu).unwrap().reshape(y.shape()).unwrap();
        let gradients = (y.sqr().unwrap() * weights).unwrap().sum_all().unwrap().backward().unwrap();
        let of = |var: &&Var| list::<f64>(gradients.get(var).unwrap()).unwrap();
        [list::<f64>(y).unwrap(), vars.iter().flat_map(of).collect()].concat()
    }

    fn assert_near(one: &[f64], other: &[f64]) {
        let size = other.iter().fold(1.0, |size: f64, number| size.max(number.abs()));
        assert!(one.len() == other.len() && one.iter().zip(other).all(|(a, b)| (a - b).abs() < 1e-10 * size));
    }

    /// Results and gradients are those of the composition of Candle's operations; more rows than one part.
    #[test]
    fn layers_in_training_are_their_compositions() {
        for (rows, width) in [(3, 2), (1300, 5)] {
            let (x, gain, bias) = (var((rows, width), 0.2), var((1, width), 0.6), var((1, width), 1.4));
            let [gain, bias] = [gain, bias].map(|row| Var::from_tensor(&row.squeeze(0).unwrap()).unwrap());
            for relu in [false, true] {
                let [mean, variance] = moments_of_columns(&x).unwrap();
                let ours = batch_norm_rows(&x, [&gain, &bias], [&mean, &variance], relu).unwrap();
                let theirs = composed(&x, [&gain, &bias], relu, None).unwrap();
                assert_near(&all(&ours, &[&x, &gain, &bias]), &all(&theirs, &[&x, &gain, &bias]));
                let (ours, theirs) =
                    (offset_rows(&x, &bias, relu).unwrap(), offset::composed(&x, &bias, relu).unwrap());
                assert_near(&all(&ours, &[&x, &bias]), &all(&theirs, &[&x, &bias]));
            }
        }
    }
}
