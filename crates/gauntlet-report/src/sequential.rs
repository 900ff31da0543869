//! The notes on matches that a sequential test ended: its decision, and the estimated difference, as the plain mean of
//! such a match is biased.

use super::facts::Fact;
use gauntlet_games::base::count;
use gauntlet_play::arena::SequentialResult;
use gauntlet_ratings::sprt::{EloScale, TestDecision};

/// Most matches that are listed.
const LISTED: usize = 12;

/// A note for every match with such a test.
pub(super) fn notes(facts: &[Fact<'_>]) -> Vec<String> {
    let tested: Vec<String> = facts.iter().filter_map(note).collect();
    let more = tested.len().saturating_sub(LISTED);
    let rest = (more > 0).then(|| format!("{more} more sequential tests are in the results of their jobs."));
    let bias = (!tested.is_empty()).then(|| {
        "The mean of a match that a test ended is biased away from the middle between its hypotheses.".to_owned()
    });
    tested.into_iter().take(LISTED).chain(rest).chain(bias).collect()
}

/// The note on tests that counted repeated games. Those of two deterministic engines are no new evidence.
pub(super) fn repeats(facts: &[Fact<'_>]) -> Option<String> {
    let tested = facts.iter().filter(|fact| fact.matched().is_some_and(|own| own.sprt.is_some()));
    let repeated: Vec<u64> = tested
        .map(|fact| fact.distinct().map_or(0, |distinct| fact.games().saturating_sub(distinct)))
        .filter(|&repeated| repeated > 0)
        .collect();
    let (tests, games) = (repeated.len(), repeated.iter().sum::<u64>());
    (tests > 0).then(|| {
        format!(
            "{} counted {} that repeat others. From deterministic players these are no new evidence.",
            count(tests, "sequential test"),
            count(games as usize, "game")
        )
    })
}

fn note(fact: &Fact<'_>) -> Option<String> {
    let SequentialResult { test, decision, elo, interval: [low, high], .. } = fact.matched()?.sprt.as_ref()?;
    let decision = match decision {
        TestDecision::AcceptH0 => "accepted H0",
        TestDecision::AcceptH1 => "accepted H1",
        TestDecision::Undecided => "decided nothing",
    };
    let scale = match test.scale {
        EloScale::Logistic => "logistic",
        EloScale::Normalized => "normalized",
    };
    Some(format!(
        "{}, seed {}{}: the sequential test of {} Elo {} (H0) against {} (H1) {decision} with {} games; the difference is \
         {elo:.1} Elo, 95 % interval {low:.1} to {high:.1} (median-unbiased, logistic).",
        fact.config.describe(),
        fact.seed,
        fact.opponent_run.map_or(String::new(), |opponent_run| format!(" against run {opponent_run}")),
        scale,
        test.elo0,
        test.elo1,
        fact.games()
    ))
}
