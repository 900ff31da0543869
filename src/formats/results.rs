//! Who beat whom, from files of any tournament tool: collected as counts, whatever the size of the files.
//!
//! One file of this folder reads one format: PGN streams through [`pgn`](super::pgn); `counts` is
//! `player_a,player_b,wins_a,draws,losses_a`; `records` are this program's own games; [`rankings`] is what the
//! authors of AlphaGateau publish. Ratings are computed elsewhere, from [`Results`].

mod counts;
mod rankings;
mod records;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};

use super::pgn::{PgnError, Reader};
use crate::base::{Outcome, Resignations, Side};

pub use counts::rows;
pub use rankings::{Rankings, rankings};

/// Results of many games, counted by players.
#[derive(Debug, Clone, Default)]
pub struct Results {
    players: Vec<String>,
    places: HashMap<String, usize>,
    /// Wins, draws and losses of the player with the smaller index; nobody knows who moved first.
    pub uncoloured: BTreeMap<[usize; 2], [u64; 3]>,
    /// Wins, draws and losses of the first of two players, who moved first.
    pub coloured: BTreeMap<[usize; 2], [u64; 3]>,
    /// Pairs of games, first moved by the first and then by the second of two players, with their outcomes.
    pub pairs: BTreeMap<([usize; 2], [u8; 2]), u64>,
    /// What resigning did to the games, and would have done, as far as files tell of it.
    pub resignations: Resignations,
    distinct: Option<HashSet<u64>>,
}

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
pub struct Source {
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
    /// Games of the file that were read before.
    pub read: u64,
}

/// What is wrong with one game or row.
pub(super) struct Fault {
    line: Option<u64>,
    what: String,
}

impl Fault {
    fn at(line: u64, what: impl Into<String>) -> Fault {
        Fault { line: Some(line), what: what.into() }
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Fault {
        Fault { line: None, what: format!("cannot read it: {error}") }
    }
}

impl Results {
    /// The names of the players, by index.
    #[must_use]
    pub fn players(&self) -> &[String] {
        &self.players
    }

    /// The index of a player, new or known.
    pub fn player(&mut self, name: &str) -> usize {
        if let Some(&known) = self.places.get(name) {
            return known;
        }
        self.places.insert(name.to_owned(), self.players.len());
        self.players.push(name.to_owned());
        self.players.len() - 1
    }

    /// Adds a game; `first` moved first.
    pub fn add_game(&mut self, first: usize, second: usize, outcome: Outcome) {
        self.coloured.entry([first, second]).or_default()[place_of(outcome)] += 1;
    }

    /// Adds two games with one opening: `a` moved first in the first one, `b` in the second.
    pub fn add_pair(&mut self, a: usize, b: usize, outcomes: [Outcome; 2]) {
        *self.pairs.entry(([a, b], outcomes.map(|outcome| place_of(outcome) as u8))).or_default() += 1;
    }

    /// Adds games of unknown colours: wins, draws and losses of `a`.
    pub fn add_counts(&mut self, a: usize, b: usize, [wins, draws, losses]: [u64; 3]) {
        let (key, counts) = if a < b { ([a, b], [wins, draws, losses]) } else { ([b, a], [losses, draws, wins]) };
        let own = self.uncoloured.entry(key).or_default();
        own.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
    }

    /// Notes the moves of a game, written in any one way, to count how many games were different.
    fn add_moves(&mut self, [first, second]: [usize; 2], moves: &[u8]) {
        let hash = blake3::hash(&[format!("{first} {second} ").as_bytes(), moves].concat());
        let start = hash.as_bytes().first_chunk().expect("a hash has 32 bytes");
        self.distinct.get_or_insert_default().insert(u64::from_le_bytes(*start));
    }

    /// How many games had different moves or players; `None` unless moves were read.
    #[must_use]
    pub fn distinct_games(&self) -> Option<usize> {
        self.distinct.as_ref().map(HashSet::len)
    }
}

/// The outcomes of a pair, from the numbers that [`Results::pairs`] keeps.
#[must_use]
pub fn outcome_of(place: u8) -> Outcome {
    match place {
        0 => Outcome::Win(Side::First),
        1 => Outcome::Draw,
        _ => Outcome::Win(Side::Second),
    }
}

fn place_of(outcome: Outcome) -> usize {
    match outcome {
        Outcome::Win(Side::First) => 0,
        Outcome::Draw => 1,
        Outcome::Win(Side::Second) => 2,
    }
}

/// Adds the results of a file, whose format follows from its content: `-` is the standard input.
///
/// # Errors
/// [`BadInput`] at the first thing that is wrong, or, with `skip_bad`, if the file cannot be read at all.
pub fn read(file: &str, how: Reading, results: &mut Results) -> Result<Source, BadInput> {
    let mut source = Source { file: file.to_owned(), format: "?", games: 0, skipped: 0, first_skipped: None };
    let bad = |fault: Fault, read| BadInput { file: file.to_owned(), line: fault.line, what: fault.what, read };
    let input: Box<dyn Read> = match file {
        "-" => Box::new(io::stdin().lock()),
        path => Box::new(File::open(path).map_err(|error| bad(error.into(), 0))?),
    };
    let mut input = BufReader::with_capacity(SNIFFED, input);
    let outcome = match Format::of(&mut input) {
        Ok(format) => {
            source.format = format.name();
            let mut tally = Tally { how, source: &mut source };
            match format {
                Format::Pgn => pgn(input, results, &mut tally),
                Format::Counts => counts::read(input, results, &mut tally),
                Format::Records => records::read(input, results, &mut tally),
                Format::Rankings => tally_rankings(input, results, &mut tally),
            }
        }
        Err(fault) => Err(fault),
    };
    match outcome {
        Ok(()) => Ok(source),
        Err(fault) if how.skip_bad && fault.line.is_some() => {
            let bad = bad(fault, source.games);
            source.skip(bad.to_string());
            Ok(source)
        }
        Err(fault) => Err(bad(fault, source.games)),
    }
}

/// Bytes that tell the format.
const SNIFFED: usize = 1 << 16;

enum Format {
    Pgn,
    Counts,
    Records,
    Rankings,
}

impl Format {
    fn name(&self) -> &'static str {
        match self {
            Format::Pgn => "PGN",
            Format::Counts => "CSV",
            Format::Records => "records",
            Format::Rankings => "rankings",
        }
    }

    /// By the first bytes: names of files prove nothing.
    fn of(input: &mut impl BufRead) -> Result<Format, Fault> {
        let head = input.fill_buf()?;
        let is_packed =
            [&b"\x1f\x8b"[..], b"\x28\xb5\x2f\xfd", b"BZh", b"PK\x03\x04"].iter().any(|m| head.starts_with(m));
        if is_packed || head.contains(&0) {
            return Err(Fault::at(1, "this is a binary or compressed file, not PGN, CSV, or JSON (unpack it first)"));
        }
        let text = head.strip_prefix("\u{feff}".as_bytes()).unwrap_or(head).trim_ascii_start();
        let first_line = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
        match text.first() {
            None => Err(Fault::at(1, "the file is empty")),
            Some(b'{') if first_line.windows(10).any(|w| w == b"\"records\":") => Ok(Format::Records),
            Some(b'{') => Ok(Format::Rankings),
            Some(b'[' | b'%' | b';') => Ok(Format::Pgn),
            Some(_) if first_line.contains(&b',') && !first_line.starts_with(b"1.") => Ok(Format::Counts),
            Some(_) => Ok(Format::Pgn),
        }
    }
}

/// Counts what is read of a file, and stops or goes on at what is bad.
pub(super) struct Tally<'a> {
    how: Reading,
    source: &'a mut Source,
}

impl Tally<'_> {
    fn count(&mut self, games: u64) {
        self.source.games += games;
    }

    /// Passes the fault on, or counts it.
    fn fault(&mut self, fault: Fault) -> Result<(), Fault> {
        if !self.how.skip_bad {
            return Err(fault);
        }
        let place = fault.line.map_or(String::new(), |line| format!(":{line}"));
        self.source.skip(format!("{}{place}: {}", self.source.file, fault.what));
        Ok(())
    }
}

impl Source {
    fn skip(&mut self, what: String) {
        self.skipped += 1;
        self.first_skipped.get_or_insert(what);
    }
}

fn pgn(input: impl Read, results: &mut Results, tally: &mut Tally<'_>) -> Result<(), Fault> {
    let reader = Reader::new(input);
    let mut reader = if tally.how.moves { reader.with_moves() } else { reader };
    loop {
        match reader.next_game() {
            Ok(None) => return Ok(()),
            Ok(Some(game)) => {
                let (first, second) = (results.player(game.first), results.player(game.second));
                results.add_game(first, second, game.outcome);
                if tally.how.moves {
                    results.add_moves([first, second], game.moves.as_bytes());
                }
                tally.count(1);
            }
            Err(PgnError::Bad { line, what }) => tally.fault(Fault::at(line, what))?,
            Err(PgnError::Io(error)) => return Err(error.into()),
        }
    }
}

fn tally_rankings(input: impl Read, results: &mut Results, tally: &mut Tally<'_>) -> Result<(), Fault> {
    let found = rankings::read(input)?;
    for (a, b, counts) in &found.results {
        let (a, b) = (results.player(a), results.player(b));
        results.add_counts(a, b, *counts);
        tally.count(counts.iter().sum());
    }
    Ok(())
}

#[cfg(test)]
mod tests;
