//! Success criteria: the verdict of the numbers on the claims of a manifest, and whether a claim precedes its numbers.

use super::equivalence;
use super::scope::ExhibitScope;
use crate::exhibits::counted::score_of_all;
use crate::exhibits::estimate::{Sample, blank, interval_over_runs, over_runs};
use crate::exhibits::frame::{Configuration, Fact, FactGroup, config_ids, group};
use crate::exhibits::sheet::{ConfidenceInterval, Criterion, Point, Spread, WrittenAfter};
use crate::exhibits::{Labels, Over, Success};
use crate::manifest::exhibit::Exhibit;
use crate::manifest::{Config, Plan};
use crate::store::Precedence;
use gauntlet_ratings::equivalence::EquivalenceDecision;

/// The label of a claim's gain.
const GAIN: &str = "gain";

/// Decides every criterion of an exhibit, at each of its places.
pub(super) fn decide(scope: &ExhibitScope<'_>) -> Vec<Criterion> {
    let exhibit = scope.exhibit;
    let facts = scope.facts.frame().stages(&scope.about().stages());
    exhibit.success.iter().flat_map(|success| judge(scope, success, &facts)).collect()
}

fn judge(scope: &ExhibitScope<'_>, success: &Success, facts: &[Fact<'_>]) -> Vec<Criterion> {
    let judged = |place: &FactGroup<'_>| {
        let others = group(facts, &success.each).into_iter().find(|group| group.labels == place.labels);
        let others = others.map_or(Vec::new(), |group| group.facts);
        let (gain, equivalence) = match (&success.equivalent, &success.over) {
            (Some(claim), _) => equivalence::judge(scope, success, claim, place),
            (None, Some(over)) => (mean_gain(scope, success, over, place, &others), None),
            (None, None) => (blank(GAIN, &success.claim, ""), None),
        };
        let met = match success.equivalent {
            Some(_) => equivalence.is_some_and(|found| found.decision == EquivalenceDecision::Equivalent),
            None => gain.interval.is_some_and(|interval| interval.low > 0.0),
        };
        let baseline = others.iter().filter(|fact| is_baseline(success, |labels| fact.has(labels)));
        let written = written_after(scope, success, place.facts.iter().chain(baseline));
        Criterion { claim: success.claim.clone(), met, gain, equivalence, written }
    };
    places(scope, success, facts).iter().map(judged).collect()
}

/// The gain over all games, or else over runs.
fn mean_gain(
    scope: &ExhibitScope<'_>,
    success: &Success,
    over: &Over,
    place: &FactGroup<'_>,
    others: &[Fact<'_>],
) -> Point {
    over_all_games(scope, success, over, place, others).unwrap_or_else(|| {
        let gains = Sample::of(&place.facts, |fact| gain(scope, over, fact, others));
        point(scope, success, over, place, &gains)
    })
}

/// The indices in a plan of the jobs whose results decide a claim.
#[must_use]
pub fn judged(plan: &Plan, exhibit: &Exhibit, success: &Success) -> Vec<usize> {
    let stages = exhibit.show.stages();
    let is_judged = |config: &Config| {
        let has = |labels: &Labels| labels.iter().all(|(axis, label)| config.label(axis).as_deref() == Some(label));
        stages.contains(&config.stage.as_str()) && (has(&success.of) || is_baseline(success, has))
    };
    let configs: Vec<bool> = plan.configs.iter().map(is_judged).collect();
    (0..plan.jobs.len()).filter(|&at| configs[plan.jobs[at].config]).collect()
}

/// Whether runs belong to the baseline of a claim.
fn is_baseline(success: &Success, has: impl Fn(&Labels) -> bool) -> bool {
    matches!(&success.over, Some(Over::Runs(labels)) if has(labels))
}

/// The number of results of these runs that precede the claim.
fn written_after<'a>(
    scope: &ExhibitScope<'_>,
    success: &Success,
    facts: impl Iterator<Item = &'a Fact<'a>>,
) -> Option<WrittenAfter> {
    let known = scope.facts.frame().precedences.as_ref()?.get(&scope.exhibit.criterion_key(success))?;
    let found: Vec<Precedence> = facts
        .filter(|fact| fact.result.is_some())
        .map(|fact| known.get(&fact.at).copied().unwrap_or(Precedence::Unknown))
        .collect();
    let count = |wanted: Precedence| found.iter().filter(|precedence| **precedence == wanted).count() as u64;
    let (seen, unknown) = (count(Precedence::After), count(Precedence::Unknown));
    Some(WrittenAfter { seen, unknown, of: found.len() as u64 })
}

/// The judged runs, by place. A place whose jobs were left out has none, and its claim stays undecided.
fn places<'a>(scope: &ExhibitScope<'_>, success: &Success, facts: &[Fact<'a>]) -> Vec<FactGroup<'a>> {
    let own: Vec<Fact<'_>> = facts.iter().filter(|fact| fact.has(&success.of)).copied().collect();
    let mut places = group(&own, &success.each);
    let stages = scope.about().stages();
    let label = |config: &Configuration<'_>, axis: &String| config.label(axis).unwrap_or_default();
    for config in scope.facts.frame().configs.iter().filter(|config| stages.contains(&config.stage.as_str())) {
        let labels: Vec<String> = success.each.iter().map(|axis| label(config, axis)).collect();
        let is_judged = success.of.iter().all(|(axis, wanted)| label(config, axis) == *wanted);
        if is_judged && places.iter().all(|place| place.labels != labels) {
            places.push(FactGroup { labels, facts: Vec::new() });
        }
    }
    places
}

/// The gain of one run over the number, or over the run of the same seed.
fn gain(scope: &ExhibitScope<'_>, over: &Over, fact: &Fact<'_>, others: &[Fact<'_>]) -> Option<f64> {
    let scale = scope.about().scale;
    let result = |fact: &Fact<'_>| fact.number("mean").map(|mean| scale.convert(mean));
    let baseline = match over {
        Over::Number(number) => *number,
        Over::Runs(labels) => result(others.iter().find(|other| is_pair(fact, other) && other.has(labels))?)?,
    };
    Some(result(fact)? - baseline)
}

/// Whether two runs have the same seed, and met the same opponent run if each meets several.
fn is_pair(one: &Fact<'_>, other: &Fact<'_>) -> bool {
    (one.seed, one.opponent_run) == (other.seed, other.opponent_run)
}

/// The gain over all games of both sides, if another run only adds games: without training and random weights, the
/// games of equal seeds are not pairs.
fn over_all_games(
    scope: &ExhibitScope<'_>,
    success: &Success,
    over: &Over,
    place: &FactGroup<'_>,
    others: &[Fact<'_>],
) -> Option<Point> {
    let (own, level) = (score_of_all(&place.facts)?, success.interval);
    let [low, high] = scope.about().scale.range();
    let width = high - low;
    let (baseline, [value, error], interval) = match over {
        Over::Number(number) => {
            let above = |share: f64| low + width * share - number;
            let range = own.interval(level);
            (Vec::new(), [above(own.value), width * own.error], [above(range.low), above(range.high)])
        }
        Over::Runs(labels) => {
            let baseline: Vec<Fact<'_>> = others.iter().filter(|other| other.has(labels)).copied().collect();
            let other = score_of_all(&baseline)?;
            let ((value, error), range) = (own.less(&other), own.interval_less(&other, level));
            (baseline, [value, error].map(|size| width * size), [range.low, range.high].map(|end| width * end))
        }
    };
    let n_runs = place.facts.iter().filter(|fact| fact.result.is_some()).count() as u64;
    Some(Point {
        value: Some(value),
        error: Some(Spread::over_games(error)),
        interval: Some(ConfidenceInterval { low: interval[0], high: interval[1], level }),
        n_runs,
        n_requested: place.facts.len() as u64,
        n_games: place.facts.iter().chain(&baseline).map(Fact::games).sum(),
        config_ids: config_ids(&place.facts),
        ..blank(GAIN, &success.claim, &scope.context().phrase(&place.labels))
    })
}

/// The mean gain over runs.
fn point(scope: &ExhibitScope<'_>, success: &Success, over: &Over, place: &FactGroup<'_>, gains: &Sample) -> Point {
    let [low, high] = scope.about().scale.range();
    let range = match over {
        Over::Number(number) => [low - number, high - number],
        Over::Runs(_) => [low - high, high - low],
    };
    let phrase = scope.context().phrase(&place.labels);
    let point = over_runs(range, GAIN, (&success.claim, &phrase), &place.facts, gains);
    let interval = interval_over_runs(range, &point, gains, success.interval);
    Point { interval, ..point }
}
