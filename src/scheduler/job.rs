//! One job of a plan as a pure function: spec, seed and upstream weights in, files out.
//!
//! To add a kind of job: a variant of its room's spec; only a new *room* of jobs touches this file.

use crate::arena::TrainedWeights;
use crate::base::Sink;
use crate::manifest::JobSpec;
use crate::measure::Inputs;

/// What a job returns: names and contents.
pub type Files = Vec<(String, Vec<u8>)>;

/// The file that holds a job's numbers, as JSON.
pub const RESULT: &str = "result.json";

/// The file that holds trained weights.
pub const WEIGHTS: &str = "weights.safetensors";

/// The file that holds the weights of a kept iteration, or those that the training ended with.
#[must_use]
pub fn weights_file(iteration: Option<u32>) -> String {
    iteration.map_or_else(|| WEIGHTS.to_owned(), |iteration| format!("weights-{iteration}.safetensors"))
}

/// The file that holds the metrics of a training, as JSON lines. AlphaZero's grows while it runs.
pub const METRICS: &str = "metrics.jsonl";

/// The file that holds game records, as JSON lines.
pub const GAMES: &str = "games.jsonl";

/// Does a job.
///
/// `trained` are the weights of the jobs that it waits for, `inputs` the files that it reads from the data directory,
/// `resume` its own last checkpoint.
///
/// # Errors
/// When the job fails, or the sink interrupts it.
pub fn execute(
    spec: &JobSpec,
    seed: u64,
    trained: &TrainedWeights,
    inputs: &Inputs,
    resume: Option<&[u8]>,
    sink: &mut dyn Sink,
) -> anyhow::Result<Files> {
    let file = |name: &str, bytes: Vec<u8>| (name.to_owned(), bytes);
    match spec {
        JobSpec::Train(train) => {
            let learned = train.run(seed, resume, sink)?;
            let mut files = vec![file(WEIGHTS, learned.weights), file(RESULT, serde_json::to_vec(&learned.result)?)];
            files.push(file(METRICS, learned.metrics));
            files.extend(learned.kept.into_iter().map(|kept| (weights_file(Some(kept.iteration)), kept.weights)));
            Ok(files)
        }
        JobSpec::Play(play) => {
            let played = play.run(seed, trained, resume, sink)?;
            Ok(vec![file(GAMES, played.games), file(RESULT, serde_json::to_vec(&played.result)?)])
        }
        JobSpec::Measure(measure) => {
            let measured = measure.run(seed, trained.of("agent"), inputs, sink)?;
            Ok(vec![file(RESULT, serde_json::to_vec(&measured)?)])
        }
    }
}
