//! Errors of maximum-likelihood ratings: `H^-1 M H^-1`, with the curvature `H` and the observed variance `M`.
//!
//! `M` sums, over pairs of games (or single games), the squared slope of their likelihood. A match with equal results
//! in all games would have no variance, so every meeting gets one virtual unit with the model's variance; and the `M` of
//! each group is enlarged for the parameters fitted to it (MacKinnon, White, J. Econom. 29 (1985)).
//!
//! A prior rates players who won all their games, and such results hardly vary. With a prior, no meeting therefore
//! has less variance than independent games with as many draws would have, and the prior has its curvature: errors are
//! at least those of the posterior.

use std::sync::Arc;

use super::covariance::{Block, Comparisons, inverse};
use super::draw_model::{Counts, Draws};
use super::elo::ELO_PER_LOGIT;
use super::free_shifts::FreeShifts;
use super::group_covariance::{Curvature, DENSE, GroupCovariance, SparseCovariance, SparseErrors};
use super::ladder::{Group, Ladder};
use super::likelihood::{ComparableMeeting, Problem, SIGNS, mean_of_anchors};
use super::likelihood_settings::ErrorSource;
use super::match_table::{Meeting, Tally};
use super::rows::LANES;
use nalgebra::DMatrix;

/// Errors of all parameters, in logits.
pub(super) enum ParameterErrors {
    /// The covariance of the free parameters; `None` if the curvature has no inverse.
    Dense(Option<DMatrix<f64>>),
    /// The data for computing them on demand.
    Sparse(Arc<SparseErrors>),
}

impl ParameterErrors {
    /// Variance of the advantage of moving first, if it was estimated.
    pub(super) fn of_advantage(&self, problem: &Problem<'_>) -> Option<f64> {
        let place = problem.free.iter().position(|&free| free == problem.n_players)?;
        match self {
            ParameterErrors::Dense(covariance) => Some(covariance.as_ref()?[(place, place)]),
            ParameterErrors::Sparse(errors) => {
                let mut weights = vec![[0.0; LANES]; problem.n_players + 1];
                weights[problem.n_players][0] = 1.0;
                Some(errors.variances(&weights)[0])
            }
        }
    }
}

/// The errors at the maximum: dense for few parameters.
pub(super) fn errors(problem: &Problem<'_>, bend: Comparisons, errors: ErrorSource) -> ParameterErrors {
    if problem.free.len() <= DENSE {
        return ParameterErrors::Dense(covariance(problem, &bend, errors));
    }
    let moving = problem.moving();
    let Some(curvature) = Curvature::new(&bend, problem.is_sparse.then_some(moving.as_slice()), &problem.free) else {
        return ParameterErrors::Dense(None);
    };
    let meat = (errors == ErrorSource::Sandwich).then(|| observed(problem));
    ParameterErrors::Sparse(Arc::new(SparseErrors::new(curvature, bend, meat, [problem.free.clone(), moving])))
}

fn covariance(problem: &Problem<'_>, bend: &Comparisons, errors: ErrorSource) -> Option<DMatrix<f64>> {
    let free_shifts = free_shifts(problem);
    let mut matrix = bend.dense(&problem.free);
    free_shifts.fix(&mut matrix);
    let mut covariance = inverse(matrix).filter(|found| free_shifts.confirm(found, bend, &problem.free))?;
    if errors == ErrorSource::Sandwich {
        covariance = &covariance * observed(problem).times(&problem.free, &covariance);
    }
    free_shifts.centre(&mut covariance);
    Some(covariance)
}

/// Splits the covariance into groups and converts logits to Elo.
pub(super) fn ladder(problem: &Problem<'_>, mean: f64, errors: &ParameterErrors) -> Ladder {
    let n_players = problem.n_players;
    let place = places(problem, n_players);
    let mut met = vec![0; n_players];
    problem.comparable_meetings.iter().for_each(|comparable| met[comparable.meeting.a] += 1);
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
                ParameterErrors::Sparse(errors) => Some(GroupCovariance::Sparse(SparseCovariance {
                    errors: errors.clone(),
                    size: n_players + 1,
                    parameters: players.clone(),
                    counted: if anchored { Vec::new() } else { (0..players.len()).collect() },
                    scale: ELO_PER_LOGIT.powi(2),
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

/// The observed variance of slopes.
fn observed(problem: &Problem<'_>) -> Comparisons {
    let factors = corrections(problem);
    let blocks = problem.comparable_meetings.iter().map(|comparable| {
        let Meeting { a, b, .. } = *comparable.meeting;
        (a, b, meat(problem, comparable, factors[a]))
    });
    Comparisons { n_players: problem.n_players, blocks: blocks.collect() }
}

/// For every player the factor that corrects the variance of its group for the parameters that are fitted to it. The
/// zero of a group counts as one of them, with anchors or with a mean, so that no difference depends on the choice.
fn corrections(problem: &Problem<'_>) -> Vec<f64> {
    let mut units = vec![0.0; problem.n_players];
    problem.comparable_meetings.iter().for_each(|comparable| units[comparable.meeting.a] += comparable.meeting.units());
    let mut factors = vec![1.0; problem.n_players];
    let mut is_free = vec![false; problem.n_players + 1];
    problem.free.iter().for_each(|&parameter| is_free[parameter] = true);
    let n_common = usize::from(is_free[problem.n_players]);
    for players in &problem.groups {
        let n_free = players.iter().filter(|&&player| is_free[player]).count();
        let zero = usize::from(n_free < players.len());
        let units: f64 = players.iter().map(|&player| units[player]).sum();
        let factor = units / (units - (n_free + zero + n_common) as f64).max(units / 2.0);
        players.iter().for_each(|&player| factors[player] = factor);
    }
    factors
}

/// Slope of a unit: by the difference and by the advantage.
type Slope = [f64; 2];

fn square(slope: Slope, times: f64) -> Block {
    slope.map(|left| slope.map(|right| times * left * right))
}

/// A game or a pair of games: its slope, its variance under the model, and the part of it that a draw saves if draws
/// count as half wins.
#[derive(Clone, Copy)]
struct Unit {
    slope: Slope,
    expected: Block,
    saved: Block,
}

impl Unit {
    /// A game of which this is the first player's result (0 loss, 1 draw, 2 win), at a difference `x` of strength.
    fn game(draws: Draws, result: usize, x: f64, sign: f64) -> Unit {
        let mut counts: Counts = [0.0; 3];
        counts[2 - result] = 1.0;
        let slope = draws.terms(counts, x).slope;
        // A score with a share `d` of draws has the variance p (1 - p) - d / 4.
        let saved = if result == 1 && draws == Draws::HalfWin { 0.25 } else { 0.0 };
        Unit {
            slope: [slope, sign * slope],
            expected: square([1.0, sign], draws.slope_variance(x)),
            saved: square([1.0, sign], saved),
        }
    }

    fn and(self, other: Unit) -> Unit {
        Unit {
            slope: std::array::from_fn(|k| self.slope[k] + other.slope[k]),
            expected: sum(self.expected, other.expected, 1.0),
            saved: sum(self.saved, other.saved, 1.0),
        }
    }
}

fn sum(one: Block, other: Block, times: f64) -> Block {
    std::array::from_fn(|row| std::array::from_fn(|column| one[row][column] + times * other[row][column]))
}

/// One meeting's sum of squared slopes with its virtual unit, corrected by `factor`.
fn meat(problem: &Problem<'_>, comparable: &ComparableMeeting<'_>, factor: f64) -> Block {
    let ComparableMeeting { meeting, prior, .. } = *comparable;
    let difference = problem.at[meeting.a] - problem.at[meeting.b];
    let x = SIGNS.map(|sign| difference + sign * problem.at[problem.n_players]);
    let game = |colour: usize, result: usize| Unit::game(problem.draws, result, x[colour], SIGNS[colour]);

    let (mut observed, mut expected, mut saved) = (Block::default(), Block::default(), Block::default());
    let mut add = |unit: Unit, count: u64| {
        observed = sum(observed, square(unit.slope, 1.0), count as f64);
        expected = sum(expected, unit.expected, count as f64);
        saved = sum(saved, unit.saved, count as f64);
    };
    for (colour, tally) in [meeting.first, meeting.second, meeting.uncoloured].iter().enumerate() {
        by_result(tally).into_iter().enumerate().for_each(|(result, count)| add(game(colour, result), count));
    }
    for (first, row) in meeting.pairs.iter().enumerate() {
        row.iter().enumerate().for_each(|(second, &count)| add(game(0, first).and(game(1, second)), count));
    }
    let units = meeting.units();
    let observed =
        sum(observed, expected, 1.0 / units).map(|row| row.map(|entry| entry * factor * units / (units + 1.0)));
    if prior == [0.0; 3] {
        return observed;
    }
    let least = sum(expected, saved, -1.0);
    let chosen = if observed[0][0] < least[0][0] { least } else { observed };
    let bend = |colour: usize| problem.draws.terms([0.0, prior[colour], 0.0], x[colour]).bend;
    let of_prior = |colour: usize| square([1.0, SIGNS[colour]], bend(colour));
    sum(chosen, sum(sum(of_prior(0), of_prior(1), 1.0), of_prior(2), 1.0), 1.0)
}

/// Losses, draws and wins, in the order of [`Meeting::pairs`].
fn by_result(tally: &Tally) -> [u64; 3] {
    [tally.losses, tally.draws, tally.wins]
}
