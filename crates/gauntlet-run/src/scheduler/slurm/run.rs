//! A run on a cluster as an executor: requested jobs are submitted and followed.

use std::time::{Duration, Instant};

use super::cluster_run::ClusterRun;
use super::commands::CommandError;
use crate::scheduler::batch::Batch;
use crate::scheduler::event::Listener;
use crate::scheduler::executor::{Executor, ExecutorNews};
use crate::scheduler::graph::TaskGraph;
use crate::scheduler::outcome::{Detached, Summary, TaskOutcome};
use crate::scheduler::pool::drive;
use crate::scheduler::process::Launch;
use crate::scheduler::progress::ProgressCell;
use gauntlet_games::base::Stop;
use gauntlet_store::Store;

/// Length of one wait for news.
const NAP: Duration = Duration::from_millis(20);

/// Runs the graph of a batch on the cluster, and continues the submissions of earlier runs. `fail_fast` cancels all
/// jobs after a failure. If the run was stopped, the summary comes with the jobs that stay on the cluster.
///
/// # Errors
/// If Slurm's programs are missing or give no answer.
pub fn run_on_cluster(
    batch: &Batch,
    graph: &TaskGraph,
    (store, launch): (&Store, &Launch),
    fail_fast: bool,
    stop: &Stop,
    listener: &mut dyn Listener,
) -> Result<(Summary, Option<Detached>), CommandError> {
    let mut run = ClusterRun::new(batch, store, launch, stop)?;
    run.adopt();
    let summary = drive(graph, &mut run, fail_fast, stop, listener);
    let detached = summary.interrupted.then(|| run.left_behind());
    Ok((summary, detached))
}

impl ClusterRun<'_> {
    /// The jobs that stay on the cluster.
    fn left_behind(&self) -> Detached {
        let is_out = |job: &usize| !self.homes.contains_key(job) && !self.early.contains_key(job);
        let is_open = |job: &usize| is_out(job) && !self.is_done(*job);
        let unsubmitted = self.batch.left().filter(is_open).map(|job| self.batch.describe(job)).collect();
        Detached { submitted: self.homes.len(), unsubmitted }
    }

    /// Leaves all jobs to the cluster.
    fn detach(&mut self) {
        let asked: Vec<usize> = self.asked.drain().map(|(job, _)| job).collect();
        self.news.extend(asked.into_iter().map(|job| ExecutorNews::Ended(job, TaskOutcome::Interrupted)));
    }

    /// Cancels all jobs on the cluster.
    fn cancel_all(&mut self) {
        for job in std::mem::take(&mut self.waiting) {
            self.finish(job, TaskOutcome::Interrupted);
        }
        let names: Vec<String> = self.unsettled().map(|tracked| tracked.name.clone()).collect();
        for name in names {
            if let Err(error) = self.commands.cancel(&name) {
                self.note(format!("{name} goes on: {error}"));
            }
        }
    }
}

impl Executor for ClusterRun<'_> {
    fn slots(&self) -> usize {
        usize::MAX
    }

    fn submit(&mut self, task: usize, progress: &ProgressCell) {
        self.asked.insert(task, progress.clone());
        if let Some(outcome) = self.early.remove(&task) {
            self.finish(task, outcome);
        } else if !self.homes.contains_key(&task) {
            self.waiting.push(task);
        }
    }

    fn poll(&mut self, patience: Duration) -> Vec<ExecutorNews> {
        let begun = Instant::now();
        loop {
            if self.is_closing && self.stop.is_requested() {
                self.detach();
            } else {
                self.submit_waiting();
                self.follow();
            }
            if !self.news.is_empty() || begun.elapsed() >= patience {
                return std::mem::take(&mut self.news);
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
}
