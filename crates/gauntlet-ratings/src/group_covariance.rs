//! The covariance of a group's ratings: a dense matrix, or, for large groups, sparse factors or the matrix of the
//! comparisons itself, from which errors are computed on demand.

use std::sync::Arc;

use nalgebra::DMatrix;
use rayon::prelude::*;

use super::covariance::Comparisons;
use super::rows::{LANES, Lanes, Rows};
use super::sparse::Factor;

/// Maximum number of parameters for dense matrices.
pub(super) const DENSE: usize = 2048;

/// The covariance of the ratings of a group, in Elo squared.
#[derive(Debug, Clone)]
pub enum GroupCovariance {
    /// A dense matrix, in the order of the group's players.
    Dense(DMatrix<f64>),
    /// The data from which errors are computed on demand.
    Sparse(SparseCovariance),
}

/// Errors of many parameters, of one or several groups: `H^-1 M H^-1`, or `H^-1` without `M`.
#[derive(Debug)]
pub(super) struct SparseErrors {
    pub(super) curvature: Curvature,
    pub(super) meat: Option<Comparisons>,
}

/// `H`, prepared for solving.
#[derive(Debug)]
pub(super) enum Curvature {
    /// Factors, for few meetings, as in a chain: conjugate gradients would need as many iterations as the chain has
    /// links.
    Factor(Factor),
    /// The matrix itself, for players who meet many others: its factors would be dense, and few iterations are
    /// needed.
    Rows(Rows),
}

impl Curvature {
    /// Prepares the matrix of some free parameters: factors of those in `moving`, if they stay sparse, or else the
    /// rows of all. `None` if it has no inverse.
    pub(super) fn new(matrix: &Comparisons, moving: Option<&[usize]>, free: &[usize]) -> Option<Curvature> {
        match moving.and_then(|moving| Factor::new(matrix, moving)) {
            Some(factor) => Some(Curvature::Factor(factor)),
            None => Rows::new(matrix, free).map(Curvature::Rows),
        }
    }

    /// Solves one right-hand side, `[n + 1]`; NaN if rounding prevents a solution.
    pub(super) fn solve_one(&self, right: &[f64]) -> Vec<f64> {
        let first = |&part: &f64| std::array::from_fn(|lane| if lane == 0 { part } else { 0.0 });
        self.solve(&right.iter().map(first).collect::<Vec<Lanes>>()).into_iter().map(|row| row[0]).collect()
    }

    fn solve(&self, right: &[Lanes]) -> Vec<Lanes> {
        let factor = match self {
            Curvature::Rows(rows) => return rows.solve(right),
            Curvature::Factor(factor) => factor,
        };
        let mut solution = vec![[0.0; LANES]; right.len()];
        for lane in (0..LANES).filter(|&lane| right.iter().any(|row| row[lane] != 0.0)) {
            let own = factor.solve(&right.iter().map(|row| row[lane]).collect::<Vec<f64>>());
            solution.iter_mut().zip(own).for_each(|(row, part)| row[lane] = part);
        }
        solution
    }
}

/// The covariance of a group, as a part of `SparseErrors`.
#[derive(Debug, Clone)]
pub struct SparseCovariance {
    pub(super) errors: Arc<SparseErrors>,
    /// Number of all parameters.
    pub(super) size: usize,
    /// The parameter of each player of the group.
    pub(super) parameters: Vec<usize>,
    /// The players, by their places in the group, whose average is the reference of errors; empty if anchors hold the
    /// group.
    pub(super) counted: Vec<usize>,
    pub(super) scale: f64,
}

impl SparseErrors {
    /// Variances of weighted sums of parameters; NaN if rounding prevents a solution.
    pub(super) fn variances(&self, weights: &[Lanes]) -> Lanes {
        let solution = self.curvature.solve(weights);
        if let Some(meat) = &self.meat {
            return meat.quadratic(&solution);
        }
        let mut sums = [0.0; LANES];
        for (weights, parts) in weights.iter().zip(&solution) {
            sums.iter_mut().zip(weights.iter().zip(parts)).for_each(|(sum, (weight, part))| *sum += weight * part);
        }
        sums
    }
}

impl SparseCovariance {
    /// Variances of weighted sums of ratings, each relative to the average of some players.
    fn variances(&self, sums: &[Vec<(usize, f64)>], counted: &[usize]) -> Lanes {
        let mut weights = vec![[0.0; LANES]; self.size];
        let share = 1.0 / counted.len().max(1) as f64;
        for (lane, sum) in sums.iter().enumerate() {
            sum.iter().for_each(|&(k, weight)| weights[self.parameters[k]][lane] += weight);
            counted.iter().for_each(|&k| weights[self.parameters[k]][lane] -= share);
        }
        self.errors.variances(&weights).map(|variance| self.scale * variance)
    }
}

impl GroupCovariance {
    /// Variance of the rating of a player, by its place in the group.
    #[must_use]
    pub fn variance(&self, k: usize) -> f64 {
        match self {
            GroupCovariance::Dense(matrix) => matrix[(k, k)],
            GroupCovariance::Sparse(sparse) => sparse.variances(&[vec![(k, 1.0)]], &sparse.counted)[0],
        }
    }

    /// The variances of all ratings, computed on all cores if there are many; calls `done` after every few.
    #[must_use]
    pub fn variances(&self, done: &(dyn Fn(usize) + Sync)) -> Vec<f64> {
        let sparse = match self {
            GroupCovariance::Dense(matrix) => return matrix.diagonal().iter().copied().collect(),
            GroupCovariance::Sparse(sparse) => sparse,
        };
        let players: Vec<usize> = (0..sparse.parameters.len()).collect();
        let of_some = |some: &[usize]| {
            let sums: Vec<Vec<(usize, f64)>> = some.iter().map(|&k| vec![(k, 1.0)]).collect();
            let variances = sparse.variances(&sums, &sparse.counted);
            done(some.len());
            variances[..some.len()].to_vec()
        };
        players.par_chunks(LANES).flat_map_iter(of_some).collect()
    }

    /// Variance of the difference of two ratings.
    #[must_use]
    pub fn variance_of_difference(&self, i: usize, j: usize) -> f64 {
        match self {
            GroupCovariance::Dense(c) => c[(i, i)] + c[(j, j)] - 2.0 * c[(i, j)],
            GroupCovariance::Sparse(sparse) => sparse.variances(&[vec![(i, 1.0), (j, -1.0)]], &[])[0],
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

    /// Converts to the covariance of the differences from the average of some players.
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

#[cfg(test)]
mod tests {
    use super::super::covariance::inverse;
    use super::super::free_shifts::FreeShifts;
    use super::*;

    /// Two groups, each without an anchor, and an advantage; blocks of any weights.
    fn comparisons(n: usize, salt: usize) -> Comparisons {
        let half = n / 2;
        let meets = |b: usize| (0..b.min(4)).map(move |k| ((b * 31 + k * 17) % b, b));
        let pairs = (1..half).flat_map(meets).flat_map(move |(a, b)| [(a, b), (a + half, b + half)]);
        let weight = |a: usize, b: usize| 0.05 + ((a * 7 + b * 13 + salt) % 11) as f64;
        let block = |(a, b): (usize, usize)| (a, b, [[weight(a, b), 0.3], [0.3, 0.5 + weight(b, a)]]);
        Comparisons { n_players: n, blocks: pairs.map(block).collect() }
    }

    #[test]
    fn variances_are_those_of_the_dense_matrices() {
        let n = 400;
        let (bend, meat) = (comparisons(n, 1), comparisons(n, 5));
        let free: Vec<usize> = (0..=n).collect();
        let groups = FreeShifts(vec![(0..n / 2).collect(), (n / 2..n).collect()]);
        let mut matrix = bend.dense(&free);
        groups.fix(&mut matrix);
        let plain = inverse(matrix).expect("positive definite");
        let sandwich = &plain * meat.times(&free, &plain);
        let rows = || Curvature::Rows(Rows::new(&bend, &free).expect("everyone has met someone"));
        let moving: Vec<usize> = free.iter().copied().filter(|k| ![0, n / 2].contains(k)).collect();
        let factor = || Curvature::Factor(Factor::new(&bend, &moving).expect("few"));
        let cases = [(rows(), None), (factor(), None), (rows(), Some(meat)), (factor(), Some(comparisons(n, 5)))];
        for (curvature, meat) in cases {
            let mut expected = if meat.is_some() { sandwich.clone() } else { plain.clone() };
            groups.centre(&mut expected);
            let errors = Arc::new(SparseErrors { curvature, meat });
            for players in [0..n / 2, n / 2..n] {
                let (parameters, counted) = (players.clone().collect(), (0..n / 2).collect());
                let sparse = SparseCovariance { errors: errors.clone(), size: n + 1, parameters, counted, scale: 3.0 };
                let found = GroupCovariance::Sparse(sparse);
                for (k, variance) in found.variances(&|_| ()).into_iter().enumerate() {
                    let dense = 3.0 * expected[(players.start + k, players.start + k)];
                    assert!((variance / dense - 1.0).abs() < 1e-7, "{k}: {variance} {dense}");
                }
            }
        }
    }

    #[test]
    fn an_anchor_is_the_zero_of_the_others() {
        let n = 120;
        let matrix = comparisons(n, 3);
        let free: Vec<usize> = (0..=n).filter(|k| ![5, n / 2 + 9].contains(k)).collect();
        let dense = inverse(matrix.dense(&free)).expect("positive definite");
        let curvature = Curvature::Rows(Rows::new(&matrix, &free).expect("everyone has met someone"));
        let errors = Arc::new(SparseErrors { curvature, meat: None });
        let parameters: Vec<usize> = (0..n).collect();
        let sparse = SparseCovariance { errors, size: n + 1, parameters, counted: Vec::new(), scale: 1.0 };
        let found = GroupCovariance::Sparse(sparse).variances(&|_| ());
        for (player, variance) in found.into_iter().enumerate() {
            match free.iter().position(|&k| k == player) {
                Some(k) => assert!((variance / dense[(k, k)] - 1.0).abs() < 1e-7, "{player}"),
                None => assert_eq!(variance, 0.0),
            }
        }
    }

    #[test]
    fn a_matrix_that_rounding_hides_has_no_errors() {
        let meeting = |a, b, weight| (a, b, [[weight, 0.0], [0.0; 2]]);
        let solved = |far: f64| {
            let blocks = vec![meeting(0, 1, 1.0), meeting(1, 2, far), meeting(2, 3, 1.0)];
            Rows::new(&Comparisons { n_players: 4, blocks }, &[0, 1, 2, 3])
        };
        let mut right = vec![[0.0; LANES]; 5];
        (right[0][0], right[3][0]) = (1.0, -1.0);
        let solution = solved(1e-6).expect("within rounding").solve(&right);
        assert!(((solution[0][0] - solution[3][0]) / 1_000_002.0 - 1.0).abs() < 1e-6);
        assert!(solved(1e-300).is_none() && solved(f64::NAN).is_none());
        let alone = Comparisons { n_players: 4, blocks: vec![meeting(0, 1, 1.0)] };
        assert!(Rows::new(&alone, &[0, 1, 2]).is_none(), "of a player without games it says nothing");
    }
}
