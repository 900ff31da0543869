//! Reads result files of any format; the content determines the format.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};

use super::tally::{BadInput, Fault, ReadFile, Reading, Tally};
use super::{GameResults, counts, games, rankings, records};
use crate::base::Outcome;
use crate::formats::lines::LineEnds;
use crate::formats::pgn::{PairTags, PgnError, Reader};

/// Adds the results of a file; `-` is the standard input. The content determines the format.
///
/// # Errors
/// [`BadInput`] at the first fault, or, with `skip_bad`, if the file cannot be read at all.
pub fn read(file: &str, how: Reading, results: &mut GameResults) -> Result<ReadFile, BadInput> {
    let mut source = ReadFile { file: file.to_owned(), format: "?", games: 0, skipped: 0, first_skipped: None };
    let bad = |fault: Fault, read| {
        let Fault { line, what, hint } = fault;
        BadInput { file: file.to_owned(), line, what, hint, read }
    };
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
                Format::Csv => csv(BufReader::new(LineEnds::new(input)), results, &mut tally),
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

/// Number of bytes that determine the format.
const SNIFFED: usize = 1 << 16;

enum Format {
    Pgn,
    Csv,
    Records,
    Rankings,
}

impl Format {
    fn name(&self) -> &'static str {
        match self {
            Format::Pgn => "PGN",
            Format::Csv => "CSV",
            Format::Records => "records",
            Format::Rankings => "rankings",
        }
    }

    /// The format by the first bytes; file names are not reliable.
    fn of(input: &mut impl BufRead) -> Result<Format, Fault> {
        let head = input.fill_buf()?;
        let is_packed =
            [&b"\x1f\x8b"[..], b"\x28\xb5\x2f\xfd", b"BZh", b"PK\x03\x04"].iter().any(|m| head.starts_with(m));
        if is_packed || head.contains(&0) {
            let what = "this is a binary or compressed file, not PGN, CSV, or JSON (unpack it first)";
            return Err(Fault::of_file(what, "unpack it, or name another file"));
        }
        let text = head.strip_prefix("\u{feff}".as_bytes()).unwrap_or(head).trim_ascii_start();
        let first_line = text.split(|byte| matches!(byte, b'\n' | b'\r')).next().unwrap_or_default();
        match text.first() {
            None => Err(Fault::at(1, "the file is empty")),
            Some(b'{') if first_line.windows(10).any(|w| w == b"\"records\":") => Ok(Format::Records),
            Some(b'{') => Ok(Format::Rankings),
            Some(b'(') if is_sgf(text) => {
                Err(Fault::of_file(SGF, "`gauntlet export games.jsonl games.pgn` writes PGN"))
            }
            Some(b'[' | b'%' | b';') => Ok(Format::Pgn),
            Some(_) if first_line.contains(&b',') && !first_line.starts_with(b"1.") => Ok(Format::Csv),
            Some(_) => match separator(first_line) {
                Some(name) => {
                    let what = format!("this looks like a CSV whose fields are separated by {name}: {COMMAS}");
                    Err(Fault::of_file(what, "write commas between the fields, in the first line too"))
                }
                None => Ok(Format::Pgn),
            },
        }
    }
}

/// The message for SGF files.
const SGF: &str = "this is SGF, from which no results are read: PGN, CSV and this program's records are understood";

/// Whether a text begins like a collection of game trees.
fn is_sgf(text: &[u8]) -> bool {
    text.trim_ascii_start().strip_prefix(b"(").is_some_and(|rest| rest.trim_ascii_start().starts_with(b";"))
}

/// The advice for other separators than commas.
const COMMAS: &str = "only commas are understood, so save it with those";

/// The name of the separator of a line without commas, if it looks like a line of a table.
fn separator(line: &[u8]) -> Option<&'static str> {
    let count = |byte: u8| line.iter().filter(|own| **own == byte).count();
    let known = [(b';', "semicolons (`;`)"), (b'\t', "tabs"), (b'|', "bars (`|`)")];
    known.into_iter().find(|(byte, _)| count(*byte) > 1).map(|(_, name)| name).filter(|_| !line.starts_with(b"1."))
}

/// Reads counts or games, depending on the first line.
fn csv(mut input: impl BufRead, results: &mut GameResults, tally: &mut Tally<'_>) -> Result<(), Fault> {
    let header = counts::header(&mut input)?;
    match games::are_games(&header) {
        true => games::read(input, &header, results, tally),
        false => counts::read(input, &header, results, tally),
    }
}

fn pgn(input: impl Read, results: &mut GameResults, tally: &mut Tally<'_>) -> Result<(), Fault> {
    let reader = Reader::new(input);
    let mut reader = if tally.how.moves { reader.with_moves() } else { reader };
    // The first game of a pair, until its second game is read.
    let mut waiting: Option<WaitingGame> = None;
    loop {
        match reader.next_game() {
            Ok(None) => break,
            Ok(Some(game)) => {
                let players = [results.player(game.first), results.player(game.second)];
                tally.room(results.players().len())?;
                if tally.how.moves {
                    results.add_moves(players, game.moves.as_bytes());
                }
                tally.count(1);
                waiting = add(results, waiting, WaitingGame { players, outcome: game.outcome, pair: game.pair });
            }
            Err(PgnError::Bad { line, what }) => tally.fault(Fault::at(line, what))?,
            Err(PgnError::Io(error)) => return Err(error.into()),
        }
    }
    waiting.iter().for_each(|one| one.add_alone(results));
    Ok(())
}

/// A game that may be the first one of a pair.
struct WaitingGame {
    players: [usize; 2],
    outcome: Outcome,
    pair: Option<(PairTags, u8)>,
}

impl WaitingGame {
    /// Whether another game is the second one of the pair that this game begins: the next game of the same opening
    /// with colours swapped.
    fn is_answered_by(&self, other: &WaitingGame) -> bool {
        let [(one, first), (two, second)] = match [&self.pair, &other.pair] {
            [Some(one), Some(two)] => [one, two],
            _ => return false,
        };
        let [a, b] = self.players;
        (*first, *second, other.players) == (1, 2, [b, a]) && one == two
    }

    fn add_alone(&self, results: &mut GameResults) {
        let [first, second] = self.players;
        results.add_game(first, second, self.outcome);
    }
}

/// Adds a game, paired with the waiting one if possible; returns the game that waits next.
fn add(results: &mut GameResults, waiting: Option<WaitingGame>, game: WaitingGame) -> Option<WaitingGame> {
    if let Some(one) = waiting.as_ref().filter(|one| one.is_answered_by(&game)) {
        let [a, b] = one.players;
        results.add_pair(a, b, [one.outcome, game.outcome]);
        return None;
    }
    waiting.iter().for_each(|one| one.add_alone(results));
    Some(game)
}

fn tally_rankings(input: impl Read, results: &mut GameResults, tally: &mut Tally<'_>) -> Result<(), Fault> {
    let found = rankings::read(input)?;
    for (a, b, counts) in &found.results {
        let (a, b) = (results.player(a), results.player(b));
        tally.room(results.players().len())?;
        results.add_counts(a, b, *counts);
        tally.count(counts.iter().sum());
    }
    Ok(())
}
