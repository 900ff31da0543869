//! The gain of a criterion: a mean over runs less a number or less the mean of other runs, with the interval that
//! decides.
//!
//! Runs of equal seeds are pairs only if they share weights; the plan tells. Of the errors over runs and over their games,
//! or the positions that they share, the larger one decides.

use super::scope::ExhibitScope;
use gauntlet_exhibits::estimate::{
    Sample, blank, interval_over_positions, is_without_spread, over_positions, over_runs_of, run_mean,
};
use gauntlet_exhibits::frame::{Fact, FactGroup, config_ids};
use gauntlet_exhibits::sheet::{ConfidenceInterval, ErrorKind, Point, Spread, exceeds};
use gauntlet_exhibits::{Comparison, Over, Shown, SmallerError, Success};
use gauntlet_ratings::intervals::Interval;
use gauntlet_ratings::run_mean::RunMean;

/// The label of a gain.
pub(super) const GAIN: &str = "gain";

/// A gain, and the way in which it was found.
pub(super) struct Gain {
    pub(super) point: Point,
    pub(super) comparison: Option<Comparison>,
    pub(super) smaller: Option<SmallerError>,
}

/// Everything that a gain at one place depends on.
pub(super) struct Claimed<'a> {
    pub(super) scope: &'a ExhibitScope<'a>,
    pub(super) success: &'a Success,
    pub(super) place: &'a FactGroup<'a>,
    /// The other runs, if the claim compares two sets of runs.
    pub(super) baseline: Vec<Fact<'a>>,
}

impl Claimed<'_> {
    /// The gain over all games if another seed only adds games, or else over runs.
    pub(super) fn gain(&self, over: &Over) -> Gain {
        if let Some(point) = self.over_all_games(over) {
            return Gain { point, comparison: None, smaller: None };
        }
        match over {
            Over::Number(number) => self.above(*number),
            Over::Runs(_) => match self.comparison() {
                comparison if comparison.is_paired() => Gain { comparison: Some(comparison), ..self.paired() },
                comparison => {
                    let gain = self.apart();
                    let is_over_positions = gain.point.error.is_some_and(|error| error.kind == ErrorKind::Positions);
                    let is_over_runs = !is_over_positions || gain.smaller.is_some();
                    Gain { comparison: Some(comparison).filter(|_| is_over_runs), ..gain }
                }
            },
        }
    }

    /// The judged value.
    fn judged(&self) -> Shown {
        self.scope.about().judged.unwrap_or(Shown::Mean)
    }

    fn range(&self) -> [f64; 2] {
        self.judged().range(self.scope.about().scale)
    }

    fn width(&self) -> f64 {
        let [low, high] = self.range();
        high - low
    }

    fn result(&self, fact: &Fact<'_>) -> Option<f64> {
        self.judged().value(self.scope.about().scale, fact)
    }

    /// One standard error over the games or the positions of some runs.
    fn within_runs(&self, facts: &[Fact<'_>]) -> Option<f64> {
        if let Some(points) = self.scope.facts.frame().recorded {
            // The CSV has it for each cell, if it exceeds the error over runs anywhere.
            let (ids, metric) = (config_ids(facts), self.judged().metric(self.scope.about().scale));
            let is_own = |point: &&Point| point.config_ids == ids && point.metric == metric && point.floor.is_some();
            return points.iter().find(is_own)?.floor;
        }
        self.judged().error_within_runs(self.width(), facts)
    }

    /// A point in the cell of the claim.
    fn over_runs(&self, range: [f64; 2], facts: &[Fact<'_>], sample: &Sample) -> Point {
        let phrase = self.scope.context().named(&self.success.each, &self.place.labels);
        let games = self.judged().n_games(facts);
        let point = over_runs_of(games, range, [GAIN, &self.success.claim, &phrase], facts, sample);
        // The bound of equal runs applies to a mean over games alone, as in tables.
        match !self.judged().is_outcome() && is_without_spread(sample.values()) {
            true => Point { error: None, interval: None, ..point },
            false => point,
        }
    }

    /// The gain over a number.
    fn above(&self, number: f64) -> Gain {
        let [low, high] = self.range();
        if let Some((point, interval)) = self.over_positions(&self.place.facts) {
            let value = point.value.map(|value| value - number);
            let interval = self.interval(Interval { low: interval.low - number, high: interval.high - number });
            return Gain { point: Point { value, interval, ..point }, comparison: None, smaller: None };
        }
        let gains = Sample::of(&self.place.facts, |fact| Some(self.result(fact)? - number));
        self.decided([low - number, high - number], &gains, self.within_runs(&self.place.facts))
    }

    /// The gain over the runs of equal seeds.
    fn paired(&self) -> Gain {
        let pair = |fact: &Fact<'_>| self.baseline.iter().find(|other| is_pair(fact, other));
        let gains = Sample::of(&self.place.facts, |fact| Some(self.result(fact)? - self.result(pair(fact)?)?));
        let has_result =
            |fact: &Fact<'_>| pair(fact).is_some_and(|other| fact.result.is_some() && other.result.is_some());
        let own: Vec<Fact<'_>> = self.place.facts.iter().filter(|fact| has_result(fact)).copied().collect();
        let others: Vec<Fact<'_>> = own.iter().filter_map(pair).copied().collect();
        let both = self.within_runs(&own).zip(self.within_runs(&others));
        let gain = self.decided([-self.width(), self.width()], &gains, both.map(|(own, others)| own.hypot(others)));
        let n_games = self.judged().n_games(own.iter().chain(&others));
        Gain { point: Point { n_games, ..gain.point }, ..gain }
    }

    fn decided(&self, range: [f64; 2], gains: &Sample, within_runs: Option<f64>) -> Gain {
        let point = self.over_runs(range, &self.place.facts, gains);
        let means = run_mean(&point, gains).map(|mean| [mean, mean.at_least(within_runs)]);
        let (point, smaller) = by_larger(point, means, range, self.success.interval, is_above);
        self.of_units(point, smaller)
    }

    /// A gain whose larger error is that over positions, if runs have some, or else over games.
    fn of_units(&self, point: Point, smaller: Option<SmallerError>) -> Gain {
        let kind = |error: Spread| Spread { kind: self.judged().kind_within_runs(), ..error };
        let error = if smaller.is_some() { point.error.map(kind) } else { point.error };
        Gain { point: Point { error, ..point }, comparison: None, smaller }
    }

    /// The gain over runs that share nothing with these.
    fn apart(&self) -> Gain {
        if let [Some(own), Some(other)] = [&self.place.facts, &self.baseline].map(|facts| self.over_positions(facts)) {
            return self.apart_over_positions(own, other);
        }
        let [(own, means), (other, others)] = [&self.place.facts, &self.baseline].map(|facts| self.side(facts));
        let value = own.value.zip(other.value).map(|(value, other)| value - other);
        let [kind, others_kind] = [&own, &other].map(|side| side.error.map(|error| error.kind));
        let kind = kind.filter(|_| kind == others_kind).unwrap_or(ErrorKind::StandardError);
        // More alike errors of both sides have more degrees of freedom. With a larger error, those of the runs stay.
        let less = |(means, others): ([RunMean; 2], [RunMean; 2])| {
            let [runs, larger] = [0, 1].map(|at| means[at].less(&others[at]));
            [runs, RunMean { df: runs.df.min(larger.df), ..larger }]
        };
        let means = means.zip(others).map(less);
        let point = Point {
            value,
            error: means.map(|[mean, _]| Spread { size: mean.error, kind }),
            n_runs: value.map_or(0, |_| own.n_runs),
            n_games: own.n_games + other.n_games,
            interval: None,
            ..own
        };
        let (point, smaller) = by_larger(point, means, [-self.width(), self.width()], self.success.interval, is_above);
        self.of_units(point, smaller)
    }

    /// The difference of two means over positions.
    fn apart_over_positions(&self, (own, interval): (Point, Interval), (other, others): (Point, Interval)) -> Gain {
        let [value, baseline] = [&own, &other].map(|point| point.value.unwrap_or_default());
        let errors = [&own, &other].map(|point| point.error.map_or(0.0, |error| error.size));
        let point = Point {
            value: Some(value - baseline),
            error: Some(Spread { size: errors[0].hypot(errors[1]), kind: ErrorKind::Positions }),
            interval: self.interval(Interval::of_difference([(value, interval), (baseline, others)])),
            n_games: own.n_games + other.n_games,
            ..own
        };
        Gain { point, comparison: None, smaller: None }
    }

    fn interval(&self, Interval { low, high }: Interval) -> Option<ConfidenceInterval> {
        Some(ConfidenceInterval { low, high, level: self.success.interval })
    }

    /// The mean of players that do not learn, over their positions, if the claim is about those; with the interval that
    /// tables have, at the level of the claim.
    fn over_positions(&self, facts: &[Fact<'_>]) -> Option<(Point, Interval)> {
        let error = self.judged().error_over_positions(facts)?;
        let point = self.over_runs(self.range(), facts, &Sample::of(facts, |fact| self.result(fact)));
        let interval = interval_over_positions(point.value?, self.range(), error, self.success.interval)?;
        Some((over_positions(point, self.range(), error), interval))
    }

    /// One of two independent sides: its mean with the error over runs, and with the larger error.
    fn side(&self, facts: &[Fact<'_>]) -> (Point, Option<[RunMean; 2]>) {
        if let Some((point, _)) = self.over_positions(facts)
            && let Some(error) = self.judged().error_over_positions(facts)
        {
            let (value, df) = (point.value.unwrap_or_default(), (error.positions as f64 - 1.0).max(1.0));
            return (point, Some([RunMean { value, error: error.size, df }; 2]));
        }
        let sample = Sample::of(facts, |fact| self.result(fact));
        let point = self.over_runs(self.range(), facts, &sample);
        if let (Some(score), Some(units)) = (self.judged().score_of_all(facts), self.judged().units(facts)) {
            let [low, _] = self.range();
            let (value, error) = (low + self.width() * score.value, self.width() * score.error);
            let df = (units as f64 - 1.0).max(1.0);
            let point = Point { value: Some(value), error: Some(Spread::over_games(error)), ..point };
            return (point, Some([RunMean { value, error, df }; 2]));
        }
        let means = run_mean(&point, &sample).map(|mean| [mean, mean.at_least(self.within_runs(facts))]);
        (point, means)
    }

    /// Whether runs of equal seeds are pairs: as the manifest states, or if all share weights.
    fn comparison(&self) -> Comparison {
        match self.success.paired {
            Some(true) => return Comparison::StatedPairs,
            Some(false) => return Comparison::StatedApart,
            None => {}
        }
        let plan = self.scope.facts.plan();
        // Pairs of the same two configurations share alike.
        let mut known = Vec::new();
        let mut shared = None;
        for fact in &self.place.facts {
            let Some(other) = self.baseline.iter().find(|other| is_pair(fact, other)) else { continue };
            let configs = [fact.config.key, other.config.key];
            if known.contains(&configs) {
                continue;
            }
            known.push(configs);
            shared = plan.shared_weights(fact.at, other.at);
            if shared.is_none() {
                break;
            }
        }
        shared.unwrap_or(Comparison::NothingShared)
    }

    /// The gain over all games of both sides, if another run only adds games: without training and random weights, the
    /// games of equal seeds are not pairs.
    fn over_all_games(&self, over: &Over) -> Option<Point> {
        let judged = self.judged();
        let (own, level, width) = (judged.score_of_all(&self.place.facts)?, self.success.interval, self.width());
        let [low, _] = self.range();
        let ([value, error], interval) = match over {
            Over::Number(number) => {
                let above = |share: f64| low + width * share - number;
                let range = own.interval(level);
                ([above(own.value), width * own.error], [above(range.low), above(range.high)])
            }
            Over::Runs(_) => {
                let other = judged.score_of_all(&self.baseline)?;
                let ((value, error), range) = (own.less(&other), own.interval_less(&other, level));
                ([value, error].map(|size| width * size), [range.low, range.high].map(|end| width * end))
            }
        };
        let facts = &self.place.facts;
        Some(Point {
            value: Some(value),
            error: Some(Spread::over_games(error)),
            interval: Some(ConfidenceInterval { low: interval[0], high: interval[1], level }),
            n_runs: facts.iter().filter(|fact| fact.result.is_some()).count() as u64,
            n_requested: facts.len() as u64,
            n_games: judged.n_games(facts.iter().chain(&self.baseline)),
            config_ids: config_ids(facts),
            ..blank(GAIN, &self.success.claim, &self.scope.context().named(&self.success.each, &self.place.labels))
        })
    }
}

/// Whether two runs have the same seed, and met the same opponent run if each meets several.
fn is_pair(one: &Fact<'_>, other: &Fact<'_>) -> bool {
    (one.seed, one.opponent_run) == (other.seed, other.opponent_run)
}

fn is_above(interval: Interval) -> bool {
    interval.low > 0.0
}

/// The point with the error and the interval of the second mean, whose error is at least that of the first one, which is
/// over runs; and the error over runs if it is smaller. `verdict` decides an interval.
pub(super) fn by_larger<T: PartialEq>(
    point: Point,
    means: Option<[RunMean; 2]>,
    range: [f64; 2],
    level: f64,
    verdict: impl Fn(Interval) -> T,
) -> (Point, Option<SmallerError>) {
    let Some([runs, larger]) = means else { return (Point { interval: None, ..point }, None) };
    let [alone, interval] = [runs, larger].map(|mean| mean.interval(level).within(range));
    let is_of_runs = point.error.is_some_and(|error| error.kind == ErrorKind::StandardError);
    let is_smaller = exceeds(larger.error, runs.error) && is_of_runs;
    let error = Spread {
        size: larger.error,
        kind: if is_smaller {
            ErrorKind::Games
        } else {
            point.error.map_or(ErrorKind::StandardError, |error| error.kind)
        },
    };
    let Interval { low, high } = interval;
    let changes_verdict = verdict(alone) != verdict(interval);
    // Several runs that ended alike have the error of their games, in an interval over runs.
    let are_alike = !is_smaller && error.kind == ErrorKind::Games && point.n_runs > 1;
    let floor = are_alike.then_some(error.size);
    let point = Point { error: Some(error), interval: Some(ConfidenceInterval { low, high, level }), floor, ..point };
    (point, is_smaller.then_some(SmallerError { error: runs.error, changes_verdict }))
}
