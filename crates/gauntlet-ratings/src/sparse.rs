//! Factors of large sparse matrices of paired comparisons, for ladders whose dense matrices would fill the memory.
//!
//! `L D L^T`, eliminating one parameter after the other, always the one with the fewest neighbours (minimum degree;
//! George, Liu, SIAM Rev. 31 (1989)): chains and trees stay sparse.

use std::collections::BTreeSet;

use super::covariance::Comparisons;

/// Maximum number of links between neighbours that the elimination creates (some seconds); with more, a matrix is not
/// sparse.
const MOST_LINKS: usize = 30_000_000;

/// The factors of a positive definite matrix. Parameters outside of it stay 0.
#[derive(Debug)]
pub(super) struct Factor {
    pivots: Vec<Pivot>,
}

/// One eliminated parameter.
#[derive(Debug)]
struct Pivot {
    parameter: usize,
    diagonal: f64,
    /// The parameters that are eliminated later, with their entries of `L`.
    below: Vec<(usize, f64)>,
}

/// A symmetric matrix under elimination.
struct Remaining {
    diagonal: Vec<f64>,
    /// The off-diagonal entries, by column.
    rows: Vec<Vec<(usize, f64)>>,
    by_degree: BTreeSet<(usize, usize)>,
}

impl Factor {
    /// Factors the matrix restricted to `keep`; `None` if it is not positive definite, or does not stay sparse.
    pub(super) fn new(matrix: &Comparisons, keep: &[usize]) -> Option<Factor> {
        let mut remaining = Remaining::new(matrix, keep);
        let mut pivots = Vec::with_capacity(keep.len());
        let mut links = 0;
        while let Some((_, parameter)) = remaining.by_degree.pop_first() {
            links += remaining.rows[parameter].len().pow(2);
            if links > MOST_LINKS {
                return None;
            }
            pivots.push(remaining.eliminate(parameter)?);
        }
        Some(Factor { pivots })
    }

    /// Solves for the parameters of the matrix; all others are 0.
    pub(super) fn solve(&self, right: &[f64]) -> Vec<f64> {
        let mut solution = vec![0.0; right.len()];
        self.pivots.iter().for_each(|pivot| solution[pivot.parameter] = right[pivot.parameter]);
        for Pivot { parameter, below, .. } in &self.pivots {
            let known = solution[*parameter];
            if known != 0.0 {
                below.iter().for_each(|(later, entry)| solution[*later] -= entry * known);
            }
        }
        for Pivot { parameter, diagonal, below } in self.pivots.iter().rev() {
            let later: f64 = below.iter().map(|(later, entry)| entry * solution[*later]).sum();
            solution[*parameter] = solution[*parameter] / diagonal - later;
        }
        solution
    }
}

impl Remaining {
    fn new(matrix: &Comparisons, keep: &[usize]) -> Remaining {
        let n = matrix.n_players;
        let mut is_kept = vec![false; n + 1];
        keep.iter().for_each(|&parameter| is_kept[parameter] = true);
        let (mut diagonal, mut rows) = (vec![0.0; n + 1], vec![Vec::new(); n + 1]);
        matrix.for_each_entry(|row, column, value| {
            if is_kept[row] && is_kept[column] {
                match row == column {
                    true => diagonal[row] += value,
                    false => rows[row].push((column, value)),
                }
            }
        });
        rows.iter_mut().for_each(|row| *row = summed(std::mem::take(row)));
        let by_degree = keep.iter().map(|&parameter| (rows[parameter].len(), parameter)).collect();
        Remaining { diagonal, rows, by_degree }
    }

    /// Eliminates a parameter, which links all its neighbours.
    fn eliminate(&mut self, parameter: usize) -> Option<Pivot> {
        let diagonal = self.diagonal[parameter];
        let own = std::mem::take(&mut self.rows[parameter]);
        if diagonal <= 0.0 {
            return None;
        }
        for &(row, left) in &own {
            self.by_degree.remove(&(self.rows[row].len(), row));
            let change = |right: f64| left * right / diagonal;
            self.diagonal[row] -= change(left);
            let links = own.iter().filter(|link| link.0 != row).map(|&(column, right)| (column, -change(right)));
            let before = std::mem::take(&mut self.rows[row]).into_iter().filter(|link| link.0 != parameter);
            self.rows[row] = joined(before, links);
            self.by_degree.insert((self.rows[row].len(), row));
        }
        Some(Pivot {
            parameter,
            diagonal,
            below: own.into_iter().map(|(row, entry)| (row, entry / diagonal)).collect(),
        })
    }
}

/// A row by column, with entries of one column added up.
fn summed(mut row: Vec<(usize, f64)>) -> Vec<(usize, f64)> {
    row.sort_by_key(|entry| entry.0);
    row.dedup_by(|next, kept| {
        let is_same = next.0 == kept.0;
        kept.1 += if is_same { next.1 } else { 0.0 };
        is_same
    });
    row
}

/// The sum of two rows, both by column.
fn joined(one: impl Iterator<Item = (usize, f64)>, other: impl Iterator<Item = (usize, f64)>) -> Vec<(usize, f64)> {
    let (mut one, mut other) = (one.peekable(), other.peekable());
    let mut row = Vec::with_capacity(one.size_hint().1.unwrap_or(0) + other.size_hint().1.unwrap_or(0));
    loop {
        let entry = match (one.peek(), other.peek()) {
            (Some(a), Some(b)) if a.0 == b.0 => (a.0, a.1 + b.1),
            (Some(a), Some(b)) => {
                if a.0 < b.0 {
                    *a
                } else {
                    *b
                }
            }
            (Some(entry), None) | (None, Some(entry)) => *entry,
            (None, None) => return row,
        };
        one.next_if(|a| a.0 == entry.0);
        other.next_if(|b| b.0 == entry.0);
        row.push(entry);
    }
}

#[cfg(test)]
mod tests {
    use super::super::covariance::inverse;
    use super::*;

    #[test]
    fn factors_solve_as_the_dense_inverse_does() {
        let n = 30;
        let near = (1..n).flat_map(|b| (1..=b.min(3)).map(move |k| (b - k, b)));
        let block = |(a, b): (usize, usize)| (a, b, [[1.0 + (a % 5) as f64, 0.2], [0.2, 0.5]]);
        let matrix = Comparisons { n_players: n, blocks: near.map(block).collect() };
        // Player 0 fixes the zero.
        let keep: Vec<usize> = (1..=n).collect();
        let factor = Factor::new(&matrix, &keep).expect("positive definite");
        let dense = inverse(matrix.dense(&keep)).expect("positive definite");
        let right: Vec<f64> = (0..=n).map(|k| (k * k % 7) as f64).collect();
        let expected = &dense * nalgebra::DVector::from_iterator(n, right[1..].iter().copied());
        let found = factor.solve(&right);
        assert!(found[0] == 0.0 && found[1..].iter().zip(expected.iter()).all(|(a, b)| (a - b).abs() < 1e-9));
    }

    #[test]
    fn a_chain_stays_a_chain() {
        let blocks = (1..50_000).map(|b| (b - 1, b, [[1.0, 0.0], [0.0; 2]])).collect();
        let matrix = Comparisons { n_players: 50_000, blocks };
        let factor = Factor::new(&matrix, &(1..50_000).collect::<Vec<_>>()).expect("positive definite");
        assert!(factor.pivots.iter().map(|pivot| pivot.below.len()).sum::<usize>() < 50_000);
        let mut right = vec![0.0; 50_001];
        right[49_999] = 1.0;
        let right = factor.solve(&right);
        assert!((right[49_999] / 49_999.0 - 1.0).abs() < 1e-5, "as many links in a row");
    }
}
