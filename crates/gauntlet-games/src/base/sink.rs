//! The narrow waist: everything a running job tells the world goes through one [`Sink`].

use super::{Cores, Interrupted, Record, ResumePoint, Stop};

/// What a running job tells.
#[derive(Debug)]
pub enum Event<'a> {
    /// `done` of `total` units of the job's work are finished.
    Progress {
        /// Finished units.
        done: u64,
        /// All units.
        total: u64,
    },
    /// A named number at a step of the job (for the live display).
    Metric {
        /// What is measured.
        name: &'a str,
        /// Step (generation, iteration, ...).
        step: u64,
        /// Its value.
        value: f64,
    },
    /// The job's metrics so far as JSON lines, for onlookers; they replace those of the previous event. Those that
    /// count are among the files that the job returns.
    Metrics(&'a [u8]),
    /// A finished game.
    Game(&'a Record),
    /// Everything needed to continue from here; replaces the job's previous checkpoint.
    Checkpoint(&'a ResumePoint),
}

/// Receives what a job tells. The scheduler's sink writes the store and the progress display.
pub trait Sink {
    /// Takes one event.
    ///
    /// # Errors
    /// [`Interrupted`] when the job shall stop; the job returns it at once. An interrupt is only
    /// ever delivered with `Event::Progress` or after `Event::Checkpoint` has been written.
    fn record(&mut self, event: Event<'_>) -> Result<(), Interrupted>;

    /// The flag for work that takes long between two events: when it is set the job returns at once, with any error.
    fn stop(&self) -> Stop {
        Stop::default()
    }

    /// The cores that the job may use. Default: one.
    fn cores(&self) -> Cores {
        Cores::default()
    }
}

/// A sink for tests and benchmarks: ignores all events, never interrupts.
#[derive(Debug, Default, Clone, Copy)]
pub struct Silent;

impl Sink for Silent {
    fn record(&mut self, _event: Event<'_>) -> Result<(), Interrupted> {
        Ok(())
    }
}
