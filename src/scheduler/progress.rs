//! What the user sees of a run: bars on a terminal, a line now and then elsewhere.
//!
//! Running tasks only store numbers in a [`Gauge`]; the thread that drives the pool reads them and draws.

use std::io::{IsTerminal as _, Write, stderr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::{Graph, Summary, Task, Verdict};

/// Least time between two plain lines, failures excepted.
const LINE_INTERVAL: Duration = Duration::from_secs(5);
/// Longest silence of plain lines while tasks run.
const LONGEST_SILENCE: Duration = Duration::from_secs(60);
/// Resolution of the bars.
const STEPS: u64 = 1000;

/// How far one task is. Clones show the same task.
#[derive(Debug, Clone, Default)]
pub struct Gauge(Arc<Needle>);

#[derive(Debug, Default)]
struct Needle {
    done: AtomicU64,
    total: AtomicU64,
    /// The newest metric; `None` where nobody looks at it.
    metric: Option<Mutex<(String, f64)>>,
}

impl Gauge {
    /// A gauge for a display that shows metrics.
    fn with_metric() -> Gauge {
        Gauge(Arc::new(Needle { metric: Some(Mutex::default()), ..Needle::default() }))
    }

    /// `done` of `total` units are finished.
    pub fn progress(&self, done: u64, total: u64) {
        self.0.done.store(done, Ordering::Relaxed);
        self.0.total.store(total, Ordering::Relaxed);
    }

    /// The newest value of a metric.
    pub fn metric(&self, name: &str, value: f64) {
        if let Some(Ok(mut metric)) = self.0.metric.as_ref().map(Mutex::try_lock) {
            metric.0.clear();
            metric.0.push_str(name);
            metric.1 = value;
        }
    }

    /// The finished share, 0 to 1.
    #[must_use]
    pub fn share(&self) -> f64 {
        let (done, total) = (self.0.done.load(Ordering::Relaxed), self.0.total.load(Ordering::Relaxed));
        if total == 0 { 0.0 } else { (done as f64 / total as f64).min(1.0) }
    }

    fn metric_text(&self) -> String {
        let metric = self.0.metric.as_ref().and_then(|metric| metric.lock().ok().map(|metric| metric.clone()));
        metric
            .filter(|(name, _)| !name.is_empty())
            .map_or(String::new(), |(name, value)| format!("{} {value:.3}", printable(&name)))
    }
}

/// Shows a run.
pub struct Display {
    screen: Screen,
    begun: Instant,
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
    cost: f64,
    gauge: Gauge,
    bar: Option<ProgressBar>,
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
        Display { screen, begun, tasks: 0, cost: 0.0, ended_cost: 0.0, ended: 0, failed: 0, running: Vec::new() }
    }

    pub(super) fn begin(&mut self, graph: &Graph) {
        let screen = std::mem::replace(&mut self.screen, Screen::Hidden);
        *self = Display::on(screen);
        self.tasks = graph.tasks().len();
        self.cost = graph.tasks().iter().map(cost).sum();
        if let Screen::Bars { all, overall } = &mut self.screen {
            let bar = all.add(ProgressBar::new(STEPS));
            bar.set_style(style("{wide_bar} {percent:>3} %  {msg}"));
            *overall = Some(bar);
        }
        self.line(&format!("{} to run", jobs(self.tasks)));
    }

    pub(super) fn start(&mut self, task: &Task) -> Gauge {
        let (gauge, bar) = match &self.screen {
            Screen::Bars { all, .. } => {
                let bar = all.add(ProgressBar::new(STEPS));
                bar.set_style(style("  {prefix:40!} {bar:20} {percent:>3} %  {msg}"));
                bar.set_prefix(printable(&task.name));
                (Gauge::with_metric(), Some(bar))
            }
            _ => (Gauge::default(), None),
        };
        self.running.push(Running { id: task.id, cost: cost(task), gauge: gauge.clone(), bar });
        gauge
    }

    pub(super) fn stop(&mut self, task: &Task, verdict: &Verdict) {
        if let Some(index) = self.running.iter().position(|running| running.id == task.id)
            && let Some(bar) = self.running.swap_remove(index).bar
        {
            bar.finish_and_clear();
        }
        match verdict {
            Verdict::Done => self.count(task),
            Verdict::Failed(reason) | Verdict::Fatal(reason) => {
                self.count(task);
                self.failed += 1;
                self.note(&format!("failed: {}: {}", printable(&task.name), reason.lines().next().unwrap_or_default()));
            }
            Verdict::Interrupted | Verdict::Busy => return,
        }
        if self.silence() >= Some(LINE_INTERVAL) {
            self.line(&format!("{} - finished {}", self.status(), printable(&task.name)));
        }
    }

    fn count(&mut self, task: &Task) {
        self.ended += 1;
        self.ended_cost += cost(task);
    }

    /// Draws what has changed; called several times a second.
    pub(super) fn tick(&mut self) {
        if self.silence() >= Some(LONGEST_SILENCE) {
            self.line(&self.status());
        }
        let Screen::Bars { overall: Some(overall), .. } = &self.screen else { return };
        overall.set_position((self.share() * STEPS as f64) as u64);
        overall.set_message(self.counts());
        for Running { gauge, bar, .. } in &self.running {
            if let Some(bar) = bar {
                bar.set_position((gauge.share() * STEPS as f64) as u64);
                bar.set_message(gauge.metric_text());
            }
        }
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
fn cost(task: &Task) -> f64 {
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

/// Text from a manifest, without what a terminal would obey.
fn printable(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("the templates in this file are valid").progress_chars("=> ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(id: usize, cost: f64) -> Task {
        Task { id, name: format!("t{id}\u{1b}[2J"), after: vec![], cost }
    }

    #[test]
    fn the_share_is_weighted_by_cost_and_counts_running_tasks() {
        let graph = Graph::new(vec![task(0, 1.0), task(1, 3.0), task(2, f64::NAN)]).unwrap();
        let mut display = Display::hidden();
        display.begin(&graph);
        let _first = display.start(&graph.tasks()[0]);
        let second = display.start(&graph.tasks()[1]);
        display.stop(&graph.tasks()[0], &Verdict::Done);
        second.progress(1, 3);
        assert_eq!(display.share(), 0.5);
        second.progress(9, 3);
        assert_eq!(display.share(), 1.0);
    }

    #[test]
    fn names_cannot_steer_the_terminal() {
        assert_eq!(printable("a\u{1b}[2Jb\n"), "a [2Jb ");
    }

    #[test]
    fn spans_have_two_units() {
        let spans = [0.4, 59.0, 61.0, 3600.0, 90_061.0].map(|s| span(Duration::from_secs_f64(s)));
        assert_eq!(spans, ["0 s", "59 s", "1 min 01 s", "1 h 00 min", "25 h 01 min"]);
    }

    #[test]
    fn a_metric_is_kept_only_where_it_is_shown() {
        let (shown, hidden) = (Gauge::with_metric(), Gauge::default());
        [&shown, &hidden].map(|gauge| gauge.metric("loss", 0.25));
        assert_eq!([shown.metric_text(), hidden.metric_text()], ["loss 0.250", ""]);
    }
}
