//! Executors, which run tasks: in the calling thread (tests) or on threads of this process.
//!
//! An executor knows neither graphs nor stores, and tasks only by their numbers: it runs submitted tasks and reports
//! their outcomes.

use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, Scope};
use std::time::Duration;

use super::outcome::TaskOutcome;
use super::progress::ProgressCell;
use gauntlet_games::base::{CorePool, Cores, Stop};

/// Runs one task. Closures of the same signature implement it.
pub trait TaskRunner: Sync {
    /// Runs the task of this number until it ends or `slot` requests a stop. A panic counts as failure.
    fn run(&self, task: usize, slot: &Slot<'_>) -> TaskOutcome;
}

impl<F: Fn(usize, &Slot<'_>) -> TaskOutcome + Sync> TaskRunner for F {
    fn run(&self, task: usize, slot: &Slot<'_>) -> TaskOutcome {
        self(task, slot)
    }
}

/// A worker slot.
#[derive(Debug)]
pub struct Slot<'a> {
    /// Number of the slot, from 0.
    pub index: usize,
    /// Takes the progress of the task.
    pub progress: &'a ProgressCell,
    /// Whether the task should stop.
    pub stop: &'a Stop,
    /// The cores that may work on the task.
    pub cores: Cores,
}

/// Runs tasks.
pub trait Executor {
    /// Tasks that can run at a time.
    fn slots(&self) -> usize;

    /// Starts a task, which reports its progress through the cell. There are never more unfinished tasks than slots.
    fn submit(&mut self, task: usize, progress: &ProgressCell);

    /// The news since the last call; waits up to `patience` for the first item.
    fn poll(&mut self, patience: Duration) -> Vec<ExecutorNews>;

    /// Asks all running tasks to stop. Their outcomes still arrive through `poll`.
    fn cancel(&mut self);

    /// Whether a submitted task may wait until [`ExecutorNews::Started`] names it.
    fn is_queue(&self) -> bool {
        false
    }
}

/// A report of an executor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExecutorNews {
    /// A task left the queue and runs.
    Started(usize),
    /// A task ended.
    Ended(usize, TaskOutcome),
    /// A message to the user.
    Note(String),
}

/// The cores that work on the tasks of an executor.
#[derive(Debug, Clone)]
pub enum CoreRule {
    /// One core for each task; free cores help other tasks.
    Shared(CorePool),
    /// This number for each task.
    Fixed(usize),
}

impl CoreRule {
    /// The rule for a number of tasks at a time: a fixed number of cores each, or as many shared cores as tasks.
    #[must_use]
    pub fn new(slots: usize, threads_per_job: Option<usize>) -> CoreRule {
        threads_per_job.map_or_else(|| CoreRule::Shared(CorePool::new(slots)), CoreRule::Fixed)
    }

    /// The cores of a task that starts.
    fn enter(&self) -> Cores {
        match self {
            CoreRule::Shared(pool) => pool.enter(),
            CoreRule::Fixed(cores) => Cores::alone(*cores),
        }
    }
}

/// Runs every task immediately, in the thread that submits it.
pub struct Inline<'w> {
    work: &'w dyn TaskRunner,
    cores: CoreRule,
    stop: Stop,
    ended: Vec<ExecutorNews>,
}

impl<'w> Inline<'w> {
    /// An executor with one slot.
    #[must_use]
    pub fn new(work: &'w dyn TaskRunner, stop: &Stop) -> Inline<'w> {
        Inline { work, cores: CoreRule::Fixed(1), stop: stop.child(), ended: Vec::new() }
    }

    /// The executor with these cores.
    #[must_use]
    pub fn on(self, cores: CoreRule) -> Inline<'w> {
        Inline { cores, ..self }
    }
}

impl Executor for Inline<'_> {
    fn slots(&self) -> usize {
        1
    }

    fn submit(&mut self, task: usize, progress: &ProgressCell) {
        let slot = Slot { index: 0, progress, stop: &self.stop, cores: self.cores.enter() };
        self.ended.push(ExecutorNews::Ended(task, attempt(self.work, task, &slot)));
    }

    fn poll(&mut self, _patience: Duration) -> Vec<ExecutorNews> {
        std::mem::take(&mut self.ended)
    }

    fn cancel(&mut self) {
        self.stop.request();
    }
}

/// Runs tasks on threads of this process, one per slot.
pub struct Local {
    slots: usize,
    stop: Stop,
    orders: Sender<(usize, ProgressCell)>,
    ended: Receiver<ExecutorNews>,
}

impl Local {
    /// Starts the threads; they end when the executor is dropped.
    ///
    /// # Errors
    /// If the system cannot start threads.
    pub fn new<'scope>(
        scope: &'scope Scope<'scope, '_>,
        slots: usize,
        cores: &CoreRule,
        work: &'scope dyn TaskRunner,
        stop: &Stop,
    ) -> io::Result<Local> {
        let (orders, inbox) = mpsc::channel::<(usize, ProgressCell)>();
        let (outbox, ended) = mpsc::channel();
        let inbox = Arc::new(Mutex::new(inbox));
        let (slots, stop) = (slots.max(1), stop.child());
        for index in 0..slots {
            let (inbox, outbox, stop, cores) = (Arc::clone(&inbox), outbox.clone(), stop.clone(), cores.clone());
            let serve = move || {
                // Threads take turns to wait for an order; none waits while it works.
                let next = || inbox.lock().unwrap_or_else(PoisonError::into_inner).recv();
                while let Ok((task, progress)) = next() {
                    let slot = Slot { index, progress: &progress, stop: &stop, cores: cores.enter() };
                    let outcome = attempt(work, task, &slot);
                    drop(slot);
                    if outbox.send(ExecutorNews::Ended(task, outcome)).is_err() {
                        return;
                    }
                }
            };
            Builder::new().name(format!("slot {index}")).spawn_scoped(scope, serve)?;
        }
        Ok(Local { slots, stop, orders, ended })
    }
}

impl Executor for Local {
    fn slots(&self) -> usize {
        self.slots
    }

    fn submit(&mut self, task: usize, progress: &ProgressCell) {
        self.orders.send((task, progress.clone())).expect("the threads live as long as the executor");
    }

    fn poll(&mut self, patience: Duration) -> Vec<ExecutorNews> {
        let first = self.ended.recv_timeout(patience).ok();
        first.into_iter().chain(self.ended.try_iter()).collect()
    }

    fn cancel(&mut self) {
        self.stop.request();
    }
}

/// Runs a task and turns a panic into a failure.
pub(super) fn attempt(work: &dyn TaskRunner, task: usize, slot: &Slot<'_>) -> TaskOutcome {
    // Partial state after the panic belongs to the task, and is dropped with it.
    catch_unwind(AssertUnwindSafe(|| work.run(task, slot)))
        .unwrap_or_else(|payload| TaskOutcome::Failed(format!("panicked: {}", message(payload.as_ref()))))
}

fn message(payload: &(dyn Any + Send)) -> &str {
    let literal = payload.downcast_ref::<&str>().copied();
    literal.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("for an unknown reason")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_executor_runs_what_it_is_given() {
        let work = |task: usize, slot: &Slot<'_>| {
            slot.progress.progress(1, 2);
            if task == 1 { TaskOutcome::Busy } else { TaskOutcome::Done }
        };
        let mut executor = Inline::new(&work, &Stop::default());
        let progress = ProgressCell::default();
        for id in 0..2 {
            executor.submit(id, &progress);
        }
        let ended =
            [(0, TaskOutcome::Done), (1, TaskOutcome::Busy)].map(|(id, outcome)| ExecutorNews::Ended(id, outcome));
        assert_eq!(executor.poll(Duration::ZERO), ended);
        assert_eq!((executor.poll(Duration::ZERO), progress.read().share()), (vec![], 0.5));
    }
}
