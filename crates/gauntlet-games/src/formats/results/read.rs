//! Reads result files of any format; the content determines the format.

use std::io::{self, BufReader, Cursor, Read};
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
    let input: Box<dyn Read> = match file {
        "-" => Box::new(io::stdin().lock()),
        path => Box::new(open_stream(Path::new(path)).map_err(|error| bad(file, error.into(), 0))?),
    };
    read_input(file, input, how, results)
}

/// Adds the results of a stream with the name of its file.
pub(super) fn read_input(
    file: &str,
    mut input: Box<dyn Read>,
    how: Reading,
    results: &mut GameResults,
) -> Result<ReadFile, BadInput> {
    let mut source = ReadFile { file: file.to_owned(), format: "?", ..ReadFile::default() };
    let pairs_before = results.n_pairs();
    let outcome = match head(&mut input).and_then(|head| Ok((Format::of(&head)?, head))) {
        Ok((format, head)) => {
            source.format = format.name();
            let mut tally = Tally { how, source: &mut source };
            let input = BufReader::with_capacity(SNIFFED, Cursor::new(head).chain(input));
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
            let bad = bad(file, fault, source.games);
            source.skip(bad.to_string());
            Ok(source)
        }
        Err(fault) => Err(bad(file, fault, source.games)),
    }
}

fn bad(file: &str, fault: InputFault, read: u64) -> BadInput {
    let InputFault { line, what, hint } = fault;
    BadInput { file: file.to_owned(), line, what, hint, read }
}

/// Number of bytes that determine the format.
const SNIFFED: usize = 1 << 16;

/// The first bytes, which may come in several pieces; with the whole of a first line that may be an object of JSON.
fn head(input: &mut impl Read) -> Result<Vec<u8>, InputFault> {
    let mut head = Vec::new();
    input.by_ref().take(SNIFFED as u64).read_to_end(&mut head)?;
    let is_cut = |head: &[u8]| text_of(head).starts_with(b"{") && !text_of(head).contains(&b'\n');
    while is_cut(&head) && head.len() < json_rows::LONGEST {
        if input.by_ref().take(head.len() as u64).read_to_end(&mut head)? == 0 {
            break;
        }
    }
    Ok(head)
}

/// The text of the first bytes, without a byte order mark and white space before it.
fn text_of(head: &[u8]) -> &[u8] {
    head.strip_prefix("\u{feff}".as_bytes()).unwrap_or(head).trim_ascii_start()
}

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
    fn of(head: &[u8]) -> Result<Format, InputFault> {
        let is_packed =
            [&b"\x1f\x8b"[..], b"\x28\xb5\x2f\xfd", b"BZh", b"PK\x03\x04"].iter().any(|m| head.starts_with(m));
        if [b"\xff\xfe", b"\xfe\xff"].iter().any(|mark| head.starts_with(*mark)) {
            return Err(InputFault::of_file("this is UTF-16 text, as PowerShell writes it", "save it as UTF-8"));
        }
        if is_packed || head.contains(&0) {
            let what = "this is a binary or compressed file, not PGN, CSV, or JSON (unpack it first)";
            return Err(InputFault::of_file(what, "unpack it, or name another file"));
        }
        let text = text_of(head);
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

/// Whether a text that begins with a bracket is a list of JSON whose first entry begins with one of these signs. The
/// name of a PGN's tag begins with a letter or `_`.
fn is_list(text: &[u8], first: &[u8]) -> bool {
    text[1..].trim_ascii_start().first().is_some_and(|next| first.contains(next))
}
