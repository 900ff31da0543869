//! The pool, which drives a graph through an executor: fills the slots, settles outcomes, and returns a summary.

use std::collections::HashMap;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::event::{Listener, RunEvent};
use super::executor::{CoreRule, Executor, ExecutorNews, Inline, Local, TaskRunner};
use super::graph::{Agenda, TaskGraph};
use super::outcome::{Summary, TaskOutcome};
use super::progress::{JobProgress, ProgressCell};
use gauntlet_games::base::Stop;

/// How long to wait for news before progress is reported.
const PATIENCE: Duration = Duration::from_millis(100);
/// Time before another attempt at a task that another process works on.
const POSTPONEMENT: Duration = Duration::from_millis(200);

/// How to run a graph on this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolSettings {
    /// Tasks at a time, at least 1.
    pub slots: usize,
    /// Cores of each task; `None` for as many cores as slots, of which free ones help other tasks.
    pub threads_per_job: Option<usize>,
    /// Stop everything at the first failure.
    pub fail_fast: bool,
    /// Run one task after another in the calling thread, for debugging.
    pub inline: bool,
}

impl PoolSettings {
    /// Which cores work on tasks.
    #[must_use]
    pub fn cores(&self) -> CoreRule {
        CoreRule::new(if self.inline { 1 } else { self.slots }, self.threads_per_job)
    }
}

/// Runs a graph in this process, on threads or inline, until everything has ended or `stop` is requested.
///
/// # Errors
/// If the system cannot start threads.
pub fn run(
    graph: &TaskGraph,
    work: &dyn TaskRunner,
    settings: PoolSettings,
    stop: &Stop,
    listener: &mut dyn Listener,
) -> std::io::Result<Summary> {
    if settings.inline {
        let mut executor = Inline::new(work, stop).on(settings.cores());
        return Ok(drive(graph, &mut executor, settings.fail_fast, stop, listener));
    }
    std::thread::scope(|scope| {
        let mut executor = Local::new(scope, settings.slots, &settings.cores(), work, stop)?;
        Ok(drive(graph, &mut executor, settings.fail_fast, stop, listener))
    })
}

/// Runs the graph on the executor until all tasks have ended, or until a requested stop is complete.
pub fn drive(
    graph: &TaskGraph,
    executor: &mut dyn Executor,
    fail_fast: bool,
    stop: &Stop,
    listener: &mut dyn Listener,
) -> Summary {
    let mut pool = Pool {
        agenda: Agenda::new(graph),
        executor,
        listener,
        cells: HashMap::new(),
        reported: Instant::now(),
        postponed: Vec::new(),
        running: 0,
        timed: 0,
        is_closing: false,
        damaged: false,
    };
    pool.listener
        .event(&RunEvent::RoundStarted { tasks: graph.open().map(|(task, node)| (task, node.clone())).collect() });
    loop {
        if stop.is_requested() && !pool.is_closing {
            let is_queue = pool.executor.is_queue();
            pool.close(if is_queue { DETACHING } else { STOPPING });
        }
        pool.fill();
        if pool.running == 0 && (pool.postponed.is_empty() || pool.is_closing) {
            break;
        }
        pool.advance(fail_fast);
        pool.report_progress();
        pool.listener.tick();
    }
    let summary = Summary { interrupted: stop.is_requested(), damaged: pool.damaged, ..pool.agenda.summary() };
    listener.event(&RunEvent::RoundEnded(summary.clone()));
    summary
}

/// The message of a run that stops.
const STOPPING: &str = "stopping: the state of running jobs is saved (press Ctrl-C again to quit at once)";
/// The message of a run that leaves its tasks to a queue.
const DETACHING: &str = "detaching: submitted jobs go on (press Ctrl-C again to quit at once)";

/// A submitted task with the progress that was last reported.
#[derive(Default)]
struct Reported {
    cell: ProgressCell,
    progress: JobProgress,
    /// Whether it runs, and does not wait in a queue.
    is_started: bool,
}

struct Pool<'a> {
    agenda: Agenda<'a>,
    executor: &'a mut dyn Executor,
    listener: &'a mut dyn Listener,
    /// The progress of submitted tasks.
    cells: HashMap<usize, Reported>,
    /// When progress was last reported.
    reported: Instant,
    /// Tasks that another process works on, with the times of the next attempts.
    postponed: Vec<(Instant, usize)>,
    running: usize,
    /// Running tasks that read a clock.
    timed: usize,
    /// Whether no new tasks start.
    is_closing: bool,
    damaged: bool,
}

impl Pool<'_> {
    /// Starts a task in each free slot.
    fn fill(&mut self) {
        let now = Instant::now();
        let due = self.postponed.extract_if(.., |(when, _)| *when <= now);
        due.for_each(|(_, id)| self.agenda.put(id));
        while !self.is_closing && self.running < self.executor.slots() {
            let is_queue = self.executor.is_queue();
            // On a cluster, every task has its own place.
            let timed = if is_queue { 0 } else { self.timed };
            let plain = if is_queue { 0 } else { self.running - self.timed };
            let Some(id) = self.agenda.next(plain, timed) else { return };
            let event = if is_queue { RunEvent::TaskQueued { task: id } } else { RunEvent::TaskStarted { task: id } };
            self.listener.event(&event);
            let reported = Reported { is_started: !is_queue, ..Reported::default() };
            self.executor.submit(id, &reported.cell);
            self.cells.insert(id, reported);
            self.running += 1;
            self.timed += usize::from(self.agenda.is_timed(id));
        }
    }

    /// Waits for news and handles it.
    fn advance(&mut self, fail_fast: bool) {
        if self.running == 0 {
            sleep(PATIENCE);
            return;
        }
        for news in self.executor.poll(PATIENCE) {
            match news {
                ExecutorNews::Started(task) => {
                    self.cells.get_mut(&task).into_iter().for_each(|reported| reported.is_started = true);
                    self.listener.event(&RunEvent::TaskStarted { task });
                }
                ExecutorNews::Note(text) => self.listener.event(&RunEvent::Note(text)),
                ExecutorNews::Ended(id, outcome) => {
                    self.running -= 1;
                    self.timed -= usize::from(self.agenda.is_timed(id));
                    self.settle(id, outcome, fail_fast);
                }
            }
        }
    }

    /// Reports the progress that has changed since the last call.
    fn report_progress(&mut self) {
        if self.reported.elapsed() < PATIENCE {
            return;
        }
        self.reported = Instant::now();
        for (&task, reported) in self.cells.iter_mut().filter(|(_, reported)| reported.is_started) {
            let progress = reported.cell.read();
            if progress != reported.progress {
                reported.progress = progress.clone();
                self.listener.event(&RunEvent::TaskProgress { task, progress });
            }
        }
    }

    fn settle(&mut self, id: usize, outcome: TaskOutcome, fail_fast: bool) {
        self.cells.remove(&id);
        self.listener.event(&RunEvent::TaskEnded { task: id, outcome: outcome.clone() });
        let is_fatal = matches!(outcome, TaskOutcome::Fatal(_));
        self.damaged |= matches!(outcome, TaskOutcome::Damaged(_));
        match outcome {
            TaskOutcome::Done => self.agenda.done(id),
            TaskOutcome::Interrupted => {}
            TaskOutcome::Busy => self.postponed.push((Instant::now() + POSTPONEMENT, id)),
            TaskOutcome::Failed(reason) | TaskOutcome::Damaged(reason) | TaskOutcome::Fatal(reason) => {
                self.agenda.failed(id, reason);
                if (fail_fast || is_fatal) && !self.is_closing {
                    self.close("stopping after a failure: the state of running jobs is saved");
                }
            }
        }
    }

    fn close(&mut self, reason: &str) {
        self.is_closing = true;
        self.executor.cancel();
        self.listener.event(&RunEvent::Note(reason.to_owned()));
    }
}
