//! The free zero of ratings: inversion and centring of matrices of comparisons, which are invariant under a common
//! shift.

use nalgebra::DMatrix;

use super::covariance::Comparisons;

/// Sets of parameters (positions in a kept matrix) whose common shift is free.
pub(super) struct FreeShifts(pub(super) Vec<Vec<usize>>);

impl FreeShifts {
    /// Gives shifts a weight of the size of the data's, which makes the matrix invertible and changes no difference.
    pub(super) fn fix(&self, matrix: &mut DMatrix<f64>) {
        for group in &self.0 {
            let trace: f64 = group.iter().map(|&k| matrix[(k, k)]).sum();
            let weight = trace / (group.len() as f64).powi(2);
            for &column in group {
                group.iter().for_each(|&row| matrix[(row, column)] += weight);
            }
        }
    }

    /// Whether `inverse` is the inverse of the fixed matrix: it must recover a vector that the matrix was multiplied
    /// with. For weights that span the range of floating point, the computed inverse is only noise.
    pub(super) fn confirm(&self, inverse: &DMatrix<f64>, matrix: &Comparisons, keep: &[usize]) -> bool {
        let mut probe = DMatrix::from_fn(keep.len(), 1, |k, _| (k as f64 * GOLDEN).fract() - 0.5);
        for group in &self.0 {
            let mean = group.iter().map(|&k| probe[k]).sum::<f64>() / group.len() as f64;
            group.iter().for_each(|&k| probe[k] -= mean);
        }
        let found = inverse * matrix.times(keep, &probe);
        (found - &probe).norm() <= CONFIRMED * probe.norm()
    }

    /// Makes all rows and columns of a covariance sum to zero within every group: errors relative to the group's
    /// mean.
    pub(super) fn centre(&self, covariance: &mut DMatrix<f64>) {
        for group in &self.0 {
            let n = group.len() as f64;
            for mut column in covariance.column_iter_mut() {
                let mean = group.iter().map(|&k| column[k]).sum::<f64>() / n;
                group.iter().for_each(|&k| column[k] -= mean);
            }
            let size = covariance.nrows();
            let mut means = vec![0.0; size];
            for &k in group {
                means.iter_mut().zip(covariance.column(k).iter()).for_each(|(mean, value)| *mean += value / n);
            }
            for &k in group {
                covariance.column_mut(k).iter_mut().zip(&means).for_each(|(value, mean)| *value -= mean);
            }
        }
    }
}

/// The golden ratio's fraction, whose multiples are evenly spread.
const GOLDEN: f64 = 0.618_033_988_749_894_9;
/// Maximum relative error of an inverse.
const CONFIRMED: f64 = 1e-6;

#[cfg(test)]
mod tests {
    use super::super::covariance::inverse;
    use super::*;

    #[test]
    fn an_inverse_of_noise_is_not_confirmed() {
        let chain = |weights: [f64; 3]| {
            let blocks = weights.iter().enumerate().map(|(k, &weight)| (k, k + 1, [[weight, 0.0], [0.0; 2]]));
            Comparisons { n_players: 4, blocks: blocks.collect() }
        };
        let (keep, shifts): (Vec<usize>, _) = ((0..4).collect(), FreeShifts(vec![vec![0, 1, 2, 3]]));
        for (weights, expected) in [([1.0, 2.0, 1e-3], true), ([1e18, 1.0, 1e18], false)] {
            let comparisons = chain(weights);
            let mut matrix = comparisons.dense(&keep);
            shifts.fix(&mut matrix);
            let is_good = inverse(matrix).is_some_and(|found| shifts.confirm(&found, &comparisons, &keep));
            assert_eq!(is_good, expected, "{weights:?}");
        }
    }

    #[test]
    fn centred_covariances_sum_to_zero() {
        let mut matrix = DMatrix::from_fn(5, 5, |i, j| (i + j) as f64 + if i == j { 3.0 } else { 0.0 });
        FreeShifts(vec![vec![0, 2, 3]]).centre(&mut matrix);
        for k in 0..5 {
            let sum: f64 = [0, 2, 3].iter().map(|&i| matrix[(i, k)]).sum();
            assert!(sum.abs() < 1e-12 && (matrix[(0, k)] - matrix[(k, 0)]).abs() < 1e-12);
        }
    }
}
