//! Large matrices of comparisons by rows, with conjugate gradients on several right-hand sides at once: errors of
//! many players with many meetings, in memory that grows with the meetings.
//!
//! A matrix of differences has no inverse and needs none: a right-hand side that sums to 0 within every group has
//! solutions, these differ by a shift of all players, and no error depends on the shift.

use super::covariance::Comparisons;

/// Number of right-hand sides that are solved together. Each solution is the same as if solved alone.
pub(super) const LANES: usize = 8;

/// One number for each lane.
pub(super) type Lanes = [f64; LANES];

/// Relative residual that ends the iteration.
const SOLVED: f64 = 1e-8;

/// Maximum number of iterations; then rounding prevents a solution.
const MOST_ITERATIONS: usize = 20_000;

/// A symmetric matrix, restricted to some parameters; all others stay 0.
#[derive(Debug)]
pub(super) struct Rows {
    diagonal: Vec<f64>,
    /// 1 over the diagonal; 0 for parameters outside the matrix.
    scale: Vec<f64>,
    /// The start of each row's entries, and the end of the last.
    starts: Vec<usize>,
    /// Columns and values of the off-diagonal entries.
    entries: Vec<(u32, f64)>,
}

/// The state of conjugate gradients.
struct Search {
    solution: Vec<Lanes>,
    residual: Vec<Lanes>,
    direction: Vec<Lanes>,
    product: Vec<Lanes>,
    /// The squared norms of the residuals.
    energy: Lanes,
}

impl Rows {
    /// The matrix restricted to `keep`. `None` if a parameter has no entry, or if a probe cannot be solved because of
    /// rounding: all other right-hand sides would fail after the same time.
    pub(super) fn new(matrix: &Comparisons, keep: &[usize]) -> Option<Rows> {
        let size = matrix.n_players + 1;
        let mut is_kept = vec![false; size];
        keep.iter().for_each(|&parameter| is_kept[parameter] = true);
        let (mut diagonal, mut rows) = (vec![0.0; size], vec![Vec::new(); size]);
        matrix.for_each_entry(|row, column, value| {
            if is_kept[row] && is_kept[column] {
                match row == column {
                    true => diagonal[row] += value,
                    false => rows[row].push((column as u32, value)),
                }
            }
        });
        if keep.iter().any(|&parameter| diagonal[parameter].is_nan() || diagonal[parameter] <= 0.0) {
            return None;
        }
        let scale = diagonal.iter().map(|&entry| if entry > 0.0 { 1.0 / entry } else { 0.0 }).collect();
        let starts = std::iter::once(0).chain(rows.iter().scan(0, |end, row| {
            *end += row.len();
            Some(*end)
        }));
        let rows = Rows { diagonal, scale, starts: starts.collect(), entries: rows.concat() };
        // It sums to 0 within every group, as any sum of differences does.
        let mut probe = vec![[0.0; LANES]; size];
        for (place, &(a, b, _)) in matrix.blocks.iter().enumerate().filter(|(_, (a, b, _))| is_kept[*a] && is_kept[*b])
        {
            probe[a][0] += (place % 7) as f64 - 3.0;
            probe[b][0] -= (place % 7) as f64 - 3.0;
        }
        rows.solve(&probe).iter().all(|part| part[0].is_finite()).then_some(rows)
    }

    /// Solves for the parameters of the matrix, `[n + 1]` as the right-hand sides. A lane without a solution because
    /// of rounding is NaN.
    pub(super) fn solve(&self, right: &[Lanes]) -> Vec<Lanes> {
        let mut search = self.begin(right);
        let enough = search.energy.map(|energy| energy * SOLVED * SOLVED);
        let mut is_open = each(|lane| search.energy[lane] > enough[lane]);
        for _ in 0..MOST_ITERATIONS {
            if is_open == [false; LANES] {
                break;
            }
            let curvature = self.multiply(&mut search);
            let is_curved = each(|lane| curvature[lane] > 0.0);
            let step = each(|lane| if is_open[lane] { search.energy[lane] / curvature[lane] } else { 0.0 });
            self.advance(&mut search, step, is_open);
            is_open = each(|lane| is_open[lane] && is_curved[lane] && search.energy[lane] > enough[lane]);
        }
        let is_solved = each(|lane| search.energy[lane] <= enough[lane]);
        let checked = |part: Lanes| each(|lane| if is_solved[lane] { part[lane] } else { f64::NAN });
        search.solution.into_iter().map(checked).collect()
    }

    fn begin(&self, right: &[Lanes]) -> Search {
        let direction: Vec<Lanes> =
            right.iter().zip(&self.scale).map(|(part, scale)| part.map(|r| r * scale)).collect();
        let mut energy = [0.0; LANES];
        for (residual, direction) in right.iter().zip(&direction) {
            energy.iter_mut().zip(residual.iter().zip(direction)).for_each(|(sum, (r, d))| *sum += r * d);
        }
        let zeros = || vec![[0.0; LANES]; right.len()];
        Search { solution: zeros(), residual: right.to_vec(), direction, product: zeros(), energy }
    }

    /// Multiplies the directions with the matrix; returns their curvature.
    fn multiply(&self, search: &mut Search) -> Lanes {
        let mut curvature = [0.0; LANES];
        for (row, product) in search.product.iter_mut().enumerate() {
            let own = search.direction[row];
            let mut sum = own.map(|part| self.diagonal[row] * part);
            for &(column, value) in &self.entries[self.starts[row]..self.starts[row + 1]] {
                sum.iter_mut().zip(&search.direction[column as usize]).for_each(|(sum, part)| *sum += value * part);
            }
            curvature.iter_mut().zip(sum.iter().zip(&own)).for_each(|(total, (sum, part))| *total += sum * part);
            *product = sum;
        }
        curvature
    }

    /// Moves along the directions and computes the next ones.
    fn advance(&self, search: &mut Search, step: Lanes, is_open: [bool; LANES]) {
        let mut energy = [0.0; LANES];
        let Search { solution, residual, direction, product, .. } = search;
        for (row, scale) in self.scale.iter().enumerate() {
            for lane in 0..LANES {
                solution[row][lane] += step[lane] * direction[row][lane];
                residual[row][lane] -= step[lane] * product[row][lane];
                energy[lane] += residual[row][lane] * residual[row][lane] * scale;
            }
        }
        let ratio = each(|lane| if is_open[lane] { energy[lane] / search.energy[lane] } else { 0.0 });
        for (row, scale) in self.scale.iter().enumerate() {
            for lane in 0..LANES {
                direction[row][lane] = residual[row][lane] * scale + ratio[lane] * direction[row][lane];
            }
        }
        search.energy = energy;
    }
}

fn each<T>(of: impl FnMut(usize) -> T) -> [T; LANES] {
    std::array::from_fn(of)
}
