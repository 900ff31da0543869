//! The runs that have a result at two values of an axis, and statistics of such pairs of results.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::axis_names::AxisNames;
use super::estimate::{LEVEL, at_level, share_error};
use super::sheet::{Agreement, Point, Spread};
use super::{Context, Fact, blank, config_ids};
use gauntlet_games::base::Seed;
use gauntlet_ratings::bootstrap::{Bootstrap, BootstrapSettings, bootstrap};
use gauntlet_ratings::correlation::{pearson, split_half_reliability};
use gauntlet_ratings::intervals::wilson;

/// Name of the metric that published correlations are written under.
pub const CORRELATION: &str = "correlation";
/// Name of the metric that published shares are written under.
pub const SHARE: &str = "p";

/// The least share of resamples that have a correlation, for an error. If `k` runs differ from all others, a share of
/// `exp(-k)` has none: fewer than five such runs decide the correlation, and the bootstrap does not show it.
const DEFINED: f64 = 0.99;

/// The score of a draw, between a win, 1, and a loss, -1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DrawScore {
    /// 0.
    #[default]
    Half,
    /// 1.
    Win,
    /// -1.
    Loss,
}

impl DrawScore {
    /// The number.
    #[must_use]
    pub fn value(self) -> f64 {
        match self {
            DrawScore::Half => 0.0,
            DrawScore::Win => 1.0,
            DrawScore::Loss => -1.0,
        }
    }
}

/// The runs that have a result at both values, in the order of the plan.
pub struct RunPairs<'a> {
    /// Facts at the first and the second value, run by run.
    pub runs: Vec<(Fact<'a>, Fact<'a>)>,
    /// The number of requested runs.
    pub requested: usize,
    /// The score of a draw.
    draws: DrawScore,
}

impl<'a> RunPairs<'a> {
    /// Pairs the facts of one group by run.
    pub fn new(facts: &[Fact<'a>], across: &str, values: [i64; 2]) -> RunPairs<'a> {
        let [first, second] = values.map(|value| {
            let label = value.to_string();
            facts.iter().filter(|fact| fact.label(across) == label).copied().collect::<Vec<_>>()
        });
        let by_seed: HashMap<u64, Fact<'a>> = second.iter().map(|fact| (fact.seed, *fact)).collect();
        let both = first.iter().filter_map(|fact| Some((*fact, *by_seed.get(&fact.seed)?)));
        let runs = both.filter(|(a, b)| a.result.is_some() && b.result.is_some()).collect();
        RunPairs { runs, requested: first.len(), draws: DrawScore::default() }
    }

    /// The same pairs with another score of draws.
    pub fn counting(self, draws: DrawScore) -> RunPairs<'a> {
        RunPairs { draws, ..self }
    }

    fn fitness(&self, fact: &Fact<'a>) -> Option<f64> {
        match self.draws {
            DrawScore::Half => fact.mean(),
            DrawScore::Win | DrawScore::Loss => gauntlet_ratings::intervals::mean(&self.scores(fact)?),
        }
    }

    fn scores(&self, fact: &Fact<'a>) -> Option<Vec<f64>> {
        let score = |score: f64| if score == 0.0 { self.draws.value() } else { score };
        Some(fact.scores()?.into_iter().map(score).collect())
    }

    /// The means at both values.
    pub fn means(&self) -> (Vec<f64>, Vec<f64>) {
        self.runs.iter().filter_map(|(a, b)| Some((self.fitness(a)?, self.fitness(b)?))).unzip()
    }

    /// A point over these runs, without its value.
    pub fn point(&self, metric: &str, row: &str, column: &str) -> Point {
        let facts: Vec<Fact<'_>> = self.runs.iter().flat_map(|(a, b)| [*a, *b]).collect();
        Point {
            n_runs: self.runs.len() as u64,
            n_requested: self.requested as u64,
            n_games: facts.iter().map(Fact::games).sum(),
            config_ids: config_ids(&facts),
            ..blank(metric, row, column)
        }
    }

    /// The correlation beside the published one. Without an error there is no verdict.
    pub fn judged_correlation(&self, context: &Context<'_>, row: &str, column: &str) -> Point {
        let point = context.with_published(self.correlation(row, column));
        let verdict = point.verdict.filter(|verdict| *verdict == Agreement::NotComparable || point.error.is_some());
        Point { verdict, ..point }
    }

    /// The correlation, with the bootstrap over runs as its error, if enough runs differ.
    fn correlation(&self, row: &str, column: &str) -> Point {
        let (xs, ys) = self.means();
        let at = |indices: &[usize]| {
            let (a, b): (Vec<f64>, Vec<f64>) = indices.iter().map(|&at| (xs[at], ys[at])).unzip();
            pearson(&a, &b)
        };
        let settings = BootstrapSettings { level: LEVEL, ..BootstrapSettings::default() };
        let estimate = bootstrap(xs.len(), settings, Seed::new(1).child(row, 0).child(column, 0).rng(), at);
        let is_defined = |found: &Bootstrap| found.resamples as f64 >= DEFINED * found.drawn as f64;
        let estimate = estimate.filter(is_defined);
        let error = estimate.and_then(|estimate| estimate.standard_error).map(Spread::standard_error);
        let interval = estimate.and_then(|estimate| estimate.interval).map(at_level);
        Point { value: pearson(&xs, &ys), error, interval, ..self.point(CORRELATION, row, column) }
    }

    /// The share of runs that do better at the second value, and the share of ties.
    pub fn shares(&self, row: &str, column: &str, tie_column: &str) -> [Point; 2] {
        let (xs, ys) = self.means();
        let n = xs.len() as u64;
        let share = |holds: fn(&f64, &f64) -> bool| {
            (n > 0).then(|| xs.iter().zip(&ys).filter(|(x, y)| holds(x, y)).count() as f64 / n as f64)
        };
        let point = |metric: &str, column: &str, value: Option<f64>| Point {
            value,
            error: value.and_then(|value| share_error(value, n)).map(Spread::standard_error),
            interval: value.and_then(|value| wilson(value * n as f64, n as f64, LEVEL)).map(at_level),
            ..self.point(metric, row, column)
        };
        [point(SHARE, column, share(|x, y| y > x)), point("ties", tie_column, share(|x, y| x == y))]
    }

    /// Split-half reliability of the results at both values; `None` if it is below 0, which no reliability is.
    pub fn reliabilities(&self) -> [Option<f64>; 2] {
        let side = |pick: fn(&(Fact<'a>, Fact<'a>)) -> Fact<'a>| {
            let halves = self.runs.iter().filter_map(|run| {
                let fact = pick(run);
                halves(&self.scores(&fact)?, if fact.pairs().is_some() { 2 } else { 1 })
            });
            let (even, odd): (Vec<f64>, Vec<f64>) = halves.unzip();
            split_half_reliability(&even, &odd).filter(|reliability| *reliability >= 0.0)
        };
        [side(|run| run.0), side(|run| run.1)]
    }
}

/// The note on correlations without an error, if there are any.
pub fn few_runs_note(points: &[Point], names: &AxisNames) -> Option<String> {
    // A perfect correlation has no error for another reason.
    let is_less = |value: f64| value.abs() < 1.0 - 1e-9;
    let is_bare =
        |point: &&Point| point.metric == CORRELATION && point.value.is_some_and(is_less) && point.error.is_none();
    let cells: Vec<String> =
        points.iter().filter(is_bare).map(|point| names.place(&point.row, &point.column)).collect();
    (!cells.is_empty()).then(|| {
        format!(
            "Correlations without an error: {}. There, fewer than five runs decide: the others have the same result at one \
             of the two values. Such a correlation is not judged.",
            cells.join("; ")
        )
    })
}

/// Mean scores of the even and of the odd games, or of the even and odd groups of `together` games; both halves hold
/// games of both colours.
fn halves(scores: &[f64], together: usize) -> Option<(f64, f64)> {
    let half = |parity: usize| {
        let half: Vec<f64> = scores.chunks(together).skip(parity).step_by(2).flatten().copied().collect();
        gauntlet_ratings::intervals::mean(&half)
    };
    Some((half(0)?, half(1)?))
}
