//! Printing: results to stdout, all other text to standard error.
//!
//! All readable text is printed by [`tell`], [`result`], [`redraw`] or [`usage`]. They escape the control characters
//! of terminals, since names, messages of other programs and arguments may contain any.

use std::io::{ErrorKind, IsTerminal as _, Write};
use std::sync::OnceLock;

use serde::{Serialize, Serializer as _};

use super::escaped_json::EscapedJson;
use super::exit::Exit;
pub use crate::app::{BadManifest, FILE, Misuse, REPORT, Unmeasured, Unwritten, require_writable, write, write_named};
use gauntlet_games::base::visible_lines;
pub use gauntlet_games::base::{bytes, count, duration, visible};
use gauntlet_store::{Error, ReadError};

/// Most problems of a manifest that are shown.
const MOST_SHOWN: usize = 20;

/// Whether standard error shows colours.
pub fn colours() -> bool {
    coloured(&std::io::stderr())
}

/// Whether a stream shows colours: a terminal does, unless it is a dumb one.
pub fn coloured(stream: &impl std::io::IsTerminal) -> bool {
    let is_dumb = std::env::var_os("TERM").is_some_and(|name| name == "dumb");
    std::env::var_os("NO_COLOR").is_none() && !is_dumb && stream.is_terminal()
}

/// Prints a line to standard error. A closed reader is not an error.
pub fn tell(line: &str) {
    let _ = writeln!(std::io::stderr(), "{}", harmless(line, colours()));
}

/// Text that is safe for a terminal: control characters are escaped, except for ends of lines, tabs and, if
/// `with_colours`, the sequences that colour text without hiding it.
pub(super) fn harmless(text: &str, with_colours: bool) -> String {
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

/// The end of a colour sequence, if one begins here.
fn colour(text: &str) -> Option<usize> {
    let numbers = text.strip_prefix("\u{1b}[")?;
    let length = numbers.find(|c: char| !c.is_ascii_digit() && c != ';')?;
    let is_hiding = numbers[..length].split(';').any(|number| number.trim_start_matches('0') == "8");
    (numbers[length..].starts_with('m') && !is_hiding).then_some(2 + length + 1)
}

/// The log on standard error, in the same form. Each event is written at once.
pub struct Log;

impl Write for Log {
    fn write(&mut self, event: &[u8]) -> std::io::Result<usize> {
        let text = harmless(&String::from_utf8_lossy(event), colours());
        std::io::stderr().write_all(text.as_bytes()).map(|()| event.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        std::io::stderr().flush()
    }
}

/// Prints a line to standard error, unless `--quiet`.
pub fn note(quiet: bool, line: &str) {
    if !quiet {
        tell(line);
    }
}

/// Asks a question on the terminal: the answer, or `None` if there is no terminal.
pub fn confirmed(question: &str) -> Option<bool> {
    if !(std::io::stdin().is_terminal() && std::io::stderr().is_terminal()) {
        return None;
    }
    tell(&format!("{question}\nStart them? Type `yes` to start:"));
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer).ok()?;
    Some(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

/// The first error of writing results to stdout.
static LOST: OnceLock<String> = OnceLock::new();

/// Records an error of writing results. A closed reader is not an error.
fn kept(written: std::io::Result<()>) {
    if let Err(error) = written
        && error.kind() != ErrorKind::BrokenPipe
    {
        // The first error is reported.
        let _ = LOST.set(error.to_string());
    }
}

/// Ends the output; returns the recorded error once, if results did not reach stdout.
///
/// # Errors
/// The first recorded error.
pub fn finish() -> anyhow::Result<()> {
    kept(std::io::stdout().flush());
    LOST.get().map_or(Ok(()), |reason| Err(anyhow::anyhow!("the results cannot be written to stdout: {reason}")))
}

/// Prints results to stdout. Write errors are reported at the end.
pub fn result(text: &str) {
    let mut stdout = std::io::stdout().lock();
    let text = harmless(text.trim_end_matches('\n'), coloured(&stdout));
    kept(writeln!(stdout, "{text}"));
}

/// Clears a terminal and moves to its top.
const CLEAR: &str = "\u{1b}[H\u{1b}[2J";

/// Prints results to stdout in place of the terminal's content.
pub fn redraw(text: &str) {
    kept(write!(std::io::stdout(), "{CLEAR}"));
    result(text);
}

/// Prints the help, or a usage error.
pub fn usage(error: &clap::Error) {
    let text = |with_colours| {
        let error = error.render();
        let error = if with_colours { error.ansi().to_string() } else { error.to_string() };
        harmless(&error, with_colours)
    };
    if error.use_stderr() {
        let _ = write!(std::io::stderr(), "{}", text(colours()));
    } else {
        let mut stdout = std::io::stdout().lock();
        let text = text(coloured(&stdout));
        kept(write!(stdout, "{text}"));
    }
}

/// Prints one JSON value to stdout.
pub fn json(value: &impl Serialize) {
    print(|serializer| value.serialize(serializer));
}

/// Prints one JSON value to stdout: a list, whose items are produced and printed one by one.
pub fn json_list<T: Serialize>(items: impl Iterator<Item = T>) {
    print(|serializer| serializer.collect_seq(items));
}

type Printer<'a> = serde_json::Serializer<&'a mut dyn Write, serde_json::ser::PrettyFormatter<'static>>;

fn print(value: impl FnOnce(&mut Printer<'_>) -> serde_json::Result<()>) {
    let (stdout, is_shown) = (std::io::stdout().lock(), std::io::stdout().is_terminal());
    let mut stdout = std::io::BufWriter::new(stdout);
    let mut escaped = EscapedJson(&mut stdout);
    let out: &mut dyn Write = if is_shown { &mut escaped } else { escaped.0 };
    let mut serializer = serde_json::Serializer::pretty(out);
    // Plain data can always be serialised.
    kept(value(&mut serializer).map_err(std::io::Error::from));
    kept(writeln!(stdout).and_then(|()| stdout.flush()));
}

/// Prints an error, with its causes and its hint, to standard error.
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

/// The hint of an error, if it has one.
fn hint(error: &anyhow::Error) -> Option<&str> {
    let misuse = error.downcast_ref::<Misuse>().map(|misuse| misuse.hint.as_str());
    let unmeasured = || error.downcast_ref::<Unmeasured>().map(|unmeasured| unmeasured.hint.as_str());
    let unwritten = || error.downcast_ref::<Unwritten>().map(Unwritten::hint);
    let unread = || error.downcast_ref::<ReadError>().map(ReadError::hint);
    misuse
        .or_else(unmeasured)
        .or_else(unwritten)
        .or_else(unread)
        .or_else(|| error.downcast_ref::<Error>().map(Error::hint))
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

/// The exit code for an error.
pub fn exit_of(error: &anyhow::Error) -> Exit {
    let is_usage = error.is::<BadManifest>() || error.is::<Misuse>();
    let is_no_store =
        |error: &Error| matches!(error, Error::NotADirectory { .. } | Error::Foreign { .. } | Error::Dangling { .. });
    let is_no_store = error.downcast_ref::<Error>().is_some_and(is_no_store);
    if error.is::<Unmeasured>() {
        return Exit::Unmeasured;
    }
    if is_usage || is_no_store { Exit::Usage } else { Exit::JobFailed }
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
}
