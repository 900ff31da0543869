//! The progress of one task: the data, and the cell that a worker and the driving thread share.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use gauntlet_games::base::{Record, visible};

/// Least time for which a game is shown.
const GAME_INTERVAL: Duration = Duration::from_millis(500);

/// The metrics that are shown in a line, in this order.
const SHOWN: [&str; 5] = ["policy loss", "value loss", SCORE, "mean", "best"];

/// Most numbers of a training that has none of these.
const MOST_OWN: usize = 3;

/// The mean score of an evaluation, -1 to 1; it is shown on the scale of learning curves, 0 to 1.
const SCORE: &str = "score";

/// The progress of a task so far.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct JobProgress {
    /// Finished units of work.
    #[serde(default)]
    pub done: u64,
    /// All units; 0 while unknown.
    #[serde(default)]
    pub total: u64,
    /// Metrics by name, the newest value of each.
    #[serde(default)]
    pub metrics: Vec<(String, f64)>,
    /// One of the last games.
    #[serde(default)]
    pub game: Option<Record>,
}

/// The progress of one task: its worker writes, others read, and neither blocks the other. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct ProgressCell(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    done: AtomicU64,
    total: AtomicU64,
    /// Metrics and game, and the time of the last kept game.
    rest: Mutex<(JobProgress, Option<Instant>)>,
}

impl ProgressCell {
    /// `done` of `total` units are finished.
    pub fn progress(&self, done: u64, total: u64) {
        self.0.done.store(done, Ordering::Relaxed);
        self.0.total.store(total, Ordering::Relaxed);
    }

    /// The newest value of a metric. A value that is not finite removes the metric: JSON has no such numbers, and the
    /// older value would mislead.
    pub fn metric(&self, name: &str, value: f64) {
        let Ok(mut rest) = self.0.rest.try_lock() else { return };
        if !value.is_finite() {
            return rest.0.metrics.retain(|(known, _)| known != name);
        }
        match rest.0.metrics.iter_mut().find(|(known, _)| known == name) {
            Some((_, newest)) => *newest = value,
            None => rest.0.metrics.push((name.to_owned(), value)),
        }
    }

    /// A finished game; of several in a short time only one is kept.
    pub fn game(&self, record: &Record) {
        let Ok(mut rest) = self.0.rest.try_lock() else { return };
        if rest.1.is_none_or(|since| since.elapsed() >= GAME_INTERVAL) {
            rest.0.game = Some(record.clone());
            rest.1 = Some(Instant::now());
        }
    }

    /// The progress so far.
    #[must_use]
    pub fn read(&self) -> JobProgress {
        let rest = self.0.rest.lock().unwrap_or_else(PoisonError::into_inner).0.clone();
        let units = [&self.0.done, &self.0.total].map(|units| units.load(Ordering::Relaxed));
        JobProgress { done: units[0], total: units[1], ..rest }
    }

    /// Replaces the progress by that of another process.
    pub(super) fn set(&self, progress: JobProgress) {
        self.progress(progress.done, progress.total);
        self.0.rest.lock().unwrap_or_else(PoisonError::into_inner).0 = progress;
    }
}

impl JobProgress {
    /// The finished share, 0 to 1.
    #[must_use]
    pub fn share(&self) -> f64 {
        if self.total == 0 { 0.0 } else { (self.done as f64 / self.total as f64).min(1.0) }
    }

    /// The most important metrics in one line; empty if there are none.
    #[must_use]
    pub fn line(&self) -> String {
        let of = |name: &str| self.metrics.iter().find(|(known, _)| known == name).map(|(_, value)| *value);
        let share = |name: &str, value: f64| if name == SCORE { 0.5 * (value + 1.0) } else { value };
        let known = SHOWN.iter().filter_map(|name| Some(format!("{name} {}", readable(share(name, of(name)?)))));
        let known: Vec<String> = known.collect();
        // A training by another program has names of its own.
        let own =
            self.metrics.iter().take(MOST_OWN).map(|(name, value)| format!("{} {}", visible(name), readable(*value)));
        if known.is_empty() { own.collect::<Vec<_>>().join(", ") } else { known.join(", ") }
    }
}

/// A number with three decimals; large ones in thousands, millions and so on.
fn readable(value: f64) -> String {
    const UNITS: [(f64, &str); 4] = [(1e12, " T"), (1e9, " G"), (1e6, " M"), (1e4, " k")];
    match UNITS.iter().find(|(unit, _)| value.abs() >= *unit && value.is_finite()) {
        Some((1e4, word)) => format!("{:.1}{word}", value / 1e3),
        Some((unit, word)) => format!("{:.1}{word}", value / unit),
        None => format!("{value:.3}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gauntlet_games::base::{Action, Outcome};

    #[test]
    fn losses_and_scores_are_shown_and_operations_are_not() {
        let cell = ProgressCell::default();
        assert_eq!(cell.read().line(), "");
        for (name, value) in [("remembered", 0.5), ("policy loss", 2.0), ("score", 0.1), ("score", 0.25)] {
            cell.metric(name, value);
        }
        cell.metric("compute", 352_295_093_496.0);
        assert_eq!(cell.read().line(), "policy loss 2.000, score 0.625");
        cell.metric("entropy", f64::NAN);
        cell.metric("remembered", f64::INFINITY);
        assert!(cell.read().metrics.iter().all(|(name, _)| !["entropy", "remembered"].contains(&name.as_str())));
        cell.metric("remembered", 0.5);
        assert_eq!(cell.read().metrics.len(), 4);
        let readable = [0.25, -1234.5, 12_345.0, 352_295_093_496.0, f64::NAN].map(readable);
        assert_eq!(readable, ["0.250", "-1234.500", "12.3 k", "352.3 G", "NaN"]);
    }

    #[test]
    fn of_many_games_one_is_kept() {
        let cell = ProgressCell::default();
        for game in 0..3 {
            cell.game(&Record::new(game, [0, 1], vec![Action(4)], Outcome::Draw));
        }
        assert_eq!(cell.read().game.map(|record| record.game), Some(0));
    }
}
