//! `gauntlet worker`: runs one task from a file that a run has written. For executors, not for users.

use std::path::PathBuf;

use clap::Args;

use super::output::{Misuse, tell};
use super::{Exit, Flags};
use crate::app::Options;
use gauntlet_games::base::CorePool;
use gauntlet_play::engines::allow_all;
use gauntlet_run::scheduler::{Stop, Task, TaskError, TaskOutcome, serve, serve_pack, stop_on_signals, watch_input};

/// Run one task that a run has written to a file
#[derive(Debug, Args)]
pub struct Worker {
    /// The task; progress and outcome are written beside it
    #[arg(value_name = "TASK.json", required_unless_present = "submission")]
    task: Option<PathBuf>,
    /// Directory of a submission to a cluster; this process is one of its array tasks
    #[arg(long, value_name = "DIR", conflicts_with = "task")]
    submission: Option<PathBuf>,
    /// Use as many cores as the last line of the standard input says, and stop when the input ends
    #[arg(long)]
    until_eof: bool,
}

impl Worker {
    /// Runs the task and commits its result to the store.
    pub fn run(&self, flags: &Flags) -> anyhow::Result<Exit> {
        // The end of the input is not a signal: the next signal still counts as the first.
        let input = Stop::default();
        let stop = input.child();
        // A second handler in one process (tests) is refused; the first one stays.
        let _ = stop_on_signals(&stop);
        if flags.options.allow_engines {
            allow_all();
        }
        let cores = CorePool::new(flags.options.threads_per_job().unwrap_or(1));
        if self.until_eof {
            watch_input(&input, &cores);
        }
        let ended = self.serve(&flags.options, &cores, &stop)?;
        let exits: Vec<Exit> = ended.iter().map(|(name, outcome)| exit_of(name, outcome)).collect();
        let worst = exits.into_iter().find(|exit| *exit != Exit::Done);
        let is_cut_off = stop.is_requested() && (ended.is_empty() || self.submission.is_some());
        Ok(worst.unwrap_or(if is_cut_off { Exit::Interrupted } else { Exit::Done }))
    }

    /// Runs the task or the pack, and returns the names of the tasks with their outcomes.
    fn serve(&self, options: &Options, cores: &CorePool, stop: &Stop) -> anyhow::Result<Vec<(String, TaskOutcome)>> {
        let (device, data) = (&options.own_class, options.data.as_deref());
        if let Some(submission) = &self.submission {
            let hint = "submissions are made by `gauntlet run --executor slurm`; run that again";
            return serve_pack(submission, device, &options.store()?, data, cores, stop)
                .map_err(|error| Misuse::new(error.to_string(), hint));
        }
        let refused = |error: TaskError| Misuse::new(error.to_string(), error.hint());
        let path = self.task.clone().unwrap_or_default();
        let task = Task::load(&path, device).map_err(refused)?;
        Ok(serve(&task, &path, &options.store()?, data, cores, stop))
    }
}

/// Reports the outcome, and returns its exit code.
fn exit_of(name: &str, outcome: &TaskOutcome) -> Exit {
    match outcome {
        TaskOutcome::Done => Exit::Done,
        TaskOutcome::Interrupted => Exit::Interrupted,
        TaskOutcome::Failed(reason) | TaskOutcome::Fatal(reason) => {
            tell(&format!("failed: {name}: {reason}"));
            Exit::JobFailed
        }
        TaskOutcome::Damaged(reason) => {
            tell(&format!("failed: {name}: {reason}"));
            Exit::Damaged
        }
        TaskOutcome::Busy => {
            tell(&format!("failed: {name}: another process works on it"));
            Exit::JobFailed
        }
    }
}
