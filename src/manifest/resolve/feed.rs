//! What a configuration takes from another one.

use std::sync::Arc;

/// A configuration whose jobs feed those of another: run by run, with the same seed, or several runs for each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Feed {
    /// The player that takes the weights; none for all whose weights are `"trained"`.
    pub player: Option<Arc<str>>,
    /// Index of the configuration.
    pub config: usize,
    /// The iteration whose network is taken; none for the last one.
    pub iteration: Option<u32>,
    /// How many of its runs every run meets, in turn: 1 but for an opponent whose runs are crossed.
    pub runs: u32,
}
