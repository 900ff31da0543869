//! The text that match runners print (fastchess, cutechess), and the summaries of OpenBench and fishtest: counts of
//! pairs of games, `Ptnml(0-2): 1, 2, 3, 2, 1`, below a line that names the players.
//!
//! A match is reported again and again while it is played, each time with the counts so far: its last report counts. A
//! report belongs to another match if names or settings differ, if a count is smaller than before, or if game 1 was
//! started since. The games of players without a report are read from the lines of finished games (a tournament of
//! more than two players has no reports): there the games 1 and 2, 3 and 4 and so on with swapped colours are pairs.

mod line;
mod settle;

use std::collections::HashMap;
use std::io::{BufRead, Read as _};

use super::GameResults;
use super::tally::{Fault, Tally};
use crate::base::Outcome;
use line::Line;

/// Maximum length of a line in bytes; the rest is skipped.
const LONGEST: usize = 1 << 16;
/// Words of which a log has at least one.
const WORDS: [&str; 6] = ["Ptnml(0-2)", "Penta |", "Results of ", "Score of ", "Started game ", "Finished game "];

/// Whether a text that begins so is a log, and no PGN or CSV that mentions such words.
pub(super) fn is_log(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default();
    // A logger may begin its lines with a bracket too.
    let value = first.strip_prefix('[').and_then(|tag| tag.split_once(char::is_whitespace)).map(|(_, value)| value);
    let is_tag = value.is_some_and(|value| value.trim_start().starts_with('"'));
    let is_table = ["player_a", "white,", "White,", ",white", ",White"].iter().any(|word| first.contains(word));
    let is_said = |line: &str| WORDS.iter().any(|word| line.contains(word));
    !is_tag && !is_table && !first.starts_with(['%', ';', '(']) && (is_said(first) || lines.any(is_said))
}

/// Reads a log.
pub(super) fn read(input: impl BufRead, results: &mut GameResults, tally: &mut Tally<'_>) -> Result<(), Fault> {
    let mut log = Log::default();
    let mut lines = Lines { input, line: 0 };
    while let Some(text) = lines.next()? {
        match Line::of(&text) {
            Ok(Some(found)) => log.take(found, lines.line, tally)?,
            Ok(None) => {}
            Err(what) => {
                log.current = None;
                tally.fault(Fault::at(lines.line, what))?;
            }
        }
    }
    log.close(tally)?;
    settle::settle(&log, results, tally)
}

/// The lines of a text, each cut to [`LONGEST`] bytes.
struct Lines<R> {
    input: R,
    line: u64,
}

impl<R: BufRead> Lines<R> {
    fn next(&mut self) -> Result<Option<String>, Fault> {
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
        Ok(Some(match String::from_utf8(bytes) {
            Ok(text) => text,
            // As in PGN: other text is Latin 1.
            Err(error) => error.into_bytes().iter().map(|&byte| char::from(byte)).collect(),
        }))
    }
}

/// The names of two players as one text, the settings, and the number of the match in the file.
type MatchKey = (String, String, u32);

/// The counts of a match so far, from the point of view of its first player.
#[derive(Debug)]
struct Report {
    /// The names are empty in a summary that has none.
    key: MatchKey,
    /// The line of its counts.
    line: u64,
    /// Wins, draws and losses.
    games: Option<[u64; 3]>,
    /// Pairs by points.
    pairs: Option<[u64; 5]>,
    /// Whether this is the line that cutechess prints after every game.
    is_score: bool,
}

impl Report {
    /// Whether this is a later report of the match of an earlier one: no count is smaller.
    fn continues(&self, earlier: &Report) -> bool {
        let games = self.games.zip(earlier.games).is_none_or(|(own, old)| own.iter().zip(old).all(|(n, o)| *n >= o));
        let pairs = self.pairs.zip(earlier.pairs).is_none_or(|(own, old)| own.iter().zip(old).all(|(n, o)| *n >= o));
        games && pairs
    }
}

/// A line of a finished game.
#[derive(Debug)]
struct FinishedGame {
    line: u64,
    number: u64,
    /// The names of the players, white first.
    title: String,
    outcome: Outcome,
}

/// What was read so far.
#[derive(Debug, Default)]
struct Log {
    /// The report that is being read.
    current: Option<Report>,
    /// The last report of every match.
    reports: Vec<Report>,
    /// The place of a match in `reports`.
    places: HashMap<MatchKey, usize>,
    /// Number of matches that were started after a report.
    starts: u32,
    games: Vec<FinishedGame>,
    /// The line of the first table of players.
    table: Option<u64>,
}

impl Log {
    fn take(&mut self, found: Line<'_>, line: u64, tally: &mut Tally<'_>) -> Result<(), Fault> {
        match found {
            Line::Header { title, settings } => self.begin(title, settings, line, tally)?,
            Line::Score { title, games } => {
                self.begin(title, "", line, tally)?;
                self.current =
                    self.current.take().map(|report| Report { games: Some(games), is_score: true, ..report });
            }
            Line::Games(games) => {
                if self.current.as_ref().is_none_or(|report| report.games.is_some()) {
                    self.begin("", "", line, tally)?;
                }
                self.current = self.current.take().map(|report| Report { games: Some(games), line, ..report });
            }
            Line::Pairs(pairs) => {
                if self.current.is_none() {
                    self.begin("", "", line, tally)?;
                }
                self.current = self.current.take().map(|report| Report { pairs: Some(pairs), line, ..report });
                self.close(tally)?;
            }
            Line::Start => {
                self.close(tally)?;
                self.starts += u32::from(!self.reports.is_empty());
            }
            Line::Finished { number, title, outcome } => {
                let game = |outcome| FinishedGame { line, number, title: title.to_owned(), outcome };
                self.games.extend(outcome.map(game));
            }
            Line::Table => {
                self.table.get_or_insert(line);
            }
        }
        Ok(())
    }

    /// Begins a report.
    fn begin(&mut self, title: &str, settings: &str, line: u64, tally: &mut Tally<'_>) -> Result<(), Fault> {
        self.close(tally)?;
        let key = (title.to_owned(), settings.to_owned(), self.starts);
        self.current = Some(Report { key, line, games: None, pairs: None, is_score: false });
        Ok(())
    }

    /// Ends the current report: it replaces the earlier one of its match.
    fn close(&mut self, tally: &mut Tally<'_>) -> Result<(), Fault> {
        let Some(report) = self.current.take().filter(|report| report.games.is_some() || report.pairs.is_some()) else {
            return Ok(());
        };
        let is_nameless = |report: &Report| report.key.0.is_empty();
        if is_nameless(&report) && self.reports.iter().any(is_nameless) {
            let hint = "put a line `Results of A vs B:` with the names before each summary";
            let what = "a second summary without names of players, which may be of other players";
            return tally.fault(Fault { hint: Some(hint), ..Fault::at(report.line, what) });
        }
        match self.places.get(&report.key).map(|&place| &mut self.reports[place]) {
            Some(earlier) if report.continues(earlier) => {
                // Pairs are worth more than the few games since.
                if report.pairs.is_some() || earlier.pairs.is_none() {
                    *earlier = report;
                }
            }
            _ => {
                self.places.insert(report.key.clone(), self.reports.len());
                self.reports.push(report);
            }
        }
        Ok(())
    }
}
