//! A task that runs, as the display knows it.

use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

use super::gauge::Gauge;
use super::live::LiveJob;

/// Resolution of the bars.
pub(super) const STEPS: u64 = 1000;
/// Tasks that end at once get no bar.
const LEAST: Duration = Duration::from_millis(300);
/// Letters of the longest name that is shown whole.
const LONGEST: usize = 60;

pub(super) struct Running {
    pub id: usize,
    pub name: String,
    pub cost: f64,
    pub gauge: Gauge,
    since: Instant,
    /// When it first said how far it is, and how far it was: a task may go on from a checkpoint.
    first: Option<(Instant, u64)>,
    bar: Option<ProgressBar>,
}

impl Running {
    pub fn new(id: usize, name: String, cost: f64) -> Running {
        Running { id, name, cost, gauge: Gauge::default(), since: Instant::now(), first: None, bar: None }
    }

    /// The task begins now.
    pub fn anew(self) -> Running {
        Running { since: Instant::now(), ..self }
    }

    /// Takes a look at the gauge; called several times a second.
    pub fn look(&mut self) {
        let (done, total) = self.gauge.units();
        if total > 0 {
            self.first.get_or_insert((Instant::now(), done));
        }
    }

    /// Draws its line, in which names are `width` letters wide.
    pub fn draw(&mut self, all: &MultiProgress, width: usize) {
        if self.since.elapsed() < LEAST {
            return;
        }
        let bar = self.bar.get_or_insert_with(|| {
            let width = width.clamp(8, LONGEST);
            let bar = all.add(ProgressBar::new(STEPS));
            bar.set_style(style(&format!("  {{prefix:{width}!}} {{bar:20}} {{percent:>3}} %  {{msg}}")));
            bar.set_prefix(end_of(&self.name, width));
            bar
        });
        bar.set_position((self.gauge.share() * STEPS as f64) as u64);
        bar.set_message(self.gauge.metric_text());
    }

    /// Takes its line away.
    pub fn end(self, all: Option<&MultiProgress>) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
            all.inspect(|all| all.remove(&bar));
        }
    }

    /// Name, share and metrics in one line.
    pub fn text(&self) -> String {
        let metrics = self.gauge.metric_text();
        let metrics = if metrics.is_empty() { metrics } else { format!(", {metrics}") };
        format!("{} {:.0} %{metrics}", self.name, self.gauge.share() * 100.0)
    }

    /// The share that was done before it began here, 0 to 1, where it goes on from a checkpoint: what it had when it was
    /// looked at first, without what it has done until then at its pace since.
    pub fn share_before(&self) -> f64 {
        let (done, total) = self.gauge.units();
        let Some((since, first)) = self.first.filter(|_| total > 0) else { return 0.0 };
        let (pace, until) =
            (done.saturating_sub(first) as f64 / since.elapsed().as_secs_f64().max(1e-3), since - self.since);
        ((first as f64 - pace * until.as_secs_f64()) / total as f64).clamp(0.0, 1.0)
    }

    /// The task as other processes see it; `directory` is that of its job.
    pub fn live(&self, directory: String) -> LiveJob {
        let (done, total) = self.gauge.units();
        let rate = self.first.and_then(|(since, first)| {
            let seconds = since.elapsed().as_secs_f64();
            (done > first && seconds >= 1.0).then(|| (done - first) as f64 / seconds)
        });
        let (name, seconds) = (self.name.clone(), self.since.elapsed().as_secs_f64());
        LiveJob { name, directory, seconds, done, total, rate, told: self.gauge.told() }
    }
}

/// The last letters of a name that is too long: what differs comes last.
fn end_of(name: &str, width: usize) -> String {
    let letters = name.chars().count();
    if letters <= width { name.to_owned() } else { name.chars().skip(letters - width).collect() }
}

/// A style from a template of this room.
pub(super) fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("the templates in this room are valid").progress_chars("=> ")
}

#[cfg(test)]
mod tests {
    use super::{Running, end_of};

    #[test]
    fn what_a_checkpoint_had_is_no_work_of_this_run() {
        let before = |done| {
            let mut running = Running::new(0, String::new(), 1.0);
            running.gauge.progress(done, 100);
            running.look();
            running.share_before()
        };
        assert_eq!([0, 80].map(before), [0.0, 0.8]);
    }

    #[test]
    fn long_names_keep_their_ends() {
        assert_eq!(["abc", "abcdef"].map(|name| end_of(name, 4)), ["abc", "cdef"]);
    }
}
