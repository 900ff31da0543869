//! Runs some jobs of plans, with all that they wait for, in a store that has none of them: for those who check published
//! numbers without the results behind them.

use std::collections::HashSet;
use std::path::Path;

use crate::scheduler::{Batch, Listener, PoolSettings, Slot, Stop, Summary, TaskGraph, TaskNode, run, run_task};
use crate::store::Store;

/// Where jobs are run, and which plans they are of.
pub struct Fresh<'a> {
    /// The store, with what an interrupted run has left.
    pub store: &'a Store,
    /// The directory of the files that some jobs read.
    pub data: Option<&'a Path>,
    /// The plans.
    pub batch: &'a Batch,
}

impl Fresh<'_> {
    /// The jobs that have to run for some others: these, and all that they wait for, as far as they are not done.
    #[must_use]
    pub fn needed(&self, wanted: impl IntoIterator<Item = usize>) -> HashSet<usize> {
        let (mut needed, mut open) = (HashSet::new(), wanted.into_iter().collect::<Vec<usize>>());
        while let Some(at) = open.pop() {
            if !self.batch.jobs[at].state.is_done() && needed.insert(at) {
                open.extend(&self.batch.jobs[at].after);
            }
        }
        needed
    }

    /// Runs these jobs.
    ///
    /// # Errors
    /// When the system gives no threads.
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

    /// All jobs, in which those that are not needed have nothing to do.
    fn graph(&self, needed: &HashSet<usize>) -> TaskGraph {
        let seconds = self.batch.whole_seconds(self.store);
        let node = |(at, cost): (usize, f64)| {
            let (name, after) = (self.batch.describe(at), self.batch.jobs[at].after.clone());
            TaskNode { name, after, cost, is_done: !needed.contains(&at), ..TaskNode::default() }
        };
        TaskGraph::new(seconds.into_iter().enumerate().map(node).collect())
    }
}
