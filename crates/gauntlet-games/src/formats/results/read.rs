//! Reads result files of any format; the content determines the format.

use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use super::tally::{BadInput, InputFault, ReadFile, Reading, Tally};
use super::{GameResults, entries, json, json_rows, log, pgn, records, sgf, table};
use crate::base::files::open_stream;
use crate::formats::lines::LineEnds;
use crate::formats::pgn::is_tag;
use crate::formats::sgf::begins_game;

/// Adds the results of a file; `-` is the standard input. The content determines the format.
///
/// # Errors
/// [`BadInput`] at the first fault, or, with `skip_bad`, if the file cannot be read at all.
pub fn read(file: &str, how: Reading, results: &mut GameResults) -> Result<ReadFile, BadInput> {
    let mut source = ReadFile { file: file.to_owned(), format: "?", ..ReadFile::default() };
    let bad = |fault: InputFault, read| {
        let InputFault { line, what, hint } = fault;
        BadInput { file: file.to_owned(), line, what, hint, read }
    };
    let input: Box<dyn Read> = match file {
        "-" => Box::new(io::stdin().lock()),
        path => Box::new(open_stream(Path::new(path)).map_err(|error| bad(error.into(), 0))?),
    };
    let mut input = BufReader::with_capacity(SNIFFED, input);
    let pairs_before = results.n_pairs();
    let outcome = match Format::of(&mut input) {
        Ok(format) => {
            source.format = format.name();
            let mut tally = Tally { how, source: &mut source };
            match format {
                Format::Pgn => pgn::read(input, results, &mut tally),
                Format::Csv => entries::read(BufReader::new(LineEnds::new(input)), results, &mut tally),
                Format::Records => records::read(input, results, &mut tally),
                Format::Json => json::read(input, results, &mut tally),
                Format::JsonRows => json_rows::read(BufReader::new(LineEnds::new(input)), results, &mut tally),
                Format::Sgf => sgf::read(input, results, &mut tally),
                Format::Log => log::read(BufReader::new(LineEnds::new(input)), results, &mut tally),
            }
        }
        Err(fault) => Err(fault),
    };
    source.pairs = results.n_pairs() - pairs_before;
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
    Json,
    JsonRows,
    Sgf,
    Log,
}

impl Format {
    fn name(&self) -> &'static str {
        match self {
            Format::Pgn => "PGN",
            Format::Csv => "CSV",
            Format::Records => "records",
            Format::Json => "JSON",
            Format::JsonRows => "JSON lines",
            Format::Sgf => "SGF",
            Format::Log => "log",
        }
    }

    /// The format by the first bytes; file names are not reliable.
    fn of(input: &mut impl BufRead) -> Result<Format, InputFault> {
        let head = input.fill_buf()?;
        let is_packed =
            [&b"\x1f\x8b"[..], b"\x28\xb5\x2f\xfd", b"BZh", b"PK\x03\x04"].iter().any(|m| head.starts_with(m));
        if [b"\xff\xfe", b"\xfe\xff"].iter().any(|mark| head.starts_with(*mark)) {
            return Err(InputFault::of_file("this is UTF-16 text, as PowerShell writes it", "save it as UTF-8"));
        }
        if is_packed || head.contains(&0) {
            let what = "this is a binary or compressed file, not PGN, CSV, or JSON (unpack it first)";
            return Err(InputFault::of_file(what, "unpack it, or name another file"));
        }
        let text = head.strip_prefix("\u{feff}".as_bytes()).unwrap_or(head).trim_ascii_start();
        let first_line = text.split(|byte| matches!(byte, b'\n' | b'\r')).next().unwrap_or_default();
        match text.first() {
            None => Err(InputFault::at(1, "the file is empty")),
            Some(b'{') if first_line.windows(10).any(|w| w == b"\"records\":") => Ok(Format::Records),
            Some(b'{') if is_comment(text) => Ok(Format::Pgn),
            Some(b'{') if lines(text).any(json_rows::is_row) => Ok(Format::JsonRows),
            Some(b'{') => Ok(Format::Json),
            // The texts within other formats may have the words of a log.
            Some(b'[') if is_list(text, b"{") => Ok(Format::Json),
            Some(b'(') if is_sgf(text) => Ok(Format::Sgf),
            Some(_) if table::has_known_columns(&String::from_utf8_lossy(first_line)) => Ok(Format::Csv),
            Some(_) if log::is_log(text) => Ok(Format::Log),
            Some(b'[') if is_list(text, b"{[\"]-0123456789") => Ok(Format::Json),
            Some(b'[' | b'%' | b';') => Ok(Format::Pgn),
            Some(_) if !first_line.starts_with(b"1.") && table::is_table(&String::from_utf8_lossy(first_line)) => {
                Ok(Format::Csv)
            }
            // Mails of servers have text before the games.
            Some(_) if lines(text).any(|line| begins_game(&String::from_utf8_lossy(line))) => Ok(Format::Sgf),
            Some(_) => Ok(Format::Pgn),
        }
    }
}

/// The lines of a text, without white space around them.
fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| matches!(byte, b'\n' | b'\r')).map(<[u8]>::trim_ascii)
}

/// Whether a text that begins with a brace begins with comments of a PGN: no JSON, or a tag behind the comments.
fn is_comment(text: &[u8]) -> bool {
    let is_json = matches!(text[1..].trim_ascii_start().first(), None | Some(b'"' | b'}'));
    let mut rest = text;
    while let Some(comment) = rest.strip_prefix(b"{") {
        let Some(end) = comment.iter().position(|byte| *byte == b'}') else { break };
        rest = comment[end + 1..].trim_ascii_start();
    }
    !is_json || is_tag(rest)
}

/// Whether a text begins like a collection of game trees.
fn is_sgf(text: &[u8]) -> bool {
    text.trim_ascii_start().strip_prefix(b"(").is_some_and(|rest| rest.trim_ascii_start().starts_with(b";"))
}

/// Whether a text that begins with a bracket is a list of JSON whose first entry begins with one of these signs. The name
/// of a PGN's tag begins with a letter or `_`.
fn is_list(text: &[u8], first: &[u8]) -> bool {
    text[1..].trim_ascii_start().first().is_some_and(|next| first.contains(next))
}
