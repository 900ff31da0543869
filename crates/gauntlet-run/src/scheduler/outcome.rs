//! Outcomes of tasks and of runs.

use serde::{Deserialize, Serialize};

use gauntlet_store::Error;

/// How a task ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TaskOutcome {
    /// It is done.
    Done,
    /// It failed, for this reason; others may succeed.
    Failed(String),
    /// A result that it reads was damaged, and was discarded: it can run when the other job has run again.
    Damaged(String),
    /// It failed for a reason that would fail the others too (a full disk).
    Fatal(String),
    /// It stopped on request; the next run continues.
    Interrupted,
    /// Another process works on it; try again later.
    Busy,
}

impl TaskOutcome {
    /// Whether the task will not be tried again in this round.
    #[must_use]
    pub fn is_final(&self) -> bool {
        !matches!(self, TaskOutcome::Interrupted | TaskOutcome::Busy)
    }

    /// The outcome of a task whose store cannot be read or written: other tasks would fail too.
    #[must_use]
    pub fn of_store(error: Error) -> TaskOutcome {
        let hint = error.hint();
        TaskOutcome::Fatal(format!("{:#}\nhint: {hint}", anyhow::Error::from(error)))
    }
}

/// The outcomes of the tasks of a graph, by number; each task that was not done before is in exactly one list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// Done.
    pub done: Vec<usize>,
    /// Failed, with the reason.
    pub failed: Vec<(usize, String)>,
    /// Never started, because a dependency failed.
    pub skipped: Vec<usize>,
    /// Stopped or never started, because of an interrupt, a fatal failure, or a failure under fail-fast.
    pub unfinished: Vec<usize>,
    /// Whether the stop was requested from outside (not by fail-fast).
    pub interrupted: bool,
    /// Whether a task failed because a result that it reads was damaged.
    pub damaged: bool,
}

impl Summary {
    /// Whether every task is done.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.failed.is_empty() && self.skipped.is_empty() && self.unfinished.is_empty()
    }
}

/// How a run ended.
pub enum RunOutcome<T> {
    /// Every job was tried, with these results.
    Finished(T),
    /// It was stopped on request; running again continues.
    Interrupted,
    /// Results were damaged again in every round.
    Damaged,
}

/// What a run leaves to the cluster when it detaches.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Detached {
    /// Jobs that are queued or run.
    pub submitted: usize,
    /// Names of jobs that have to run and are not submitted.
    pub unsubmitted: Vec<String>,
}
