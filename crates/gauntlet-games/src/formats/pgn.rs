//! PGN: the games of a tournament, streamed one by one from a file of any size (Edwards, "Standard: Portable Game
//! Notation Specification and Implementation Guide", 1994, the import format).
//!
//! The streaming [`Reader`] keeps the players and the result of every game, and on request the moves as written. It
//! plays no move: any game in the form of PGN is accepted. Text between braces, after `;`, and lines that start with
//! `%` are comments; tags inside them are ignored. Lines end at LF, CR LF or CR. Tags and moves may share a line.
//! [`read()`] and [`write()`] are for games that this program plays, in each game's own notation.
//!
//! Games that are unfinished, void for both players or not played are told apart from faults.
//!
//! A result after the moves that contradicts the tag is an error. If moves are read, so is every word other than a
//! move, number, comment, glyph or result. Castling may be written with zeros, and pieces as figurines.

mod book_moves;
mod input;
mod last_word;
mod movetext;
mod pair_tags;
mod read;
mod reader;
mod results;
mod tags;
mod variant;
mod words;
mod write;

use std::io;

use super::told::LeftOut;
use crate::base::Outcome;
pub use pair_tags::PairTags;
pub use read::read;
pub use reader::Reader;
pub use results::told;
pub use write::{write, write_game};

/// Whether a text begins with a tag.
pub(super) fn is_tag(text: &[u8]) -> bool {
    tags::Tag::read(text).is_some()
}

/// Maximum size of the moves of one game in bytes.
const LONGEST_GAME: usize = 1 << 20;

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

#[cfg(test)]
mod dialects;
#[cfg(test)]
mod tests;
