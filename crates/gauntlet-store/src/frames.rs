//! CSV tables from columns. The only file that uses polars.

use std::collections::HashSet;

use polars::prelude::{Column as Series, CsvWriter, DataFrame, PolarsError, SerWriter as _};
use serde_json::{Map, Value};

use gauntlet_games::base::is_obeyed;

/// One column of a table: a heading, and cells of one type.
#[derive(Debug, Clone, PartialEq)]
pub struct Column(Series);

/// The error of an invalid table.
#[derive(Debug, thiserror::Error)]
#[error("cannot build the table")]
pub struct FrameError(#[from] PolarsError);

impl Column {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.0.name()
    }

    /// A column of text, without terminal control characters. Text that a spreadsheet would evaluate as a formula gets
    /// an apostrophe, and so does such text with apostrophes before it: one apostrophe less is the text itself.
    pub fn strings(name: &str, values: impl IntoIterator<Item = impl Into<String>>) -> Column {
        // An empty text is written as an empty cell, without quotes, like an absent number.
        let cell = |text: String| (!text.is_empty()).then(|| harmless(text));
        Column(Series::new(name.into(), values.into_iter().map(|text| cell(text.into())).collect::<Vec<_>>()))
    }

    /// A column of optional numbers. Numbers that are not finite are absent: readers disagree on how to spell them.
    pub fn floats(name: &str, values: impl IntoIterator<Item = Option<f64>>) -> Column {
        let finite = values.into_iter().map(|value| value.filter(|value| value.is_finite()));
        Column(Series::new(name.into(), finite.collect::<Vec<_>>()))
    }

    /// A column of optional integers.
    pub fn integers(name: &str, values: impl IntoIterator<Item = Option<i64>>) -> Column {
        Column(Series::new(name.into(), values.into_iter().collect::<Vec<_>>()))
    }
}

/// A column for every name in some rows, in order of first appearance; a row without it has an empty cell.
/// The columns follow [`column()`].
#[must_use]
pub fn columns(rows: &[Map<String, Value>]) -> Vec<Column> {
    let column = |name: &String| column(name, || rows.iter().map(|row| row.get(name)));
    names(rows.iter().flat_map(Map::keys)).into_iter().map(column).collect()
}

/// Every name once, in order of first appearance.
pub fn names<'a>(all: impl Iterator<Item = &'a String>) -> Vec<&'a String> {
    let mut known: HashSet<&String> = HashSet::new();
    all.filter(|name| known.insert(name)).collect()
}

/// A column of some cells; `cells` is called several times. Numbers give a column of numbers, or of integers if all
/// are integers; other values give a column of text.
pub fn column<'a, C: Iterator<Item = Option<&'a Value>>>(name: &str, cells: impl Fn() -> C) -> Column {
    let is_all = |holds: fn(&Value) -> bool| cells().flatten().all(holds);
    if is_all(Value::is_i64) {
        Column::integers(name, cells().map(|cell| cell?.as_i64()))
    } else if is_all(Value::is_number) {
        Column::floats(name, cells().map(|cell| cell?.as_f64()))
    } else {
        Column::strings(name, cells().map(|cell| cell.map_or(String::new(), text)))
    }
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// A CSV file: a header, then one line per row, ended by line feeds. Floats have the fewest digits that read back as
/// the same number; an absent cell is empty.
///
/// # Errors
/// If the columns have different lengths, or two have one name.
pub fn to_csv(columns: Vec<Column>) -> Result<Vec<u8>, FrameError> {
    let mut frame = DataFrame::new_infer_height(columns.into_iter().map(|Column(series)| series).collect())?;
    let mut bytes = Vec::new();
    CsvWriter::new(&mut bytes).include_header(true).finish(&mut frame)?;
    Ok(bytes)
}

/// Adds an apostrophe to text that a spreadsheet would evaluate, also after white space; numbers do not change.
fn harmless(text: String) -> String {
    let text: String = text.chars().filter(|&c| matches!(c, '\n' | '\r' | '\t') || !is_obeyed(c)).collect();
    let bare = text.trim_start_matches('\'');
    let begins = bare.starts_with(['\t', '\r']) || bare.trim_start().starts_with(['=', '+', '-', '@']);
    let is_formula = begins && text.parse::<f64>().is_err();
    if is_formula { format!("'{text}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_quoted_where_needed_and_empty_where_absent() {
        let columns = vec![
            Column::strings("name", ["plain", "with, comma", "with \"quote\"", "two\nlines", ""]),
            Column::floats("value", [Some(0.1), Some(f64::NAN), Some(-1.0), Some(1e-300), Some(1e21)]),
            Column::integers("n", [Some(1), Some(-2), None, Some(0), Some(i64::MAX)]),
        ];
        let text = String::from_utf8(to_csv(columns).unwrap()).unwrap();
        let expected = "name,value,n\nplain,0.1,1\n\"with, comma\",,-2\n\"with \"\"quote\"\"\",-1.0,\n\
                        \"two\nlines\",1e-300,0\n,1e+21,9223372036854775807\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn floats_read_back_as_the_same_number() {
        let values = [0.1 + 0.2, 1.0 / 3.0, f64::MIN_POSITIVE, f64::MAX, -0.0, 123_456_789.123_456_79];
        let text = String::from_utf8(to_csv(vec![Column::floats("x", values.map(Some))]).unwrap()).unwrap();
        let read: Vec<f64> = text.lines().skip(1).map(|line| line.parse().unwrap()).collect();
        assert_eq!(read.iter().map(|x| x.to_bits()).collect::<Vec<_>>(), values.map(f64::to_bits));
        assert!(text.contains("0.30000000000000004"));
    }

    #[test]
    fn formulas_are_defused_and_numbers_are_not() {
        let cells =
            ["=1+1", "+cmd", "-cmd", "@x", "\tx", "-1.5", "+3", "1=1", "-", " =1", "a\u{1b}[2J\u{202e}b", "'=1", "'x"];
        let text = String::from_utf8(to_csv(vec![Column::strings("c", cells)]).unwrap()).unwrap();
        let lines: Vec<&str> = text.lines().skip(1).collect();
        assert_eq!(
            lines,
            ["'=1+1", "'+cmd", "'-cmd", "'@x", "'\tx", "-1.5", "+3", "1=1", "'-", "' =1", "a[2Jb", "''=1", "'x"]
        );
        let broken = String::from_utf8(to_csv(vec![Column::strings("c", ["\n=1+1"])]).unwrap()).unwrap();
        assert_eq!(broken, "c\n\"'\n=1+1\"\n");
    }

    #[test]
    fn ragged_columns_are_an_error() {
        let columns = vec![Column::strings("a", ["x"]), Column::floats("b", [])];
        assert!(to_csv(columns).is_err());
    }
}
