//! Printing: results to stdout, everything else to stderr.
//!
//! All readable text leaves by [`tell`], [`result`], [`redraw`] or [`usage`]. They escape the characters that a terminal
//! obeys, since names, messages of other programs and arguments may contain any.

use std::io::{ErrorKind, Write};
use std::path::Path;
use std::sync::OnceLock;

use serde::{Serialize, Serializer as _};

use super::exit::Exit;
use crate::manifest::Problems;
use crate::reports::number::thousands;
use crate::store::{Error, ReadError, atomic_write};
pub use gauntlet_games::base::visible;
use gauntlet_games::base::visible_lines;

/// No more problems of a manifest are shown at a time.
const MOST_SHOWN: usize = 20;

/// A manifest with problems, as an error.
#[derive(Debug, thiserror::Error)]
#[error("{} {}", count(.problems.list().len(), "problem"), self.place())]
pub struct BadManifest {
    /// The manifest.
    pub name: String,
    /// What is wrong with it.
    pub problems: Problems,
}

impl BadManifest {
    /// Where the problems are: what the command line lays over a manifest is no fault of the file.
    fn place(&self) -> String {
        let is_flag = |problem| self.problems.locate(problem).is_some_and(|(text, _)| text.starts_with("--"));
        let flags = self.problems.list().iter().filter(|problem| is_flag(problem)).count();
        match self.problems.list().len() - flags {
            0 => "on the command line".to_owned(),
            _ if flags > 0 => format!("in {} and on the command line", visible(&self.name)),
            _ => format!("in {}", visible(&self.name)),
        }
    }
}

/// Wrong usage, as an error.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Misuse {
    /// What is wrong.
    pub message: String,
    /// The way out.
    pub hint: String,
}

impl Misuse {
    /// An error with the way out.
    #[expect(clippy::new_ret_no_self, reason = "it is only ever handed on as an error")]
    pub fn new(message: impl Into<String>, hint: impl Into<String>) -> anyhow::Error {
        Misuse { message: message.into(), hint: hint.into() }.into()
    }
}

/// What was asked for and cannot be written, as the context of an error.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("no {what} is written")]
pub struct Unwritten {
    what: &'static str,
    /// How to name another place.
    hint: &'static str,
}

/// Reports of any kind.
pub const REPORT: Unwritten =
    Unwritten { what: "report", hint: "make the directory writable, or name another one with --reports" };

/// A file that was named.
pub const FILE: Unwritten = Unwritten { what: "file", hint: "make its directory writable, or name another file" };

/// Writes what was asked for, and creates the directories above it.
///
/// # Errors
/// When a directory cannot be created, or the file cannot be written.
pub fn write(path: &Path, bytes: &[u8], asked: Unwritten) -> anyhow::Result<()> {
    let parent = path.parent().unwrap_or(path);
    let created = std::fs::create_dir_all(parent);
    let created = created.map_err(|source| Error::File { action: "create", path: parent.to_owned(), source });
    created.and_then(|()| atomic_write(path, bytes)).map_err(|error| {
        let hint = if error.is_full() { "the disk is full: free some space and try again" } else { asked.hint };
        anyhow::Error::new(error).context(Unwritten { hint, ..asked })
    })
}

/// Whether stderr shows colours.
pub fn colours() -> bool {
    coloured(&std::io::stderr())
}

/// Whether a stream shows colours.
pub fn coloured(stream: &impl std::io::IsTerminal) -> bool {
    std::env::var_os("NO_COLOR").is_none() && stream.is_terminal()
}

/// One line to stderr. A reader that went away is no error.
pub fn tell(line: &str) {
    let _ = writeln!(std::io::stderr(), "{}", harmless(line, colours()));
}

/// Text as a terminal may have it: what it would obey is written out, but for the ends of lines, tabs and, where
/// `with_colours`, the sequences that colour text and hide none of it.
fn harmless(text: &str, with_colours: bool) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_control() && !matches!(c, '\n' | '\t')) {
        shown += &visible_lines(&rest[..at]);
        rest = &rest[at..];
        let end = if with_colours { colour(rest) } else { None };
        let obeyed = rest.chars().next().map_or(0, char::len_utf8);
        match end {
            Some(end) => shown += &rest[..end],
            None => shown += &visible(&rest[..obeyed]),
        }
        rest = &rest[end.unwrap_or(obeyed)..];
    }
    shown + &visible_lines(rest)
}

/// Where a sequence that colours text ends, if one begins here.
fn colour(text: &str) -> Option<usize> {
    let numbers = text.strip_prefix("\u{1b}[")?;
    let length = numbers.find(|c: char| !c.is_ascii_digit() && c != ';')?;
    let is_hiding = numbers[..length].split(';').any(|number| number.trim_start_matches('0') == "8");
    (numbers[length..].starts_with('m') && !is_hiding).then_some(2 + length + 1)
}

/// One line to stderr, unless `--quiet`.
pub fn note(quiet: bool, line: &str) {
    if !quiet {
        tell(line);
    }
}

/// Why results did not get to stdout, where they did not.
static LOST: OnceLock<String> = OnceLock::new();

/// Keeps that results could not be written. A reader that went away is no error.
fn kept(written: std::io::Result<()>) {
    if let Err(error) = written
        && error.kind() != ErrorKind::BrokenPipe
    {
        // The first is told.
        let _ = LOST.set(error.to_string());
    }
}

/// Ends the output: with an error, once, where some of the results did not get to stdout.
///
/// # Errors
/// The first reason that there was.
pub fn finish() -> anyhow::Result<()> {
    kept(std::io::stdout().flush());
    LOST.get().map_or(Ok(()), |reason| Err(anyhow::anyhow!("the results cannot be written to stdout: {reason}")))
}

/// Results to stdout. What cannot be written is told at the end.
pub fn result(text: &str) {
    let mut stdout = std::io::stdout().lock();
    let text = harmless(text.trim_end_matches('\n'), coloured(&stdout));
    kept(writeln!(stdout, "{text}"));
}

/// Clears a terminal and begins at its top.
const CLEAR: &str = "\u{1b}[H\u{1b}[2J";

/// Results to stdout in place of what the terminal shows.
pub fn redraw(text: &str) {
    kept(write!(std::io::stdout(), "{CLEAR}"));
    result(text);
}

/// The help, or what is wrong with the usage.
pub fn usage(told: &clap::Error) {
    let text = |with_colours| {
        let told = told.render();
        let told = if with_colours { told.ansi().to_string() } else { told.to_string() };
        harmless(&told, with_colours)
    };
    if told.use_stderr() {
        let _ = write!(std::io::stderr(), "{}", text(colours()));
    } else {
        let mut stdout = std::io::stdout().lock();
        let text = text(coloured(&stdout));
        kept(write!(stdout, "{text}"));
    }
}

/// Exactly one JSON value to stdout.
pub fn json(value: &impl Serialize) {
    print(|serializer| value.serialize(serializer));
}

/// Exactly one JSON value to stdout: a list, whose items are made and printed one by one.
pub fn json_list<T: Serialize>(items: impl Iterator<Item = T>) {
    print(|serializer| serializer.collect_seq(items));
}

type Printer<'a> = serde_json::Serializer<&'a mut dyn Write, serde_json::ser::PrettyFormatter<'static>>;

fn print(value: impl FnOnce(&mut Printer<'_>) -> serde_json::Result<()>) {
    let mut stdout = std::io::BufWriter::new(std::io::stdout().lock());
    let mut serializer = serde_json::Serializer::pretty(&mut stdout as &mut dyn Write);
    // Plain data is always JSON.
    kept(value(&mut serializer).map_err(std::io::Error::from));
    kept(writeln!(stdout).and_then(|()| stdout.flush()));
}

/// What went wrong, with its causes and the way out, to stderr.
pub fn error(error: &anyhow::Error) {
    if let Some(bad) = error.downcast_ref::<BadManifest>() {
        problems(bad);
    } else {
        tell(&format!("error: {error:#}"));
        if let Some(hint) = hint(error) {
            tell(&format!("\nhint: {hint}"));
        }
    }
}

/// The way out, where one is known.
fn hint(error: &anyhow::Error) -> Option<&str> {
    let misuse = error.downcast_ref::<Misuse>().map(|misuse| misuse.hint.as_str());
    let unwritten = || error.downcast_ref::<Unwritten>().map(|unwritten| unwritten.hint);
    let unread = || error.downcast_ref::<ReadError>().map(ReadError::hint);
    misuse.or_else(unwritten).or_else(unread).or_else(|| error.downcast_ref::<Error>().map(Error::hint))
}

fn problems(bad: &BadManifest) {
    let theme = match colours() {
        true => miette::GraphicalTheme::unicode(),
        false => miette::GraphicalTheme::unicode_nocolor(),
    };
    let handler = miette::GraphicalReportHandler::new_themed(theme).with_width(100);
    for report in bad.problems.reports().take(MOST_SHOWN) {
        let mut text = String::new();
        if handler.render_report(&mut text, report.as_ref()).is_ok() {
            tell(text.trim_end());
        }
    }
    if let more @ 1.. = bad.problems.list().len().saturating_sub(MOST_SHOWN) {
        tell(&format!("... and {more} more"));
    }
    tell(&format!("error: {bad}"));
}

/// The exit code that an error means.
pub fn exit_of(error: &anyhow::Error) -> Exit {
    let is_usage = error.is::<BadManifest>() || error.is::<Misuse>();
    let is_no_store = |error: &Error| matches!(error, Error::NotADirectory { .. } | Error::Foreign { .. });
    let is_no_store = error.downcast_ref::<Error>().is_some_and(is_no_store);
    if is_usage || is_no_store { Exit::Usage } else { Exit::JobFailed }
}

/// A number of seconds for people: `1 s`, `40 s`, `3 min`, `1.5 h`, `60 days`, `38 years`.
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 90.0 => format!("{:.0} s", s.max(1.0)),
        s if s < 5400.0 => format!("{:.0} min", s / 60.0),
        s if s <= 3.6e6 => format!("{:.1} h", s / 3600.0),
        s if s < 2.0 * YEAR => format!("{:.0} days", s / 86_400.0),
        s => format!("{} years", thousands((s / YEAR).round() as u64)),
    }
}

/// Seconds of a year.
const YEAR: f64 = 365.25 * 86_400.0;

/// A number of things for people: `1 job`, `30 jobs`.
pub fn count(number: usize, thing: &str) -> String {
    if number == 1 { format!("1 {thing}") } else { format!("{number} {thing}s") }
}

/// A number of bytes for people.
pub fn bytes(count: u64) -> String {
    match count as f64 {
        b if b < 1e4 => format!("{count} B"),
        b if b < 1e7 => format!("{:.0} kB", b / 1e3),
        b if b < 1e10 => format!("{:.0} MB", b / 1e6),
        b => format!("{:.0} GB", b / 1e9),
    }
}

/// A table for the terminal: columns two spaces apart.
pub fn table(header: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let header = header.iter().map(|&word| word.to_owned()).collect();
    let rows: Vec<Vec<String>> = std::iter::once(header).chain(rows).collect();
    let columns = rows[0].len();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let start = text.len();
        for (cell, width) in row.iter().zip(&widths) {
            text += &format!("{cell:width$}  ");
        }
        let end = text[start..].trim_end().len();
        text.truncate(start + end);
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_gets_nothing_to_obey_but_colours_of_its_own() {
        let evil = "a\u{1b}[2Jb\u{202e}c\r\u{9b}2J\u{1b}]0;x\u{7}\n\td";
        let written = "a\\u{1b}[2Jb\\u{202e}c\\u{d}\\u{9b}2J\\u{1b}]0;x\\u{7}\n\td";
        assert_eq!((harmless(evil, false).as_str(), harmless(evil, true).as_str()), (written, written));
        let red = "\u{1b}[1;31mred\u{1b}[0m";
        assert_eq!(harmless(red, true), red);
        assert_eq!(harmless(red, false), "\\u{1b}[1;31mred\\u{1b}[0m");
        for hiding in ["\u{1b}[8mx", "\u{1b}[1;08mx", "\u{1b}[1", "\u{1b}[?25l", "\u{1b}"] {
            assert!(!harmless(hiding, true).contains('\u{1b}'), "{hiding:?}");
        }
    }

    #[test]
    fn columns_are_aligned_and_lines_end_with_their_last_word() {
        let rows = [["ε", "1", ""], ["long name", "23", "x"]].map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(table(&["what", "n", "note"], rows), "what       n   note\nε          1\nlong name  23  x\n");
    }

    #[test]
    fn times_and_sizes_are_rounded_for_people() {
        assert_eq!([0.0, 40.4, 100.0, 7200.0].map(duration), ["1 s", "40 s", "2 min", "2.0 h"]);
        assert_eq!([3.6e6, 5e6, 335_174.9 * 3600.0].map(duration), ["1000.0 h", "58 days", "38 years"]);
        assert_eq!([0, 1, 2].map(|number| count(number, "job")), ["0 jobs", "1 job", "2 jobs"]);
        assert_eq!([999, 20_000, 20_000_000].map(bytes), ["999 B", "20 kB", "20 MB"]);
    }
}
