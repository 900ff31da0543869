//! One job of a plan as a pure function: spec, seed and upstream weights in, files out.
//!
//! To add a kind of job: a variant of its room's spec; only a new *room* of jobs touches this file.

use super::Files;
use crate::base::Sink;
use crate::manifest::JobSpec;
use crate::measure::Inputs;

/// The file that holds a job's numbers, as JSON.
pub const RESULT: &str = "result.json";

/// The file that holds trained weights.
pub const WEIGHTS: &str = "weights.safetensors";

/// The file that holds game records, as JSON lines.
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
            let trained = train.run(seed, resume, sink)?;
            Ok(vec![file(WEIGHTS, trained.weights), file(RESULT, serde_json::to_vec(&trained.result)?)])
        }
        JobSpec::Play(play) => {
            let played = play.run(seed, upstream, resume, sink)?;
            Ok(vec![file(GAMES, played.games), file(RESULT, serde_json::to_vec(&played.result)?)])
        }
        JobSpec::Measure(measure) => {
            let measured = measure.run(seed, upstream, inputs, sink)?;
            Ok(vec![file(RESULT, serde_json::to_vec(&measured)?)])
        }
    }
}
