//! Dependencies between configurations: trainings whose weights a job takes, and meetings whose games it sums up.

use std::sync::Arc;

/// A dependency on another configuration: each run reads the run of the same seed, or several runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependency {
    /// The player that takes the weights; `None` for all players whose weights are `"trained"`. For a meeting, its name.
    pub player: Option<Arc<str>>,
    /// Index of the configuration.
    pub config: usize,
    /// The iteration of the network; `None` for the last one.
    pub iteration: Option<u32>,
    /// The number of its runs that every run meets: 1 except for an opponent with crossed runs.
    pub runs: u32,
    /// Whether it is a meeting of the tournament.
    pub is_meeting: bool,
}
