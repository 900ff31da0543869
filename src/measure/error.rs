//! Why nothing was measured.

use crate::arena::ArenaError;
use crate::players::PlayerError;
use gauntlet_games::base::Interrupted;

/// Why nothing was measured.
#[derive(Debug, thiserror::Error)]
pub enum MeasureError {
    /// The measurement was asked to stop; it starts afresh in the next run.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
    /// The games could not be played.
    #[error(transparent)]
    Arena(#[from] ArenaError),
    /// A player cannot play this game.
    #[error(transparent)]
    Player(#[from] PlayerError),
    /// A board cannot be made up, or a network shows nothing of it.
    #[error("{0}")]
    Board(String),
    /// A file of the data directory is missing or not what it should be.
    #[error("{file}: {what}")]
    Input {
        /// The file.
        file: String,
        /// What is wrong with it.
        what: String,
    },
}
