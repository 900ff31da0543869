//! Tables as text: rows of fields between commas, semicolons, tabs or bars, with quotes as in RFC 4180.
//!
//! A quote that is never closed costs its own row alone: the lines behind it are read again.

use std::collections::VecDeque;
use std::io::{BufRead, Read as _};

use super::forms::{Form, place};
use super::tally::InputFault;

/// Maximum length of a row in bytes.
const LONGEST: usize = 1 << 20;

/// The fault of a longer row.
const TOO_LONG: &str = "the row is longer than any row should be (1 MB)";

/// Separators of fields, in the order of preference.
const SEPARATORS: [char; 4] = [',', ';', '\t', '|'];

/// A table whose first row was read: the names of the columns.
pub(super) struct Table<R> {
    lines: TableLines<R>,
    separator: char,
    pub(super) names: Vec<String>,
    /// The line of the end of the first row.
    pub(super) head: u64,
}

/// A row.
#[derive(Debug, Default)]
pub(super) struct Row {
    /// The line of its start.
    pub(super) line: u64,
    pub(super) fields: Vec<String>,
    /// Its further lines, if a quoted field has line ends.
    more: Vec<String>,
}

impl<R: BufRead> Table<R> {
    /// Reads the first row that is not empty. It decides on the separator, unless a line `sep=;` before it does, as Excel
    /// writes it.
    pub(super) fn open(input: R) -> Result<Table<R>, InputFault> {
        let mut table = Table {
            lines: TableLines { input, line: 0, again: VecDeque::new() },
            separator: SEPARATORS[0],
            names: Vec::new(),
            head: 0,
        };
        let mut known = None;
        while let Some(line) = table.lines.next()? {
            if let Some(separator) = line.strip_prefix("sep=") {
                known = separator.chars().next();
                continue;
            }
            if line.trim().is_empty() {
                continue;
            }
            table.separator = known.unwrap_or_else(|| separator(&line));
            table.lines.again(vec![line]);
            break;
        }
        let names = table.next_row()?.unwrap_or_default().fields;
        (table.names, table.head) = (names, table.lines.line);
        Ok(table)
    }

    /// The next row that is not empty.
    ///
    /// # Errors
    /// For a row that is no text, is too long, or ends within a quote. The next call continues after its first line.
    pub(super) fn next_row(&mut self) -> Result<Option<Row>, InputFault> {
        loop {
            let row = self.any_row()?;
            if row.as_ref().is_none_or(|row| row.fields.iter().any(|field| !field.trim().is_empty())) {
                return Ok(row);
            }
        }
    }

    fn any_row(&mut self) -> Result<Option<Row>, InputFault> {
        let Some(first) = self.lines.next()? else { return Ok(None) };
        let mut row = Row { line: self.lines.line, ..Row::default() };
        let mut fields = Fields::new(self.separator);
        let (mut length, mut is_whole) = (first.len(), fields.take(&first));
        while !is_whole {
            let Some(next) = self.lines.next()? else { return Err(self.unclosed(row)) };
            length += next.len() + 1;
            if length > LONGEST {
                row.more.push(next);
                return Err(self.refused(row, &format!("{TOO_LONG}: a quote may never be closed")));
            }
            is_whole = fields.take("\n") || fields.take(&next);
            row.more.push(next);
        }
        if fields.is_broken {
            return Err(self.unclosed(row));
        }
        if fields.has_rest {
            return Err(
                self.refused(row, "text follows the quotes of a field: double a quote that belongs to its text")
            );
        }
        row.fields = fields.found;
        Ok(Some(row))
    }

    /// The fault of a row with a quote that is never closed.
    fn unclosed(&mut self, row: Row) -> InputFault {
        self.refused(row, "a quote is never closed")
    }

    /// The fault of a row, whose further lines are read again.
    fn refused(&mut self, row: Row, what: &str) -> InputFault {
        self.lines.again(row.more);
        InputFault::at(row.line, what)
    }

    /// Checks the lines within a row: none of them has a row of its own. A line that closes the quote has an odd number
    /// of them.
    ///
    /// # Errors
    /// A sentence.
    pub(super) fn check_inside(&self, row: &Row, is_row: impl Fn(&[String]) -> bool) -> Result<(), String> {
        let of_its_own = |text: &String| {
            let mut fields = Fields::new(self.separator);
            let is_whole = text.matches('"').count().is_multiple_of(2) && fields.take(text) && !fields.is_broken;
            is_whole && fields.found.len() >= self.names.len() && is_row(&fields.found)
        };
        match row.more.iter().position(of_its_own) {
            Some(below) => {
                let line = row.line + 1 + below as u64;
                Err(format!("a quote is not closed before line {line}, which has a row of its own"))
            }
            None => Ok(()),
        }
    }

    /// Reads the lines of a faulty row again, apart from its first one.
    pub(super) fn leave(&mut self, row: Row) {
        self.lines.again(row.more);
    }
}

/// The separator of a first row: the one that gives the most known columns, or else the most fields.
fn separator(text: &str) -> char {
    let rank = |separator: &char| {
        let mut fields = Fields::new(*separator);
        fields.take(text);
        (Form::of(&fields.found).1, fields.found.len())
    };
    let mut best = SEPARATORS[0];
    for separator in SEPARATORS {
        best = if rank(&separator) > rank(&best) { separator } else { best };
    }
    best
}

/// Whether the first line of a text names at least half of the columns of a known form.
pub(super) fn has_known_columns(line: &str) -> bool {
    let mut fields = Fields::new(separator(line));
    fields.take(line);
    line.starts_with("sep=") || Form::of(&fields.found).1 >= 0.5
}

/// Whether the first line of a text has several fields, as that of a table.
pub(super) fn is_table(line: &str) -> bool {
    let separator = separator(line);
    let mut fields = Fields::new(separator);
    fields.take(line);
    fields.found.len() >= if separator == SEPARATORS[0] { 2 } else { 3 }
}

/// The fields of a row so far.
struct Fields {
    separator: char,
    found: Vec<String>,
    quoted: bool,
    /// Whether the quotes of the current field hold a line end, and whether these quotes are closed.
    spans: bool,
    is_closed: bool,
    /// Whether text follows quotes with a line end: one of the quotes is missing.
    is_broken: bool,
    /// Whether text follows the quotes of a field at once.
    has_rest: bool,
}

impl Fields {
    fn new(separator: char) -> Fields {
        let found = vec![String::new()];
        Fields { separator, found, quoted: false, spans: false, is_closed: false, is_broken: false, has_rest: false }
    }

    /// Takes a line or a line end; true if the row is whole after it. A quote after other letters is one of them.
    fn take(&mut self, text: &str) -> bool {
        let mut letters = text.chars().peekable();
        while let Some(letter) = letters.next() {
            let field = self.found.last_mut().expect("a row has a field");
            match letter {
                '"' if self.quoted && letters.peek() == Some(&'"') => {
                    letters.next();
                    field.push('"');
                }
                '"' if self.quoted => {
                    (self.quoted, self.is_closed) = (false, true);
                    let next = letters.peek().copied().unwrap_or(self.separator);
                    self.has_rest |= next != self.separator && !next.is_whitespace();
                }
                '"' if field.trim().is_empty() => self.quoted = true,
                letter if letter == self.separator && !self.quoted => {
                    self.found.push(String::new());
                    (self.spans, self.is_closed) = (false, false);
                }
                letter => {
                    self.spans |= letter == '\n';
                    self.is_broken |= self.spans && self.is_closed && !letter.is_whitespace();
                    field.push(letter);
                }
            }
        }
        !self.quoted || self.is_broken
    }
}

/// Lines without their ends, some of which may be read again.
struct TableLines<R> {
    input: R,
    /// The line that was read last, from 1.
    line: u64,
    again: VecDeque<String>,
}

impl<R: BufRead> TableLines<R> {
    fn next(&mut self) -> Result<Option<String>, InputFault> {
        if let Some(line) = self.again.pop_front() {
            self.line += 1;
            return Ok(Some(line));
        }
        let mut bytes = Vec::new();
        if self.input.by_ref().take(LONGEST as u64 + 1).read_until(b'\n', &mut bytes)? == 0 {
            return Ok(None);
        }
        self.line += 1;
        if bytes.len() > LONGEST && !bytes.ends_with(b"\n") {
            self.input.skip_until(b'\n')?;
            return Err(InputFault::at(self.line, TOO_LONG));
        }
        let text = String::from_utf8(bytes).map_err(|_| InputFault {
            hint: Some("save the file as UTF-8"),
            ..InputFault::at(self.line, "this is not UTF-8 text")
        })?;
        // Files that were joined have a byte order mark each.
        Ok(Some(text.trim_start_matches('\u{feff}').trim_end_matches(['\n', '\r']).to_owned()))
    }

    /// Reads the last lines again.
    fn again(&mut self, lines: Vec<String>) {
        self.line -= lines.len() as u64;
        lines.into_iter().rev().for_each(|line| self.again.push_front(line));
    }
}

/// The wanted columns of a CSV in the given order, each row with its line. Empty rows are skipped.
///
/// # Errors
/// A sentence with the line, for a missing column or a row that is too short or not text.
pub fn rows<const N: usize>(bytes: &[u8], wanted: &[&str; N]) -> Result<Vec<(u64, [String; N])>, String> {
    let located = |fault: InputFault| format!("line {}: {}", fault.line.unwrap_or(0), fault.what);
    let mut table = Table::open(bytes).map_err(located)?;
    let places = columns(&table.names, &wanted.each_ref().map(std::slice::from_ref), N)?;
    let mut rows = Vec::new();
    while let Some(row) = table.next_row().map_err(located)? {
        let line = row.line;
        fits(&row.fields, table.names.len()).map_err(|what| format!("line {line}: {what}"))?;
        let cell = |place: &Option<usize>| row.fields.get((*place)?).map(|cell| cell.trim().to_owned());
        let mut cells = [const { String::new() }; N];
        for ((own, place), name) in cells.iter_mut().zip(&places).zip(wanted) {
            *own = cell(place).ok_or_else(|| format!("line {line}: `{name}` is missing"))?;
        }
        rows.push((line, cells));
    }
    Ok(rows)
}

/// The places of columns, each with its names; the first ones are required.
///
/// # Errors
/// A sentence, for a missing column, or for one that comes twice.
pub(super) fn columns(names: &[String], wanted: &[&[&str]], required: usize) -> Result<Vec<Option<usize>>, String> {
    let place = |(at, column): (usize, &&[&str])| match place(names, column) {
        None if at < required => {
            let all: Vec<&str> = wanted[..required].iter().map(|column| column[0]).collect();
            Err(format!("there is no column `{}`; the first line must name `{}`", column[0], all.join(",")))
        }
        Some(place) if names[place + 1..].iter().any(|name| name.trim().eq_ignore_ascii_case(names[place].trim())) => {
            Err(format!("there are two columns `{}`", names[place].trim()))
        }
        place => Ok(place),
    };
    wanted.iter().enumerate().map(place).collect()
}

/// Checks that a row has no more fields than the header; empty fields at its end do not count.
pub(super) fn fits(row: &[String], columns: usize) -> Result<(), String> {
    let fields = row.iter().rposition(|field| !field.trim().is_empty()).map_or(0, |last| last + 1);
    let what = || {
        format!(
            "this row has {fields} fields, and the first line has {columns} columns: quote a value that holds the sign \
             between fields"
        )
    };
    if fields > columns { Err(what()) } else { Ok(()) }
}
