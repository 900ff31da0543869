//! The covariance of a group's ratings: a dense matrix, or, for large groups whose meetings are few, sparse factors from
//! which each error is computed when it is asked for.

use std::sync::Arc;

use nalgebra::DMatrix;

use super::covariance::Comparisons;
use super::sparse::Factor;

/// Up to so many parameters every matrix is dense.
pub(super) const DENSE: usize = 2048;

/// Beyond so many parameters no matrix is: one alone would take 800 MB, and there are several at a time.
pub(super) const MOST_DENSE: usize = 10_000;

/// The covariance of the ratings of a group, in Elo squared.
#[derive(Debug, Clone)]
pub enum GroupCovariance {
    /// Written out, in the order of the group's players.
    Dense(DMatrix<f64>),
    /// As factors.
    Sparse(SparseCovariance),
}

/// Errors of many parameters, of one or several groups: `H^-1 M H^-1`, or `H^-1` where there is no `M`.
#[derive(Debug)]
pub(super) struct SparseErrors {
    pub(super) curvature: Factor,
    pub(super) meat: Option<Comparisons>,
}

/// The part of a group.
#[derive(Debug, Clone)]
pub struct SparseCovariance {
    pub(super) errors: Arc<SparseErrors>,
    /// Number of all parameters.
    pub(super) size: usize,
    /// The parameter of each player of the group.
    pub(super) parameters: Vec<usize>,
    /// The players, by their places in the group, against whose average errors are; none where anchors hold the group.
    pub(super) counted: Vec<usize>,
    pub(super) scale: f64,
}

impl SparseErrors {
    /// Variance of a weighted sum of parameters.
    pub(super) fn variance(&self, weights: &[f64]) -> f64 {
        let solution = self.curvature.solve(weights);
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum();
        match &self.meat {
            None => dot(weights, &solution),
            Some(meat) => {
                let mut product = vec![0.0; solution.len()];
                meat.add_product(&solution, &mut product);
                dot(&solution, &product)
            }
        }
    }
}

impl SparseCovariance {
    fn variance(&self, weights: &[(usize, f64)], counted: &[usize]) -> f64 {
        let mut all = vec![0.0; self.size];
        weights.iter().for_each(|&(k, weight)| all[self.parameters[k]] += weight);
        let share = 1.0 / counted.len().max(1) as f64;
        counted.iter().for_each(|&k| all[self.parameters[k]] -= share);
        self.scale * self.errors.variance(&all)
    }
}

impl GroupCovariance {
    /// Variance of the rating of a player, by its place in the group.
    #[must_use]
    pub fn variance(&self, k: usize) -> f64 {
        match self {
            GroupCovariance::Dense(matrix) => matrix[(k, k)],
            GroupCovariance::Sparse(sparse) => sparse.variance(&[(k, 1.0)], &sparse.counted),
        }
    }

    /// Variance of the difference of two ratings.
    #[must_use]
    pub fn variance_of_difference(&self, i: usize, j: usize) -> f64 {
        match self {
            GroupCovariance::Dense(c) => c[(i, i)] + c[(j, j)] - 2.0 * c[(i, j)],
            GroupCovariance::Sparse(sparse) => sparse.variance(&[(i, 1.0), (j, -1.0)], &[]),
        }
    }

    /// All variances times a factor.
    #[must_use]
    pub fn times(self, factor: f64) -> GroupCovariance {
        match self {
            GroupCovariance::Dense(matrix) => GroupCovariance::Dense(matrix * factor),
            GroupCovariance::Sparse(sparse) => {
                GroupCovariance::Sparse(SparseCovariance { scale: sparse.scale * factor, ..sparse })
            }
        }
    }

    /// Makes it that of the differences from the average of some players.
    pub fn centre(&mut self, counted: &[usize]) {
        match self {
            GroupCovariance::Dense(matrix) => against_average(matrix, counted),
            GroupCovariance::Sparse(sparse) => sparse.counted = counted.to_vec(),
        }
    }
}

fn against_average(covariance: &mut DMatrix<f64>, counted: &[usize]) {
    let n = counted.len() as f64;
    for mut column in covariance.column_iter_mut() {
        let average = counted.iter().map(|&k| column[k]).sum::<f64>() / n;
        column.iter_mut().for_each(|entry| *entry -= average);
    }
    for mut row in covariance.row_iter_mut() {
        let average = counted.iter().map(|&k| row[k]).sum::<f64>() / n;
        row.iter_mut().for_each(|entry| *entry -= average);
    }
}
