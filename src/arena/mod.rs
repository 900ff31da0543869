//! Where players meet: many games at once, and what a pair of players scores against each other.
//!
//! It knows no network and no rules; it asks [`crate::players::Player`]s and moves [`crate::games::Position`]s.

mod cohort;
mod fitness;
mod job;
mod pairs;
#[cfg(test)]
mod testing;

use crate::base::Interrupted;
use crate::players::PlayerError;
pub use cohort::{Cohort, Played};
pub use fitness::{EvenGames, Fitness, Scores, Uneven, fitness};
pub use job::{MatchJob, PlaySpec};
pub use pairs::{PlayedPair, play_pairs};

/// Why games were not played to their end. None of these counts as a lost game.
#[derive(Debug, thiserror::Error)]
pub enum ArenaError {
    /// The job was asked to stop; it starts afresh in the next run.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
    /// A player could not answer.
    #[error(transparent)]
    Player(#[from] PlayerError),
    /// A player answered without choosing an action.
    #[error("player {player} chose no action in game {game}")]
    Undecided {
        /// Index of the player.
        player: usize,
        /// Index of the game.
        game: usize,
    },
    /// A game went on for longer than was allowed.
    #[error("game {game} is not over after {limit} plies")]
    PlyLimit {
        /// Index of the game.
        game: usize,
        /// The limit.
        limit: u32,
    },
}
