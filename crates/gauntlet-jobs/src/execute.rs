//! One job of a plan as a pure function: spec, seed and upstream weights in, files out.

use crate::spec::{JobSpec, is_of_checkpoint};
use gauntlet_games::base::{ResumePoint, Sink};
use gauntlet_play::jobs::{Files, Given, Inputs, UpstreamFiles};

/// A checkpoint that is intact, but is not a state of its job. The job starts over and yields the same bytes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("its checkpoint cannot be continued: {0}")]
pub struct UnusableCheckpoint(String);

/// Does a job.
///
/// `upstream` are the files of the jobs that it depends on, `inputs` the files that it reads from the data directory,
/// `resume` its own last checkpoint.
///
/// # Errors
/// `UnusableCheckpoint` if it cannot continue from `resume`; an error if the job fails, or the sink interrupts it.
pub fn execute(
    spec: &JobSpec,
    seed: u64,
    upstream: &UpstreamFiles,
    inputs: &Inputs,
    resume: Option<&ResumePoint>,
    sink: &mut dyn Sink,
) -> anyhow::Result<Files> {
    let given = Given { seed, upstream, inputs, checkpoint: resume };
    spec.job().run(&given, sink).map_err(|error| match resume {
        Some(_) if is_of_checkpoint(&error) => UnusableCheckpoint(error.to_string()).into(),
        _ => anyhow::Error::from_boxed(error),
    })
}
