//! The norm of the columns of edges with the ReLU after it, its gradient, and its moments.

use candle_core::WithDType;

use super::rows::{add, row, row_mut};

/// The moments of a norm, `[H]` each.
#[derive(Debug, Clone)]
pub struct NormStats {
    /// Means.
    pub mean: Vec<f64>,
    /// Inverse standard deviations.
    pub scale: Vec<f64>,
    /// Whether these are of the batch, so that the gradient flows through them, or frozen.
    pub of_batch: bool,
}

/// `relu((x - mean) scale gain + bias)`, columns `[H]`.
pub struct ColumnNorm<T> {
    mean: Vec<T>,
    scale: Vec<T>,
    /// `scale gain`.
    factor: Vec<T>,
    bias: Vec<T>,
    of_batch: bool,
}

impl<T: WithDType> ColumnNorm<T> {
    /// The norm with these moments.
    pub fn new(stats: &NormStats, gain: &[T], bias: &[T]) -> ColumnNorm<T> {
        let cast = |numbers: &[f64]| numbers.iter().map(|&number| T::from_f64(number)).collect::<Vec<T>>();
        let scale = cast(&stats.scale);
        let factor = scale.iter().zip(gain).map(|(&scale, &gain)| scale * gain).collect();
        ColumnNorm { mean: cast(&stats.mean), scale, factor, bias: bias.to_vec(), of_batch: stats.of_batch }
    }

    /// Writes the normalised rows of `x [E, H]`.
    #[inline(always)]
    pub fn rectified(&self, x: &[T], into: &mut [T]) {
        let (zero, width) = (T::zero(), self.mean.len());
        let (mean, factor, bias) = (&self.mean[..width], &self.factor[..width], &self.bias[..width]);
        for (into, x) in into.chunks_exact_mut(width).zip(x.chunks_exact(width)) {
            for column in 0..width {
                let y = (x[column] - mean[column]) * factor[column] + bias[column];
                into[column] = if y > zero { y } else { zero };
            }
        }
    }

    /// Passes the gradient of a row where `y`, the normalised row of `x`, was not cut off, and adds it to the sums
    /// for the gradients of gain and bias.
    #[inline(always)]
    pub fn pass(&self, (x, y): (&[T], &[T]), d: &mut [T], [slopes, levels]: [&mut [T]; 2]) {
        let (zero, width) = (T::zero(), self.mean.len());
        let (x, y, d, mean) = (&x[..width], &y[..width], &mut d[..width], &self.mean[..width]);
        let (slopes, levels) = (&mut slopes[..width], &mut levels[..width]);
        for column in 0..width {
            let passed = if y[column] > zero { d[column] } else { zero };
            d[column] = passed;
            levels[column] += passed;
            slopes[column] += passed * (x[column] - mean[column]);
        }
    }

    /// Computes the gradient of the gain from its sums over `rows` rows, and returns the transformation to the
    /// gradient of `x`.
    pub fn outflow(&self, rows: usize, [slopes, levels]: [&mut [T]; 2]) -> Outflow<T> {
        slopes.iter_mut().zip(&self.scale).for_each(|(sum, &scale)| *sum *= scale);
        let share = T::from_f64(if self.of_batch { 1.0 / rows as f64 } else { 0.0 });
        let columns = || self.factor.iter().map(|&factor| factor * share);
        Outflow {
            mean: self.mean.clone(),
            factor: self.factor.clone(),
            level: columns().zip(&*levels).map(|(factor, &sum)| factor * sum).collect(),
            slope: columns()
                .zip(&*slopes)
                .zip(&self.scale)
                .map(|((factor, &sum), &scale)| factor * sum * scale)
                .collect(),
        }
    }
}

/// The gradient of a norm's input from that of its output: `factor d - level - slope (x - mean)`, columns `[H]`.
///
/// With n = (x - mean) s it is `g s (d - mean(d) - n mean(d n))`, as level and slope are sums over all rows.
pub struct Outflow<T> {
    mean: Vec<T>,
    factor: Vec<T>,
    level: Vec<T>,
    slope: Vec<T>,
}

impl<T: WithDType> Outflow<T> {
    /// Writes the gradient of the rows `x`.
    #[inline(always)]
    pub fn write(&self, x: &[T], d: &[T], into: &mut [T]) {
        let width = self.mean.len();
        let (mean, factor) = (&self.mean[..width], &self.factor[..width]);
        let (level, slope) = (&self.level[..width], &self.slope[..width]);
        let rows = into.chunks_exact_mut(width).zip(x.chunks_exact(width)).zip(d.chunks_exact(width));
        for ((into, x), d) in rows {
            for column in 0..width {
                let slope = slope[column] * (x[column] - mean[column]);
                into[column] = factor[column] * d[column] - level[column] - slope;
            }
        }
    }
}

/// Means and sums of squared deviations of the columns of some rows.
pub struct ColumnSpread<T> {
    rows: usize,
    mean: Vec<T>,
    squares: Vec<T>,
}

impl<T: WithDType> ColumnSpread<T> {
    /// The spread of no rows.
    pub fn none(width: usize) -> ColumnSpread<T> {
        ColumnSpread { rows: 0, mean: vec![T::zero(); width], squares: vec![T::zero(); width] }
    }

    /// Replaces it by the spread of these rows.
    #[inline(always)]
    pub fn observe(&mut self, x: &[T]) {
        let width = self.mean.len();
        self.rows = x.len() / width;
        self.mean.fill(T::zero());
        self.squares.fill(T::zero());
        for index in 0..self.rows {
            add(&mut self.mean, row(x, index, width));
        }
        let count = T::from_f64(self.rows as f64);
        self.mean.iter_mut().for_each(|sum| *sum /= count);
        let (mean, squares) = (&self.mean[..width], row_mut(&mut self.squares, 0, width));
        for index in 0..self.rows {
            let x = row(x, index, width);
            for column in 0..width {
                let distance = x[column] - mean[column];
                squares[column] += distance * distance;
            }
        }
    }

    /// Adds more rows (Chan, Golub and LeVeque 1979).
    pub fn join(&mut self, other: &ColumnSpread<T>) {
        let rows = self.rows + other.rows;
        let part = T::from_f64(other.rows as f64 / rows as f64);
        let both = T::from_f64(self.rows as f64) * part;
        for column in 0..self.mean.len() {
            let distance = other.mean[column] - self.mean[column];
            self.mean[column] += distance * part;
            self.squares[column] += other.squares[column] + distance * distance * both;
        }
        self.rows = rows;
    }

    /// Means and variances; the latter are divided by the number of rows.
    pub fn moments(&self) -> [Vec<T>; 2] {
        let count = T::from_f64(self.rows as f64);
        [self.mean.clone(), self.squares.iter().map(|&sum| sum / count).collect()]
    }
}
