//! How tasks end: one of them, and all of a run.

use serde::{Deserialize, Serialize};

use crate::store::Error;

/// How a task ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TaskOutcome {
    /// It is done.
    Done,
    /// It failed, for this reason; others may succeed.
    Failed(String),
    /// A result that it reads turned out damaged, and was discarded: it can run when the other job has run again.
    Damaged(String),
    /// It failed for a reason that will fail the others too (a full disk).
    Fatal(String),
    /// It was asked to stop, and did; the next run continues.
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

    /// The end of a task whose store cannot be read or written: it will fail the others too.
    #[must_use]
    pub fn of_store(error: Error) -> TaskOutcome {
        let hint = error.hint();
        TaskOutcome::Fatal(format!("{:#}\nhint: {hint}", anyhow::Error::from(error)))
    }
}

/// What became of the tasks of a graph, by id; every task that was not done before is in exactly one of the lists.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// Done.
    pub done: Vec<usize>,
    /// Failed, with the reason.
    pub failed: Vec<(usize, String)>,
    /// Never started, because a task that they wait for failed.
    pub skipped: Vec<usize>,
    /// Stopped or never started, because of an interrupt, a fatal failure, or a failure under fail-fast.
    pub unfinished: Vec<usize>,
    /// Whether the stop was requested from outside (in contrast to fail-fast).
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

/// What a run leaves to the cluster when it detaches.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Detached {
    /// Jobs that are queued or run.
    pub submitted: usize,
    /// Names of jobs that have to run and are not submitted.
    pub unsubmitted: Vec<String>,
}
