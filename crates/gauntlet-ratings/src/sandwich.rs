//! Errors of maximum-likelihood ratings: `H^-1 M H^-1`, with the curvature `H` and the observed variance `M`.
//!
//! `M` sums, over pairs of games (or single games), the squared slope of their likelihood. A match with equal results
//! in all games would have no variance, so every meeting gets one virtual unit with the model's variance; and `M` is
//! enlarged for the parameters fitted to it (MacKinnon, White, J. Econom. 29 (1985)).

use std::sync::Arc;

use super::bradley_terry::Errors;
use super::covariance::{Block, Comparisons, inverse};
use super::draw_model::{Counts, Draws};
use super::elo::ELO_PER_LOGIT;
use super::free_shifts::FreeShifts;
use super::group_covariance::{Curvature, DENSE, GroupCovariance, SparseCovariance, SparseErrors};
use super::ladder::{Group, Ladder};
use super::likelihood::{Problem, SIGNS, mean_of_anchors};
use super::match_table::{Meeting, Tally};
use super::rows::LANES;
use nalgebra::DMatrix;

/// Errors of all parameters, in logits.
pub(super) enum ParameterErrors {
    /// The covariance of the free parameters; `None` if the curvature has no inverse.
    Dense(Option<DMatrix<f64>>),
    /// The data for computing them on demand, and a factor for the variances.
    Sparse(Arc<SparseErrors>, f64),
}

impl ParameterErrors {
    /// Variance of the advantage of moving first, if it was estimated.
    pub(super) fn of_advantage(&self, problem: &Problem<'_>) -> Option<f64> {
        let place = problem.free.iter().position(|&free| free == problem.n_players)?;
        match self {
            ParameterErrors::Dense(covariance) => Some(covariance.as_ref()?[(place, place)]),
            ParameterErrors::Sparse(errors, scale) => {
                let mut weights = vec![[0.0; LANES]; problem.n_players + 1];
                weights[problem.n_players][0] = 1.0;
                Some(scale * errors.variances(&weights)[0])
            }
        }
    }
}

/// The errors at the maximum: dense for few parameters.
pub(super) fn errors(
    problem: &Problem<'_>,
    meetings: &[&Meeting],
    bend: &Comparisons,
    errors: Errors,
) -> ParameterErrors {
    if problem.free.len() <= DENSE {
        return ParameterErrors::Dense(covariance(problem, meetings, bend, errors));
    }
    let moving = problem.is_sparse.then(|| problem.moving());
    let Some(curvature) = Curvature::new(bend, moving.as_deref(), &problem.free) else {
        return ParameterErrors::Dense(None);
    };
    let observed = (errors == Errors::Sandwich).then(|| observed(problem, meetings, bend.n_players));
    let scale = observed.as_ref().map_or(1.0, |(_, units)| correction(problem, *units));
    let meat = observed.map(|(meat, _)| meat);
    ParameterErrors::Sparse(Arc::new(SparseErrors { curvature, meat }), scale)
}

/// The factor that corrects the variance of `units` for the parameters that are fitted to it. The zero of a group
/// counts as one of them, with anchors or with a mean, so that no difference depends on the choice.
fn correction(problem: &Problem<'_>, units: f64) -> f64 {
    let is_anchored = |group: &Vec<usize>| problem.anchors.iter().any(|anchor| group.contains(&anchor.0));
    let zeros = problem.groups.iter().filter(|group| is_anchored(group)).count();
    units / (units - (problem.free.len() + zeros) as f64).max(units / 2.0)
}

fn covariance(
    problem: &Problem<'_>,
    meetings: &[&Meeting],
    bend: &Comparisons,
    errors: Errors,
) -> Option<DMatrix<f64>> {
    let free_shifts = free_shifts(problem);
    let mut matrix = bend.dense(&problem.free);
    free_shifts.fix(&mut matrix);
    let mut covariance = inverse(matrix).filter(|found| free_shifts.confirm(found, bend, &problem.free))?;
    if errors == Errors::Sandwich {
        let (meat, units) = observed(problem, meetings, bend.n_players);
        covariance = &covariance * meat.times(&problem.free, &covariance) * correction(problem, units);
    }
    free_shifts.centre(&mut covariance);
    Some(covariance)
}

/// Splits the covariance into groups and converts logits to Elo.
pub(super) fn ladder(problem: &Problem<'_>, meetings: &[&Meeting], mean: f64, errors: &ParameterErrors) -> Ladder {
    let n_players = problem.n_players;
    let place = places(problem, n_players);
    let mut met = vec![0; n_players];
    meetings.iter().for_each(|meeting| met[meeting.a] += 1);
    let groups = problem.groups.iter().map(|players| {
        let own: Vec<Option<usize>> = players.iter().map(|&player| place[player]).collect();
        let n_free = own.iter().flatten().count();
        let anchored = n_free < players.len();
        let logits = players.iter().map(|&player| problem.at[player]);
        let mean_logit = logits.clone().sum::<f64>() / players.len() as f64;
        let (zero, shift) = if anchored { (mean_of_anchors(&problem.anchors), 0.0) } else { (mean, mean_logit) };
        let given = |player: usize| problem.anchors.iter().find(|anchor| anchor.0 == player).map(|anchor| anchor.1);
        let elo = |logit: f64| zero + (logit - shift) * ELO_PER_LOGIT;
        let rating = |(logit, &player): (f64, &usize)| given(player).unwrap_or_else(|| elo(logit));
        let entry = |c: &DMatrix<f64>, i: usize, j: usize| match (own[i], own[j]) {
            (Some(row), Some(column)) => c[(row, column)] * ELO_PER_LOGIT.powi(2),
            _ => 0.0,
        };
        let n_meetings: usize = players.iter().map(|&player| met[player]).sum();
        Group {
            ratings: logits.zip(players).map(rating).collect(),
            covariance: match errors {
                ParameterErrors::Dense(covariance) => covariance
                    .as_ref()
                    .map(|c| GroupCovariance::Dense(DMatrix::from_fn(own.len(), own.len(), |i, j| entry(c, i, j)))),
                ParameterErrors::Sparse(errors, scale) => Some(GroupCovariance::Sparse(SparseCovariance {
                    errors: errors.clone(),
                    size: n_players + 1,
                    parameters: players.clone(),
                    counted: if anchored { Vec::new() } else { (0..players.len()).collect() },
                    scale: scale * ELO_PER_LOGIT.powi(2),
                })),
            },
            df: (n_meetings + usize::from(!anchored)).saturating_sub(n_free),
            anchored,
            players: players.clone(),
        }
    });
    Ladder::new(n_players, groups.collect())
}

/// The position of every player among the free parameters.
fn places(problem: &Problem<'_>, n_players: usize) -> Vec<Option<usize>> {
    let mut place = vec![None; n_players];
    let ratings = problem.free.iter().enumerate().filter(|(_, parameter)| **parameter < n_players);
    ratings.for_each(|(k, &player)| place[player] = Some(k));
    place
}

/// The groups without anchors.
fn free_shifts(problem: &Problem<'_>) -> FreeShifts {
    let place = places(problem, problem.at.len());
    let all_free = |players: &Vec<usize>| players.iter().map(|&player| place[player]).collect::<Option<Vec<_>>>();
    FreeShifts(problem.groups.iter().filter_map(all_free).collect())
}

/// The observed variance of slopes, and its number of units.
fn observed(problem: &Problem<'_>, meetings: &[&Meeting], n_players: usize) -> (Comparisons, f64) {
    let mut units = 0.0;
    let blocks = meetings.iter().map(|meeting| {
        let (block, n) = meat(problem, meeting, n_players);
        units += n;
        (meeting.a, meeting.b, block)
    });
    let blocks = blocks.collect();
    (Comparisons { n_players, blocks }, units)
}

/// Slope of a unit: by the difference and by the advantage.
type Slope = [f64; 2];

/// One meeting's sum of squared slopes, virtual unit included, and its number of units.
fn meat(problem: &Problem<'_>, meeting: &Meeting, n_players: usize) -> (Block, f64) {
    let difference = problem.at[meeting.a] - problem.at[meeting.b];
    let x = SIGNS.map(|sign| difference + sign * problem.at[n_players]);
    let slopes: [[Slope; 3]; 3] = std::array::from_fn(|colour| {
        std::array::from_fn(|result| slope(problem.draws, result, x[colour], SIGNS[colour]))
    });
    let variance = x.map(|x| problem.draws.slope_variance(x));

    let (mut sum, mut expected, mut units) = (Block::default(), 0.0, 0.0);
    let mut add = |slope: Slope, variance: f64, count: u64| {
        let count = count as f64;
        for (row, left) in sum.iter_mut().zip(slope) {
            row.iter_mut().zip(slope).for_each(|(entry, right)| *entry += count * left * right);
        }
        expected += count * variance;
        units += count;
    };
    for (colour, tally) in [meeting.first, meeting.second, meeting.uncoloured].iter().enumerate() {
        for (result, count) in by_result(tally).into_iter().enumerate() {
            add(slopes[colour][result], variance[colour], count);
        }
    }
    for (first, row) in meeting.pairs.iter().enumerate() {
        for (second, &count) in row.iter().enumerate() {
            let both = std::array::from_fn(|k| slopes[0][first][k] + slopes[1][second][k]);
            add(both, variance[0] + variance[1], count);
        }
    }
    sum[0][0] += expected / units;
    (sum.map(|row| row.map(|entry| entry * units / (units + 1.0))), units)
}

/// Losses, draws and wins, in the order of [`Meeting::pairs`].
fn by_result(tally: &Tally) -> [u64; 3] {
    [tally.losses, tally.draws, tally.wins]
}

/// The slope of one game that ended with `result` (0 loss, 1 draw, 2 win).
fn slope(draws: Draws, result: usize, x: f64, sign: f64) -> Slope {
    let mut counts: Counts = [0.0; 3];
    counts[2 - result] = 1.0;
    let by_x = draws.terms(counts, x).slope;
    [by_x, sign * by_x]
}
