//! A flag that asks a job to stop: signals and the scheduler set it, jobs read it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The job was asked to stop; its state is saved and the next run continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("interrupted")]
pub struct Interrupted;

/// Whether to stop. Clones share the flag.
#[derive(Debug, Clone, Default)]
pub struct Stop {
    flag: Arc<AtomicBool>,
    parent: Option<Arc<Stop>>,
}

impl Stop {
    /// A child flag: it is set when this flag is set, and can also be set on its own.
    #[must_use]
    pub fn child(&self) -> Stop {
        Stop { flag: Arc::default(), parent: Some(Arc::new(self.clone())) }
    }

    /// Sets the flag; returns whether it was already set.
    pub fn request(&self) -> bool {
        self.flag.swap(true, Ordering::Relaxed)
    }

    /// For code that must return at once when the flag is set.
    ///
    /// # Errors
    /// [`Interrupted`] if the flag is set.
    #[inline]
    pub fn check(&self) -> Result<(), Interrupted> {
        if self.is_requested() { Err(Interrupted) } else { Ok(()) }
    }

    /// Whether to stop.
    #[must_use]
    #[inline]
    pub fn is_requested(&self) -> bool {
        self.flag.load(Ordering::Relaxed) || self.parent.as_ref().is_some_and(|parent| parent.is_requested())
    }
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
        assert_eq!(second.check(), Err(Interrupted));
        assert!(second.is_requested());
    }
}
