//! Stopping: a flag that everybody may read, and the signals that set it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Exit code of a program that was interrupted and can be resumed.
const INTERRUPTED: i32 = 130;

/// Whether work shall stop. Clones share the flag.
#[derive(Debug, Clone, Default)]
pub struct Stop {
    flag: Arc<AtomicBool>,
    parent: Option<Arc<Stop>>,
}

impl Stop {
    /// A flag that also stops when this one does, but can be set alone.
    #[must_use]
    pub fn child(&self) -> Stop {
        Stop { flag: Arc::default(), parent: Some(Arc::new(self.clone())) }
    }

    /// Asks everybody who watches this flag to stop; whether somebody had asked before.
    pub fn request(&self) -> bool {
        self.flag.swap(true, Ordering::Relaxed)
    }

    /// Whether to stop.
    #[must_use]
    pub fn is_requested(&self) -> bool {
        self.flag.load(Ordering::Relaxed) || self.parent.as_ref().is_some_and(|parent| parent.is_requested())
    }
}

/// Lets Ctrl-C, SIGTERM and SIGHUP request the stop; the second such signal ends the process at once, with exit code
/// 130. Nothing is lost by that but the work since the last checkpoint.
///
/// # Errors
/// When the handler cannot be installed, or already was.
pub fn stop_on_signals(stop: &Stop) -> Result<(), ctrlc::Error> {
    let stop = stop.clone();
    ctrlc::set_handler(move || {
        if stop.request() {
            std::process::exit(INTERRUPTED);
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_stops_with_its_parent_but_not_the_other_way_round() {
        let parent = Stop::default();
        let (first, second) = (parent.child(), parent.child());
        assert!(!first.request() && first.request());
        assert!(first.is_requested() && !parent.is_requested() && !second.is_requested());
        parent.request();
        assert!(second.is_requested());
    }
}
