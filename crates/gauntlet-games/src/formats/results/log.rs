//! The text that match runners print (fastchess, cutechess), and the summaries of OpenBench and fishtest: counts of
//! pairs of games, `Ptnml(0-2): 1, 2, 3, 2, 1`, below a line that names the players.
//!
//! A match is reported again and again while it is played, each time with the counts so far: its last report counts. A
//! report belongs to another match if names or settings differ, if a count is smaller than before, or if game 1 was
//! started since. The games of players without a report are read from the lines of finished games (a tournament of
//! more than two players has no reports): there the games 1 and 2, 3 and 4 and so on with swapped colours are pairs.

mod line;
mod reports;
mod score;
mod settle;

use std::io::{BufRead, Read as _};

use anstream::adapter::strip_str;

use super::GameResults;
use super::tally::{InputFault, Tally};
use crate::formats::text::utf_8_or_western;
use line::LogLine;
use reports::Log;

/// A text without colours and other commands of terminals.
fn plain(text: &str) -> String {
    strip_str(text).to_string()
}

/// Maximum length of a line in bytes; the rest is skipped.
const LONGEST: usize = 1 << 16;
/// Words of which a log has at least one, or else a line of counts.
const WORDS: [&str; 7] =
    ["Ptnml(0-2)", "Penta |", "PENTA |", "Results of ", "Score of ", "Started game ", "Finished game "];

/// Whether a text that begins so is a log, and no PGN that mentions such words.
pub(super) fn is_log(head: &[u8]) -> bool {
    let text = plain(&String::from_utf8_lossy(head));
    let first = text.lines().next().unwrap_or_default();
    // A logger may begin its lines with a bracket too, but with no quote behind one word.
    let name = first.strip_prefix('[').and_then(|tag| tag.split_once('"')).map(|(name, _)| name.trim());
    let is_tag = name.is_some_and(|name| !name.contains([' ', ']']));
    let is_said = |line: &str| WORDS.iter().any(|word| line.contains(word)) || line::is_summary(line);
    let is_read = |line: &str| is_said(line) && LogLine::of(line) != Ok(None);
    !is_tag && !first.starts_with(['%', ';', '(']) && text.lines().any(is_read)
}

/// Reads a log.
pub(super) fn read(input: impl BufRead, results: &mut GameResults, tally: &mut Tally<'_>) -> Result<(), InputFault> {
    let mut log = Log::default();
    let mut lines = LogLines { input, line: 0 };
    while let Some(text) = lines.next()? {
        for part in parts(&text) {
            match LogLine::of(part) {
                Ok(found) => log.take(found, lines.line, tally)?,
                Err(what) => {
                    log.drop_current(line::is_pairs(part));
                    tally.fault(InputFault::at(lines.line, what))?;
                }
            }
        }
    }
    log.end(tally)?;
    settle::settle(&log, results, tally)
}

/// The parts of a line: where a writer was killed within a line, the next one begins there.
fn parts(text: &str) -> Vec<&str> {
    let mut starts: Vec<usize> =
        BEGINNINGS.iter().flat_map(|word| text.match_indices(word)).map(|(at, _)| at).collect();
    starts.sort_unstable();
    let ends = starts.iter().copied().skip(1).chain([text.len()]);
    // Times and the like stay before the first one.
    let begins = [0].into_iter().chain(starts.iter().copied().skip(1));
    begins.zip(ends).map(|(start, end)| &text[start..end]).collect()
}

/// The words with which the lines of games and scores begin.
const BEGINNINGS: [&str; 4] = ["Started game ", "Finished game ", "Score of ", "Results of "];

/// The lines of a text, each cut to [`LONGEST`] bytes.
struct LogLines<R> {
    input: R,
    line: u64,
}

impl<R: BufRead> LogLines<R> {
    fn next(&mut self) -> Result<Option<String>, InputFault> {
        let mut bytes = Vec::new();
        if self.input.by_ref().take(LONGEST as u64).read_until(b'\n', &mut bytes)? == 0 {
            return Ok(None);
        }
        if bytes.len() == LONGEST && !bytes.ends_with(b"\n") {
            self.input.skip_until(b'\n')?;
        }
        self.line += 1;
        let length = bytes.trim_ascii_end().len();
        bytes.truncate(length);
        Ok(Some(plain(&utf_8_or_western(&bytes))))
    }
}
