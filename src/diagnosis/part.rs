//! The parts of the report.

use clap::ValueEnum;

/// A part of the report on a machine, in the order of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// Processor, memory, disk and clock
    Machine,
    /// Driver and cards
    Device,
    /// Whether networks compute right
    Arithmetic,
    /// Self-play on one core and on all
    Play,
    /// Evaluations a second
    Speed,
}
