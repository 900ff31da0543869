//! Factors of large sparse matrices of paired comparisons, for ladders whose dense matrices would fill the memory.
//!
//! `L D L^T`, eliminating one parameter after the other, always the one with the fewest neighbours (minimum degree;
//! George, Liu, SIAM Rev. 31 (1989)): chains and trees stay sparse. The diagonal of the inverse follows from the factors
//! without the rest of the inverse (Takahashi, Fagan, Chen, PICA Conf. 8 (1973)): only its entries at the places of the
//! factors are computed, from the last parameter back to the first.

use std::collections::BTreeSet;

use super::covariance::Comparisons;
use super::dual::{Dual, Number};

/// Maximum number of links between neighbours that the elimination creates (some seconds); with more, a matrix is not
/// sparse.
const MOST_LINKS: usize = 30_000_000;

/// The factors of a positive definite matrix. Parameters outside of it stay 0.
#[derive(Debug)]
pub(super) struct Factor<T> {
    pivots: Vec<Pivot<T>>,
}

/// One eliminated parameter.
#[derive(Debug)]
struct Pivot<T> {
    parameter: usize,
    diagonal: T,
    /// The parameters that are eliminated later, with their entries of `L`.
    below: Vec<(usize, T)>,
}

/// A symmetric matrix under elimination.
struct Remaining<T> {
    diagonal: Vec<T>,
    /// The off-diagonal entries, by column.
    rows: Vec<Vec<(usize, T)>>,
    by_degree: BTreeSet<(usize, usize)>,
}

impl Factor<f64> {
    /// Factors the matrix restricted to `keep`; `None` if it is not positive definite, or does not stay sparse.
    pub(super) fn new(matrix: &Comparisons, keep: &[usize]) -> Option<Factor<f64>> {
        Remaining::new(matrix, keep, |value| value).factor(keep)
    }
}

impl Factor<Dual> {
    /// Factors `matrix + t direction` with its derivative by `t`, at 0.
    pub(super) fn along(matrix: &Comparisons, direction: &Comparisons, keep: &[usize]) -> Option<Factor<Dual>> {
        let mut remaining = Remaining::new(matrix, keep, |value| Dual { value, slope: 0.0 });
        remaining.add(direction, keep, |slope| Dual { value: 0.0, slope });
        remaining.factor(keep)
    }
}

impl<T: Number> Factor<T> {
    /// Solves for the parameters of the matrix; all others are 0.
    pub(super) fn solve(&self, right: &[T]) -> Vec<T> {
        let mut solution = vec![T::default(); right.len()];
        self.pivots.iter().for_each(|pivot| solution[pivot.parameter] = right[pivot.parameter]);
        for Pivot { parameter, below, .. } in &self.pivots {
            let known = solution[*parameter];
            if known != T::default() {
                below.iter().for_each(|(later, entry)| solution[*later] = solution[*later] - *entry * known);
            }
        }
        for Pivot { parameter, diagonal, below } in self.pivots.iter().rev() {
            let later = below.iter().fold(T::default(), |sum, (later, entry)| sum + *entry * solution[*later]);
            solution[*parameter] = solution[*parameter] / *diagonal - later;
        }
        solution
    }

    /// The diagonal of the inverse, `[size]`; 0 for parameters outside of the matrix.
    pub(super) fn inverse_diagonal(&self, size: usize, one: T) -> Vec<T> {
        let (mut diagonal, mut columns) = (vec![T::default(); size], vec![Vec::new(); size]);
        // The place of each parameter below the current pivot.
        let mut place = vec![usize::MAX; size];
        for Pivot { parameter, diagonal: pivot, below } in self.pivots.iter().rev() {
            below.iter().enumerate().for_each(|(at, (later, _))| place[*later] = at);
            let mut column: Vec<(usize, T)> = below.iter().map(|(later, _)| (*later, T::default())).collect();
            for (at, &(later, entry)) in below.iter().enumerate() {
                column[at].1 = column[at].1 - entry * diagonal[later];
                for &(other, known) in &columns[later] {
                    let to: usize = place[other];
                    if to != usize::MAX {
                        column[at].1 = column[at].1 - below[to].1 * known;
                        column[to].1 = column[to].1 - entry * known;
                    }
                }
            }
            let later = below.iter().zip(&column).fold(T::default(), |sum, ((_, l), (_, z))| sum + *l * *z);
            diagonal[*parameter] = one / *pivot - later;
            below.iter().for_each(|(later, _)| place[*later] = usize::MAX);
            columns[*parameter] = column;
        }
        diagonal
    }
}

impl<T: Number> Remaining<T> {
    fn new(matrix: &Comparisons, keep: &[usize], number: impl Fn(f64) -> T) -> Remaining<T> {
        let n = matrix.n_players;
        let (diagonal, rows) = (vec![T::default(); n + 1], vec![Vec::new(); n + 1]);
        let mut remaining = Remaining { diagonal, rows, by_degree: BTreeSet::new() };
        remaining.add(matrix, keep, number);
        remaining
    }

    /// Adds a matrix, restricted to `keep`.
    fn add(&mut self, matrix: &Comparisons, keep: &[usize], number: impl Fn(f64) -> T) {
        let mut is_kept = vec![false; matrix.n_players + 1];
        keep.iter().for_each(|&parameter| is_kept[parameter] = true);
        matrix.for_each_entry(|row, column, value| {
            if is_kept[row] && is_kept[column] {
                match row == column {
                    true => self.diagonal[row] = self.diagonal[row] + number(value),
                    false => self.rows[row].push((column, number(value))),
                }
            }
        });
        self.rows.iter_mut().for_each(|row| *row = summed(std::mem::take(row)));
    }

    /// Eliminates all parameters; `None` if a pivot is not positive, or the rest does not stay sparse.
    fn factor(mut self, keep: &[usize]) -> Option<Factor<T>> {
        let mut pivots = Vec::with_capacity(keep.len());
        let mut links = 0;
        self.by_degree = keep.iter().map(|&parameter| (self.rows[parameter].len(), parameter)).collect();
        while let Some((_, parameter)) = self.by_degree.pop_first() {
            links += self.rows[parameter].len().pow(2);
            if links > MOST_LINKS {
                return None;
            }
            pivots.push(self.eliminate(parameter)?);
        }
        Some(Factor { pivots })
    }

    /// Eliminates a parameter, which links all its neighbours.
    fn eliminate(&mut self, parameter: usize) -> Option<Pivot<T>> {
        let diagonal = self.diagonal[parameter];
        let own = std::mem::take(&mut self.rows[parameter]);
        if diagonal.value() <= 0.0 {
            return None;
        }
        for &(row, left) in &own {
            self.by_degree.remove(&(self.rows[row].len(), row));
            let change = |right: T| left * right / diagonal;
            self.diagonal[row] = self.diagonal[row] - change(left);
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
fn summed<T: Number>(mut row: Vec<(usize, T)>) -> Vec<(usize, T)> {
    row.sort_by_key(|entry| entry.0);
    row.dedup_by(|next, kept| {
        let is_same = next.0 == kept.0;
        if is_same {
            kept.1 = kept.1 + next.1;
        }
        is_same
    });
    row
}

/// The sum of two rows, both by column.
fn joined<T: Number>(
    one: impl Iterator<Item = (usize, T)>,
    other: impl Iterator<Item = (usize, T)>,
) -> Vec<(usize, T)> {
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

    /// Players who met near ones and some far ones; blocks of any weights, also far apart.
    fn meetings(n: usize, salt: usize, scale: f64) -> Comparisons {
        let met = (1..n).flat_map(|b| (1..=b.min(3)).map(move |k| ((b - k) / (1 + (b + k) % 2), b)));
        let weight = |a: usize, b: usize| scale.powi(((a * 7 + b * 13 + salt) % 3) as i32);
        let block = |(a, b): (usize, usize)| (a, b, [[weight(a, b), 0.1], [0.1, 0.5 + weight(b, a)]]);
        Comparisons { n_players: n, blocks: met.filter(|(a, b)| a != b).map(block).collect() }
    }

    #[test]
    fn the_diagonal_of_the_inverse_and_of_the_sandwich_are_those_of_dense_matrices() {
        let n = 120;
        let keep: Vec<usize> = (1..=n).collect();
        for scale in [1.0, 30.0, 1e4] {
            let (bend, meat) = (meetings(n, 1, scale), meetings(n, 5, scale));
            let dense = inverse(bend.dense(&keep)).expect("positive definite");
            let sandwich = &dense * meat.times(&keep, &dense);
            let plain = Factor::new(&bend, &keep).expect("sparse").inverse_diagonal(n + 1, 1.0);
            let one = Dual { value: 1.0, slope: 0.0 };
            let dual = Factor::along(&bend, &meat, &keep).expect("sparse").inverse_diagonal(n + 1, one);
            for (k, &parameter) in keep.iter().enumerate() {
                for (found, expected) in [
                    (plain[parameter], dense[(k, k)]),
                    (dual[parameter].value, dense[(k, k)]),
                    (-dual[parameter].slope, sandwich[(k, k)]),
                ] {
                    assert!((found / expected - 1.0).abs() < 1e-8, "{scale} {k}: {found} {expected}");
                }
            }
            assert_eq!(plain[0], 0.0);
        }
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
