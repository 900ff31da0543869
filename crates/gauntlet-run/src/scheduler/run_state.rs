//! The state of a round, from its events: running and waiting tasks, the number of ended ones, and the remaining time.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::event::RunEvent;
use super::graph::TaskNode;
use super::names::short_names;
use super::outcome::TaskOutcome;
use super::progress::JobProgress;

/// The state of a round.
#[derive(Debug)]
pub struct RunState {
    begun: Instant,
    tasks: BTreeMap<usize, TaskNode>,
    /// Cost of all tasks, and of those that ended, in seconds of one core.
    cost: f64,
    ended_cost: f64,
    /// The part of the cost of ended tasks that was done before the run.
    earlier_cost: f64,
    /// Tasks that ended, including those that failed.
    pub ended: usize,
    /// Tasks that failed.
    pub failed: usize,
    /// The running tasks, in the order in which they started.
    pub running: Vec<RunningTask>,
    /// The number of submitted tasks that have not started.
    queued: usize,
    /// Whether a round has started and not ended.
    is_under_way: bool,
}

/// A running task.
#[derive(Debug)]
pub struct RunningTask {
    /// Its number.
    pub task: usize,
    /// Its name, short enough for a line.
    pub name: String,
    /// The directory of its job in the store.
    pub directory: String,
    /// Estimated duration, in seconds of one core.
    pub cost: f64,
    /// Its progress.
    pub progress: JobProgress,
    since: Instant,
    /// The time of the first report and its units: a task may continue from a checkpoint.
    first: Option<(Instant, u64)>,
}

impl Default for RunState {
    fn default() -> RunState {
        RunState {
            begun: Instant::now(),
            tasks: BTreeMap::new(),
            cost: 0.0,
            ended_cost: 0.0,
            earlier_cost: 0.0,
            ended: 0,
            failed: 0,
            running: Vec::new(),
            queued: 0,
            is_under_way: false,
        }
    }
}

impl RunState {
    /// Updates the state with an event.
    pub fn apply(&mut self, event: &RunEvent) {
        match event {
            RunEvent::RoundStarted { tasks } => *self = RunState::of(tasks),
            RunEvent::TaskQueued { .. } => self.queued += 1,
            RunEvent::TaskStarted { task } => self.start(*task),
            RunEvent::TaskProgress { task, progress } => {
                if let Some(running) = self.running.iter_mut().find(|running| running.task == *task) {
                    running.take(progress);
                }
            }
            RunEvent::TaskEnded { task, outcome } => self.end(*task, outcome),
            RunEvent::RoundEnded(_) => {
                self.running.clear();
                (self.queued, self.is_under_way) = (0, false);
            }
            _ => {}
        }
    }

    fn of(tasks: &BTreeMap<usize, TaskNode>) -> RunState {
        let names = short_names(&tasks.values().map(|node| &*node.name).collect::<Vec<_>>());
        let named = tasks.iter().zip(names).map(|((&task, node), name)| (task, TaskNode { name, ..node.clone() }));
        let cost = tasks.values().map(|node| node.cost).sum();
        RunState { tasks: named.collect(), cost, is_under_way: true, ..RunState::default() }
    }

    fn start(&mut self, task: usize) {
        // A job that a cluster lost starts again without having ended.
        match self.running.iter().position(|running| running.task == task) {
            Some(at) => drop(self.running.remove(at)),
            None => self.queued = self.queued.saturating_sub(1),
        }
        let node = self.tasks.get(&task);
        self.running.push(RunningTask {
            task,
            name: self.name(task).to_owned(),
            directory: node.map_or(String::new(), |node| node.directory.clone()),
            cost: node.map_or(0.0, |node| node.cost),
            progress: JobProgress::default(),
            since: Instant::now(),
            first: None,
        });
    }

    fn end(&mut self, task: usize, outcome: &TaskOutcome) {
        match self.running.iter().position(|running| running.task == task) {
            Some(at) => {
                let running = self.running.remove(at);
                self.earlier_cost += running.cost * running.share_before();
            }
            None => self.queued = self.queued.saturating_sub(1),
        }
        if outcome.is_final() {
            self.ended += 1;
            self.failed += usize::from(*outcome != TaskOutcome::Done);
            self.ended_cost += self.tasks.get(&task).map_or(0.0, |node| node.cost);
        }
    }

    /// Whether a round has started and not ended.
    #[must_use]
    pub fn is_under_way(&self) -> bool {
        self.is_under_way
    }

    /// The tasks that have to run.
    #[must_use]
    pub fn tasks(&self) -> usize {
        self.tasks.len()
    }

    /// The tasks that were submitted and have not started.
    #[must_use]
    pub fn queued(&self) -> usize {
        self.queued
    }

    /// The short name of a task.
    #[must_use]
    pub fn name(&self, task: usize) -> &str {
        self.tasks.get(&task).map_or("", |node| &node.name)
    }

    /// The length of the longest short name.
    #[must_use]
    pub fn name_width(&self) -> usize {
        self.tasks.values().map(|node| node.name.chars().count()).max().unwrap_or(0)
    }

    /// Time since the round started.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }

    /// The finished share of the whole cost, including running tasks, 0 to 1.
    #[must_use]
    pub fn share(&self) -> f64 {
        let running: f64 = self.running.iter().map(|running| running.cost * running.progress.share()).sum();
        if self.cost > 0.0 { ((self.ended_cost + running) / self.cost).min(1.0) } else { 0.0 }
    }

    /// The estimated cost of the remaining work, in seconds of one core.
    #[must_use]
    pub fn cost_left(&self) -> f64 {
        (1.0 - self.share()) * self.cost
    }

    /// The estimated remaining time at the pace so far. Work of an earlier run does not count towards the pace.
    #[must_use]
    pub fn left(&self) -> Option<Duration> {
        let (share, elapsed) = (self.share(), self.elapsed());
        let earlier: f64 = self.running.iter().map(|running| running.cost * running.share_before()).sum();
        let done = share - (self.earlier_cost + earlier) / self.cost;
        (done > 0.0 && elapsed > Duration::from_secs(2)).then(|| elapsed.mul_f64(((1.0 - share) / done).min(1e6)))
    }
}

impl RunningTask {
    fn take(&mut self, progress: &JobProgress) {
        self.progress = progress.clone();
        if progress.total > 0 {
            self.first.get_or_insert((Instant::now(), progress.done));
        }
    }

    /// Time since it started.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.since.elapsed()
    }

    /// Units per second, once known.
    #[must_use]
    pub fn rate(&self) -> Option<f64> {
        let (since, first) = self.first?;
        let (done, seconds) = (self.progress.done, since.elapsed().as_secs_f64());
        (done > first && seconds >= 1.0).then(|| (done - first) as f64 / seconds)
    }

    /// The share that was done before this run, 0 to 1, if the task continues from a checkpoint: the first report,
    /// minus the work since the start at the pace since that report.
    #[must_use]
    pub fn share_before(&self) -> f64 {
        let JobProgress { done, total, .. } = self.progress;
        let Some((since, first)) = self.first.filter(|_| total > 0) else { return 0.0 };
        let pace = done.saturating_sub(first) as f64 / since.elapsed().as_secs_f64().max(1e-3);
        let until = (since - self.since).as_secs_f64();
        ((first as f64 - pace * until) / total as f64).clamp(0.0, 1.0)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::scheduler::outcome::Summary;

    /// The start of a round of two tasks, `train a` and `train b`, that cost 1 and 3 seconds.
    pub fn two_tasks() -> RunEvent {
        let names = [("train a\u{1b}[2J", 1.0), ("train b", 3.0)];
        let node = |(task, (name, cost)): (usize, (&str, f64))| {
            let directory = format!("train-{task}");
            (task, TaskNode { name: name.to_owned(), directory, cost, ..TaskNode::default() })
        };
        RunEvent::RoundStarted { tasks: names.into_iter().enumerate().map(node).collect() }
    }

    fn progress(task: usize, done: u64, total: u64) -> RunEvent {
        RunEvent::TaskProgress { task, progress: JobProgress { done, total, ..JobProgress::default() } }
    }

    #[test]
    fn the_share_is_weighted_by_cost_and_counts_running_tasks() {
        let mut state = RunState::default();
        state.apply(&two_tasks());
        [0, 1].into_iter().for_each(|task| state.apply(&RunEvent::TaskStarted { task }));
        assert_eq!((state.share(), state.tasks(), state.running.len()), (0.0, 2, 2));
        state.apply(&progress(1, 1, 2));
        assert_eq!((state.share(), state.cost_left()), (0.375, 2.5));
        state.apply(&RunEvent::TaskEnded { task: 0, outcome: TaskOutcome::Failed("x".to_owned()) });
        assert_eq!((state.share(), state.ended, state.failed), (0.625, 1, 1));
        state.apply(&RunEvent::TaskEnded { task: 1, outcome: TaskOutcome::Busy });
        assert_eq!((state.share(), state.ended, state.running.len()), (0.25, 1, 0));
        state.apply(&RunEvent::RoundEnded(Summary::default()));
        assert_eq!(state.queued(), 0);
    }

    #[test]
    fn queued_tasks_are_counted_until_they_start_or_end() {
        let mut state = RunState::default();
        state.apply(&two_tasks());
        [0, 1].into_iter().for_each(|task| state.apply(&RunEvent::TaskQueued { task }));
        state.apply(&RunEvent::TaskStarted { task: 1 });
        assert_eq!((state.queued(), state.running.len(), state.name(1)), (1, 1, "train b"));
        state.apply(&RunEvent::TaskEnded { task: 0, outcome: TaskOutcome::Done });
        assert_eq!((state.queued(), state.ended), (0, 1));
    }

    #[test]
    fn the_share_of_a_checkpoint_is_no_work_of_this_run() {
        let before = |done| {
            let mut state = RunState::default();
            state.apply(&two_tasks());
            state.apply(&RunEvent::TaskStarted { task: 0 });
            state.apply(&progress(0, done, 100));
            state.running[0].share_before()
        };
        assert_eq!([0, 80].map(before), [0.0, 0.8]);
    }

    #[test]
    fn a_task_that_starts_again_is_one_task() {
        let mut state = RunState::default();
        state.apply(&two_tasks());
        [0, 1].into_iter().for_each(|task| state.apply(&RunEvent::TaskQueued { task }));
        state.apply(&RunEvent::TaskStarted { task: 1 });
        state.apply(&progress(1, 1, 2));
        state.apply(&RunEvent::TaskStarted { task: 1 });
        assert_eq!((state.queued(), state.running.len(), state.share()), (1, 1, 0.0));
        state.apply(&RunEvent::TaskEnded { task: 1, outcome: TaskOutcome::Done });
        assert_eq!((state.queued(), state.running.len(), state.ended), (1, 0, 1));
    }

    #[test]
    fn names_cannot_steer_the_terminal() {
        let mut state = RunState::default();
        state.apply(&two_tasks());
        assert_eq!(state.name(0), "train a [2J");
    }
}
