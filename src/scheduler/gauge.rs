//! How far a task is: written by the task, read by the display, without waiting on the way.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use gauntlet_games::base::Record;

/// How long a game is shown before the next one takes its place.
const GAME_INTERVAL: Duration = Duration::from_millis(500);

/// The metrics that are shown in a line, in this order.
const SHOWN: [&str; 5] = ["policy loss", "value loss", SCORE, "mean", "best"];

/// The mean score of an evaluation, -1 to 1, which is shown as learning curves show it: 0 to 1.
const SCORE: &str = "score";

/// How far one task is. Clones show the same task.
#[derive(Debug, Clone, Default)]
pub struct Gauge(Arc<Needle>);

#[derive(Debug, Default)]
struct Needle {
    done: AtomicU64,
    total: AtomicU64,
    told: Mutex<(JobNews, Option<Instant>)>,
}

/// What a task has told beside its progress.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct JobNews {
    /// Metrics by name, the newest value of each.
    pub metrics: Vec<(String, f64)>,
    /// One of the last games.
    pub game: Option<Record>,
}

impl Gauge {
    /// `done` of `total` units are finished.
    pub fn progress(&self, done: u64, total: u64) {
        self.0.done.store(done, Ordering::Relaxed);
        self.0.total.store(total, Ordering::Relaxed);
    }

    /// The newest value of a metric.
    pub fn metric(&self, name: &str, value: f64) {
        let Ok(mut told) = self.0.told.try_lock() else { return };
        match told.0.metrics.iter_mut().find(|(known, _)| known == name) {
            Some((_, newest)) => *newest = value,
            None => told.0.metrics.push((name.to_owned(), value)),
        }
    }

    /// A finished game; of many in a moment one is kept.
    pub fn game(&self, record: &Record) {
        let Ok(mut told) = self.0.told.try_lock() else { return };
        if told.1.is_none_or(|since| since.elapsed() >= GAME_INTERVAL) {
            *told = (JobNews { game: Some(record.clone()), ..std::mem::take(&mut told.0) }, Some(Instant::now()));
        }
    }

    /// The finished share, 0 to 1.
    #[must_use]
    pub fn share(&self) -> f64 {
        let (done, total) = self.units();
        if total == 0 { 0.0 } else { (done as f64 / total as f64).min(1.0) }
    }

    /// The finished and all units.
    pub(super) fn units(&self) -> (u64, u64) {
        (self.0.done.load(Ordering::Relaxed), self.0.total.load(Ordering::Relaxed))
    }

    /// What was told so far.
    pub(super) fn told(&self) -> JobNews {
        self.0.told.lock().unwrap_or_else(PoisonError::into_inner).0.clone()
    }

    /// Shows what another gauge has shown.
    pub(super) fn copy(&self, told: JobNews) {
        self.0.told.lock().unwrap_or_else(PoisonError::into_inner).0 = told;
    }

    /// The metrics that matter most, ready to be printed; empty where there are none.
    pub(super) fn metric_text(&self) -> String {
        self.told().line()
    }
}

impl JobNews {
    /// The metrics that matter most in one line; empty where there are none.
    #[must_use]
    pub fn line(&self) -> String {
        let of = |name: &str| self.metrics.iter().find(|(known, _)| known == name).map(|(_, value)| *value);
        let share = |name: &str, value: f64| if name == SCORE { 0.5 * (value + 1.0) } else { value };
        let shown = SHOWN.iter().filter_map(|name| Some(format!("{name} {}", readable(share(name, of(name)?)))));
        shown.collect::<Vec<_>>().join(", ")
    }
}

/// A number for people: three digits behind the point, and large ones in thousands, millions and so on.
fn readable(value: f64) -> String {
    const UNITS: [(f64, &str); 4] = [(1e12, " T"), (1e9, " G"), (1e6, " M"), (1e4, " k")];
    match UNITS.iter().find(|(unit, _)| value.abs() >= *unit && value.is_finite()) {
        Some((1e4, word)) => format!("{:.1}{word}", value / 1e3),
        Some((unit, word)) => format!("{:.1}{word}", value / unit),
        None => format!("{value:.3}"),
    }
}

/// Text from a manifest, without what a terminal would obey.
pub(super) fn printable(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gauntlet_games::base::{Action, Outcome};

    #[test]
    fn names_cannot_steer_the_terminal() {
        assert_eq!(printable("a\u{1b}[2Jb\n"), "a [2Jb ");
    }

    #[test]
    fn losses_and_scores_are_shown_and_operations_are_not() {
        let gauge = Gauge::default();
        assert_eq!(gauge.metric_text(), "");
        for (name, value) in [("remembered", 0.5), ("policy loss", 2.0), ("score", 0.1), ("score", 0.25)] {
            gauge.metric(name, value);
        }
        gauge.metric("compute", 352_295_093_496.0);
        assert_eq!(gauge.metric_text(), "policy loss 2.000, score 0.625");
        assert_eq!(gauge.told().metrics.len(), 4);
        let readable = [0.25, -1234.5, 12_345.0, 352_295_093_496.0, f64::NAN].map(readable);
        assert_eq!(readable, ["0.250", "-1234.500", "12.3 k", "352.3 G", "NaN"]);
    }

    #[test]
    fn of_many_games_one_is_kept() {
        let gauge = Gauge::default();
        for game in 0..3 {
            gauge.game(&Record::new(game, [0, 1], vec![Action(4)], Outcome::Draw));
        }
        assert_eq!(gauge.told().game.map(|record| record.game), Some(0));
    }
}
