//! Drives a graph through an executor: fills the slots, settles verdicts, and says at the end what became of what.

use std::thread::sleep;
use std::time::{Duration, Instant};

use super::graph::{Agenda, Fate};
use super::{Display, Executor, Graph, Stop, Summary, Task, Verdict};

/// How long to wait for news before the display is drawn again.
const PATIENCE: Duration = Duration::from_millis(100);
/// How long to leave a task alone that somebody else works on.
const POSTPONEMENT: Duration = Duration::from_millis(200);

/// Runs the graph on the executor until everything has ended, or until a stop is requested and heeded.
pub fn drive(
    graph: &Graph,
    executor: &mut dyn Executor,
    fail_fast: bool,
    stop: &Stop,
    display: &mut Display,
) -> Summary {
    let mut pool = Pool {
        agenda: Agenda::new(graph),
        executor,
        display,
        postponed: Vec::new(),
        running: 0,
        is_closing: false,
        failed: Vec::new(),
    };
    pool.display.begin(graph);
    loop {
        if stop.is_requested() && !pool.is_closing {
            pool.close("stopping: the state of running jobs is saved (press Ctrl-C again to quit at once)");
        }
        pool.fill();
        if pool.running == 0 && (pool.postponed.is_empty() || pool.is_closing) {
            break;
        }
        pool.advance(graph, fail_fast);
        pool.display.tick();
    }
    let summary = pool.summary(stop.is_requested());
    display.end(&summary);
    summary
}

struct Pool<'a> {
    agenda: Agenda<'a>,
    executor: &'a mut dyn Executor,
    display: &'a mut Display,
    /// Tasks that somebody else works on, and when to ask again.
    postponed: Vec<(Instant, usize)>,
    running: usize,
    /// Nothing new is started.
    is_closing: bool,
    failed: Vec<(usize, String)>,
}

impl Pool<'_> {
    /// Starts as many tasks as there are free slots.
    fn fill(&mut self) {
        let now = Instant::now();
        let due = self.postponed.extract_if(.., |(when, _)| *when <= now);
        due.for_each(|(_, id)| self.agenda.put(id));
        while !self.is_closing && self.running < self.executor.slots() {
            let Some(task) = self.agenda.next() else { return };
            let gauge = self.display.start(task);
            self.executor.submit(task, &gauge);
            self.running += 1;
        }
    }

    /// Waits for news and settles them.
    fn advance(&mut self, graph: &Graph, fail_fast: bool) {
        if self.running == 0 {
            sleep(PATIENCE);
            return;
        }
        for (id, verdict) in self.executor.poll(PATIENCE) {
            self.running -= 1;
            self.settle(&graph.tasks()[id], verdict, fail_fast);
        }
    }

    fn settle(&mut self, task: &Task, verdict: Verdict, fail_fast: bool) {
        self.display.stop(task, &verdict);
        let is_fatal = matches!(verdict, Verdict::Fatal(_));
        match verdict {
            Verdict::Done => self.agenda.done(task.id),
            Verdict::Interrupted => {}
            Verdict::Busy => self.postponed.push((Instant::now() + POSTPONEMENT, task.id)),
            Verdict::Failed(reason) | Verdict::Fatal(reason) => {
                self.agenda.failed(task.id);
                self.failed.push((task.id, reason));
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
        Summary { done, failed, skipped, unfinished, interrupted }
    }
}
