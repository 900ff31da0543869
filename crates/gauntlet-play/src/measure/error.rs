//! Errors of measurements.

use crate::arena::ArenaError;
use crate::players::PlayerError;
use gauntlet_games::base::Interrupted;

/// Errors of a measurement.
#[derive(Debug, thiserror::Error)]
pub enum MeasureError {
    /// The measurement was interrupted; it starts afresh in the next run.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
    /// Games failed.
    #[error(transparent)]
    Arena(#[from] ArenaError),
    /// A player cannot play this game.
    #[error(transparent)]
    Player(#[from] PlayerError),
    /// A board cannot be constructed, or the network's output on it is invalid.
    #[error("{0}")]
    Board(String),
    /// There is no set of positions.
    #[error("{0}")]
    Positions(String),
    /// A file of the data directory is missing or invalid.
    #[error("{file}: {what}")]
    Input {
        /// The file.
        file: String,
        /// The problem.
        what: String,
    },
}
