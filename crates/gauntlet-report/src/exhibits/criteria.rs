//! Success criteria: the verdict of the numbers on the claims of a manifest, and whether a claim precedes its numbers.

use super::equivalence;
use super::gains::{Claimed, GAIN, Gain};
use super::scope::ExhibitScope;
use gauntlet_exhibits::blank;
use gauntlet_exhibits::configuration::Configuration;
use gauntlet_exhibits::frame::{Fact, FactGroup, group};
use gauntlet_exhibits::sheet::{Criterion, WrittenAfter};
use gauntlet_exhibits::{Labels, Over, Success};
use gauntlet_plan::manifest::exhibit::Exhibit;
use gauntlet_plan::manifest::{Config, Plan};
use gauntlet_ratings::equivalence::EquivalenceDecision;
use gauntlet_store::Precedence;

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
        let baseline: Vec<Fact<'_>> =
            others.into_iter().filter(|fact| is_baseline(success, |labels| fact.has(labels))).collect();
        let written = written_after(scope, success, place.facts.iter().chain(&baseline));
        let (Gain { point, comparison, smaller }, equivalence) = match (&success.equivalent, &success.over) {
            (Some(claim), _) => equivalence::judge(scope, success, claim, place),
            (None, Some(over)) => (Claimed { scope, success, place, baseline }.gain(over), None),
            (None, None) => (Gain { point: blank(GAIN, &success.claim, ""), comparison: None, smaller: None }, None),
        };
        let met = match success.equivalent {
            Some(_) => equivalence.is_some_and(|found| found.decision == EquivalenceDecision::Equivalent),
            None => point.interval.is_some_and(|interval| interval.low > 0.0),
        };
        Criterion { claim: success.claim.clone(), met, gain: point, equivalence, comparison, smaller, written }
    };
    places(scope, success, facts).iter().map(judged).collect()
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
