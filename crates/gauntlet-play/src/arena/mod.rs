//! The arena: simultaneous games, the score of a pair of players, and tournaments.
//!
//! A [`Cohort`] is the loop that plays games, including those of self-play. A [`Format`] pairs players, a
//! [`Tournament`] plays the pairings as pairs of games, and a [`Standing`] counts them for ratings. The arena is
//! independent of networks and rules: it calls [`crate::players::Player`]s and moves
//! [`gauntlet_games::games::Position`]s.

mod adjudicate;
mod clock;
mod cohort;
mod contest;
mod fitness;
mod flag;
#[cfg(test)]
mod golden;
mod job;
mod ledger;
mod match_job;
mod openings;
mod pairing;
mod pairs;
mod resign;
mod running_game;
mod sequential;
mod standing;
mod suspended;
#[cfg(test)]
mod testing;
mod tournament;
mod tournament_job;

use crate::players::PlayerError;
pub use adjudicate::{Adjudication, AgreedDraw, AgreedWin};
pub use clock::{Clock, thread_time};
pub use cohort::{Cohort, Listener};
pub use fitness::{EvenGames, Fitness, Scores, Uneven, fitness};
use gauntlet_games::base::Interrupted;
pub use job::PlaySpec;
pub use ledger::Pair;
pub use match_job::{MatchJob, MatchResult, repetition};
pub use openings::{OpeningError, Openings, OpeningsFile, OpeningsSpec, RandomOpenings};
pub(crate) use pairing::results_of;
pub use pairing::{Format, Gauntlet, Matchmaking, Pairing, PlayedMatches};
pub use pairs::{PlayedPair, play_pairs, play_pairs_from};
pub use resign::Resign;
pub use running_game::{GameStart, PlayedGame, RunningGame, Streams, Terms};
pub use sequential::SequentialResult;
pub use standing::{Encounter, Resigned, Standing, Thinking, Timed};
pub use suspended::SuspendedGame;
pub use tournament::Tournament;
pub use tournament_job::{Entrant, Meeting, TournamentJob};

/// Errors of games. None of these counts as a lost game.
#[derive(Debug, thiserror::Error)]
pub enum ArenaError {
    /// The job was interrupted; it continues in the next run.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
    /// A player failed.
    #[error(transparent)]
    Player(#[from] PlayerError),
    /// An opening cannot be played.
    #[error(transparent)]
    Opening(#[from] OpeningError),
    /// The checkpoint belongs to another tournament.
    #[error("the checkpoint is none of this tournament")]
    Checkpoint,
    /// A player returned no action.
    #[error("player {player} chose no action in game {game}")]
    Undecided {
        /// Index of the player.
        player: usize,
        /// Index of the game.
        game: usize,
    },
}
