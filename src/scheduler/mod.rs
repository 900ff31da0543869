//! Runs what is not in the store yet: a graph of tasks, on executors, with progress and a way to stop.
//!
//! ```text
//! Graph (who waits for whom, what is urgent)
//!   -> pool   fills slots, settles verdicts, skips what depends on failures
//!   -> Executor: Inline (this thread) or Local (one thread per slot)
//!   -> Work   one task; `perform` makes it a job: claim, checkpoint, run, commit
//! ```
//! The order in which tasks run is nobody's business but the clock's: results depend on a task alone. No lock is held
//! while a task works, and commits happen on the thread of the task.

mod executor;
mod gauge;
mod graph;
mod interrupt;
mod job;
mod pool;
mod progress;
mod verdict;
mod worker;

pub use executor::{Executor, Inline, Local, Slot, Work};
pub use gauge::Gauge;
pub use graph::{Graph, GraphError, Task};
pub use interrupt::stop_on_signals;
pub use job::execute;
pub use pool::drive;
pub use progress::Display;
pub use verdict::{Summary, Verdict};
pub use worker::{Order, perform};

pub use crate::base::Stop;
pub use crate::jobs::{Files, GAMES, METRICS, RESULT, WEIGHTS, weights_file};

/// How to run a graph on this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// Tasks at a time, at least 1.
    pub slots: usize,
    /// Stop everything at the first failure.
    pub fail_fast: bool,
}

/// Runs a graph on threads of this process, until everything has ended or `stop` is requested.
///
/// # Errors
/// When the system gives no threads.
pub fn run(
    graph: &Graph,
    work: &dyn Work,
    settings: Settings,
    stop: &Stop,
    display: &mut Display,
) -> std::io::Result<Summary> {
    std::thread::scope(|scope| {
        let mut executor = Local::new(scope, settings.slots, work, stop)?;
        Ok(drive(graph, &mut executor, settings.fail_fast, stop, display))
    })
}
