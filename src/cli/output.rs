//! Printing: results to stdout, everything else to stderr.

use std::io::{IsTerminal as _, Write as _};

use serde::Serialize;

use super::exit::Exit;
use crate::manifest::Problems;

/// A manifest with problems, as an error.
#[derive(Debug, thiserror::Error)]
#[error("{} problem(s) in {name}", .problems.list().len())]
pub struct BadManifest {
    /// The manifest.
    pub name: String,
    /// What is wrong with it.
    pub problems: Problems,
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
    pub fn new(message: impl Into<String>, hint: impl Into<String>) -> anyhow::Error {
        Misuse { message: message.into(), hint: hint.into() }.into()
    }
}

/// Whether stderr shows colours.
pub fn colours() -> bool {
    std::env::var_os("NO_COLOR").is_none() && std::io::stderr().is_terminal()
}

/// One line to stderr, unless `--quiet`.
pub fn note(quiet: bool, line: &str) {
    if !quiet {
        eprintln!("{line}");
    }
}

/// Results to stdout. A reader that went away is no error.
pub fn result(text: &str) {
    let mut stdout = std::io::stdout().lock();
    let _ = writeln!(stdout, "{}", text.trim_end_matches('\n'));
}

/// Exactly one JSON value to stdout.
pub fn json(value: &impl Serialize) {
    result(&serde_json::to_string_pretty(value).expect("plain data is JSON"));
}

/// What went wrong, with its causes and the way out, to stderr.
pub fn error(error: &anyhow::Error) {
    if let Some(bad) = error.downcast_ref::<BadManifest>() {
        problems(bad);
    } else {
        eprintln!("error: {error:#}");
        if let Some(misuse) = error.downcast_ref::<Misuse>() {
            eprintln!("\nhint: {}", misuse.hint);
        }
        if let Some(error) = error.downcast_ref::<crate::store::Error>() {
            eprintln!("\nhint: {}", error.hint());
        }
    }
}

fn problems(bad: &BadManifest) {
    let theme = match colours() {
        true => miette::GraphicalTheme::unicode(),
        false => miette::GraphicalTheme::unicode_nocolor(),
    };
    let handler = miette::GraphicalReportHandler::new_themed(theme).with_width(100);
    for report in bad.problems.reports() {
        let mut text = String::new();
        if handler.render_report(&mut text, report.as_ref()).is_ok() {
            eprint!("{text}");
        }
    }
    eprintln!("error: {bad}");
}

/// The exit code that an error means.
pub fn exit_of(error: &anyhow::Error) -> Exit {
    if error.is::<BadManifest>() || error.is::<Misuse>() { Exit::Usage } else { Exit::JobFailed }
}

/// Text from outside, with every character that a terminal would obey or hide written out.
pub fn visible(text: &str) -> String {
    let obeyed = |c: char| {
        let direction = matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}');
        c.is_control() || direction || c == '\u{feff}'
    };
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if obeyed(c) { shown.extend(c.escape_unicode()) } else { shown.push(c) }
    }
    shown
}

/// A number of seconds for people: `40 s`, `3 min`, `1.5 h`.
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 1.0 => "under 1 s".to_owned(),
        s if s < 90.0 => format!("{s:.0} s"),
        s if s < 5400.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

/// A number of bytes for people.
pub fn bytes(count: u64) -> String {
    match count as f64 {
        b if b < 1e4 => format!("{count} B"),
        b if b < 1e7 => format!("{:.0} kB", b / 1e3),
        b => format!("{:.0} MB", b / 1e6),
    }
}

/// A table for the terminal.
pub fn table(header: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut table = comfy_table::Table::new();
    table.load_style(comfy_table::presets::NOTHING);
    table.set_content_arrangement(comfy_table::ContentArrangement::Dynamic);
    table.set_header(header.iter().copied());
    for row in rows {
        table.add_row(row);
    }
    let lines: Vec<String> = table.to_string().lines().map(|line| line.trim_end().to_owned()).collect();
    lines.join("\n")
}
