//! `gauntlet worker`: runs one task that a run has written to a file. For executors, not for people.

use std::path::PathBuf;

use clap::Args;

use super::output::{Misuse, tell};
use super::{Exit, Flags};
use crate::base::CorePool;
use crate::scheduler::{Stop, Task, TaskError, TaskOutcome, heed_input, serve, stop_on_signals};

/// Run one task that a run has written to a file
#[derive(Debug, Args)]
pub struct Worker {
    /// The task; progress and outcome are written beside it
    #[arg(value_name = "TASK.json")]
    task: PathBuf,
    /// Use as many cores as the last line of the standard input says, and stop when it ends
    #[arg(long)]
    until_eof: bool,
}

impl Worker {
    /// Runs the task and commits its result to the store.
    pub fn run(&self, flags: &Flags) -> anyhow::Result<Exit> {
        // The end of the input is no signal: after it, the first signal is still the first.
        let input = Stop::default();
        let stop = input.child();
        // A second handler in one process (tests) is refused; the first one stays.
        let _ = stop_on_signals(&stop);
        let cores = CorePool::new(flags.threads_per_job().unwrap_or(1));
        if self.until_eof {
            heed_input(&input, &cores);
        }
        let refused = |error: TaskError| Misuse::new(error.to_string(), error.hint());
        let task = Task::load(&self.task).map_err(refused)?;
        let outcome = serve(&task, self.task.clone(), &flags.store()?, flags.data.as_deref(), cores.enter(), &stop);
        Ok(told(&task, &outcome))
    }
}

/// Says what went wrong, and what that means for scripts.
fn told(task: &Task, outcome: &TaskOutcome) -> Exit {
    match outcome {
        TaskOutcome::Done => Exit::Done,
        TaskOutcome::Interrupted => Exit::Interrupted,
        TaskOutcome::Failed(reason) | TaskOutcome::Fatal(reason) => {
            tell(&format!("failed: {}: {reason}", task.name));
            Exit::JobFailed
        }
        TaskOutcome::Damaged(reason) => {
            tell(&format!("failed: {}: {reason}", task.name));
            Exit::Damaged
        }
        TaskOutcome::Busy => {
            tell(&format!("failed: {}: another process works on it", task.name));
            Exit::JobFailed
        }
    }
}
