//! The [`Sink`] of a running job: its only channel for output.

use super::{Cores, Interrupted, Record, ResumePoint, Stop};

/// An event of a running job.
#[derive(Debug)]
pub enum Event<'a> {
    /// `done` of `total` units of the job's work are finished.
    Progress {
        /// Finished units.
        done: u64,
        /// Total units.
        total: u64,
    },
    /// A named number at a step of the job (for the live display).
    Metric {
        /// Name of the measure.
        name: &'a str,
        /// Step (generation, iteration, ...).
        step: u64,
        /// Its value.
        value: f64,
    },
    /// The job's metrics so far as JSON lines, for live viewers; they replace those of the previous event. The final
    /// metrics are among the files that the job returns.
    Metrics(&'a [u8]),
    /// A finished game.
    Game(&'a Record),
    /// The complete state for continuing from here; replaces the job's previous checkpoint.
    Checkpoint(&'a ResumePoint),
}

/// Receives the events of a job. The scheduler's sink writes the store and the progress display.
pub trait Sink {
    /// Takes one event.
    ///
    /// # Errors
    /// [`Interrupted`] if the job must stop; the job returns it at once. An interrupt is only ever delivered with
    /// `Event::Progress` or after `Event::Checkpoint` has been written.
    fn record(&mut self, event: Event<'_>) -> Result<(), Interrupted>;

    /// The flag for long work between two events: when it is set, the job returns at once, with any error.
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
