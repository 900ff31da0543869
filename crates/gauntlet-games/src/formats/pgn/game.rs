//! One game of a PGN file, and the reasons why a game is not read.

use std::io;

use super::pair_tags::PairTags;
use crate::base::Outcome;
use crate::formats::stated::LeftOut;

/// Maximum size of the moves of one game in bytes.
pub(super) const LONGEST_GAME: usize = 1 << 20;

/// One game.
#[derive(Debug, Clone, PartialEq)]
pub struct PgnGame<'a> {
    /// Name of the player who moves first (White).
    pub first: &'a str,
    /// Name of the player who moves second (Black).
    pub second: &'a str,
    /// The outcome, by its tag.
    pub outcome: Outcome,
    /// Whether it was decided without play: by a forfeit, or without a move.
    pub is_unplayed: bool,
    /// The data shared with the other game of its pair; `None` if its round is unknown.
    pub pair: Option<PairTags>,
    /// The line of its first tag, from 1.
    pub line: u64,
    /// The position that it starts from, by its tag `FEN`; empty without one.
    pub start: &'a str,
    /// Its rules and its board, as far as they differ from those of chess: `crazyhouse`, `5x5`; empty otherwise.
    pub kind: String,
    /// Its moves as written, separated by single spaces, without numbers, comments, variations and result, with
    /// letters for figurines and for the zeros of castling; empty unless requested.
    pub moves: &'a str,
}

/// The reason why no game was read. The reader continues with the next one.
#[derive(Debug, thiserror::Error)]
pub enum PgnError {
    /// A game without required tags, or text that is not PGN.
    #[error("{what}")]
    Bad {
        /// The line, from 1.
        line: u64,
        /// The fault.
        what: String,
    },
    /// A game without a result of two players.
    #[error("the game that starts in line {line} is {}", .reason.name())]
    LeftOut {
        /// The line of its first tag, from 1.
        line: u64,
        /// The reason.
        reason: LeftOut,
    },
    /// The file could not be read.
    #[error(transparent)]
    Io(#[from] io::Error),
}
