//! What is read of one file, and what is wrong with it.

use std::io;

/// Players beyond this number are not read: the errors of their ratings would take hours.
const MOST_PLAYERS: usize = 100_000;

/// How to read.
#[derive(Debug, Clone, Copy, Default)]
pub struct Reading {
    /// Leave bad games out and count them, instead of stopping at the first.
    pub skip_bad: bool,
    /// Read the moves of PGN files and records too, to count the distinct games.
    pub moves: bool,
}

/// What was read of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadFile {
    /// The file, as it was named.
    pub file: String,
    /// Its format.
    pub format: &'static str,
    /// Games that count.
    pub games: u64,
    /// Games, or rows, that were left out.
    pub skipped: u64,
    /// The first of them.
    pub first_skipped: Option<String>,
}

/// A file that is not what it should be.
#[derive(Debug, thiserror::Error)]
#[error("{file}{}: {what} (games read before it: {read})", .line.map_or(String::new(), |line| format!(":{line}")))]
pub struct BadInput {
    /// The file, as it was named.
    pub file: String,
    /// The line, from 1, where one can be named.
    pub line: Option<u64>,
    /// What is wrong.
    pub what: String,
    /// The way out, where it is another one than to correct the line.
    pub hint: Option<&'static str>,
    /// Games of the file that were read before.
    pub read: u64,
}

/// What is wrong with one game or row.
pub(super) struct Fault {
    pub(super) line: Option<u64>,
    pub(super) what: String,
    /// The way out, where the file as a whole is another one than it should be.
    pub(super) hint: Option<&'static str>,
}

impl Fault {
    pub(super) fn at(line: u64, what: impl Into<String>) -> Fault {
        Fault { line: Some(line), what: what.into(), hint: None }
    }

    /// A file that is another one than it should be, with the way out.
    pub(super) fn of_file(what: impl Into<String>, hint: &'static str) -> Fault {
        Fault { hint: Some(hint), ..Fault::at(1, what) }
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Fault {
        Fault { line: None, what: format!("cannot read it: {error}"), hint: None }
    }
}

/// Counts what is read of a file, and stops or goes on at what is bad.
pub(super) struct Tally<'a> {
    pub(super) how: Reading,
    pub(super) source: &'a mut ReadFile,
}

impl Tally<'_> {
    pub(super) fn count(&mut self, games: u64) {
        self.source.games += games;
    }

    /// Refuses more players than are rated, whatever may be left out.
    pub(super) fn room(&self, players: usize) -> Result<(), Fault> {
        if players <= MOST_PLAYERS {
            return Ok(());
        }
        let what = format!("more than {MOST_PLAYERS} players have played up to here");
        Err(Fault { line: None, what, hint: Some("rate fewer files at a time, or leave players out") })
    }

    /// Passes the fault on, or counts it.
    pub(super) fn fault(&mut self, fault: Fault) -> Result<(), Fault> {
        if !self.how.skip_bad {
            return Err(fault);
        }
        let place = fault.line.map_or(String::new(), |line| format!(":{line}"));
        self.source.skip(format!("{}{place}: {}", self.source.file, fault.what));
        Ok(())
    }
}

impl ReadFile {
    pub(super) fn skip(&mut self, what: String) {
        self.skipped += 1;
        self.first_skipped.get_or_insert(what);
    }
}
