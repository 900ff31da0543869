//! Runs some jobs of plans with all their dependencies in an empty store, to check published numbers without the
//! results behind them.

use std::collections::HashSet;
use std::path::Path;

use crate::scheduler::{Batch, Listener, PoolSettings, Slot, Stop, Summary, TaskGraph, TaskNode, run, run_task};
use gauntlet_store::Store;

/// A store for fresh runs, and the plans of the jobs.
pub struct Fresh<'a> {
    /// The store, including the jobs of an interrupted run.
    pub store: &'a Store,
    /// The directory of the jobs' input files.
    pub data: Option<&'a Path>,
    /// The plans.
    pub batch: &'a Batch,
}

impl Fresh<'_> {
    /// The jobs that must run for the wanted ones: these and all their dependencies, unless already done.
    #[must_use]
    pub fn needed(&self, wanted: impl IntoIterator<Item = usize>) -> HashSet<usize> {
        self.closure(wanted, |at| !self.batch.jobs[at].state.is_done())
    }

    /// The same, including those that are already done.
    #[must_use]
    pub fn with_dependencies(&self, wanted: impl IntoIterator<Item = usize>) -> HashSet<usize> {
        self.closure(wanted, |_| true)
    }

    fn closure(&self, wanted: impl IntoIterator<Item = usize>, counts: impl Fn(usize) -> bool) -> HashSet<usize> {
        let (mut found, mut open) = (HashSet::new(), wanted.into_iter().collect::<Vec<usize>>());
        while let Some(at) = open.pop() {
            if counts(at) && found.insert(at) {
                open.extend(self.batch.after(at));
            }
        }
        found
    }

    /// Runs these jobs.
    ///
    /// # Errors
    /// If the system cannot start threads.
    pub fn run(
        &self,
        needed: &HashSet<usize>,
        settings: PoolSettings,
        stop: &Stop,
        listener: &mut dyn Listener,
    ) -> std::io::Result<Summary> {
        let (graph, batch) = (self.graph(needed), self.batch);
        let work = |at: usize, slot: &Slot<'_>| run_task(&batch.task(at), self.store, self.data, slot);
        run(&graph, &work, settings, stop, listener)
    }

    /// The task graph of all jobs; jobs that are not needed do nothing.
    fn graph(&self, needed: &HashSet<usize>) -> TaskGraph {
        let seconds = self.batch.whole_seconds(self.store);
        let node = |(at, cost): (usize, f64)| {
            let (name, after) = (self.batch.describe(at), self.batch.after(at).collect());
            TaskNode { name, after, cost, is_done: !needed.contains(&at), ..TaskNode::default() }
        };
        TaskGraph::new(seconds.into_iter().enumerate().map(node).collect())
    }
}
