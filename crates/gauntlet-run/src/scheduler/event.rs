//! The events of a run: the one interface between workers and displays.
//!
//! A job reports to its worker through the [`Sink`](gauntlet_games::base::Sink); all other code uses [`RunEvent`]s.
//! Bars, plain lines, the file that `status` and `watch` read, and recordings are [`Listener`]s of the same events.
//! Events are plain data, so that a recording can be played back to any listener.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::graph::TaskNode;
use super::outcome::{Detached, Summary, TaskOutcome};
use super::progress::JobProgress;
use gauntlet_store::Holder;

/// An event of a run. Tasks are identified by their numbers in the batch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunEvent {
    /// Another process runs on the results tree, and this one waits for it. Sent once.
    TreeHeld {
        /// The results tree.
        tree: String,
        /// The other process, if its file can be read.
        holder: Option<Holder>,
        /// The file that holds the lock, if there is one.
        file: Option<String>,
    },
    /// A round begins, with this content of the store. Further rounds of a race have no such event.
    RoundPlanned(RoundPlan),
    /// The tasks of a round are about to start.
    RoundStarted {
        /// The tasks, by their numbers.
        tasks: BTreeMap<usize, TaskNode>,
    },
    /// A task was submitted to a queue.
    TaskQueued {
        /// Its number.
        task: usize,
    },
    /// A task started.
    TaskStarted {
        /// Its number.
        task: usize,
    },
    /// A task made progress. Sent at most about ten times a second for each task.
    TaskProgress {
        /// Its number.
        task: usize,
        /// Its whole progress so far.
        progress: JobProgress,
    },
    /// A task ended.
    TaskEnded {
        /// Its number.
        task: usize,
        /// How it ended.
        outcome: TaskOutcome,
    },
    /// All tasks of a round have ended.
    RoundEnded(Summary),
    /// The run left its jobs to the cluster.
    Detached(Detached),
    /// A message, which `--quiet` hides.
    Note(String),
    /// A message, which is always shown.
    Warning(String),
}

/// The content of the store for the jobs of a round.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RoundPlan {
    /// Tasks at a time.
    pub slots: usize,
    /// Whether they are array tasks of a cluster.
    pub on_cluster: bool,
    /// All jobs.
    pub jobs: usize,
    /// Jobs that never ran.
    pub new: usize,
    /// Jobs that have a result.
    pub done: usize,
    /// Jobs with a result of other code.
    pub stale: usize,
    /// Jobs with a damaged result.
    pub damaged: usize,
    /// Accepted results of older code.
    pub accepted: usize,
    /// Verified results of older code.
    pub verified: usize,
    /// Jobs that continue from a checkpoint.
    pub from_checkpoint: usize,
    /// Jobs that continue a shorter training.
    pub from_shorter: usize,
    /// Estimated seconds of remaining work.
    pub seconds_left: f64,
}

/// Receives the events of a run.
pub trait Listener {
    /// Takes one event.
    fn event(&mut self, event: &RunEvent);

    /// Called about ten times a second while tasks run, so that displays can be redrawn.
    fn tick(&mut self) {}
}

/// Ignores all events.
impl Listener for () {
    fn event(&mut self, _event: &RunEvent) {}
}

/// Passes each event to two listeners, the first one first.
impl<A: Listener, B: Listener> Listener for (A, B) {
    fn event(&mut self, event: &RunEvent) {
        self.0.event(event);
        self.1.event(event);
    }

    fn tick(&mut self) {
        self.0.tick();
        self.1.tick();
    }
}

impl<L: Listener + ?Sized> Listener for &mut L {
    fn event(&mut self, event: &RunEvent) {
        (**self).event(event);
    }

    fn tick(&mut self) {
        (**self).tick();
    }
}

impl<L: Listener> Listener for Option<L> {
    fn event(&mut self, event: &RunEvent) {
        self.iter_mut().for_each(|listener| listener.event(event));
    }

    fn tick(&mut self) {
        self.iter_mut().for_each(Listener::tick);
    }
}
