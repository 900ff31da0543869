//! What the user sees of a run: bars on a terminal, a line now and then elsewhere.
//!
//! Running tasks only move the needle of a [`Gauge`]; the thread that drives the pool reads them and draws.

use std::io::{IsTerminal as _, Write, stderr};
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::gauge::{Gauge, printable};
use super::graph::{TaskGraph, TaskNode};
use super::outcome::{Summary, TaskOutcome};

/// Least time between two plain lines, failures excepted.
const LINE_INTERVAL: Duration = Duration::from_secs(5);
/// Longest silence of plain lines while tasks run.
const LONGEST_SILENCE: Duration = Duration::from_secs(60);
/// Time between two drawings of the bars.
const DRAW_INTERVAL: Duration = Duration::from_millis(100);
/// Resolution of the bars.
const STEPS: u64 = 1000;

/// Shows a run.
pub struct Display {
    screen: Screen,
    begun: Instant,
    drawn: Instant,
    tasks: usize,
    /// Cost of all tasks, and of those that ended.
    cost: f64,
    ended_cost: f64,
    ended: usize,
    failed: usize,
    running: Vec<Running>,
}

enum Screen {
    Hidden,
    Lines { out: Box<dyn Write + Send>, last: Option<Instant> },
    Bars { all: MultiProgress, overall: Option<ProgressBar> },
}

struct Running {
    id: usize,
    name: String,
    cost: f64,
    since: Instant,
    gauge: Gauge,
    /// Its line; tasks that end at once never get one.
    bar: Option<ProgressBar>,
}

impl Running {
    fn draw(&mut self, all: &MultiProgress) {
        if self.since.elapsed() < DRAW_INTERVAL * 3 {
            return;
        }
        let bar = self.bar.get_or_insert_with(|| {
            let bar = all.add(ProgressBar::new(STEPS));
            bar.set_style(style("  {prefix:40!} {bar:20} {percent:>3} %  {msg}"));
            bar.set_prefix(self.name.clone());
            bar
        });
        bar.set_position((self.gauge.share() * STEPS as f64) as u64);
        bar.set_message(self.gauge.metric_text());
    }
}

impl Display {
    /// Shows nothing.
    #[must_use]
    pub fn hidden() -> Display {
        Display::on(Screen::Hidden)
    }

    /// Writes plain lines: at the start, at the end, for failures, and otherwise one every few seconds.
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

    fn on(screen: Screen) -> Display {
        let begun = Instant::now();
        Display {
            screen,
            begun,
            drawn: begun,
            tasks: 0,
            cost: 0.0,
            ended_cost: 0.0,
            ended: 0,
            failed: 0,
            running: Vec::new(),
        }
    }

    pub(super) fn begin(&mut self, graph: &TaskGraph) {
        let screen = std::mem::replace(&mut self.screen, Screen::Hidden);
        *self = Display::on(screen);
        self.tasks = graph.open().count();
        self.cost = graph.open().map(cost).sum();
        if let Screen::Bars { all, overall } = &mut self.screen {
            let bar = all.add(ProgressBar::new(STEPS));
            bar.set_style(style("{wide_bar} {percent:>3} %  {msg}"));
            *overall = Some(bar);
        }
        self.line(&format!("{} to run", jobs(self.tasks)));
    }

    pub(super) fn start(&mut self, id: usize, task: &TaskNode) -> Gauge {
        let gauge = if matches!(self.screen, Screen::Bars { .. }) { Gauge::with_metric() } else { Gauge::default() };
        let name = printable(&task.name);
        let (cost, since) = (cost(task), Instant::now());
        self.running.push(Running { id, name, cost, since, gauge: gauge.clone(), bar: None });
        gauge
    }

    pub(super) fn stop(&mut self, id: usize, task: &TaskNode, outcome: &TaskOutcome) {
        if let Some(index) = self.running.iter().position(|running| running.id == id) {
            let bar = self.running.swap_remove(index).bar;
            if let (Some(bar), Screen::Bars { all, .. }) = (bar, &self.screen) {
                bar.finish_and_clear();
                all.remove(&bar);
            }
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
            self.line(&format!("{} - finished {}", self.status(), printable(&task.name)));
        }
    }

    fn count(&mut self, task: &TaskNode) {
        self.ended += 1;
        self.ended_cost += cost(task);
    }

    /// Draws what has changed; called several times a second.
    pub(super) fn tick(&mut self) {
        if self.silence() >= Some(LONGEST_SILENCE) {
            self.line(&self.status());
        }
        if self.drawn.elapsed() < DRAW_INTERVAL {
            return;
        }
        self.drawn = Instant::now();
        let (share, counts) = (self.share(), self.counts());
        let Screen::Bars { all, overall: Some(overall) } = &self.screen else { return };
        overall.set_position((share * STEPS as f64) as u64);
        overall.set_message(counts);
        self.running.iter_mut().for_each(|running| running.draw(all));
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
        for running in self.running.drain(..) {
            running.bar.inspect(ProgressBar::finish_and_clear);
        }
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
        let (share, elapsed) = (self.share(), self.begun.elapsed());
        if share > 0.0 && elapsed > Duration::from_secs(2) {
            text += &format!(", {} left", span(elapsed.mul_f64(((1.0 - share) / share).min(1e6))));
        }
        text
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

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("the templates in this file are valid").progress_chars("=> ")
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

    #[test]
    fn spans_have_two_units() {
        let spans = [0.4, 59.0, 61.0, 3600.0, 90_061.0].map(|s| span(Duration::from_secs_f64(s)));
        assert_eq!(spans, ["0 s", "59 s", "1 min 01 s", "1 h 00 min", "25 h 01 min"]);
    }
}
