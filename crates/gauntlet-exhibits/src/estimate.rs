//! Estimation of one number with its error from several runs.

use std::collections::BTreeSet;

use super::axis_names::AxisNames;
use super::counted::any_counts_once;
use super::error_bars::ErrorBars;
use super::frame::{Fact, config_ids};
use super::number::{DOUBTED, fixed};
use super::sheet::{ConfidenceInterval, ErrorKind, Point, Spread};
use gauntlet_ratings::MeanScore;
use gauntlet_ratings::crossed::{crossed_error, crossed_interval};
use gauntlet_ratings::intervals::{Interval, game_level_bound, mean, standard_error, student_t, wilson};
use gauntlet_ratings::run_mean::RunMean;

/// Coverage of all intervals in reports.
pub const LEVEL: f64 = 0.95;

impl Spread {
    /// One standard error.
    #[must_use]
    pub fn standard_error(size: f64) -> Spread {
        Spread { size, kind: ErrorKind::StandardError }
    }

    /// One standard error over games, for any number of runs.
    #[must_use]
    pub fn over_games(size: f64) -> Spread {
        Spread { size, kind: ErrorKind::Games }
    }
}

/// The method of intervals of means over runs.
pub const STUDENT: &str = "Student's t, within the range of the value";

/// The caption's explanation of the shown errors: their source, and the method of intervals.
pub fn of_errors(errors: ErrorBars, over: &str, how: &str) -> String {
    match errors {
        ErrorBars::StandardError => format!("Errors are one standard error over {over}."),
        ErrorBars::Interval => format!("Brackets, bars and bands are 95 % intervals over {over} ({how})."),
    }
}

/// The start of notes on numbers that the CSV alone has. They are left out of a paper, where no CSV is beside them.
pub const IN_CSV: &str = "The CSV has";

/// The note on the errors that only the CSV has.
pub fn in_csv(errors: ErrorBars, how: &str) -> String {
    match errors {
        ErrorBars::StandardError => format!("{IN_CSV} 95 % intervals, too ({how})."),
        ErrorBars::Interval => format!("{IN_CSV} standard errors, too."),
    }
}

/// Converts an interval.
pub fn at_level(range: Interval) -> ConfidenceInterval {
    ConfidenceInterval { low: range.low, high: range.high, level: LEVEL }
}

/// A point without numbers, in its cell.
pub fn blank(metric: &str, row: &str, column: &str) -> Point {
    Point { row: row.to_owned(), column: column.to_owned(), metric: metric.to_owned(), ..Point::default() }
}

/// A point of a single run, without its numbers.
pub(super) fn of_run(fact: &Fact<'_>, metric: &str, row: &str, column: &str) -> Point {
    let (n_games, config_ids) = (fact.games(), config_ids(&[*fact]));
    Point { n_runs: 1, n_requested: 1, n_games, config_ids, ..blank(metric, row, column) }
}

/// One number of each run, or of each pair of runs if every run meets several.
pub struct Sample {
    values: Vec<f64>,
    /// The seeds of the paired runs; empty if each run meets one.
    pairs: Vec<[u64; 2]>,
}

impl From<Vec<f64>> for Sample {
    fn from(values: Vec<f64>) -> Sample {
        Sample { values, pairs: Vec::new() }
    }
}

impl Sample {
    /// The numbers of the runs that have one.
    pub fn of<'a>(facts: &[Fact<'a>], value: impl Fn(&Fact<'a>) -> Option<f64>) -> Sample {
        let (found, values): (Vec<&Fact<'_>>, Vec<f64>) =
            facts.iter().filter_map(|fact| Some((fact, value(fact)?))).unzip();
        let is_crossed = found.iter().any(|fact| fact.opponent_run.is_some());
        let pair = |fact: &&Fact<'_>| [fact.seed, fact.opponent_run.unwrap_or(fact.seed)];
        Sample { values, pairs: found.iter().filter(|_| is_crossed).map(pair).collect() }
    }

    /// The numbers.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The number of runs that have a number.
    pub fn n_runs(&self) -> u64 {
        let runs: BTreeSet<u64> = self.pairs.iter().map(|pair| pair[0]).collect();
        if self.pairs.is_empty() { self.values.len() as u64 } else { runs.len() as u64 }
    }

    /// Standard error of the mean, over the runs of both sides if they are crossed.
    fn standard_error(&self) -> Option<f64> {
        if self.pairs.is_empty() { standard_error(&self.values) } else { crossed_error(&self.pairs, &self.values) }
    }

    /// Degrees of freedom of that error: one fewer than the runs of the side with fewer runs.
    pub fn df(&self) -> f64 {
        let runs = |side: usize| self.pairs.iter().map(|pair| pair[side]).collect::<BTreeSet<_>>().len();
        let runs = if self.pairs.is_empty() { self.values.len() } else { runs(0).min(runs(1)) };
        runs as f64 - 1.0
    }

    /// Student-t interval of the mean.
    pub fn student_t(&self, level: f64) -> Option<Interval> {
        match self.pairs.is_empty() {
            true => student_t(&self.values, level),
            false => crossed_interval(&self.pairs, &self.values, level),
        }
    }
}

/// The number of requested runs.
fn n_requested(facts: &[Fact<'_>]) -> u64 {
    let is_crossed = facts.iter().any(|fact| fact.opponent_run.is_some());
    let runs: BTreeSet<_> = facts.iter().map(|fact| (fact.config.key, fact.seed)).collect();
    if is_crossed { runs.len() as u64 } else { facts.len() as u64 }
}

/// The mean of a value over runs in a cell (metric, row, column), with its standard error and Student-t interval, within
/// the range of the value. Runs
/// without any spread get the error over games that their number of games allows; one run gets no error.
pub fn over_runs(range: [f64; 2], cell: [&str; 3], facts: &[Fact<'_>], sample: &Sample) -> Point {
    over_runs_of(facts.iter().map(Fact::games).sum(), range, cell, facts, sample)
}

/// Like `over_runs`, for values that rest on `n_games` games instead of all games of the runs.
pub fn over_runs_of(
    n_games: u64,
    range: [f64; 2],
    [metric, row, column]: [&str; 3],
    facts: &[Fact<'_>],
    sample: &Sample,
) -> Point {
    let values = sample.values();
    let alike = mean(values).filter(|_| is_without_spread(values));
    let bound = alike.and_then(|mean| game_level_bound(mean, range, n_games));
    let error = sample.standard_error().map(Spread::standard_error).or(bound.map(Spread::over_games));
    let interval = sample.student_t(LEVEL).or_else(|| share_interval(alike?, range, n_games));
    Point {
        value: mean(values),
        error,
        interval: interval.map(|interval| at_level(interval.within(range))),
        n_runs: sample.n_runs(),
        n_requested: n_requested(facts),
        n_games,
        config_ids: config_ids(facts),
        ..blank(metric, row, column)
    }
}

/// The mean over runs that a point holds, if it has an error. Of runs without spread, it is the bound by their number of
/// games.
pub fn run_mean(point: &Point, sample: &Sample) -> Option<RunMean> {
    Some(RunMean { value: point.value?, error: point.error?.size, df: sample.df() })
}

/// The mean of a value over runs that differ only in their games, with the error over all these games. Runs of different
/// lengths, as after sequential tests, count by their games, and repetitions that count once do so here, too.
pub fn over_games(
    score: MeanScore,
    [low, high]: [f64; 2],
    cell: [&str; 3],
    facts: &[Fact<'_>],
    sample: &Sample,
) -> Point {
    let place = |share: f64| low + (high - low) * share;
    let range = score.interval(LEVEL);
    let mut lengths = facts.iter().map(Fact::games).filter(|games| *games > 0);
    let first = lengths.next();
    let are_equal = lengths.all(|games| Some(games) == first) && !any_counts_once(facts);
    Point {
        // Both are the same number, but for the last digits.
        value: if are_equal { mean(sample.values()) } else { Some(place(score.value)) },
        error: Some(Spread::over_games((high - low) * score.error)),
        interval: Some(ConfidenceInterval { low: place(range.low), high: place(range.high), level: LEVEL }),
        ..over_runs([low, high], cell, facts, sample)
    }
}

/// Gives a mean over runs the error over the positions that all runs share, and the interval of
/// [`interval_over_positions`].
pub fn over_positions(point: Point, range: [f64; 2], error: ErrorOverPositions) -> Point {
    let interval = point.value.and_then(|value| interval_over_positions(value, range, error, LEVEL)).map(at_level);
    Point { error: Some(Spread { size: error.size, kind: ErrorKind::Positions }), interval, ..point }
}

/// Wilson's interval of a mean for the effective number of positions.
#[must_use]
pub fn interval_over_positions(
    value: f64,
    [low, high]: [f64; 2],
    ErrorOverPositions { size, positions }: ErrorOverPositions,
    level: f64,
) -> Option<Interval> {
    let share = (value - low) / (high - low);
    let effective = Some(share * (1.0 - share) / (size / (high - low)).powi(2)).filter(|n| *n > 0.0);
    let units = effective.unwrap_or(positions as f64);
    let place = |share: f64| low + (high - low) * share;
    let found = wilson(share * units, units, level)?;
    Some(Interval { low: place(found.low), high: place(found.high) })
}

/// An error over the positions of a measurement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ErrorOverPositions {
    /// One standard error.
    pub size: f64,
    /// The number of positions.
    pub positions: u64,
}

/// Whether several runs have the same result.
pub fn is_without_spread(values: &[f64]) -> bool {
    values.len() > 1 && standard_error(values).is_none()
}

/// The note on means of runs with equal results.
pub const WITHOUT_SPREAD: &str = "Where all runs ended alike, they have no spread. The error is then that of the \
    games alone (Wilson's bound), without the differences between trainings.";

/// The note on errors over runs that are smaller than those over their games or positions, if there are any.
pub fn below_floor(points: &[Point], names: &AxisNames) -> Option<String> {
    let below = points.iter().filter(|point| point.is_below_floor());
    let named = |point: &Point| Some(format!("{}: {}", names.place(&point.row, &point.column), fixed(point.floor?, 3)));
    let named: Vec<String> = below.filter_map(named).collect();
    (!named.is_empty()).then(|| {
        format!(
            "{DOUBTED} These runs are more alike than their games or positions alone allow, as happens by chance with few \
             runs. Read the error of those instead ({}).",
            named.join("; ")
        )
    })
}

/// Wilson's interval of a value that comes from games.
fn share_interval(value: f64, [low, high]: [f64; 2], n_games: u64) -> Option<Interval> {
    let n = n_games as f64;
    let range = wilson((value - low) / (high - low) * n, n, LEVEL)?;
    Some(Interval { low: low + (high - low) * range.low, high: low + (high - low) * range.high })
}

/// Fewer runs than this have an imprecise standard error.
const ENOUGH: u64 = 5;

/// The note on standard errors from 2 to 4 runs, if there are any. The sample deviation of `n` runs of normal results
/// has a relative standard error of about `1 / sqrt(2 (n - 1))`.
pub fn few_runs<'a>(points: impl Iterator<Item = &'a Point>) -> Option<String> {
    let is_of_runs = |point: &&Point| point.error.is_some_and(|error| error.kind == ErrorKind::StandardError);
    let is_few = |point: &&Point| is_of_runs(point) && (2..ENOUGH).contains(&point.n_runs);
    let n = points.filter(is_few).map(|point| point.n_runs).min()?;
    let share = 100.0 / (2.0 * (n as f64 - 1.0)).sqrt();
    Some(format!(
        "A standard error from n runs is itself uncertain by about 1/sqrt(2(n - 1)), which is {share:.0} % for n = \
         {n}. Rows of so few runs cannot be put in order."
    ))
}

/// Standard error of a share of `n`; at 0 and 1, where the formula gives zero, the end of Wilson's interval.
pub fn share_error(share: f64, n: u64) -> Option<f64> {
    let error = (share * (1.0 - share) / n as f64).sqrt();
    if error > 0.0 { Some(error) } else { game_level_bound(share, [0.0, 1.0], n) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wilson's interval for the number of positions that the error stands for; at the ends of the range, for all positions.
    #[test]
    fn intervals_over_positions_hold_at_the_ends() {
        let found = |value: f64, range: [f64; 2], size: f64, positions: u64| {
            let point = Point { value: Some(value), ..blank("m", "r", "c") };
            let point = over_positions(point, range, ErrorOverPositions { size, positions });
            assert_eq!(point.error.map(|error| (error.size, error.kind)), Some((size, ErrorKind::Positions)));
            point.interval.map(|interval| [interval.low, interval.high]).expect("there is a value")
        };
        // 0 of 100: from 0 to z^2 / (100 + z^2).
        let z = 1.959_963_984_540_054_f64;
        let most = z * z / (100.0 + z * z);
        for (value, range, wanted) in [
            (0.0, [0.0, 1.0], [0.0, most]),
            (1.0, [0.0, 1.0], [1.0 - most, 1.0]),
            (100.0, [0.0, 100.0], [100.0 * (1.0 - most), 100.0]),
            (2.0, [0.0, 2.0], [2.0 - 2.0 * most, 2.0]),
        ] {
            let [low, high] = found(value, range, 0.01, 100);
            assert!((low - wanted[0]).abs() < 1e-9 && (high - wanted[1]).abs() < 1e-9, "{value}: {low} {high}");
        }
        // Half of 100 in 0 to 1, and the same in 0 to 2.
        let [low, high] = found(0.5, [0.0, 1.0], 0.05, 100);
        let half = z / (1.0 + z * z / 100.0) * (0.0025 + z * z / 40_000.0).sqrt();
        assert!((low - (0.5 - half)).abs() < 1e-9 && (high - (0.5 + half)).abs() < 1e-9, "{low} {high}");
        assert_eq!(found(1.0, [0.0, 2.0], 0.1, 100), [low, high].map(|end| 2.0 * end));
        // One position, and a value that nothing measured.
        let [low, high] = found(1.0, [0.0, 1.0], 0.5, 1);
        assert!(low < 0.3 && high == 1.0, "{low} {high}");
        let none = over_positions(blank("m", "r", "c"), [0.0, 1.0], ErrorOverPositions { size: 0.1, positions: 9 });
        assert_eq!((none.value, none.interval), (None, None));
    }
}
