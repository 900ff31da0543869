//! The notes on matches that a sequential test ended: its decision, and the estimated difference, as the plain mean of
//! such a match is biased.

use serde_json::Value;

use super::facts::Fact;

/// Most matches that are listed.
const LISTED: usize = 12;

/// A note for every match with such a test.
pub(super) fn notes(facts: &[Fact<'_>]) -> Vec<String> {
    let tested: Vec<String> = facts.iter().filter_map(note).collect();
    let more = tested.len().saturating_sub(LISTED);
    let rest = (more > 0).then(|| format!("{more} more sequential tests are in the results of their jobs."));
    let bias = (!tested.is_empty()).then(|| "The mean of a match that a test ended is biased away from 0.".to_owned());
    tested.into_iter().take(LISTED).chain(rest).chain(bias).collect()
}

fn note(fact: &Fact<'_>) -> Option<String> {
    let found = fact.result?.get("sprt")?;
    let number = |pointer: &str| found.pointer(pointer).and_then(Value::as_f64);
    let decision = match found.get("decision")?.as_str()? {
        "accept-h0" => "accepted H0",
        "accept-h1" => "accepted H1",
        _ => "decided nothing",
    };
    let scale = found.pointer("/test/scale")?.as_str()?;
    Some(format!(
        "{}, seed {}{}: the sequential test of {} Elo {} (H0) against {} (H1) {decision} with {} games; the difference is \
         {:.1} Elo, 95 % interval {:.1} to {:.1} (median-unbiased, logistic).",
        fact.config.describe(),
        fact.seed,
        fact.opponent_run.map_or(String::new(), |opponent_run| format!(" against run {opponent_run}")),
        scale,
        number("/test/elo0")?,
        number("/test/elo1")?,
        fact.games(),
        number("/elo")?,
        number("/interval/0")?,
        number("/interval/1")?
    ))
}
