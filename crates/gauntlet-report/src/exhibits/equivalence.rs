//! The verdict of the numbers on a claim of equivalence: the difference of a player and its opponent in Elo.
//!
//! It follows from the mean score by one conversion for all games together. The interval of the score is that of all
//! pairs of games if another seed only adds games, else Student's over runs, by the larger of the errors over runs and
//! over games.

use super::gains::{Gain, by_larger};
use super::scope::ExhibitScope;
use gauntlet_exhibits::counted::{CountedGames, games_of_all};
use gauntlet_exhibits::estimate::{Sample, over_games, over_runs, run_mean};
use gauntlet_exhibits::frame::{Fact, FactGroup};
use gauntlet_exhibits::sheet::{ConfidenceInterval, Point, Spread};
use gauntlet_exhibits::{EquivalenceVerdict, Equivalent, OutcomeScale, SmallerError, Success};
use gauntlet_ratings::MeanScore;
use gauntlet_ratings::elo_conversion::EloConversion;
use gauntlet_ratings::equivalence::EquivalenceDecision;
use gauntlet_ratings::intervals::Interval;

/// The range of mean scores.
const SCORES: [f64; 2] = [0.0, 1.0];

/// The difference at one place, with the verdict if it was measured.
pub(super) fn judge(
    scope: &ExhibitScope<'_>,
    success: &Success,
    claim: &Equivalent,
    place: &FactGroup<'_>,
) -> (Gain, Option<EquivalenceVerdict>) {
    let phrase = scope.context().named(&success.each, &place.labels);
    let cell = [claim.elo(), &success.claim, &phrase];
    let nothing = || {
        let point = over_runs(SCORES, cell, &place.facts, &Sample::from(Vec::new()));
        Gain { point, comparison: None, smaller: None }
    };
    let Some(games) = games_of_all(&place.facts) else { return (nothing(), None) };
    let results = games.match_counts();
    let (Some(conversion), Some(all)) = (EloConversion::of(claim.scale, &results), games.score()) else {
        return (nothing(), None);
    };
    let (score, smaller) = mean_score(claim, cell, &place.facts, all, &conversion);
    let in_elo_too =
        |score: f64, found: SmallerError| SmallerError { error: conversion.error(score, found.error), ..found };
    let smaller = score.value.zip(smaller).map(|(score, found)| in_elo_too(score, found));
    let point = in_elo(score, &conversion);
    let is_over_runs = place.facts.iter().any(|fact| fact.config.varies_by_run);
    let needed = claim.needed_for(&results).filter(|_| !is_over_runs);
    let verdict = EquivalenceVerdict {
        claim: *claim,
        decision: decision(claim, &point),
        units: results.units(),
        are_pairs: matches!(games, CountedGames::Pairs(_)),
        needed,
    };
    (Gain { point, comparison: None, smaller }, Some(verdict))
}

/// The mean score of all games; or over runs, with the larger of the errors over runs and over games.
fn mean_score(
    claim: &Equivalent,
    cell: [&str; 3],
    facts: &[Fact<'_>],
    all: MeanScore,
    conversion: &EloConversion,
) -> (Point, Option<SmallerError>) {
    let level = claim.test().coverage();
    let sample = Sample::of(facts, |fact| Some(OutcomeScale::Outcome.convert(fact.mean()?)));
    if !facts.iter().any(|fact| fact.config.varies_by_run) {
        let Interval { low, high } = all.interval(level);
        let interval = Some(ConfidenceInterval { low, high, level });
        let point = over_games(all, SCORES, cell, facts, &sample);
        return (Point { value: Some(all.value), interval, ..point }, None);
    }
    let point = over_runs(SCORES, cell, facts, &sample);
    let means = run_mean(&point, &sample).map(|mean| [mean, mean.at_least(Some(all.error))]);
    let score = point.value;
    let verdict = |interval: Interval| Some(claim.test().decision(conversion.interval(score?, interval)));
    by_larger(point, means, SCORES, level, verdict)
}

/// The point with its score converted to a difference in Elo.
fn in_elo(point: Point, conversion: &EloConversion) -> Point {
    let Some(score) = point.value else { return point };
    let error = point.error.map(|error| Spread { size: conversion.error(score, error.size), ..error });
    let interval = point.interval.map(|ConfidenceInterval { low, high, level }| {
        let Interval { low, high } = conversion.interval(score, Interval { low, high });
        ConfidenceInterval { low, high, level }
    });
    let floor = point.floor.map(|floor| conversion.error(score, floor));
    Point { value: Some(conversion.elo(score)), error, interval, floor, ..point }
}

fn decision(claim: &Equivalent, point: &Point) -> EquivalenceDecision {
    let interval = point.interval.map(|ConfidenceInterval { low, high, .. }| Interval { low, high });
    interval.map_or(EquivalenceDecision::Undecided, |interval| claim.test().decision(interval))
}
