//! Elo ratings by weighted least squares, the method of the AlphaGateau paper (its Eq. 11 and appendix A.2).
//!
//! One equation per pair of players: the rating difference that explains the score `p` with one virtual draw added,
//! `r_b - r_a = (400 / ln 10) ln(1 / p - 1)`, weighted by `n p (1 - p) / (400 / ln 10)^2`, the inverse of the
//! delta-method variance (Eq. 15 prints `p (p - 1)`, a sign error). Ratings of a group average to a fixed mean.
//!
//! Two causes compress wide ladders: the virtual draw, with which a 60-0 match can show at most 833 Elo, and the
//! weights, which are computed from the noisy scores and give lopsided ones less weight. The binomial variances of
//! the weights are known, so the covariance of the weighted normal equations gives the errors directly
//! ([`Errors::FixedScale`]). They shrink as games are added, and are too wide for drawn games, as a draw varies less
//! than a win or a loss. They ignore the compression. Simulations had ten players in a round robin of 60 games
//! without draws. In them, 95 % intervals of the differences from the weakest cover the truth in 94 % at a span of
//! 360 Elo, in 92 % at 540, 86 % at 720 and 68 % at 1080. With 600 games each it is 92 % at 1080, as the compression
//! shrinks faster than the errors. The maximum likelihood of [`bradley_terry`](super::bradley_terry) covers on all of
//! these. The paper's own error ([`Errors::ResidualScaled`]) is kept for comparison with its numbers.

use super::compare::{ELO_PER_LOGIT, elo_of_score};
use super::components::{linked_by_anchors, members};
use super::covariance::{Comparisons, inverse};
use super::free_shifts::FreeShifts;
use super::group_covariance::{Curvature, DENSE, GroupCovariance, SparseCovariance, SparseErrors};
use super::ladder::{Group, Ladder};
use super::likelihood::mean_of_anchors;
use super::match_table::{MatchTable, Meeting};
use nalgebra::{DMatrix, DVector};
use std::sync::Arc;

/// The scale of standard errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Errors {
    /// The consistency of the meetings: the weights are relative, and the variance is scaled by the mean squared
    /// residual. The paper uses this scale: more games with the same results leave it unchanged. Unknown without
    /// spare meetings (`df = 0`) or residuals.
    ResidualScaled,
    /// The weights alone, as in Eq. 15: the binomial variances of the meetings.
    FixedScale,
}

/// Rates every group of linked players; each group's ratings average to `mean` (the paper's is 1000).
///
/// A player without games gets no rating, and neither does a group whose equations cannot be solved because of
/// rounding (numbers of games that differ by a factor of 1e14 and more). Errors are relative to the group's mean.
#[must_use]
pub fn wls(table: &MatchTable, errors: Errors, mean: f64) -> Ladder {
    anchored_wls(table, errors, mean, &[])
}

/// The same, with some players at given ratings: the other ratings of their groups and all errors are relative to
/// them. An anchor has no error.
#[must_use]
pub fn anchored_wls(table: &MatchTable, errors: Errors, mean: f64, anchors: &[(usize, f64)]) -> Ladder {
    let group_of = linked_by_anchors(table, &anchors.iter().map(|anchor| anchor.0).collect::<Vec<_>>());
    let groups = members(&group_of);
    let mut meetings = vec![Vec::new(); groups.len()];
    table.meetings().for_each(|meeting| meetings[group_of[meeting.a]].push(meeting));
    let rated = groups.into_iter().zip(&meetings).filter(|(players, _)| players.len() > 1);
    let zero = mean_of_anchors(anchors);
    let rate = |(players, own): (Vec<usize>, &Vec<&Meeting>)| {
        let given = |player: &usize| anchors.iter().find(|anchor| anchor.0 == *player).map(|anchor| anchor.1);
        let given: Vec<Option<f64>> = players.iter().map(given).collect();
        let held = given.iter().map(|given| given.map(|rating| rating - zero)).collect();
        let mut group = rate(players, own, errors, &Zero { mean, held })?;
        if group.anchored {
            let rating = |(rating, given): (&mut f64, &Option<f64>)| *rating = given.unwrap_or(zero + *rating);
            group.ratings.iter_mut().zip(&given).for_each(rating);
        }
        Some(group)
    };
    Ladder::new(table.n_players(), rated.filter_map(rate).collect())
}

/// The reference of the ratings of a group.
struct Zero {
    /// The mean of a group without anchors.
    mean: f64,
    /// The given ratings relative to the mean of all anchors, so that a far one costs no digits.
    held: Vec<Option<f64>>,
}

impl Zero {
    /// The players with unknown ratings.
    fn free(&self) -> Vec<usize> {
        (0..self.held.len()).filter(|&player| self.held[player].is_none()).collect()
    }
}

/// One meeting as an equation.
struct Row {
    a: usize,
    b: usize,
    elo: f64,
    weight: f64,
}

impl Row {
    fn new(meeting: &Meeting) -> Row {
        let total = meeting.total();
        let games = total.games() as f64;
        let share = (total.points() + 0.5) / (games + 1.0);
        let weight = games * share * (1.0 - share) / ELO_PER_LOGIT.powi(2);
        Row { a: meeting.a, b: meeting.b, elo: elo_of_score(share), weight }
    }
}

/// Ratings relative to the mean of all anchors in a group that has one. `None` if rounding prevents a solution.
fn rate(players: Vec<usize>, meetings: &[&Meeting], errors: Errors, zero: &Zero) -> Option<Group> {
    let n = players.len();
    let place = |player: usize| players.binary_search(&player).expect("both players of a meeting share its group");
    let rows: Vec<Row> = meetings.iter().map(|meeting| Row::new(meeting)).collect();
    let rows: Vec<Row> = rows.into_iter().map(|row| Row { a: place(row.a), b: place(row.b), ..row }).collect();

    let free = zero.free();
    let anchored = free.len() < n;
    let (ratings, covariance) = match (free.len() > DENSE, anchored) {
        (true, _) => large(&rows, zero, &free)?,
        (false, true) => dense(relative_to_anchors(&rows, &zero.held, &free)?),
        (false, false) => dense(relative_to_mean(n, &rows, zero.mean)?),
    };
    let df = (rows.len() + usize::from(!anchored)).saturating_sub(free.len());
    let misfit = |row: &Row| row.weight * (row.elo - (ratings[row.a] - ratings[row.b])).powi(2);
    let scale = match errors {
        Errors::FixedScale => Some(1.0),
        Errors::ResidualScaled => (df > 0).then(|| rows.iter().map(misfit).sum::<f64>() / df as f64),
    };
    // Below this the meetings fit together perfectly, which is luck (or one game each), not a measure of the error.
    let scale = scale.filter(|&scale| scale > 1e-12);
    let covariance = scale.and_then(|scale| Some(covariance?.times(scale)));
    Some(Group { players, ratings, covariance, df, anchored })
}

fn dense((ratings, covariance): (Vec<f64>, DMatrix<f64>)) -> (Vec<f64>, Option<GroupCovariance>) {
    (ratings, Some(GroupCovariance::Dense(covariance)))
}

/// Ratings of many players by sparse factors of the normal equations, or, if the factors are not sparse, by conjugate
/// gradients.
fn large(rows: &[Row], zero: &Zero, free: &[usize]) -> Option<(Vec<f64>, Option<GroupCovariance>)> {
    let (n, matrix) = (zero.held.len(), laplacian(zero.held.len(), rows));
    let anchored = free.len() < n;
    let keep = if anchored { free } else { &free[1..] };
    let right = right_hand_side(rows, &zero.held);
    let curvature = Curvature::new(&matrix, Some(keep), free)?;
    let parameters = [free.to_vec(), keep.to_vec()];
    let solution = curvature.solve_one(&right);
    if solution.iter().any(|part| part.is_nan()) {
        return None;
    }
    let mut ratings: Vec<f64> = (0..n).map(|player| zero.held[player].unwrap_or(solution[player])).collect();
    if !anchored {
        let shift = zero.mean - ratings.iter().sum::<f64>() / n as f64;
        ratings.iter_mut().for_each(|rating| *rating += shift);
    }
    let covariance = GroupCovariance::Sparse(SparseCovariance {
        errors: Arc::new(SparseErrors::new(curvature, matrix, None, parameters)),
        size: n + 1,
        parameters: (0..n).collect(),
        counted: if anchored { Vec::new() } else { (0..n).collect() },
        scale: 1.0,
    });
    Some((ratings, Some(covariance)))
}

/// The right-hand side for every player; the last entry, that of the advantage, is 0.
fn right_hand_side(rows: &[Row], held: &[Option<f64>]) -> Vec<f64> {
    let given = |player: usize| held[player].unwrap_or(0.0);
    let mut right = vec![0.0; held.len() + 1];
    for row in rows {
        right[row.a] += row.weight * (row.elo + given(row.b));
        right[row.b] += row.weight * (given(row.a) - row.elo);
    }
    right
}

/// Ratings and their unscaled covariance, with the pseudo-inverse of the weighted Laplacian.
fn relative_to_mean(n: usize, rows: &[Row], mean: f64) -> Option<(Vec<f64>, DMatrix<f64>)> {
    let keep: Vec<usize> = (0..n).collect();
    let free_shifts = FreeShifts(vec![keep.clone()]);
    let weights = laplacian(n, rows);
    let mut matrix = weights.dense(&keep);
    free_shifts.fix(&mut matrix);
    let mut covariance = inverse(matrix).filter(|found| free_shifts.confirm(found, &weights, &keep))?;
    free_shifts.centre(&mut covariance);
    let mut right = DVector::zeros(n);
    for row in rows {
        right[row.a] += row.weight * row.elo;
        right[row.b] -= row.weight * row.elo;
    }
    let ratings = (&covariance * right).iter().map(|rating| mean + rating).collect();
    Some((ratings, covariance))
}

/// The same with some ratings given, whose rows and columns of the covariance are 0.
fn relative_to_anchors(rows: &[Row], held: &[Option<f64>], free: &[usize]) -> Option<(Vec<f64>, DMatrix<f64>)> {
    let (n, weights) = (held.len(), laplacian(held.len(), rows));
    let sought = inverse(weights.dense(free)).filter(|found| FreeShifts(Vec::new()).confirm(found, &weights, free))?;
    let (given, right) = (|player: usize| held[player].unwrap_or(0.0), right_hand_side(rows, held));
    let solution = &sought * DVector::from_iterator(free.len(), free.iter().map(|&player| right[player]));
    let (mut ratings, mut covariance): (Vec<f64>, _) = ((0..n).map(given).collect(), DMatrix::zeros(n, n));
    for (i, &row) in free.iter().enumerate() {
        ratings[row] = solution[i];
        free.iter().enumerate().for_each(|(j, &column)| covariance[(row, column)] = sought[(i, j)]);
    }
    Some((ratings, covariance))
}

fn laplacian(n_players: usize, rows: &[Row]) -> Comparisons {
    let block = |row: &Row| (row.a, row.b, [[row.weight, 0.0], [0.0; 2]]);
    Comparisons { n_players, blocks: rows.iter().map(block).collect() }
}
