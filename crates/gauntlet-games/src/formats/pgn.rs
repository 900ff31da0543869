//! PGN: the games of a tournament, streamed one by one from a file of any size (Edwards, "Standard: Portable Game
//! Notation Specification and Implementation Guide", 1994, the import format).
//!
//! Of every game only the players and the result are kept, and the moves as written where asked for. The streaming
//! [`Reader`] plays no move: any game in the shape of PGN will do. Text between braces, behind `;`, and lines that start
//! with `%` are comments, so that a tag inside of one is none. Lines end at LF, CR LF or CR. Tags and moves may share a
//! line. [`read()`] and [`write()`] are for games that this program plays, in each game's own notation.
//!
//! A result behind the moves that contradicts the tag is an error. Where moves are read, so is every word that is no
//! move, number, comment, glyph or result. Castling may be written with zeros, and pieces as figurines.

mod input;
mod last_word;
mod movetext;
mod read;
mod reader;
mod tags;
mod variant;
mod words;
mod write;

use std::io;

use crate::base::Outcome;
pub use read::read;
pub use reader::Reader;
pub use tags::PairTags;
pub use write::{write, write_game};

/// Moves of one game beyond this many bytes are refused.
const LONGEST_GAME: usize = 1 << 20;

/// One game.
#[derive(Debug, Clone, PartialEq)]
pub struct PgnGame<'a> {
    /// Name of the player who moves first (White).
    pub first: &'a str,
    /// Name of the player who moves second (Black).
    pub second: &'a str,
    /// How it ended, by its tag.
    pub outcome: Outcome,
    /// What it has in common with the other game of its pair, and whether it is the first or the second: 1 or 2. `None`
    /// where its round is no number of a pair with that of a game behind it (`12.2`).
    pub pair: Option<(PairTags, u8)>,
    /// The line of its first tag, from 1.
    pub line: u64,
    /// Its moves as written, separated by single spaces, without numbers, comments, variations and result, with letters
    /// for figurines and for the zeros of castling; empty unless asked for.
    pub moves: &'a str,
}

/// Why there is no game. The reader goes on with the next one.
#[derive(Debug, thiserror::Error)]
pub enum PgnError {
    /// A game without the tags that count, or text that is no PGN.
    #[error("{what}")]
    Bad {
        /// The line, from 1.
        line: u64,
        /// What is wrong with it.
        what: String,
    },
    /// The file could not be read.
    #[error(transparent)]
    Io(#[from] io::Error),
}

#[cfg(test)]
mod dialects;
#[cfg(test)]
mod tests;
