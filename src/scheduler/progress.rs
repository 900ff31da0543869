//! What the user sees of a run: bars on a terminal, a line now and then elsewhere.
//!
//! Running tasks only move the needle of a [`Gauge`]; the thread that drives the pool reads them and draws.

use std::collections::HashMap;
use std::io::{IsTerminal as _, Write, stderr};
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget};

use super::gauge::{Gauge, printable};
use super::graph::{TaskGraph, TaskNode};
use super::live::{LiveFile, LiveRun};
use super::names::telling;
use super::outcome::{Summary, TaskOutcome};
use super::running::{Running, STEPS, style};

/// Least time between two plain lines, failures excepted.
const LINE_INTERVAL: Duration = Duration::from_secs(5);
/// Longest silence of plain lines while tasks run.
const LONGEST_SILENCE: Duration = Duration::from_secs(30);
/// Running tasks that other processes see.
const SHOWN: usize = 1000;
/// Running tasks that a plain line names.
const NAMED: usize = 3;
/// Time between two drawings of the bars.
const DRAW_INTERVAL: Duration = Duration::from_millis(100);
/// Time between two looks for other processes.
const LIVE_INTERVAL: Duration = Duration::from_secs(1);

/// Shows a run.
pub struct Display {
    screen: Screen,
    /// What other processes see.
    live: Option<LiveFile>,
    shown: Option<Instant>,
    begun: Instant,
    drawn: Instant,
    tasks: usize,
    /// What tasks are called, by their number.
    names: HashMap<usize, String>,
    /// Letters of the longest name.
    width: usize,
    /// Cost of all tasks, and of those that ended.
    cost: f64,
    ended_cost: f64,
    /// What of the cost of tasks that ended was done before the run.
    before: f64,
    ended: usize,
    failed: usize,
    running: Vec<Running>,
    /// Tasks that were submitted and have not begun.
    queued: HashMap<usize, Running>,
}

enum Screen {
    Hidden,
    Lines { out: Box<dyn Write + Send>, last: Option<Instant> },
    Bars { all: MultiProgress, overall: Option<ProgressBar> },
}

impl Display {
    /// Shows nothing.
    #[must_use]
    pub fn hidden() -> Display {
        Display::on(Screen::Hidden)
    }

    /// Writes plain lines: at the start, at the end, for failures, and otherwise one every few seconds, or at least one in
    /// half a minute.
    #[must_use]
    pub fn lines(out: Box<dyn Write + Send>) -> Display {
        Display::on(Screen::Lines { out, last: None })
    }

    /// Draws bars on the terminal behind stderr.
    #[must_use]
    pub fn bars() -> Display {
        let all = MultiProgress::with_draw_target(ProgressDrawTarget::stderr_with_hz(10));
        Display::on(Screen::Bars { all, overall: None })
    }

    /// Bars where stderr is a terminal, plain lines where it is not, with `CI` set, or on request.
    #[must_use]
    pub fn for_stderr(no_bars: bool) -> Display {
        let is_ci = std::env::var_os("CI").is_some_and(|value| !value.is_empty() && value != "false");
        if no_bars || is_ci || !stderr().is_terminal() { Display::lines(Box::new(stderr())) } else { Display::bars() }
    }

    /// Shows the run to other processes, too.
    pub(super) fn also_to(&mut self, live: Option<LiveFile>) {
        self.live = live;
    }

    fn on(screen: Screen) -> Display {
        let begun = Instant::now();
        Display {
            screen,
            live: None,
            shown: None,
            begun,
            drawn: begun,
            tasks: 0,
            names: HashMap::new(),
            width: 0,
            cost: 0.0,
            ended_cost: 0.0,
            before: 0.0,
            ended: 0,
            failed: 0,
            running: Vec::new(),
            queued: HashMap::new(),
        }
    }

    pub(super) fn begin(&mut self, graph: &TaskGraph) {
        let screen = std::mem::replace(&mut self.screen, Screen::Hidden);
        *self = Display { live: self.live.take(), ..Display::on(screen) };
        let open: Vec<(usize, &TaskNode)> = graph.open().collect();
        self.tasks = open.len();
        self.cost = open.iter().map(|(_, task)| cost(task)).sum();
        let names = telling(&open.iter().map(|(_, task)| &*task.name).collect::<Vec<_>>());
        self.names = open.iter().map(|(id, _)| *id).zip(names.iter().map(|name| printable(name))).collect();
        self.width = self.names.values().map(|name| name.chars().count()).max().unwrap_or(0);
        if let Screen::Bars { all, overall } = &mut self.screen {
            let bar = all.add(ProgressBar::new(STEPS));
            bar.set_style(style("{wide_bar} {percent:>3} %  {msg}"));
            *overall = Some(bar);
        }
        self.line(&format!("{} to run", jobs(self.tasks)));
    }

    pub(super) fn start(&mut self, id: usize, task: &TaskNode) -> Gauge {
        let running = Running::new(id, self.name(id, task), cost(task));
        let gauge = running.gauge.clone();
        self.running.push(running);
        gauge
    }

    /// A task waits until it [leaves the queue](Display::leave_queue).
    pub(super) fn queue(&mut self, id: usize, task: &TaskNode) -> Gauge {
        let queued = Running::new(id, self.name(id, task), cost(task));
        let gauge = queued.gauge.clone();
        self.queued.insert(id, queued);
        gauge
    }

    /// A task that waited begins.
    pub(super) fn leave_queue(&mut self, id: usize) {
        self.running.extend(self.queued.remove(&id).map(Running::anew));
    }

    /// What tells a task from others.
    fn name(&self, id: usize, task: &TaskNode) -> String {
        self.names.get(&id).cloned().unwrap_or_else(|| printable(&task.name))
    }

    pub(super) fn stop(&mut self, id: usize, task: &TaskNode, outcome: &TaskOutcome) {
        if self.queued.remove(&id).is_none()
            && let Some(index) = self.running.iter().position(|running| running.id == id)
        {
            let running = self.running.remove(index);
            self.before += running.cost * running.share_before();
            running.end(if let Screen::Bars { all, .. } = &self.screen { Some(all) } else { None });
        }
        match outcome {
            TaskOutcome::Done => self.count(task),
            TaskOutcome::Failed(reason) | TaskOutcome::Damaged(reason) | TaskOutcome::Fatal(reason) => {
                self.count(task);
                self.failed += 1;
                self.note(&format!("failed: {}: {}", printable(&task.name), reason.lines().next().unwrap_or_default()));
            }
            TaskOutcome::Interrupted | TaskOutcome::Busy => return,
        }
        if self.silence() >= Some(LINE_INTERVAL) {
            self.line(&format!("{} - finished {}", self.status(), self.name(id, task)));
        }
    }

    fn count(&mut self, task: &TaskNode) {
        self.ended += 1;
        self.ended_cost += cost(task);
    }

    /// Draws what has changed; called several times a second.
    pub(super) fn tick(&mut self) {
        self.running.iter_mut().for_each(Running::look);
        if self.silence() >= Some(LONGEST_SILENCE) {
            let running: Vec<String> = self.running.iter().take(NAMED).map(Running::text).collect();
            self.line(&format!("{} - {}", self.status(), running.join("; ")));
        }
        self.show();
        if self.drawn.elapsed() < DRAW_INTERVAL {
            return;
        }
        self.drawn = Instant::now();
        let (share, counts) = (self.share(), self.counts());
        let Screen::Bars { all, overall: Some(overall) } = &self.screen else { return };
        overall.set_position((share * STEPS as f64) as u64);
        overall.set_message(counts);
        self.running.iter_mut().for_each(|running| running.draw(all, self.width));
    }

    /// Shows other processes what has changed.
    fn show(&mut self) {
        let Some(live) = self.live.as_ref().filter(|_| self.shown.is_none_or(|shown| shown.elapsed() >= LIVE_INTERVAL))
        else {
            return;
        };
        let running = self.running.iter().take(SHOWN);
        let running = running.map(|running| running.live(live.directory(running.id)));
        live.write(&LiveRun {
            ended: self.ended,
            failed: self.failed,
            share: self.share(),
            seconds: self.begun.elapsed().as_secs_f64(),
            seconds_left: self.left().map(|left| left.as_secs_f64()),
            cost_left: (1.0 - self.share()) * self.cost,
            running: running.collect(),
            queued: self.queued.len(),
            ..LiveRun::new(self.tasks)
        });
        self.shown = Some(Instant::now());
    }

    /// Says something that must not be missed.
    pub(super) fn note(&mut self, text: &str) {
        match &mut self.screen {
            // A closed stderr is no reason to stop working.
            Screen::Bars { all, .. } => drop(all.println(text)),
            _ => self.line(text),
        }
    }

    pub(super) fn end(&mut self, summary: &Summary) {
        self.live = None;
        self.queued.clear();
        self.running.drain(..).for_each(|running| running.end(None));
        if let Screen::Bars { overall, .. } = &mut self.screen {
            overall.take().inspect(ProgressBar::finish_and_clear);
        }
        let mut text = format!("{} done in {}", jobs(summary.done.len()), span(self.begun.elapsed()));
        let counts = [
            (summary.failed.len(), "failed"),
            (summary.skipped.len(), "skipped"),
            (summary.unfinished.len(), "unfinished"),
        ];
        for (n, word) in counts.into_iter().filter(|(n, _)| *n > 0) {
            text += &format!(", {n} {word}");
        }
        self.line(&text);
    }

    /// Time since the last plain line; `None` where there are none.
    fn silence(&self) -> Option<Duration> {
        match &self.screen {
            Screen::Lines { last: Some(last), .. } => Some(last.elapsed()),
            _ => None,
        }
    }

    fn line(&mut self, text: &str) {
        if let Screen::Lines { out, last } = &mut self.screen {
            *last = Some(Instant::now());
            let _ = writeln!(out, "{text}");
        }
    }

    /// The finished share of the whole cost, running tasks included, 0 to 1.
    fn share(&self) -> f64 {
        let running: f64 = self.running.iter().map(|running| running.cost * running.gauge.share()).sum();
        if self.cost > 0.0 { ((self.ended_cost + running) / self.cost).min(1.0) } else { 0.0 }
    }

    fn status(&self) -> String {
        format!("{:3.0} %  {}", self.share() * 100.0, self.counts())
    }

    fn counts(&self) -> String {
        let mut text = format!("{} of {}", self.ended, jobs(self.tasks));
        if self.failed > 0 {
            text += &format!(", {} failed", self.failed);
        }
        if !self.queued.is_empty() {
            text += &format!(", {} running, {} queued", self.running.len(), self.queued.len());
        }
        if let Some(left) = self.left() {
            text += &format!(", {} left", span(left));
        }
        text
    }

    /// How long it may still take, at the pace so far; what tasks had done before, of an earlier run, was no work of this
    /// one.
    fn left(&self) -> Option<Duration> {
        let (share, elapsed) = (self.share(), self.begun.elapsed());
        let before: f64 = self.running.iter().map(|running| running.cost * running.share_before()).sum();
        let done = share - (self.before + before) / self.cost;
        (done > 0.0 && elapsed > Duration::from_secs(2)).then(|| elapsed.mul_f64(((1.0 - share) / done).min(1e6)))
    }
}

/// A cost that can be added up.
fn cost(task: &TaskNode) -> f64 {
    if task.cost.is_finite() { task.cost.max(0.0) } else { 0.0 }
}

fn jobs(n: usize) -> String {
    if n == 1 { "1 job".to_string() } else { format!("{n} jobs") }
}

/// A duration in its two largest units.
fn span(duration: Duration) -> String {
    let seconds = duration.as_secs_f64().round() as u64;
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        _ => format!("{} h {:02} min", seconds / 3600, seconds % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(id: usize, cost: f64) -> TaskNode {
        TaskNode { name: format!("t{id}\u{1b}[2J"), after: vec![], cost, is_done: false }
    }

    #[test]
    fn the_share_is_weighted_by_cost_and_counts_running_tasks() {
        let graph = TaskGraph::new(vec![task(0, 1.0), task(1, 3.0), task(2, f64::NAN)]);
        let mut display = Display::hidden();
        display.begin(&graph);
        let _first = display.start(0, graph.node(0));
        let second = display.start(1, graph.node(1));
        display.stop(0, graph.node(0), &TaskOutcome::Done);
        second.progress(1, 3);
        assert_eq!(display.share(), 0.5);
        second.progress(9, 3);
        assert_eq!(display.share(), 1.0);
    }

    /// What other processes see is there from the first look on, and goes with the run.
    #[test]
    fn other_processes_see_what_runs() {
        let root = tempfile::tempdir().expect("a directory");
        let store = crate::store::Store::open(root.path()).expect("a store");
        let graph = TaskGraph::new(vec![task(0, 1.0), task(1, 3.0)]);
        let mut display = Display::hidden();
        display.also_to(LiveFile::new(&store, vec!["train-a".to_owned(), "train-b".to_owned()]));
        display.begin(&graph);
        let _first = display.start(0, graph.node(0));
        let second = display.start(1, graph.node(1));
        second.progress(30, 40);
        second.metric("score", 0.5);
        display.tick();
        let runs = LiveRun::all(&store);
        let [run] = runs.as_slice() else { panic!("one run") };
        assert_eq!((run.jobs, run.ended, run.running.len(), run.process), (2, 0, 2, std::process::id()));
        let job = &run.running[1];
        assert_eq!((&*job.directory, job.done, job.total, job.share()), ("train-b", 30, 40, 0.75));
        assert_eq!(job.told.metrics, [("score".to_owned(), 0.5)]);
        display.end(&Summary::default());
        assert!(LiveRun::all(&store).is_empty() && !root.path().join("runs").exists());
    }

    #[test]
    fn a_long_silence_is_broken_by_what_runs() {
        let graph = TaskGraph::new(vec![task(0, 1.0), task(1, 3.0)]);
        let mut display = Display::lines(Box::new(std::io::sink()));
        display.begin(&graph);
        let gauge = display.start(1, graph.node(1));
        gauge.progress(1, 4);
        gauge.metric("policy loss", 2.0);
        assert_eq!(display.running[0].text(), "t1 [2J 25 %, policy loss 2.000");
    }

    #[test]
    fn spans_have_two_units() {
        let spans = [0.4, 59.0, 61.0, 3600.0, 90_061.0].map(|s| span(Duration::from_secs_f64(s)));
        assert_eq!(spans, ["0 s", "59 s", "1 min 01 s", "1 h 00 min", "25 h 01 min"]);
    }
}
