//! What is wrong with a file, and in which line.

use crate::base::{Outcome, Side};
use crate::games::SetUpError;

/// A file that cannot be read, up to a line.
#[derive(Debug, thiserror::Error)]
#[error("line {line}: {fault}")]
pub struct FormatError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there.
    #[source]
    pub fault: Fault,
}

/// What is wrong.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// More than this program reads.
    #[error("{what} of {size} is more than {most}")]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// Its size.
        size: usize,
        /// The most that is read.
        most: usize,
    },
    /// Bytes that are no text.
    #[error("this is no text in a known encoding")]
    NotText,
    /// Something else than the format wants here.
    #[error("expected {wanted}, found {found}")]
    Expected {
        /// What belongs here.
        wanted: &'static str,
        /// What stands here.
        found: String,
    },
    /// Text that breaks the format in some other way.
    #[error("{0}")]
    Form(String),
    /// A line that is no JSON of the wanted form.
    #[error("{0}")]
    Json(#[from] serde_json::Error),
    /// A format version of a later program.
    #[error("records of version {0}: this program reads versions 1 and 2")]
    Version(u32),
    /// Another game than the one asked for.
    #[error("this is a game of {found}, not of {wanted}")]
    OtherGame {
        /// The game that was asked for.
        wanted: String,
        /// The one in the file.
        found: String,
    },
    /// A game that the format cannot hold.
    #[error("{0} has no SGF here: Go, Atari-Go, Othello, Gomoku and Pente have")]
    NotStones(String),
    /// A position that the game cannot have.
    #[error("the position {text:?} cannot be set up: {error}")]
    Position {
        /// The position as it is written.
        text: String,
        /// Why not.
        error: SetUpError,
    },
    /// An action that the rules do not allow.
    #[error("move {ply}, {name}, is not legal")]
    Illegal {
        /// Its number in the game, from 1.
        ply: usize,
        /// The action as people write it.
        name: String,
    },
    /// A result that the rules contradict.
    #[error("by the rules {}, by the file {}{advice}", said(.ended, .sides), said(.told, .sides))]
    WrongResult {
        /// By the rules.
        ended: Outcome,
        /// By the file.
        told: Outcome,
        /// What the format calls the sides, first side first.
        sides: [&'static str; 2],
        /// What else is to say of such results.
        advice: &'static str,
    },
    /// A player's index that the header does not name.
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
    /// The file could not be read further.
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
