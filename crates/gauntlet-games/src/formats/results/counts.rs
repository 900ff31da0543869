//! Counted results as CSV: `player_a,player_b,wins_a,draws,losses_a`, in any order of columns, with or without
//! others; and generic CSV rows.

use std::collections::HashMap;
use std::io::{BufRead, Read as _};

use super::GameResults;
use super::tally::{Fault, Tally};

/// The columns of counts.
pub(super) const COLUMNS: [&str; 5] = ["player_a", "player_b", "wins_a", "draws", "losses_a"];
/// Maximum length of a row in bytes.
const LONGEST: usize = 1 << 16;

/// Reads counts after the header.
pub(super) fn read(
    input: impl BufRead,
    header: &Header,
    results: &mut GameResults,
    tally: &mut Tally<'_>,
) -> Result<(), Fault> {
    let places = header.columns(&COLUMNS)?;
    let mut sums = HashMap::new();
    each_row(input, header, tally, |row, tally| {
        let (a, b, counts) = meeting(row, places)?;
        let (a, b) = (results.player(a), results.player(b));
        results.add_counts(a, b, counts);
        let sum: &mut [u64; 3] = sums.entry([a, b]).or_default();
        (0..3).for_each(|at| sum[at] += counts[at]);
        tally.count(counts.iter().sum());
        Ok(results.players().len())
    })?;
    if is_cross_table(&sums) {
        tally.note(TWICE.to_owned());
    }
    Ok(())
}

/// The note on a [cross table](is_cross_table).
const TWICE: &str = "Every two players have results in both orders, with the same counts. Both count, as different \
    games. If they are the same games, keep one row for each two players: otherwise errors are too small by a factor \
    of 1.4.";

/// Whether the counts of every two players come in both orders and are the same, from either side. Matches of one or
/// two games can agree by chance.
fn is_cross_table(sums: &HashMap<[usize; 2], [u64; 3]>) -> bool {
    let mirrored =
        |(&[a, b], &[wins, draws, losses]): (&[usize; 2], &[u64; 3])| sums.get(&[b, a]) == Some(&[losses, draws, wins]);
    sums.values().any(|counts| counts.iter().sum::<u64>() > 2) && sums.iter().all(mirrored)
}

/// The header of a CSV.
pub(super) struct Header {
    pub(super) names: Vec<String>,
    /// The line of its end.
    line: u64,
}

impl Header {
    /// Reads the first row that is not empty.
    pub(super) fn read(input: &mut impl BufRead) -> Result<Header, Fault> {
        let mut line = 0;
        loop {
            match next_row(input, &mut line)? {
                Some(row) if row.iter().all(|field| field.trim().is_empty()) => {}
                row => return Ok(Header { names: row.unwrap_or_default(), line }),
            }
        }
    }

    /// The places of the wanted columns.
    pub(super) fn columns<const N: usize>(&self, wanted: &[&str; N]) -> Result<[usize; N], Fault> {
        columns(&self.names, wanted).map_err(|what| Fault::at(self.line, what))
    }
}

/// Processes every non-empty row after the header, which ends in `line`; a faulty row is counted, or ends the reading. `take` returns
/// the number of players so far.
pub(super) fn each_row<'a>(
    mut input: impl BufRead,
    header: &Header,
    tally: &mut Tally<'a>,
    mut take: impl FnMut(&[String], &mut Tally<'a>) -> Result<usize, String>,
) -> Result<(), Fault> {
    let mut line = header.line;
    loop {
        let start = line + 1;
        match next_row(&mut input, &mut line) {
            Ok(None) => return Ok(()),
            Ok(Some(row)) if row.iter().all(|field| field.is_empty()) => {}
            Ok(Some(row)) => match fits(&row, header.names.len()).and_then(|()| take(&row, tally)) {
                Ok(players) => tally.room(players)?,
                Err(what) => tally.fault(Fault::at(start, what))?,
            },
            Err(fault) => tally.fault(fault)?,
        }
    }
}

/// Checks that a row has no more fields than the header; empty fields at its end do not count.
fn fits(row: &[String], columns: usize) -> Result<(), String> {
    let fields = row.iter().rposition(|field| !field.trim().is_empty()).map_or(0, |last| last + 1);
    let what = || {
        format!(
            "this row has {fields} fields, and the first line has {columns} columns: quote a value with a comma in it"
        )
    };
    if fields > columns { Err(what()) } else { Ok(()) }
}

/// The wanted columns of a CSV in the given order, each row with its line. Empty rows are skipped.
///
/// # Errors
/// A sentence with the line, for a missing column or a row that is too short or not text.
pub fn rows<const N: usize>(bytes: &[u8], wanted: &[&str; N]) -> Result<Vec<(u64, [String; N])>, String> {
    let (mut input, mut line) = (bytes, 0);
    let told = |fault: Fault| format!("line {}: {}", fault.line.unwrap_or(0), fault.what);
    let header = next_row(&mut input, &mut line).map_err(told)?.unwrap_or_default();
    let places = columns(&header, wanted)?;
    let mut rows = Vec::new();
    loop {
        let start = line + 1;
        let Some(row) = next_row(&mut input, &mut line).map_err(told)? else { return Ok(rows) };
        if row.iter().all(String::is_empty) {
            continue;
        }
        fits(&row, header.len()).map_err(|what| format!("line {start}: {what}"))?;
        let cells = places.map(|place| row.get(place).map(|cell| cell.trim().to_owned()));
        match cells.iter().position(Option::is_none) {
            Some(missing) => return Err(format!("line {start}: `{}` is missing", wanted[missing])),
            None => rows.push((start, cells.map(Option::unwrap_or_default))),
        }
    }
}

/// The indices of the columns.
fn columns<const N: usize>(header: &[String], wanted: &[&str; N]) -> Result<[usize; N], String> {
    let mut places = [0; N];
    for (place, name) in places.iter_mut().zip(wanted) {
        let mut found = (0..header.len()).filter(|at| header[*at].trim().eq_ignore_ascii_case(name));
        let missing = || format!("there is no column `{name}`; the first line must name `{}`", wanted.join(","));
        *place = found.next().ok_or_else(missing)?;
        if found.next().is_some() {
            return Err(format!("there are two columns `{name}`"));
        }
    }
    Ok(places)
}

fn meeting(row: &[String], places: [usize; 5]) -> Result<(&str, &str, [u64; 3]), String> {
    let field = |at: usize| {
        let field = row.get(places[at]).map(|field| field.trim());
        field.filter(|field| !field.is_empty()).ok_or_else(|| format!("`{}` is missing", COLUMNS[at]))
    };
    let (a, b) = (field(0)?, field(1)?);
    if a == b {
        return Err(format!("{a:?} plays against itself"));
    }
    let count = |at: usize| {
        let text = field(at)?;
        text.parse::<u32>().map(u64::from).map_err(|_| {
            let why = match text.parse::<f64>() {
                Ok(number) if number < 0.0 => "is negative",
                Ok(number) if number.fract() != 0.0 => "is not a whole number (draws have a column of their own)",
                Ok(_) => "is too large, or not written as a whole number",
                Err(_) => "is not a number",
            };
            format!("`{}` is {text:?}, which {why}", COLUMNS[at])
        })
    };
    Ok((a, b, [count(2)?, count(3)?, count(4)?]))
}

/// The fields of the next row (RFC 4180: quoted fields may hold commas, line ends and doubled quotes).
fn next_row(input: &mut impl BufRead, line: &mut u64) -> Result<Option<Vec<String>>, Fault> {
    let start = *line + 1;
    let mut bytes = Vec::new();
    loop {
        let read = input.by_ref().take((LONGEST + 1 - bytes.len()) as u64).read_until(b'\n', &mut bytes)?;
        *line += u64::from(read > 0);
        if bytes.is_empty() {
            return Ok(None);
        }
        if bytes.len() > LONGEST {
            if !bytes.ends_with(b"\n") {
                input.skip_until(b'\n')?;
            }
            return Err(Fault::at(start, "the row is longer than any row should be"));
        }
        let text = std::str::from_utf8(&bytes).map_err(|_| Fault {
            hint: Some("save the file as UTF-8"),
            ..Fault::at(start, "this is not UTF-8 text")
        })?;
        if let Some(fields) = fields(text.trim_start_matches('\u{feff}').trim_end_matches(['\n', '\r'])) {
            return Ok(Some(fields));
        }
        if read == 0 {
            return Err(Fault::at(start, "a quote is never closed"));
        }
    }
}

/// The fields of a row; `None` if it ends within quotes. A quote after other letters is one of them.
fn fields(row: &str) -> Option<Vec<String>> {
    let mut fields = vec![String::new()];
    let (mut quoted, mut letters) = (false, row.chars().peekable());
    while let Some(letter) = letters.next() {
        let field = fields.last_mut()?;
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                letters.next();
                field.push('"');
            }
            '"' if quoted || field.trim().is_empty() => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            _ => field.push(letter),
        }
    }
    (!quoted).then_some(fields)
}
