//! The processor time of a training, for a budget of it.

use std::time::Duration;

use super::Iteration;
use crate::arena::thread_time;

/// The processor time of a training on one thread.
pub(super) struct ProcessorTime {
    /// Seconds of earlier processes.
    before: f64,
    begin: Duration,
}

impl ProcessorTime {
    /// Starts now, on this thread, after the iterations of earlier processes.
    pub fn after(curve: &[Iteration]) -> ProcessorTime {
        let before = curve.last().and_then(|last| last.processor_seconds).unwrap_or_default();
        ProcessorTime { before, begin: thread_time() }
    }

    /// Seconds so far. Work of other threads does not count.
    pub fn seconds(&self) -> f64 {
        self.before + thread_time().saturating_sub(self.begin).as_secs_f64()
    }
}
