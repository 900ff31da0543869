//! Faults in files, with their lines.

use crate::base::{Outcome, Side};

/// An error at a line of a file.
#[derive(Debug, thiserror::Error)]
#[error("line {line}: {fault}")]
pub struct FormatError {
    /// The line, from 1.
    pub line: usize,
    /// The fault at that line.
    #[source]
    pub fault: Fault,
}

/// A fault in a file.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// A size above a limit.
    #[error("{what} of {size} is more than {most}")]
    TooLarge {
        /// The kind of object that is too large.
        what: &'static str,
        /// Its size.
        size: usize,
        /// The limit.
        most: usize,
    },
    /// Bytes that are not text.
    #[error("this is not text in a known encoding")]
    NotText,
    /// Input that differs from what the format expects.
    #[error("expected {wanted}, found {found}")]
    Expected {
        /// The expected input.
        wanted: &'static str,
        /// The input that was found.
        found: String,
    },
    /// Any other violation of the format.
    #[error("{0}")]
    Form(String),
    /// A line that is not JSON of the expected form.
    #[error("{0}")]
    Json(#[from] serde_json::Error),
    /// A format version of a later program version.
    #[error("records of version {0}: this program reads versions 1 to 3")]
    Version(u32),
    /// A game other than the requested one.
    #[error("this is a game of {found}, not of {wanted}")]
    OtherGame {
        /// The requested game.
        wanted: String,
        /// The game in the file.
        found: String,
    },
    /// A game that the format does not support.
    #[error("{0} has no SGF here: Go, Atari-Go, Othello, Gomoku and Pente have")]
    NotStones(String),
    /// A position that is invalid in the game.
    #[error("the position {text:?} cannot be set up: {error}")]
    Position {
        /// The position as written.
        text: String,
        /// The reason.
        error: String,
    },
    /// An action that the rules do not allow.
    #[error("move {ply}, {name}, is not legal")]
    Illegal {
        /// Its number in the game, from 1.
        ply: usize,
        /// The notation of the action.
        name: String,
    },
    /// A result that the rules contradict.
    #[error("by the rules {}, by the file {}{advice}", said(.ended, .sides), said(.stated, .sides))]
    WrongResult {
        /// The outcome by the rules.
        ended: Outcome,
        /// The outcome by the file.
        stated: Outcome,
        /// The format's names of the sides, first side first.
        sides: [&'static str; 2],
        /// Additional advice about such results.
        advice: &'static str,
    },
    /// A player index that the header does not define.
    #[error("players {0:?} are not two of the {1} that the header names")]
    Players([usize; 2], usize),
    /// An opening longer than its game.
    #[error("an opening of {opening} plies in a game of {plies}")]
    Opening {
        /// Plies of the opening.
        opening: u32,
        /// Plies of the game.
        plies: usize,
    },
    /// An I/O error.
    #[error("{0}")]
    Unreadable(#[from] std::io::Error),
}

/// An outcome as a sentence.
fn said(outcome: &Outcome, sides: &[&'static str; 2]) -> String {
    match outcome {
        Outcome::Win(Side::First) => format!("{} wins", sides[0]),
        Outcome::Win(Side::Second) => format!("{} wins", sides[1]),
        Outcome::Draw => "the game is drawn".to_owned(),
    }
}

impl Fault {
    /// The fault in its line, from 1.
    #[must_use]
    pub fn at(self, line: usize) -> FormatError {
        FormatError { line, fault: self }
    }
}
