//! Tasks, what they wait for, and which of them is most urgent.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A node of the graph.
#[derive(Debug, Clone, PartialEq)]
pub struct Task {
    /// Its index in the graph.
    pub id: usize,
    /// What the display calls it.
    pub name: String,
    /// The tasks that must be done before.
    pub after: Vec<usize>,
    /// How long it may take, in seconds or any other unit that all tasks of a graph share.
    pub cost: f64,
}

/// Tasks without cycles.
#[derive(Debug, Clone, PartialEq)]
pub struct Graph {
    tasks: Vec<Task>,
    /// The tasks that wait for each task.
    dependants: Vec<Vec<usize>>,
    /// Cost of the longest chain that starts with each task.
    urgency: Vec<f64>,
}

/// Why tasks are no graph.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GraphError {
    /// A task's id is not its index.
    #[error("task {id} (`{name}`) stands at index {index}")]
    Misplaced {
        /// Its id.
        id: usize,
        /// Its index.
        index: usize,
        /// Its name.
        name: String,
    },
    /// A task waits for one that does not exist.
    #[error("`{name}` waits for task {missing}, which does not exist")]
    Missing {
        /// The waiting task.
        name: String,
        /// The id that it names.
        missing: usize,
    },
    /// Some tasks wait for each other.
    #[error("{} wait for each other", .names.join(", "))]
    Cycle {
        /// Up to five of the tasks that can never start.
        names: Vec<String>,
    },
}

impl Graph {
    /// Checks that the tasks can all run, in some order.
    ///
    /// # Errors
    /// When an id is not the task's index, a dependency does not exist, or tasks wait for each other.
    pub fn new(tasks: Vec<Task>) -> Result<Graph, GraphError> {
        let mut dependants = vec![Vec::new(); tasks.len()];
        for (index, task) in tasks.iter().enumerate() {
            if task.id != index {
                return Err(GraphError::Misplaced { id: task.id, index, name: task.name.clone() });
            }
            for &before in &task.after {
                let missing = || GraphError::Missing { name: task.name.clone(), missing: before };
                dependants.get_mut(before).ok_or_else(missing)?.push(index);
            }
        }
        let order = order(&tasks, &dependants)?;
        let mut urgency = vec![0.0; tasks.len()];
        for &id in order.iter().rev() {
            let rest = dependants[id].iter().map(|&next| urgency[next]).fold(0.0, f64::max);
            // `max` also turns a cost that is not a number into none.
            urgency[id] = tasks[id].cost.max(0.0) + rest;
        }
        Ok(Graph { tasks, dependants, urgency })
    }

    /// All tasks; a task's id is its index.
    #[must_use]
    pub fn tasks(&self) -> &[Task] {
        &self.tasks
    }
}

/// The tasks, each after those that it waits for.
fn order(tasks: &[Task], dependants: &[Vec<usize>]) -> Result<Vec<usize>, GraphError> {
    let mut missing: Vec<usize> = tasks.iter().map(|task| task.after.len()).collect();
    let mut order: Vec<usize> = (0..tasks.len()).filter(|&id| missing[id] == 0).collect();
    let mut next = 0;
    while let Some(&id) = order.get(next) {
        for &dependant in &dependants[id] {
            missing[dependant] -= 1;
            if missing[dependant] == 0 {
                order.push(dependant);
            }
        }
        next += 1;
    }
    if order.len() == tasks.len() {
        return Ok(order);
    }
    let stuck = tasks.iter().filter(|task| missing[task.id] > 0).map(|task| format!("`{}`", task.name));
    Err(GraphError::Cycle { names: stuck.take(5).collect() })
}

/// What became of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// It waits, is ready, or runs.
    Open,
    /// It is done.
    Done,
    /// It failed.
    Failed,
    /// It waits for one that failed.
    Skipped,
}

/// Which tasks of a graph are ready, most urgent first.
pub(super) struct Agenda<'g> {
    graph: &'g Graph,
    missing: Vec<usize>,
    ready: BinaryHeap<Ready>,
    pub(super) fates: Vec<Fate>,
}

impl<'g> Agenda<'g> {
    pub(super) fn new(graph: &'g Graph) -> Agenda<'g> {
        let missing = graph.tasks.iter().map(|task| task.after.len()).collect();
        let fates = vec![Fate::Open; graph.tasks.len()];
        let mut agenda = Agenda { graph, missing, ready: BinaryHeap::new(), fates };
        graph.tasks.iter().filter(|task| task.after.is_empty()).for_each(|task| agenda.put(task.id));
        agenda
    }

    /// Puts a task that waits for nothing (any more) among the ready ones.
    pub(super) fn put(&mut self, id: usize) {
        self.ready.push(Ready { urgency: self.graph.urgency[id], id });
    }

    /// Takes the most urgent task that is ready.
    pub(super) fn next(&mut self) -> Option<&'g Task> {
        self.ready.pop().map(|ready| &self.graph.tasks[ready.id])
    }

    pub(super) fn done(&mut self, id: usize) {
        self.fates[id] = Fate::Done;
        for &dependant in &self.graph.dependants[id] {
            self.missing[dependant] -= 1;
            if self.missing[dependant] == 0 && self.fates[dependant] == Fate::Open {
                self.put(dependant);
            }
        }
    }

    /// Marks a task as failed and everything that waits for it as skipped.
    pub(super) fn failed(&mut self, id: usize) {
        self.fates[id] = Fate::Failed;
        let mut affected = self.graph.dependants[id].clone();
        while let Some(id) = affected.pop() {
            if self.fates[id] == Fate::Open {
                self.fates[id] = Fate::Skipped;
                affected.extend(&self.graph.dependants[id]);
            }
        }
    }
}

struct Ready {
    urgency: f64,
    id: usize,
}

/// More urgent is greater; among equals the earlier task.
impl Ord for Ready {
    fn cmp(&self, other: &Ready) -> Ordering {
        self.urgency.total_cmp(&other.urgency).then(other.id.cmp(&self.id))
    }
}

impl PartialOrd for Ready {
    fn partial_cmp(&self, other: &Ready) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ready {
    fn eq(&self, other: &Ready) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Ready {}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(tasks: &[(&[usize], f64)]) -> Result<Graph, GraphError> {
        let tasks = tasks.iter().enumerate();
        let task = |(id, &(after, cost)): (usize, &(&[usize], f64))| Task {
            id,
            name: format!("t{id}"),
            after: after.to_vec(),
            cost,
        };
        Graph::new(tasks.map(task).collect())
    }

    #[test]
    fn the_longest_chain_comes_first() {
        let graph = graph(&[(&[], 5.0), (&[], 1.0), (&[1], 9.0), (&[], 5.0), (&[], f64::NAN)]).unwrap();
        let mut agenda = Agenda::new(&graph);
        let order: Vec<usize> = std::iter::from_fn(|| agenda.next().map(|task| task.id)).collect();
        assert_eq!(order, [1, 0, 3, 4]);
        agenda.done(1);
        assert_eq!(agenda.next().unwrap().id, 2);
    }

    #[test]
    fn tasks_that_can_never_start_are_named() {
        let error = graph(&[(&[], 1.0), (&[2], 1.0), (&[1], 1.0)]).unwrap_err();
        assert_eq!(error.to_string(), "`t1`, `t2` wait for each other");
        assert!(matches!(graph(&[(&[0], 1.0)]), Err(GraphError::Cycle { .. })));
        assert!(matches!(graph(&[(&[7], 1.0)]), Err(GraphError::Missing { missing: 7, .. })));
        let task = Task { id: 3, name: "x".into(), after: vec![], cost: 1.0 };
        assert!(matches!(Graph::new(vec![task]), Err(GraphError::Misplaced { .. })));
    }

    #[test]
    fn a_failure_skips_everything_behind_it() {
        let graph = graph(&[(&[], 1.0), (&[0], 1.0), (&[1], 1.0), (&[], 1.0), (&[2, 3], 1.0)]).unwrap();
        let mut agenda = Agenda::new(&graph);
        agenda.failed(0);
        agenda.done(3);
        use Fate::{Done, Failed, Skipped};
        assert_eq!(agenda.fates, [Failed, Skipped, Skipped, Done, Skipped]);
    }
}
