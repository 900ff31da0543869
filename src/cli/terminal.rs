//! The terminal as a listener of runs: bars if standard error is a terminal, otherwise plain lines at intervals, and
//! messages.

use std::collections::BTreeMap;
use std::io::{IsTerminal as _, Write, stderr};
use std::time::{Duration, Instant};

use super::Flags;
use super::bars::Bars;
use super::output::{count, duration, harmless, tell, visible};
use gauntlet_run::scheduler::{Detached, Listener, RoundPlan, RunEvent, RunState, RunningTask, Summary, TaskOutcome};
use gauntlet_store::{GONE, Holder, host};

/// Least time between two plain lines, except for failures.
const LINE_INTERVAL: Duration = Duration::from_secs(5);
/// Longest time without a plain line while tasks run.
const LONGEST_SILENCE: Duration = Duration::from_secs(30);
/// Number of running tasks that a plain line names.
const NAMED: usize = 3;
/// Most unsubmitted jobs that are named one by one.
const MOST_NAMED: usize = 10;

/// Shows the events of runs on standard error.
pub struct Terminal {
    /// Whether only warnings are shown.
    quiet: bool,
    screen: Screen,
    state: RunState,
    /// Names of tasks, from the descriptions of their jobs.
    names: BTreeMap<usize, String>,
    /// Whether the round is a further one of a race, of which only some have lines.
    is_further: bool,
    /// The jobs that are done in all rounds, and the number of rounds.
    done: [usize; 2],
    begun: Instant,
}

/// The output of progress.
enum Screen {
    Hidden,
    Lines { out: Box<dyn Write + Send>, last: Option<Instant> },
    Bars(Bars),
}

impl Terminal {
    /// The terminal for these flags.
    #[must_use]
    pub fn new(flags: &Flags) -> Terminal {
        let is_ci = std::env::var_os("CI").is_some_and(|value| !value.is_empty() && value != "false");
        let screen = match (flags.quiet, flags.no_progress || is_ci || !stderr().is_terminal()) {
            (true, _) => Screen::Hidden,
            (false, true) => Screen::Lines { out: Box::new(stderr()), last: None },
            (false, false) => Screen::Bars(Bars::new()),
        };
        Terminal { quiet: flags.quiet, ..Terminal::on(screen) }
    }

    /// Plain lines to a writer: at the start, at the end, for failures, and otherwise at most one every few seconds
    /// and at least one in half a minute.
    #[must_use]
    pub fn lines(out: Box<dyn Write + Send>) -> Terminal {
        Terminal::on(Screen::Lines { out, last: None })
    }

    fn on(screen: Screen) -> Terminal {
        Terminal {
            quiet: false,
            screen,
            state: RunState::default(),
            names: BTreeMap::new(),
            is_further: false,
            done: [0; 2],
            begun: Instant::now(),
        }
    }

    /// A message to the user, which `--quiet` hides.
    fn note(&mut self, text: &str) {
        if !self.quiet {
            self.show(text);
        }
    }

    /// A message to the user.
    fn show(&mut self, text: &str) {
        match &mut self.screen {
            Screen::Bars(bars) if bars.are_drawn() => bars.print(&harmless(text, false)),
            Screen::Lines { out, last } if self.state.is_under_way() => {
                *last = Some(Instant::now());
                // A closed standard error does not stop the work.
                let _ = writeln!(out, "{}", harmless(text, false));
            }
            _ => tell(text),
        }
    }

    fn line(&mut self, text: &str) {
        if let Screen::Lines { out, last } = &mut self.screen {
            *last = Some(Instant::now());
            let _ = writeln!(out, "{text}");
        }
    }

    /// Time since the last plain line; none without plain lines.
    fn silence(&self) -> Option<Duration> {
        match &self.screen {
            Screen::Lines { last: Some(last), .. } => Some(last.elapsed()),
            _ => None,
        }
    }

    fn task_ended(&mut self, task: usize, outcome: &TaskOutcome) {
        if let Screen::Bars(bars) = &mut self.screen {
            bars.remove(task);
        }
        if let TaskOutcome::Failed(reason) | TaskOutcome::Damaged(reason) | TaskOutcome::Fatal(reason) = outcome {
            let text = format!("failed: {}: {reason}", self.name(task));
            self.show(&text);
        }
        if outcome.is_final() && self.silence() >= Some(LINE_INTERVAL) {
            self.line(&format!("{} - finished {}", status(&self.state), self.state.name(task)));
        }
    }

    /// The whole name of a task.
    fn name(&self, task: usize) -> String {
        self.names.get(&task).map_or(String::new(), |name| visible(name))
    }

    fn round_ended(&mut self, summary: &Summary) {
        if let Screen::Bars(bars) = &mut self.screen {
            bars.clear();
        }
        let mut text = format!("{} done in {}", count(summary.done.len(), "job"), span(self.state.elapsed()));
        let counts = [
            (summary.failed.len(), "failed"),
            (summary.skipped.len(), "skipped"),
            (summary.unfinished.len(), "unfinished"),
        ];
        for (n, word) in counts.into_iter().filter(|(n, _)| *n > 0) {
            text += &format!(", {n} {word}");
        }
        if self.has_line() || !summary.is_complete() {
            self.line(&text);
        }
        self.is_further = true;
        let [done, rounds] = self.done;
        self.done = [done + summary.done.len(), rounds + 1];
    }

    /// The jobs of all rounds, if there were several, as in a race.
    pub fn end(&mut self) {
        let [done, rounds] = self.done;
        if rounds > 1 {
            self.note(&format!("{} done in {} rounds, {}", count(done, "job"), rounds, span(self.begun.elapsed())));
        }
    }

    /// Whether a round has lines: further rounds of a race, which may take less than a second, have some.
    fn has_line(&self) -> bool {
        !self.is_further || self.silence() >= Some(LINE_INTERVAL)
    }
}

impl Listener for Terminal {
    fn event(&mut self, event: &RunEvent) {
        self.state.apply(event);
        match event {
            RunEvent::TreeHeld { tree, holder, file } => tell(&waiting(tree, holder.as_ref(), file.as_deref())),
            RunEvent::RoundPlanned(plan) => {
                self.is_further = false;
                self.round_planned(plan);
            }
            RunEvent::RoundStarted { tasks } => {
                self.names = tasks.iter().map(|(&task, node)| (task, node.name.clone())).collect();
                if let Screen::Bars(bars) = &mut self.screen {
                    bars.begin(self.state.name_width());
                }
                if self.has_line() {
                    self.line(&format!("{} to run", count(tasks.len(), "job")));
                }
            }
            RunEvent::TaskEnded { task, outcome } => self.task_ended(*task, outcome),
            RunEvent::RoundEnded(summary) => self.round_ended(summary),
            RunEvent::Detached(detached) => self.detached(detached),
            RunEvent::Note(text) => self.note(text),
            RunEvent::Warning(text) => tell(text),
            RunEvent::TaskQueued { .. } | RunEvent::TaskStarted { .. } | RunEvent::TaskProgress { .. } => {}
        }
    }

    fn tick(&mut self) {
        if self.silence() >= Some(LONGEST_SILENCE) {
            let running: Vec<String> = self.state.running.iter().take(NAMED).map(task_line).collect();
            self.line(&format!("{} - {}", status(&self.state), running.join("; ")));
        }
        if let Screen::Bars(bars) = &mut self.screen {
            bars.draw(&self.state, &counts(&self.state));
        }
    }
}

impl Terminal {
    /// Reports finished and missing jobs, and the estimated time.
    fn round_planned(&mut self, plan: &RoundPlan) {
        let RoundPlan { jobs, new, done, stale, damaged, .. } = *plan;
        let mut line = format!("{}: {new} new, {done} cached, {stale} stale", count(jobs, "job"));
        if damaged > 0 {
            line += &format!(", {damaged} damaged");
        }
        if plan.from_checkpoint > 0 {
            line += &format!("; {} continue from a checkpoint", plan.from_checkpoint);
        }
        if plan.from_shorter > 0 {
            line += &format!("; {} continue a shorter training", plan.from_shorter);
        }
        if done == jobs {
            line += "; all jobs are cached, nothing to do";
        } else {
            line += &format!(
                "; about {} on {}",
                duration(plan.seconds_left),
                count(plan.slots, if plan.on_cluster { "array task" } else { "slot" })
            );
        }
        self.note(&line);
        if stale > 0 {
            self.note(
                "stale jobs were run by other code and run again; `gauntlet verify` finds out whether they come out the \
                 same, --accept-code takes them as they are",
            );
        }
        if plan.accepted > 0 {
            self.note(&format!("{} results of older code are taken as they are", plan.accepted));
        }
        if plan.verified > 0 {
            self.note(&format!("{} results of older code are verified, and taken", plan.verified));
        }
    }

    /// Reports the jobs that stay on the cluster, the unsubmitted ones, and the command to continue.
    fn detached(&mut self, detached: &Detached) {
        self.note(&format!("detached: {} stay with the cluster", count(detached.submitted, "job")));
        let unsubmitted = &detached.unsubmitted;
        if !unsubmitted.is_empty() {
            tell(&format!("{} not submitted:", count(unsubmitted.len(), "job")));
            unsubmitted.iter().take(MOST_NAMED).for_each(|name| tell(&format!("  {}", visible(name))));
            if let more @ 1.. = unsubmitted.len().saturating_sub(MOST_NAMED) {
                tell(&format!("  and {more} more"));
            }
        }
        self.note("run the same command again to follow; `gauntlet status` shows them, `gauntlet cancel` ends them");
    }
}

/// Name, share and metrics of a task in one line.
fn task_line(task: &RunningTask) -> String {
    let metrics = task.progress.line();
    let metrics = if metrics.is_empty() { metrics } else { format!(", {metrics}") };
    format!("{} {:.0} %{metrics}", task.name, task.progress.share() * 100.0)
}

fn status(state: &RunState) -> String {
    format!("{:3.0} %  {}", state.share() * 100.0, counts(state))
}

fn counts(state: &RunState) -> String {
    let mut text = format!("{} of {}", state.ended, count(state.tasks(), "job"));
    if state.failed > 0 {
        text += &format!(", {} failed", state.failed);
    }
    if state.queued() > 0 {
        text += &format!(", {} running, {} queued", state.running.len(), state.queued());
    }
    if let Some(left) = state.left() {
        text += &format!(", {} left", span(left));
    }
    text
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

/// The message of a run that waits for another process: its identity, its start, and a hint.
fn waiting(tree: &str, holder: Option<&Holder>, file: Option<&str>) -> String {
    let (who, since) = holder.map_or(("another process".to_owned(), String::new()), |holder| {
        // To the second: `2026-11-21T21:27:26`.
        let since = holder.since.get(..19).unwrap_or(&holder.since).replace('T', " ");
        let place = if holder.host == host() { String::new() } else { format!(" on {}", visible(&holder.host)) };
        (format!("process {}{place}", holder.process), format!(" (since {since} UTC)"))
    });
    let line = format!("{who} is running on `{}`{since}; waiting for it, Ctrl-C gives up", tree);
    let Some(file) = file else { return line };
    let silent = if holder.is_none() { "; the file that should name it is empty or torn" } else { "" };
    let way = format!("if it has ended, remove {}", file);
    format!("{line}{silent}\nhint: it counts as ended after {} s without a sign of life; {way}", GONE.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_waiting_run_names_the_process_and_the_file_to_remove() {
        let holder = Holder { process: 7, since: "2026-11-21T21:27:26.5Z".to_owned(), host: "n7".to_owned() };
        let file = "r/.owner.json";
        let message = |holder, file| waiting("r", holder, file);
        let line = "process 7 on n7 is running on `r` (since 2026-11-21 21:27:26 UTC); waiting for it, Ctrl-C gives up";
        assert_eq!(message(Some(&holder), None), line);
        let hint =
            "\nhint: it counts as ended after 180 s without a sign of life; if it has ended, remove r/.owner.json";
        assert_eq!(message(Some(&holder), Some(file)), format!("{line}{hint}"));
        let silent = "; waiting for it, Ctrl-C gives up; the file that should name it is empty or torn\nhint: ";
        assert!(message(None, Some(file)).contains(silent));
    }

    #[test]
    fn spans_have_two_units() {
        let spans = [0.4, 59.0, 61.0, 3600.0, 90_061.0].map(|s| span(Duration::from_secs_f64(s)));
        assert_eq!(spans, ["0 s", "59 s", "1 min 01 s", "1 h 00 min", "25 h 01 min"]);
    }
}
