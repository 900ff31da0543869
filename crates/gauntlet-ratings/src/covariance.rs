//! Matrices of paired comparisons: sparse products, conjugate gradients, and the dense inverse for errors.
//!
//! One row per player plus one for the advantage of moving first. Every meeting contributes a small symmetric block
//! along the direction `e_a - e_b` and the advantage, so that adding a constant to all ratings of a group changes
//! nothing. Before a matrix is inverted, [`free_shifts`](super::free_shifts) removes that freedom; a heavy constraint
//! row would cost digits.

use nalgebra::{Cholesky, DMatrix, DVector};

/// One meeting's symmetric block: rows are the rating difference, then the advantage.
pub(super) type Block = [[f64; 2]; 2];

/// A sum of blocks over the meetings, `[n + 1, n + 1]`.
#[derive(Debug)]
pub(super) struct Comparisons {
    pub(super) n_players: usize,
    pub(super) blocks: Vec<(usize, usize, Block)>,
}

impl Comparisons {
    /// Adds the matrix times `x` to `out`, both `[n + 1]`.
    pub(super) fn add_product(&self, x: &[f64], out: &mut [f64]) {
        let n = self.n_players;
        for &(a, b, block) in &self.blocks {
            let along = [x[a] - x[b], x[n]];
            let [difference, advantage] = block.map(|row| row[0] * along[0] + row[1] * along[1]);
            out[a] += difference;
            out[b] -= difference;
            out[n] += advantage;
        }
    }

    /// Calls `tell` for every term of every entry: its row, its column and its value.
    pub(super) fn for_each_entry(&self, mut tell: impl FnMut(usize, usize, f64)) {
        for &(a, b, block) in &self.blocks {
            let parts = [(a, 1.0, 0), (b, -1.0, 0), (self.n_players, 1.0, 1)];
            for (row, sign_row, i) in parts {
                parts.iter().for_each(|&(column, sign, j)| tell(row, column, sign_row * sign * block[i][j]));
            }
        }
    }

    /// The quadratic forms of several vectors `[n + 1]`.
    pub(super) fn quadratic<const LANES: usize>(&self, x: &[[f64; LANES]]) -> [f64; LANES] {
        let (mut sum, advantage) = ([0.0; LANES], x[self.n_players]);
        for &(a, b, [[own, cross], [_, square]]) in &self.blocks {
            for (lane, sum) in sum.iter_mut().enumerate() {
                let (difference, advantage) = (x[a][lane] - x[b][lane], advantage[lane]);
                *sum += own * difference * difference
                    + 2.0 * cross * difference * advantage
                    + square * advantage * advantage;
            }
        }
        sum
    }

    /// The matrix restricted to the rows and columns in `keep`, as a dense matrix.
    pub(super) fn dense(&self, keep: &[usize]) -> DMatrix<f64> {
        let mut place = vec![None; self.n_players + 1];
        keep.iter().enumerate().for_each(|(k, &parameter)| place[parameter] = Some(k));
        let mut matrix = DMatrix::zeros(keep.len(), keep.len());
        self.for_each_entry(|row, column, value| {
            if let (Some(r), Some(c)) = (place[row], place[column]) {
                matrix[(r, c)] += value;
            }
        });
        matrix
    }

    /// The matrix, restricted to `keep`, times a dense one.
    pub(super) fn times(&self, keep: &[usize], right: &DMatrix<f64>) -> DMatrix<f64> {
        let mut product = DMatrix::zeros(right.nrows(), right.ncols());
        let (mut x, mut out) = (vec![0.0; self.n_players + 1], vec![0.0; self.n_players + 1]);
        for (column, mut result) in right.column_iter().zip(product.column_iter_mut()) {
            keep.iter().zip(column.iter()).for_each(|(&parameter, &value)| x[parameter] = value);
            out.fill(0.0);
            self.add_product(&x, &mut out);
            keep.iter().zip(result.iter_mut()).for_each(|(&parameter, value)| *value = out[parameter]);
        }
        product
    }

    /// Solves for the parameters in `keep`, with all others zero, by conjugate gradients. The matrix restricted to
    /// `keep` must be positive definite: at least one player of every group is excluded. If rounding prevents
    /// convergence, the solution is marked unsolved and is still a direction of ascent.
    pub(super) fn solve(&self, keep: &[usize], right: &[f64]) -> Solution {
        let size = self.n_players + 1;
        let mut scale = vec![0.0; size];
        let diagonal = self.diagonal();
        keep.iter().filter(|&&k| diagonal[k] > 0.0).for_each(|&k| scale[k] = 1.0 / diagonal[k]);
        let dot = |x: &[f64], y: &[f64]| -> f64 { keep.iter().map(|&k| x[k] * y[k]).sum() };
        let preconditioned = |r: &[f64]| -> Vec<f64> { r.iter().zip(&scale).map(|(r, s)| r * s).collect() };

        let (mut x, mut residual, mut product) = (vec![0.0; size], right.to_vec(), vec![0.0; size]);
        let mut direction = preconditioned(&residual);
        let mut energy = dot(&residual, &direction);
        let enough = energy * SOLVED * SOLVED;
        for _ in 0..10 * size {
            if energy <= enough {
                break;
            }
            product.fill(0.0);
            self.add_product(&direction, &mut product);
            let curvature = dot(&direction, &product);
            if curvature.is_nan() || curvature <= 0.0 {
                break;
            }
            let step = energy / curvature;
            keep.iter().for_each(|&k| x[k] += step * direction[k]);
            keep.iter().for_each(|&k| residual[k] -= step * product[k]);
            let next = preconditioned(&residual);
            let next_energy = dot(&residual, &next);
            keep.iter().for_each(|&k| direction[k] = next[k] + next_energy / energy * direction[k]);
            energy = next_energy;
        }
        Solution { x, is_solved: energy <= enough }
    }

    /// Solves the same system by Cholesky factors of the dense matrix, with its diagonal scaled to 1. `None` if it is
    /// not positive definite.
    pub(super) fn solve_dense(&self, keep: &[usize], right: &[f64]) -> Option<Vec<f64>> {
        let mut matrix = self.dense(keep);
        let scale: Vec<f64> = (0..keep.len()).map(|k| 1.0 / matrix[(k, k)].sqrt()).collect();
        for (column, by_column) in scale.iter().enumerate() {
            scale.iter().enumerate().for_each(|(row, by_row)| matrix[(row, column)] *= by_row * by_column);
        }
        let scaled = DVector::from_iterator(keep.len(), keep.iter().zip(&scale).map(|(&k, scale)| right[k] * scale));
        let solution = Cholesky::new(matrix)?.solve(&scaled);
        let mut x = vec![0.0; right.len()];
        keep.iter().zip(&scale).zip(solution.iter()).for_each(|((&k, scale), part)| x[k] = part * scale);
        Some(x)
    }

    fn diagonal(&self) -> Vec<f64> {
        let mut diagonal = vec![0.0; self.n_players + 1];
        for &(a, b, block) in &self.blocks {
            diagonal[a] += block[0][0];
            diagonal[b] += block[0][0];
            diagonal[self.n_players] += block[1][1];
        }
        diagonal
    }
}

/// The result of conjugate gradients.
pub(super) struct Solution {
    pub(super) x: Vec<f64>,
    /// Whether the residual is small; `x` is unfinished otherwise.
    pub(super) is_solved: bool,
}

/// Relative residual that is sufficient for Newton's method.
const SOLVED: f64 = 1e-8;

/// The inverse of a symmetric positive definite matrix, by recursive halving (Schur complements), so that nearly all
/// work is matrix products. `None` if the matrix is not positive definite.
pub(super) fn inverse(matrix: DMatrix<f64>) -> Option<DMatrix<f64>> {
    let n = matrix.nrows();
    if n <= SMALL {
        return Cholesky::new(matrix).map(|factor| factor.inverse());
    }
    let (half, rest) = (n / 2, n - n / 2);
    let mut upper = inverse(matrix.view((0, 0), (half, half)).into_owned())?;
    let side = matrix.view((half, 0), (rest, half)).into_owned();
    let slope = &side * &upper;
    let mut complement = matrix.view((half, half), (rest, rest)).into_owned();
    complement.gemm(-1.0, &slope, &side.transpose(), 1.0);
    let lower = inverse(complement)?;
    let cross = &lower * &slope;
    upper.gemm(1.0, &slope.transpose(), &cross, 1.0);

    let mut whole = DMatrix::zeros(n, n);
    whole.view_mut((0, 0), (half, half)).copy_from(&upper);
    whole.view_mut((half, half), (rest, rest)).copy_from(&lower);
    whole.view_mut((half, 0), (rest, half)).copy_from(&-&cross);
    whole.view_mut((0, half), (half, rest)).copy_from(&-cross.transpose());
    Some(whole)
}

/// Largest matrix that is inverted in one piece.
const SMALL: usize = 64;

#[cfg(test)]
mod tests {
    use super::super::free_shifts::FreeShifts;
    use super::*;
    use gauntlet_games::base::Seed;
    use rand::RngExt as _;

    fn random_comparisons(n_players: usize) -> Comparisons {
        let mut rng = Seed::new(1).rng();
        let blocks = (1..n_players)
            .flat_map(|b| (0..b.min(4)).map(move |k| (b - 1 - k, b)))
            .map(|(a, b)| {
                let [x, y] = std::array::from_fn(|_| rng.random_range(0.1..1.0_f64));
                (a, b, [[x, 0.1 * y], [0.1 * y, y]])
            })
            .collect();
        Comparisons { n_players, blocks }
    }

    #[test]
    fn the_inverse_by_halves_inverts() {
        let n = 150;
        let comparisons = random_comparisons(n);
        let keep: Vec<usize> = (0..=n).collect();
        let mut matrix = comparisons.dense(&keep);
        FreeShifts(vec![(0..n).collect()]).fix(&mut matrix);
        let product = inverse(matrix.clone()).expect("positive definite") * matrix;
        assert!((product - DMatrix::identity(n + 1, n + 1)).abs().max() < 1e-10);
        assert!(inverse(-DMatrix::<f64>::identity(3, 3)).is_none());
    }

    #[test]
    fn sparse_and_dense_agree() {
        let n = 40;
        let comparisons = random_comparisons(n);
        let keep: Vec<usize> = (1..=n).collect();
        let dense = comparisons.dense(&keep);
        let right = DMatrix::from_fn(keep.len(), 3, |i, j| (i * (j + 1)) as f64 % 7.0 - 3.0);
        assert!((comparisons.times(&keep, &right) - &dense * &right).abs().max() < 1e-12);
        let mut target = vec![0.0; n + 1];
        keep.iter().zip(right.column(0).iter()).for_each(|(&k, &value)| target[k] = value);
        let direct = inverse(dense).expect("player 0 is fixed") * right.column(0);
        let solution = comparisons.solve(&keep, &target);
        let factored = comparisons.solve_dense(&keep, &target).expect("player 0 is fixed");
        assert!(solution.is_solved);
        for (solution, close) in [(solution.x, 1e-5), (factored, 1e-9)] {
            let worst = keep.iter().zip(direct.iter()).map(|(&k, x)| (solution[k] - x).abs()).fold(0.0, f64::max);
            assert!(worst < close && solution[0] == 0.0, "{worst}");
        }
    }
}
