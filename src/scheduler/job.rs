//! One job of a plan as a pure function: spec, seed and upstream weights in, files out.
//!
//! To add a kind of job: a variant of its room's spec; only a new *room* of jobs touches this file.

use serde_json::json;

use super::Files;
use crate::base::{Record, Sink};
use crate::manifest::JobSpec;
use crate::measure::Inputs;

/// The file that holds a job's numbers, as JSON.
pub const RESULT: &str = "result.json";

/// The file that holds trained weights.
pub const WEIGHTS: &str = "weights.safetensors";

/// The file that holds game records, one JSON object a line.
pub const GAMES: &str = "games.jsonl";

/// Does a job.
///
/// `upstream` are the weights of the job that it waits for, `inputs` the files that it reads from the data directory,
/// `resume` its own last checkpoint.
///
/// # Errors
/// When the job fails, or the sink interrupts it.
pub fn execute(
    spec: &JobSpec,
    seed: u64,
    upstream: Option<&[u8]>,
    inputs: &Inputs,
    resume: Option<&[u8]>,
    sink: &mut dyn Sink,
) -> anyhow::Result<Files> {
    let file = |name: &str, bytes: Vec<u8>| (name.to_owned(), bytes);
    match spec {
        JobSpec::Train(train) => {
            let (checkpoint, trained) = train.run(seed, resume, sink)?;
            let games = trained.candidates() * train.games_per_candidate();
            let result = serde_json::to_vec(&json!({ "curve": trained.curve, "games": games }))?;
            Ok(vec![file(WEIGHTS, checkpoint.to_bytes()?), file(RESULT, result)])
        }
        JobSpec::Play(play) => {
            let records = play.run(seed, upstream, sink)?;
            let result = serde_json::to_vec(&summary(&records))?;
            Ok(vec![file(GAMES, lines(&records)?), file(RESULT, result)])
        }
        JobSpec::Measure(measure) => {
            let measured = measure.run(seed, upstream, inputs, sink)?;
            Ok(vec![file(RESULT, serde_json::to_vec(&measured)?)])
        }
    }
}

fn lines(records: &[Record]) -> serde_json::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    for record in records {
        serde_json::to_writer(&mut bytes, record)?;
        bytes.push(b'\n');
    }
    Ok(bytes)
}

/// The score of the match from the first player's point of view, in the form of a fitness.
fn summary(records: &[Record]) -> serde_json::Value {
    let scores: Vec<f64> = records.iter().map(|record| record.score(0)).collect();
    let letters = |score: &f64| match *score {
        score if score > 0.0 => 'W',
        score if score < 0.0 => 'L',
        _ => 'D',
    };
    let mean = scores.iter().sum::<f64>() / scores.len() as f64;
    json!({ "mean": mean, "scores": scores.iter().map(letters).collect::<String>() })
}
