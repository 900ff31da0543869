//! One job of a plan as a pure function: spec, seed and upstream weights in, files out.

use crate::jobs::{Files, Given, Inputs, TrainedWeights};
use crate::manifest::JobSpec;
use gauntlet_games::base::{ResumePoint, Sink};

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
    resume: Option<&ResumePoint>,
    sink: &mut dyn Sink,
) -> anyhow::Result<Files> {
    let given = Given { seed, trained, inputs, checkpoint: resume };
    spec.job().run(&given, sink).map_err(anyhow::Error::from_boxed)
}
