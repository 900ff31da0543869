//! PGN: the games of a tournament, streamed one by one from a file of any size (Edwards, "Standard: Portable Game
//! Notation Specification and Implementation Guide", 1994, the import format).
//!
//! The streaming [`PgnReader`] keeps the players and the result of every game, and on request the moves as written. It
//! plays no move: any game in the form of PGN is accepted. Text between braces, after `;`, and lines that start with
//! `%` are comments; tags inside them are ignored. Lines end at LF, CR LF or CR. Tags and moves may share a line.
//! Other line separators of Unicode are white space between tags and between moves.
//! [`read()`] and [`write()`] are for games that this program plays, in each game's own notation.
//!
//! Games that are unfinished, void for both players or not played are distinguished from faults.
//!
//! A result after the moves that contradicts the tag is an error. If moves are read, so is every word other than a
//! move, number, comment, glyph or result. Castling may be written with zeros, and pieces as figurines.

mod book_moves;
mod game;
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

pub use game::{PgnError, PgnGame};
pub use pair_tags::PairTags;
pub use read::read;
pub use reader::PgnReader;
pub use results::stated;
pub use write::{write, write_game};

/// Whether a text begins with a tag.
pub(super) fn is_tag(text: &[u8]) -> bool {
    tags::Tag::read(text).is_some()
}

#[cfg(test)]
mod dialects;
#[cfg(test)]
mod tests;
