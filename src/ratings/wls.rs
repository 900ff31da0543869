//! Elo ratings by weighted least squares, as the AlphaGateau paper computes them (its Eq. 11 and appendix A.2).
//!
//! One equation per pair of players: the rating difference that explains the score `p` with one virtual draw added,
//! `r_b - r_a = (400 / ln 10) ln(1 / p - 1)`, weighted by `n p (1 - p) / (400 / ln 10)^2`, the inverse of the
//! delta-method variance (Eq. 15 prints `p (p - 1)`, a slip of sign). Ratings of a group average to a fixed mean.
//!
//! This is the paper's estimator, kept for comparison with its numbers. It pulls wide ladders together (a 60-0 match
//! can show at most 833 Elo) and, with few meetings per player, its errors are too small. The default estimator of
//! this project is [`bradley_terry`](super::bradley_terry).

use super::compare::{ELO_PER_LOGIT, elo_of_score};
use super::components::{linked, members};
use super::covariance::{Comparisons, FreeShifts, inverse};
use super::ladder::{Group, Ladder};
use super::match_table::{MatchTable, Meeting};
use nalgebra::{DMatrix, DVector};

/// What a standard error is measured by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Errors {
    /// By how badly the meetings fit together: the weights are relative, and the variance is scaled by the mean
    /// squared residual. What the paper's numbers are. Unknown without spare meetings (`df = 0`) or residuals.
    ResidualScaled,
    /// By the weights alone, as Eq. 15 states them.
    FixedScale,
}

/// Rates every group of linked players; each group's ratings average to `mean` (the paper's is 1000).
///
/// A player without games gets no rating. Errors are those against the group's mean.
#[must_use]
pub fn wls(table: &MatchTable, errors: Errors, mean: f64) -> Ladder {
    let group_of = linked(table);
    let groups = members(&group_of);
    let mut meetings = vec![Vec::new(); groups.len()];
    table.meetings().for_each(|meeting| meetings[group_of[meeting.a]].push(meeting));
    let rated = groups.into_iter().zip(&meetings).filter(|(players, _)| players.len() > 1);
    Ladder::new(table.n_players(), rated.map(|(players, own)| rate(players, own, errors, mean)).collect())
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

fn rate(players: Vec<usize>, meetings: &[&Meeting], errors: Errors, mean: f64) -> Group {
    let n = players.len();
    let place = |player: usize| players.binary_search(&player).expect("both players of a meeting share its group");
    let rows: Vec<Row> = meetings.iter().map(|meeting| Row::new(meeting)).collect();
    let rows: Vec<Row> = rows.into_iter().map(|row| Row { a: place(row.a), b: place(row.b), ..row }).collect();

    let covariance = relative_covariance(n, &rows);
    let mut right = DVector::zeros(n);
    for row in &rows {
        right[row.a] += row.weight * row.elo;
        right[row.b] -= row.weight * row.elo;
    }
    let ratings: Vec<f64> = (&covariance * right).iter().map(|rating| mean + rating).collect();

    let df = rows.len() + 1 - n;
    let misfit = |row: &Row| row.weight * (row.elo - (ratings[row.a] - ratings[row.b])).powi(2);
    let scale = match errors {
        Errors::FixedScale => Some(1.0),
        Errors::ResidualScaled => (df > 0).then(|| rows.iter().map(misfit).sum::<f64>() / df as f64),
    };
    // Below this the meetings fit together perfectly, which is luck (or one game each), not knowledge.
    let scale = scale.filter(|&scale| scale > 1e-12);
    Group { players, ratings, covariance: scale.map(|scale| covariance * scale), df }
}

/// The pseudo-inverse of the weighted Laplacian.
fn relative_covariance(n: usize, rows: &[Row]) -> DMatrix<f64> {
    let block = |row: &Row| (row.a, row.b, [[row.weight, 0.0], [0.0; 2]]);
    let laplacian = Comparisons { n_players: n, blocks: rows.iter().map(block).collect() };
    let keep: Vec<usize> = (0..n).collect();
    let free_shifts = FreeShifts(vec![keep.clone()]);
    let mut matrix = laplacian.dense(&keep);
    free_shifts.fix(&mut matrix);
    let mut covariance = inverse(matrix).expect("a connected group's Laplacian with fixed gauge is positive definite");
    free_shifts.centre(&mut covariance);
    covariance
}
