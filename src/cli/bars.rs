//! Progress bars: one for a whole round, and one for each task that has run for a short time.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use gauntlet_run::scheduler::RunState;

/// Resolution of the bars.
const STEPS: u64 = 1000;
/// Tasks that end sooner get no bar.
const LEAST: Duration = Duration::from_millis(300);
/// Time between two redraws.
const INTERVAL: Duration = Duration::from_millis(100);
/// The length of the longest name that is shown in full.
const LONGEST: usize = 60;

/// The bars of a round.
pub(super) struct Bars {
    all: MultiProgress,
    overall: Option<ProgressBar>,
    tasks: HashMap<usize, ProgressBar>,
    /// The width of the task names.
    width: usize,
    drawn: Instant,
}

impl Bars {
    /// Bars on standard error; nothing is drawn yet.
    pub fn new() -> Bars {
        let all = MultiProgress::with_draw_target(ProgressDrawTarget::stderr_with_hz(10));
        Bars { all, overall: None, tasks: HashMap::new(), width: 0, drawn: Instant::now() }
    }

    /// Whether the bars of a round are visible.
    pub fn are_drawn(&self) -> bool {
        self.overall.is_some()
    }

    /// Begins a round whose tasks have names of this width.
    pub fn begin(&mut self, width: usize) {
        self.width = width.clamp(8, LONGEST);
        let bar = self.all.add(ProgressBar::new(STEPS));
        bar.set_style(style("{wide_bar} {percent:>3} %  {msg}"));
        self.overall = Some(bar);
    }

    /// Draws the round, if a redraw is due.
    pub fn draw(&mut self, state: &RunState, message: &str) {
        if self.drawn.elapsed() < INTERVAL {
            return;
        }
        self.drawn = Instant::now();
        let Some(overall) = &self.overall else { return };
        overall.set_position((state.share() * STEPS as f64) as u64);
        overall.set_message(message.to_owned());
        for task in state.running.iter().filter(|task| task.elapsed() >= LEAST) {
            let (all, width) = (&self.all, self.width);
            let bar = self.tasks.entry(task.task).or_insert_with(|| {
                let bar = all.add(ProgressBar::new(STEPS));
                bar.set_style(style(&format!("  {{prefix:{width}!}} {{bar:20}} {{percent:>3}} %  {{msg}}")));
                bar.set_prefix(end_of(&task.name, width));
                bar
            });
            bar.set_position((task.progress.share() * STEPS as f64) as u64);
            bar.set_message(task.progress.line());
        }
    }

    /// Removes the bar of a task.
    pub fn remove(&mut self, task: usize) {
        if let Some(bar) = self.tasks.remove(&task) {
            bar.finish_and_clear();
            self.all.remove(&bar);
        }
    }

    /// Removes all bars.
    pub fn clear(&mut self) {
        self.tasks.drain().map(|(_, bar)| bar).chain(self.overall.take()).for_each(|bar| bar.finish_and_clear());
    }

    /// Prints a line above the bars.
    pub fn print(&self, line: &str) {
        // A closed standard error does not stop the work.
        let _ = self.all.println(line);
    }
}

/// The last letters of a name that is too long: names differ in their last words.
fn end_of(name: &str, width: usize) -> String {
    let letters = name.chars().count();
    if letters <= width { name.to_owned() } else { name.chars().skip(letters - width).collect() }
}

/// A style from a template of this file.
fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("the templates in this file are valid").progress_chars("=> ")
}

#[cfg(test)]
mod tests {
    use super::end_of;

    #[test]
    fn long_names_keep_their_ends() {
        assert_eq!(["abc", "abcdef"].map(|name| end_of(name, 4)), ["abc", "cdef"]);
    }
}
