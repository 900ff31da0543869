//! A run on a cluster as an executor: what the pool asks for is submitted and followed.

use std::time::{Duration, Instant};

use super::cluster_run::ClusterRun;
use super::commands::CommandError;
use crate::scheduler::batch::Batch;
use crate::scheduler::executor::Executor;
use crate::scheduler::gauge::Gauge;
use crate::scheduler::graph::TaskGraph;
use crate::scheduler::outcome::{Summary, TaskOutcome};
use crate::scheduler::pool::drive;
use crate::scheduler::process::Launch;
use crate::scheduler::progress::Display;
use crate::store::Store;
use gauntlet_games::base::Stop;

/// How long a wait for news is at a time.
const NAP: Duration = Duration::from_millis(20);

/// What a run leaves to the cluster when it detaches.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Detached {
    /// Jobs that are queued or run.
    pub submitted: usize,
    /// Names of jobs that have to run and are not submitted.
    pub unsubmitted: Vec<String>,
}

/// Runs the graph of a batch on the cluster, from where an earlier run has left it. `fail_fast` cancels everything after a
/// failure. What is left to the cluster comes with the summary, where the run was stopped.
///
/// # Errors
/// When Slurm's programs are not there or give no answer.
pub fn run_on_cluster(
    batch: &Batch,
    graph: &TaskGraph,
    (store, launch): (&Store, &Launch),
    fail_fast: bool,
    stop: &Stop,
    display: &mut Display,
) -> Result<(Summary, Option<Detached>), CommandError> {
    let mut run = ClusterRun::new(batch, store, launch, stop)?;
    run.adopt();
    let summary = drive(graph, &mut run, fail_fast, stop, display);
    let detached = summary.interrupted.then(|| run.left_behind());
    Ok((summary, detached))
}

impl ClusterRun<'_> {
    /// What stays with the cluster.
    fn left_behind(&self) -> Detached {
        let is_out = |job: &usize| !self.homes.contains_key(job) && !self.early.contains_key(job);
        let is_open = |job: &usize| is_out(job) && !self.is_done(*job);
        let unsubmitted = self.batch.left().filter(is_open).map(|job| self.batch.describe(job)).collect();
        Detached { submitted: self.homes.len(), unsubmitted }
    }

    /// Leaves everything to the cluster.
    fn detach(&mut self) {
        let asked: Vec<usize> = self.asked.drain().map(|(job, _)| job).collect();
        self.ended.extend(asked.into_iter().map(|job| (job, TaskOutcome::Interrupted)));
    }

    /// Ends everything in the cluster.
    fn cancel_all(&mut self) {
        for job in std::mem::take(&mut self.waiting) {
            self.finish(job, TaskOutcome::Interrupted);
        }
        let names: Vec<String> = self.unsettled().map(|tracked| tracked.name.clone()).collect();
        for name in names {
            if let Err(error) = self.commands.cancel(&name) {
                self.news.push(format!("{name} goes on: {error}"));
            }
        }
    }
}

impl Executor for ClusterRun<'_> {
    fn slots(&self) -> usize {
        usize::MAX
    }

    fn submit(&mut self, task: usize, gauge: &Gauge) {
        self.asked.insert(task, gauge.clone());
        if let Some(outcome) = self.early.remove(&task) {
            self.finish(task, outcome);
        } else if !self.homes.contains_key(&task) {
            self.waiting.push(task);
        }
    }

    fn poll(&mut self, patience: Duration) -> Vec<(usize, TaskOutcome)> {
        let begun = Instant::now();
        loop {
            if self.is_closing && self.stop.is_requested() {
                self.detach();
            } else {
                self.submit_waiting();
                self.follow();
            }
            if !self.ended.is_empty() || !self.begun.is_empty() || begun.elapsed() >= patience {
                return std::mem::take(&mut self.ended);
            }
            std::thread::sleep(NAP.min(patience));
        }
    }

    fn cancel(&mut self) {
        self.is_closing = true;
        if self.stop.is_requested() { self.detach() } else { self.cancel_all() }
    }

    fn is_queue(&self) -> bool {
        true
    }

    fn begun(&mut self) -> Vec<usize> {
        std::mem::take(&mut self.begun)
    }

    fn news(&mut self) -> Vec<String> {
        std::mem::take(&mut self.news)
    }

    fn farewell(&self) -> &'static str {
        "detaching: what was submitted goes on (press Ctrl-C again to quit at once)"
    }
}
