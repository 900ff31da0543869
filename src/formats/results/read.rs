//! Files of any format, told apart by their content.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};

use super::tally::{BadInput, Fault, ReadFile, Reading, Tally};
use super::{GameResults, counts, games, rankings, records};
use crate::formats::pgn::{PgnError, Reader};

/// Adds the results of a file, whose format follows from its content: `-` is the standard input.
///
/// # Errors
/// [`BadInput`] at the first thing that is wrong, or, with `skip_bad`, if the file cannot be read at all.
pub fn read(file: &str, how: Reading, results: &mut GameResults) -> Result<ReadFile, BadInput> {
    let mut source = ReadFile { file: file.to_owned(), format: "?", games: 0, skipped: 0, first_skipped: None };
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
                Format::Csv => csv(input, results, &mut tally),
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
            Some(_) if first_line.contains(&b',') && !first_line.starts_with(b"1.") => Ok(Format::Csv),
            Some(_) => match separator(first_line) {
                Some(name) => {
                    Err(Fault::at(1, format!("this looks like a CSV whose fields are separated by {name}: {COMMAS}")))
                }
                None => Ok(Format::Pgn),
            },
        }
    }
}

/// What a CSV has between its fields.
const COMMAS: &str = "only commas are understood, so save it with those";

/// What separates the fields of a line that has no comma, by name, where it looks like one of a table.
fn separator(line: &[u8]) -> Option<&'static str> {
    let count = |byte: u8| line.iter().filter(|own| **own == byte).count();
    let known = [(b';', "semicolons (`;`)"), (b'\t', "tabs"), (b'|', "bars (`|`)")];
    known.into_iter().find(|(byte, _)| count(*byte) > 1).map(|(_, name)| name).filter(|_| !line.starts_with(b"1."))
}

/// Counts or games, by the first line.
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

fn tally_rankings(input: impl Read, results: &mut GameResults, tally: &mut Tally<'_>) -> Result<(), Fault> {
    let found = rankings::read(input)?;
    for (a, b, counts) in &found.results {
        let (a, b) = (results.player(a), results.player(b));
        results.add_counts(a, b, *counts);
        tally.count(counts.iter().sum());
    }
    Ok(())
}
