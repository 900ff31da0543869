//! Counts of the games read from a file, and its faults.

use std::collections::BTreeMap;
use std::io;

use crate::base::Outcome;
use crate::formats::{LeftOut, StatedResult};

/// Maximum number of players: the errors of more ratings would take hours.
const MOST_PLAYERS: usize = 100_000;

/// Maximum number of kinds of games that are distinguished.
const MOST_KINDS: usize = 100;

/// Options for reading.
#[derive(Debug, Clone, Copy, Default)]
pub struct Reading {
    /// Leave bad games out and count them, instead of stopping at the first.
    pub skip_bad: bool,
    /// Read the moves of PGN files and records too, to count the distinct games.
    pub moves: bool,
    /// Leave out games that were decided without play, instead of counting them.
    pub leave_unplayed: bool,
}

/// Summary of one file that was read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadFile {
    /// The file name as given.
    pub file: String,
    /// Its format.
    pub format: &'static str,
    /// Number of games that count.
    pub games: u64,
    /// Number of pairs of games of one opening with swapped colours. Their games are among [`games`](Self::games).
    pub pairs: u64,
    /// Games without a result of two players, by the reason.
    pub left_out: BTreeMap<LeftOut, Counted>,
    /// Games that were decided without play. They are among [`games`](Self::games) unless the reader leaves them out.
    pub unplayed: Counted,
    /// Number of games by rules and board, as far as the format names them; empty for those of chess.
    pub kinds: BTreeMap<String, u64>,
    /// Remarks on how the file was read.
    pub notes: Vec<String>,
    /// Number of games, or rows, that were skipped.
    pub skipped: u64,
    /// The fault of the first skipped one.
    pub first_skipped: Option<String>,
}

/// A number of games, and the line of the first one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counted {
    /// Their number.
    pub games: u64,
    /// The line of the first one, from 1; 0 without games.
    pub line: u64,
}

/// An error in a file.
#[derive(Debug, thiserror::Error)]
#[error("{file}{}: {what} (games read before it: {read})", .line.map_or(String::new(), |line| format!(":{line}")))]
pub struct BadInput {
    /// The file name as given.
    pub file: String,
    /// The line, from 1, if known.
    pub line: Option<u64>,
    /// The fault.
    pub what: String,
    /// A fix, unless it is to correct the line.
    pub hint: Option<&'static str>,
    /// Number of games read from the file before the error.
    pub read: u64,
}

/// A fault in one game or row.
pub(super) struct InputFault {
    pub(super) line: Option<u64>,
    pub(super) what: String,
    /// A fix, if the file as a whole is of the wrong kind.
    pub(super) hint: Option<&'static str>,
}

impl InputFault {
    pub(super) fn at(line: u64, what: impl Into<String>) -> InputFault {
        InputFault { line: Some(line), what: what.into(), hint: None }
    }

    /// A fault in JSON that should have the form `expected`, in its line.
    pub(super) fn of_json(error: &serde_json::Error, expected: &str) -> InputFault {
        let what = if error.is_eof() { "the file ends in the middle".to_owned() } else { error.to_string() };
        InputFault::at(error.line() as u64, format!("{what} ({expected})"))
    }

    /// A fault for a file of the wrong kind, with a fix.
    pub(super) fn of_file(what: impl Into<String>, hint: &'static str) -> InputFault {
        InputFault { hint: Some(hint), ..InputFault::at(1, what) }
    }
}

impl From<io::Error> for InputFault {
    fn from(error: io::Error) -> InputFault {
        InputFault { line: None, what: format!("cannot read it: {error}"), hint: None }
    }
}

/// Counts the games of a file, and stops or continues at faults.
pub(super) struct Tally<'a> {
    pub(super) how: Reading,
    pub(super) source: &'a mut ReadFile,
}

impl Tally<'_> {
    pub(super) fn count(&mut self, games: u64) {
        self.source.games += games;
    }

    /// The outcome of a game that begins in this line, if it counts.
    pub(super) fn rated(&mut self, stated: StatedResult, line: u64) -> Option<Outcome> {
        match stated {
            StatedResult::Played(outcome) => Some(outcome),
            StatedResult::Unplayed(outcome) => {
                self.source.unplayed.add(line);
                (!self.how.leave_unplayed).then_some(outcome)
            }
            StatedResult::LeftOut(reason) => {
                self.source.left_out.entry(reason).or_default().add(line);
                None
            }
        }
    }

    /// Counts a game by its rules and its board.
    pub(super) fn kind(&mut self, kind: &str) {
        let kinds = &mut self.source.kinds;
        if let Some(games) = kinds.get_mut(kind) {
            *games += 1;
        } else if kinds.len() < MOST_KINDS {
            kinds.insert(kind.to_owned(), 1);
        }
    }

    /// Adds a remark on how the file was read.
    pub(super) fn note(&mut self, note: String) {
        self.source.notes.push(note);
    }

    /// Reports more players than the limit, even with `skip_bad`.
    pub(super) fn room(&self, players: usize) -> Result<(), InputFault> {
        if players <= MOST_PLAYERS {
            return Ok(());
        }
        let what = format!("more than {MOST_PLAYERS} players have played up to here");
        Err(InputFault { line: None, what, hint: Some("rate fewer files at a time, or leave players out") })
    }

    /// Returns the fault, or counts it.
    pub(super) fn fault(&mut self, fault: InputFault) -> Result<(), InputFault> {
        if !self.how.skip_bad {
            return Err(fault);
        }
        let place = fault.line.map_or(String::new(), |line| format!(":{line}"));
        self.source.skip(format!("{}{place}: {}", self.source.file, fault.what));
        Ok(())
    }
}

impl Counted {
    fn add(&mut self, line: u64) {
        self.line = if self.games == 0 { line } else { self.line };
        self.games += 1;
    }
}

impl ReadFile {
    pub(super) fn skip(&mut self, what: String) {
        self.skipped += 1;
        self.first_skipped.get_or_insert(what);
    }
}
