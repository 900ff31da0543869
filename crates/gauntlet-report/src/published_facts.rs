//! Results of jobs from a published table of runs, as far as it holds them: the scalar numbers. Lists are lost: the
//! scores of single games, the results of pairs, and with them the number of games of a fitness whose wins are not counted.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::facts::Facts;
use super::published_runs::{PublishedRun, RunIdentity, number_of};
use super::runs::{EVALUATIONS, RunRow};
use gauntlet_plan::manifest::{Plan, PlanJob};

/// The result of each job of a plan, in order; `None` for jobs that the table does not hold.
#[must_use]
pub fn results(plan: &Plan, runs: &[PublishedRun]) -> Vec<Option<Value>> {
    let result = |(run, job): (Option<&PublishedRun>, &PlanJob)| Some(result_of(plan, job, run?));
    found(plan, runs).into_iter().zip(&plan.jobs).map(result).collect()
}

/// The run of each job of a plan, in order, if the table holds it.
#[must_use]
pub fn found<'r>(plan: &Plan, runs: &'r [PublishedRun]) -> Vec<Option<&'r PublishedRun>> {
    let known: BTreeMap<&RunIdentity, &PublishedRun> = runs.iter().map(|run| (&run.identity, run)).collect();
    identities(plan).iter().map(|identity| known.get(identity).copied()).collect()
}

/// The result of a job from its published run.
#[must_use]
pub fn result_of(plan: &Plan, job: &PlanJob, run: &PublishedRun) -> Value {
    let (result, config) = (result(run), plan.config(job));
    // A fitness is the scores of its games; their order here is not that of the games. Where another seed only adds games,
    // those of a match are the basis of the error, as if they were independent.
    let has_scores = config.spec.kind() == "measure" || !config.varies_by_run();
    readable(if has_scores { with_scores(result) } else { result })
}

/// The identities of the jobs of a plan, in order.
#[must_use]
pub fn identities(plan: &Plan) -> Vec<RunIdentity> {
    let facts = Facts::of(plan, plan.jobs.iter().map(|_| None));
    let rows = facts.all().zip(&plan.jobs);
    rows.map(|(fact, job)| RunIdentity::of(&RunRow::new("", &fact, job.key, String::new()))).collect()
}

/// The result of a run, with the mean score on the scale of job files.
fn result(run: &PublishedRun) -> Value {
    let mut whole = Value::Object(Map::new());
    let number = |name: &str| run.numbers.iter().find(|(own, _)| own == name).map(|(_, text)| text.as_str());
    for (name, text) in &run.numbers {
        let Some((path, value)) = number_of(name, text) else { continue };
        let value = if EVALUATIONS.contains(&path) { json!(value.as_f64().map(from_share)) } else { value };
        match path.strip_prefix("last.") {
            Some(path) => put(&mut whole, &format!("curve.{path}"), value),
            None => put(&mut whole, path, value),
        }
    }
    if let Some(last) = whole.get_mut("curve").map(Value::take) {
        whole["curve"] = json!([last]);
    }
    let fitness = number("fitness").and_then(|text| text.parse::<f64>().ok());
    let score = number("score").and_then(|text| text.parse::<f64>().ok());
    if let Some(mean) = fitness.or_else(|| score.map(from_share)) {
        whole["mean"] = json!(mean);
    }
    whole
}

/// A result with the scores of its games, if they are counted.
fn with_scores(mut result: Value) -> Value {
    let count = |name: &str| Some(result.get(name)?.as_u64()? as usize);
    if let (Some(wins), Some(draws), Some(losses)) = (count("wins"), count("draws"), count("losses")) {
        result["scores"] = json!(["W".repeat(wins), "D".repeat(draws), "L".repeat(losses)].concat());
    }
    result
}

/// The same in the form of a job's file: with empty lists instead of those that the table lacks, and without parts that
/// consist of texts too.
fn readable(mut result: Value) -> Value {
    if let Some(fields) = result.as_object_mut() {
        fields.retain(|part, _| !["engines", "sprt", "timed", "program"].contains(&part.as_str()));
        for (list, empty) in [("players", json!([])), ("meetings", json!([])), ("scores", json!(""))] {
            fields.entry(list).or_insert(empty);
        }
    }
    if let Some(entry) = result.pointer_mut("/curve/0").and_then(Value::as_object_mut) {
        entry.remove("promoted");
        entry.insert("fitness".to_owned(), json!([]));
    }
    result
}

/// A mean score from -1 to 1 of one from 0 to 1.
fn from_share(share: f64) -> f64 {
    2.0 * share - 1.0
}

/// Puts a value at a dotted path.
fn put(whole: &mut Value, path: &str, value: Value) {
    let (first, rest) = path.split_once('.').map_or((path, None), |(first, rest)| (first, Some(rest)));
    let Some(fields) = whole.as_object_mut() else { return };
    match rest {
        None => drop(fields.insert(first.to_owned(), value)),
        Some(rest) => put(fields.entry(first).or_insert_with(|| Value::Object(Map::new())), rest, value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::published_runs::parse;

    #[test]
    fn a_row_becomes_the_result_that_it_was() {
        let text = "manifest,stage,kind,seed,key,done,last.games,last.score,games,resigned.wrong,wins,draws,losses,score\n\
                    m,train,train,1,k,true,20,0.75,20,,,,,\nm,test,play,1,k,true,,,4,1,2,1,1,0.625\n";
        let runs = parse(text).unwrap();
        assert_eq!(result(&runs[0]), json!({ "curve": [{ "games": 20, "score": 0.5 }], "games": 20 }));
        let played = with_scores(result(&runs[1]));
        assert_eq!(played["mean"], 0.25);
        assert_eq!((&played["resigned"]["wrong"], &played["scores"]), (&json!(1), &json!("WWDL")));
    }
}
