//! How far a task is: written by the task, read by the display, without locks on the way.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// How far one task is. Clones show the same task.
#[derive(Debug, Clone, Default)]
pub struct Gauge(Arc<Needle>);

#[derive(Debug, Default)]
struct Needle {
    done: AtomicU64,
    total: AtomicU64,
    /// The newest metric; `None` where it is not shown.
    metric: Option<Mutex<(String, f64)>>,
}

impl Gauge {
    /// A gauge for a display that shows metrics.
    pub(super) fn with_metric() -> Gauge {
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
        let (done, total) = self.units();
        if total == 0 { 0.0 } else { (done as f64 / total as f64).min(1.0) }
    }

    /// The finished and all units.
    pub(super) fn units(&self) -> (u64, u64) {
        (self.0.done.load(Ordering::Relaxed), self.0.total.load(Ordering::Relaxed))
    }

    /// The newest metric, where there is one.
    pub(super) fn newest(&self) -> Option<(String, f64)> {
        let metric = self.0.metric.as_ref().and_then(|metric| metric.lock().ok().map(|metric| metric.clone()));
        metric.filter(|(name, _)| !name.is_empty())
    }

    /// The newest metric, ready to be printed; empty where there is none.
    pub(super) fn metric_text(&self) -> String {
        self.newest().map_or(String::new(), |(name, value)| format!("{} {value:.3}", printable(&name)))
    }
}

/// Text from a manifest, without what a terminal would obey.
pub(super) fn printable(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_steer_the_terminal() {
        assert_eq!(printable("a\u{1b}[2Jb\n"), "a [2Jb ");
    }

    #[test]
    fn a_metric_is_kept_only_where_it_is_shown() {
        let (shown, hidden) = (Gauge::with_metric(), Gauge::default());
        shown.metric("loss", 0.25);
        hidden.metric("loss", 0.25);
        assert_eq!([shown.metric_text(), hidden.metric_text()], ["loss 0.250", ""]);
    }
}
