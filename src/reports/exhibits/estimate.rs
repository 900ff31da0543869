//! From several runs to one number with its error.

use super::super::facts::Fact;
use super::super::sheet::{ConfidenceInterval, ErrorKind, Point, Spread};
use super::config_ids;
use crate::ratings::intervals::{Interval, game_level_bound, mean, standard_error, student_t};

/// Coverage of all intervals in reports.
pub const LEVEL: f64 = 0.95;

impl Spread {
    /// One standard error.
    #[must_use]
    pub fn standard_error(size: f64) -> Spread {
        Spread { size, kind: ErrorKind::StandardError }
    }

    /// One standard error over games, whatever the number of runs.
    #[must_use]
    pub fn over_games(size: f64) -> Spread {
        Spread { size, kind: ErrorKind::Games }
    }
}

/// An interval as it is shown.
pub fn at_level(range: Interval) -> ConfidenceInterval {
    ConfidenceInterval { low: range.low, high: range.high, level: LEVEL }
}

/// A point without numbers, in its place.
pub fn blank(metric: &str, row: &str, column: &str) -> Point {
    Point {
        row: row.to_owned(),
        column: column.to_owned(),
        x: None,
        metric: metric.to_owned(),
        value: None,
        error: None,
        interval: None,
        n_runs: 0,
        n_requested: 0,
        n_games: 0,
        published: None,
        verdict: None,
        config_ids: Vec::new(),
    }
}

/// The mean of a value over runs with its standard error and Student-t interval. Runs without any spread get
/// the bound that the number of games and the range of the value imply; one run gets no error.
pub fn over_runs(
    range: [f64; 2],
    metric: &str,
    (row, column): (&str, &str),
    facts: &[Fact<'_>],
    values: &[f64],
) -> Point {
    let n_games = facts.iter().map(Fact::games).sum();
    over_runs_of(n_games, range, metric, (row, column), facts, values)
}

/// The same, of values that rest on so many games and not on all that the runs played.
pub fn over_runs_of(
    n_games: u64,
    range: [f64; 2],
    metric: &str,
    (row, column): (&str, &str),
    facts: &[Fact<'_>],
    values: &[f64],
) -> Point {
    let error = match (standard_error(values), mean(values)) {
        (Some(error), _) => Some(error),
        (None, Some(mean)) if values.len() > 1 => game_level_bound(mean, range, n_games),
        _ => None,
    };
    Point {
        value: mean(values),
        error: error.map(Spread::standard_error),
        interval: student_t(values, LEVEL).map(at_level),
        n_runs: values.len() as u64,
        n_requested: facts.len() as u64,
        n_games,
        config_ids: config_ids(facts),
        ..blank(metric, row, column)
    }
}

/// Fewer runs than these have a standard error that is hardly known itself.
const ENOUGH: u64 = 5;

/// The note on standard errors from 2 to 4 runs, if there are any: of `n` runs of normal results, the sample deviation
/// has the relative standard error `1 / sqrt(2 (n - 1))`, roughly.
pub fn few_runs<'a>(points: impl Iterator<Item = &'a Point>) -> Option<String> {
    let is_few = |point: &&Point| point.error.is_some() && (2..ENOUGH).contains(&point.n_runs);
    let n = points.filter(is_few).map(|point| point.n_runs).min()?;
    let share = 100.0 / (2.0 * (n as f64 - 1.0)).sqrt();
    Some(format!(
        "A standard error from n runs is itself uncertain by about 1/sqrt(2(n - 1)), which is {share:.0} % for n = \
         {n}: rows that rest on so few runs cannot be put in order."
    ))
}

/// Standard error of a share of `n`; at 0 and 1, where the formula gives nothing, the end of Wilson's interval.
pub fn share_error(share: f64, n: u64) -> Option<f64> {
    let error = (share * (1.0 - share) / n as f64).sqrt();
    if error > 0.0 { Some(error) } else { game_level_bound(share, [0.0, 1.0], n) }
}
