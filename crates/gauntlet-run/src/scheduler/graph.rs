//! Tasks, their dependencies, and their order by urgency.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use serde::{Deserialize, Serialize};

use super::outcome::Summary;

/// A task of the graph; its number is its index.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TaskNode {
    /// One line that describes its job.
    pub name: String,
    /// The directory of its job in the store; empty outside a store.
    pub directory: String,
    /// Its dependencies, all with lower numbers.
    pub after: Vec<usize>,
    /// Estimated duration, in seconds or any other unit that all tasks of a graph share.
    pub cost: f64,
    /// Whether it was done before the run.
    pub is_done: bool,
    /// Whether it reads a clock, so that only others of its kind may run beside it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_timed: bool,
}

/// Tasks, each after its dependencies.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskGraph {
    nodes: Vec<TaskNode>,
    /// The tasks that depend on each task.
    dependants: Vec<Vec<usize>>,
    /// Cost of the longest chain that starts with each task.
    urgency: Vec<f64>,
}

impl TaskGraph {
    /// The graph of these tasks.
    ///
    /// # Panics
    /// If a task precedes one of its dependencies.
    #[must_use]
    pub fn new(mut nodes: Vec<TaskNode>) -> TaskGraph {
        // JSON, the format of recordings, has only finite numbers.
        nodes.iter_mut().filter(|node| !node.cost.is_finite()).for_each(|node| node.cost = 0.0);
        let mut dependants = vec![Vec::new(); nodes.len()];
        for (id, node) in nodes.iter().enumerate() {
            for &before in &node.after {
                assert!(before < id, "`{}` stands before a task that it waits for", node.name);
                dependants[before].push(id);
            }
        }
        let mut urgency = vec![0.0; nodes.len()];
        for (id, node) in nodes.iter().enumerate().rev() {
            let rest = dependants[id].iter().map(|&next| urgency[next]).fold(0.0, f64::max);
            urgency[id] = node.cost.max(0.0) + rest;
        }
        TaskGraph { nodes, dependants, urgency }
    }

    /// The unfinished tasks, with their numbers.
    pub fn open(&self) -> impl Iterator<Item = (usize, &TaskNode)> {
        self.nodes.iter().enumerate().filter(|(_, node)| !node.is_done)
    }
}

/// Which tasks of a graph are ready, most urgent first, and how the others ended.
pub(super) struct Agenda<'g> {
    graph: &'g TaskGraph,
    missing: Vec<usize>,
    ready: BinaryHeap<ReadyTask>,
    /// ReadyTask tasks that read a clock.
    timed: BinaryHeap<ReadyTask>,
    /// Whether each task waits, is ready, or runs.
    is_open: Vec<bool>,
    /// The tasks that ended.
    ended: Summary,
}

impl<'g> Agenda<'g> {
    pub(super) fn new(graph: &'g TaskGraph) -> Agenda<'g> {
        let is_open: Vec<bool> = graph.nodes.iter().map(|node| !node.is_done).collect();
        let missing = |node: &TaskNode| node.after.iter().filter(|&&id| is_open[id]).count();
        let missing = graph.nodes.iter().map(missing).collect();
        let (ready, timed) = (BinaryHeap::new(), BinaryHeap::new());
        let mut agenda = Agenda { graph, missing, ready, timed, is_open, ended: Summary::default() };
        let ready = (0..graph.nodes.len()).filter(|&id| agenda.is_open[id] && agenda.missing[id] == 0);
        ready.collect::<Vec<usize>>().into_iter().for_each(|id| agenda.put(id));
        agenda
    }

    /// Adds a task without open dependencies to the ready ones.
    pub(super) fn put(&mut self, id: usize) {
        let queue = if self.is_timed(id) { &mut self.timed } else { &mut self.ready };
        queue.push(ReadyTask { urgency: self.graph.urgency[id], id });
    }

    /// Whether a task reads a clock.
    pub(super) fn is_timed(&self, id: usize) -> bool {
        self.graph.nodes[id].is_timed
    }

    /// Takes the most urgent task that is ready and may run beside the running ones, of which these are of each kind.
    /// Tasks that read a clock come after all others, and run beside their own kind alone.
    pub(super) fn next(&mut self, plain: usize, timed: usize) -> Option<usize> {
        let next = if timed == 0 { self.ready.pop() } else { None };
        let next = next.or_else(|| if plain == 0 { self.timed.pop() } else { None });
        next.map(|ready| ready.id)
    }

    pub(super) fn done(&mut self, id: usize) {
        self.is_open[id] = false;
        self.ended.done.push(id);
        for &dependant in &self.graph.dependants[id] {
            self.missing[dependant] -= 1;
            if self.missing[dependant] == 0 && self.is_open[dependant] {
                self.put(dependant);
            }
        }
    }

    /// Marks a task as failed and all tasks that depend on it as skipped.
    pub(super) fn failed(&mut self, id: usize, reason: String) {
        self.is_open[id] = false;
        self.ended.failed.push((id, reason));
        let mut affected = self.graph.dependants[id].clone();
        while let Some(id) = affected.pop() {
            if std::mem::take(&mut self.is_open[id]) {
                self.ended.skipped.push(id);
                affected.extend(&self.graph.dependants[id]);
            }
        }
    }

    /// How the tasks ended. Open ones are unfinished.
    pub(super) fn summary(self) -> Summary {
        let Summary { mut done, mut failed, mut skipped, .. } = self.ended;
        done.sort_unstable();
        failed.sort_unstable();
        skipped.sort_unstable();
        let unfinished = (0..self.is_open.len()).filter(|&id| self.is_open[id]).collect();
        Summary { done, failed, skipped, unfinished, ..Summary::default() }
    }
}

struct ReadyTask {
    urgency: f64,
    id: usize,
}

/// More urgent is greater; among equals the earlier task.
impl Ord for ReadyTask {
    fn cmp(&self, other: &ReadyTask) -> Ordering {
        self.urgency.total_cmp(&other.urgency).then(other.id.cmp(&self.id))
    }
}

impl PartialOrd for ReadyTask {
    fn partial_cmp(&self, other: &ReadyTask) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for ReadyTask {
    fn eq(&self, other: &ReadyTask) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for ReadyTask {}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(tasks: &[(&[usize], f64)]) -> TaskGraph {
        let node = |&(after, cost): &(&[usize], f64)| TaskNode { after: after.into(), cost, ..TaskNode::default() };
        TaskGraph::new(tasks.iter().map(node).collect())
    }

    #[test]
    fn the_longest_chain_comes_first() {
        let graph = graph(&[(&[], 5.0), (&[], 1.0), (&[1], 9.0), (&[], 5.0), (&[], f64::NAN)]);
        let mut agenda = Agenda::new(&graph);
        let order: Vec<usize> = std::iter::from_fn(|| agenda.next(0, 0)).collect();
        assert_eq!(order, [1, 0, 3, 4]);
        agenda.done(1);
        assert_eq!(agenda.next(0, 0), Some(2));
    }

    #[test]
    fn what_was_done_before_is_waited_for_by_nobody() {
        let mut nodes = graph(&[(&[], 1.0), (&[0], 1.0), (&[1], 1.0)]).nodes;
        nodes[0].is_done = true;
        let graph = TaskGraph::new(nodes);
        let mut agenda = Agenda::new(&graph);
        assert_eq!((agenda.next(0, 0), agenda.next(0, 0), graph.open().count()), (Some(1), None, 2));
        agenda.done(1);
        let summary = agenda.summary();
        assert_eq!((summary.done, summary.unfinished), (vec![1], vec![2]));
    }

    #[test]
    fn tasks_with_a_clock_run_among_themselves() {
        let mut nodes = graph(&[(&[], 9.0), (&[], 1.0), (&[], 2.0), (&[], 8.0)]).nodes;
        (nodes[0].is_timed, nodes[3].is_timed) = (true, true);
        let graph = TaskGraph::new(nodes);
        let mut agenda = Agenda::new(&graph);
        assert_eq!((agenda.next(0, 0), agenda.next(1, 0)), (Some(2), Some(1)));
        assert_eq!(agenda.next(1, 0), None, "it waits for the others");
        assert_eq!(agenda.next(0, 0), Some(0));
        agenda.put(1);
        assert_eq!((agenda.next(0, 1), agenda.next(0, 2)), (Some(3), None), "the others wait for it");
        assert_eq!(agenda.next(0, 0), Some(1));
    }

    #[test]
    #[should_panic(expected = "`b` stands before a task")]
    fn an_order_that_cannot_be_kept_is_a_bug() {
        let node = |name: &str, after| TaskNode { name: name.to_owned(), after, cost: 1.0, ..TaskNode::default() };
        let _ = TaskGraph::new(vec![node("a", vec![]), node("b", vec![1])]);
    }

    #[test]
    fn a_failure_skips_everything_behind_it() {
        let graph = graph(&[(&[], 1.0), (&[0], 1.0), (&[1], 1.0), (&[], 1.0), (&[2, 3], 1.0)]);
        let mut agenda = Agenda::new(&graph);
        agenda.failed(0, "no luck".to_owned());
        agenda.done(3);
        let (failed, skipped) = (vec![(0, "no luck".to_owned())], vec![1, 2, 4]);
        assert_eq!(agenda.summary(), Summary { done: vec![3], failed, skipped, ..Summary::default() });
    }
}
