//! Dependencies between configurations: trainings whose weights a job takes, and parts of its work that are jobs of their
//! own.

use std::sync::Arc;

/// A dependency on another configuration: each run reads the run of the same seed, or several runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependency {
    /// The player that takes the weights; `None` for all players whose weights are `"trained"`. For a part, its name.
    pub player: Option<Arc<str>>,
    /// Index of the configuration.
    pub config: usize,
    /// The iteration of the network; `None` for the last one.
    pub iteration: Option<u32>,
    /// The number of its runs that every run meets: 1 except for an opponent with crossed runs.
    pub runs: u32,
    /// What the job reads of it.
    pub reads: Reading,
}

/// What a job reads of another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// The weights of a training.
    Weights,
    /// The games of a meeting of its tournament.
    Games,
    /// The solutions of its positions, which all of its runs share.
    Solutions,
}
