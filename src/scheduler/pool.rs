//! Drives a graph through an executor: fills the slots, settles outcomes, and says at the end what became of what.

use std::thread::sleep;
use std::time::{Duration, Instant};

use super::executor::{CoreRule, Executor, Local, TaskRunner};
use super::graph::{Agenda, Fate, TaskGraph};
use super::outcome::{Summary, TaskOutcome};
use super::progress::Display;
use gauntlet_games::base::Stop;

/// How long to wait for news before the display is drawn again.
const PATIENCE: Duration = Duration::from_millis(100);
/// How long to leave a task alone that another process works on.
const POSTPONEMENT: Duration = Duration::from_millis(200);

/// How to run a graph on this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolSettings {
    /// Tasks at a time, at least 1.
    pub slots: usize,
    /// Cores of each task; `None` for as many cores as slots, of which those that no task wants help the others.
    pub threads_per_job: Option<usize>,
    /// Stop everything at the first failure.
    pub fail_fast: bool,
}

impl PoolSettings {
    /// Which cores work on tasks.
    #[must_use]
    pub fn cores(&self) -> CoreRule {
        CoreRule::new(self.slots, self.threads_per_job)
    }
}

/// Runs a graph on threads of this process, until everything has ended or `stop` is requested.
///
/// # Errors
/// When the system gives no threads.
pub fn run(
    graph: &TaskGraph,
    work: &dyn TaskRunner,
    settings: PoolSettings,
    stop: &Stop,
    display: &mut Display,
) -> std::io::Result<Summary> {
    std::thread::scope(|scope| {
        let mut executor = Local::new(scope, settings.slots, &settings.cores(), work, stop)?;
        Ok(drive(graph, &mut executor, settings.fail_fast, stop, display))
    })
}

/// Runs the graph on the executor until everything has ended, or until a stop is requested and heeded.
pub fn drive(
    graph: &TaskGraph,
    executor: &mut dyn Executor,
    fail_fast: bool,
    stop: &Stop,
    display: &mut Display,
) -> Summary {
    let mut pool = Pool {
        agenda: Agenda::new(graph),
        graph,
        executor,
        display,
        postponed: Vec::new(),
        running: 0,
        is_closing: false,
        failed: Vec::new(),
        damaged: false,
    };
    pool.display.begin(graph);
    loop {
        if stop.is_requested() && !pool.is_closing {
            pool.close(pool.executor.farewell());
        }
        pool.fill();
        if pool.running == 0 && (pool.postponed.is_empty() || pool.is_closing) {
            break;
        }
        pool.advance(fail_fast);
        pool.display.tick();
    }
    let summary = pool.summary(stop.is_requested());
    display.end(&summary);
    summary
}

struct Pool<'a> {
    agenda: Agenda<'a>,
    graph: &'a TaskGraph,
    executor: &'a mut dyn Executor,
    display: &'a mut Display,
    /// Tasks that another process works on, and when to try again.
    postponed: Vec<(Instant, usize)>,
    running: usize,
    /// Nothing new is started.
    is_closing: bool,
    failed: Vec<(usize, String)>,
    damaged: bool,
}

impl Pool<'_> {
    /// Starts as many tasks as there are free slots.
    fn fill(&mut self) {
        let now = Instant::now();
        let due = self.postponed.extract_if(.., |(when, _)| *when <= now);
        due.for_each(|(_, id)| self.agenda.put(id));
        while !self.is_closing && self.running < self.executor.slots() {
            let Some(id) = self.agenda.next() else { return };
            let node = self.graph.node(id);
            let gauge =
                if self.executor.is_queue() { self.display.queue(id, node) } else { self.display.start(id, node) };
            self.executor.submit(id, &gauge);
            self.running += 1;
        }
    }

    /// Waits for news and settles them.
    fn advance(&mut self, fail_fast: bool) {
        if self.running == 0 {
            sleep(PATIENCE);
            return;
        }
        let ended = self.executor.poll(PATIENCE);
        self.executor.begun().into_iter().for_each(|id| self.display.leave_queue(id));
        self.executor.news().iter().for_each(|news| self.display.note(news));
        for (id, outcome) in ended {
            self.running -= 1;
            self.settle(id, outcome, fail_fast);
        }
    }

    fn settle(&mut self, id: usize, outcome: TaskOutcome, fail_fast: bool) {
        self.display.stop(id, self.graph.node(id), &outcome);
        let is_fatal = matches!(outcome, TaskOutcome::Fatal(_));
        self.damaged |= matches!(outcome, TaskOutcome::Damaged(_));
        match outcome {
            TaskOutcome::Done => self.agenda.done(id),
            TaskOutcome::Interrupted => {}
            TaskOutcome::Busy => self.postponed.push((Instant::now() + POSTPONEMENT, id)),
            TaskOutcome::Failed(reason) | TaskOutcome::Damaged(reason) | TaskOutcome::Fatal(reason) => {
                self.agenda.failed(id);
                self.failed.push((id, reason));
                if (fail_fast || is_fatal) && !self.is_closing {
                    self.close("stopping after a failure: the state of running jobs is saved");
                }
            }
        }
    }

    fn close(&mut self, reason: &str) {
        self.is_closing = true;
        self.executor.cancel();
        self.display.note(reason);
    }

    fn summary(self, interrupted: bool) -> Summary {
        let with = |fate: Fate| -> Vec<usize> {
            let fates = self.agenda.fates.iter().enumerate();
            fates.filter(|(_, found)| **found == fate).map(|(id, _)| id).collect()
        };
        let (done, skipped, unfinished) = (with(Fate::Done), with(Fate::Skipped), with(Fate::Open));
        let mut failed = self.failed;
        failed.sort_unstable();
        Summary { done, failed, skipped, unfinished, interrupted, damaged: self.damaged }
    }
}
