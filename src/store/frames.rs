//! Tables of columns as CSV. The only file that names polars.

use polars::prelude::{Column as Series, CsvWriter, DataFrame, PolarsError, SerWriter as _};

/// One column of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Its heading.
    pub name: String,
    /// Its cells.
    pub values: Values,
}

/// The cells of one column, all of one type.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// Text.
    Strings(Vec<String>),
    /// Numbers, or nothing.
    Floats(Vec<Option<f64>>),
    /// Whole numbers, or nothing.
    Integers(Vec<Option<i64>>),
}

/// Why there is no table.
#[derive(Debug, thiserror::Error)]
#[error("cannot build the table")]
pub struct FrameError(#[from] PolarsError);

impl Column {
    /// A column of text.
    pub fn strings(name: &str, values: impl IntoIterator<Item = impl Into<String>>) -> Column {
        Column { name: name.to_string(), values: Values::Strings(values.into_iter().map(Into::into).collect()) }
    }

    /// A column of numbers, or nothing.
    pub fn floats(name: &str, values: impl IntoIterator<Item = Option<f64>>) -> Column {
        Column { name: name.to_string(), values: Values::Floats(values.into_iter().collect()) }
    }

    /// A column of whole numbers, or nothing.
    pub fn integers(name: &str, values: impl IntoIterator<Item = Option<i64>>) -> Column {
        Column { name: name.to_string(), values: Values::Integers(values.into_iter().collect()) }
    }

    fn into_series(self) -> Series {
        let name = self.name.as_str().into();
        match self.values {
            // An empty text is written as an empty cell, without quotes, like an absent number.
            Values::Strings(cells) => {
                Series::new(name, cells.iter().map(|cell| (!cell.is_empty()).then_some(&**cell)).collect::<Vec<_>>())
            }
            Values::Floats(cells) => Series::new(name, cells),
            Values::Integers(cells) => Series::new(name, cells),
        }
    }

    /// The column with every text defused.
    fn harmless(self) -> Column {
        let values = match self.values {
            Values::Strings(cells) => Values::Strings(cells.into_iter().map(harmless).collect()),
            numbers => numbers,
        };
        Column { name: harmless(self.name), values }
    }
}

/// A CSV file: a header, then one line per row, ended by line feeds. Floats have the fewest digits that read back as
/// the same number; an absent cell is empty. Text that a spreadsheet would take for a formula gets an apostrophe.
///
/// # Errors
/// When the columns have different lengths, or two have one name.
pub fn to_csv(columns: Vec<Column>) -> Result<Vec<u8>, FrameError> {
    let mut frame = frame(columns.into_iter().map(Column::harmless))?;
    let mut bytes = Vec::new();
    CsvWriter::new(&mut bytes).include_header(true).finish(&mut frame)?;
    Ok(bytes)
}

fn frame(columns: impl Iterator<Item = Column>) -> Result<DataFrame, FrameError> {
    Ok(DataFrame::new_infer_height(columns.map(Column::into_series).collect())?)
}

/// A leading apostrophe for text that a spreadsheet would evaluate; numbers are left alone.
fn harmless(text: String) -> String {
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']) && text.parse::<f64>().is_err();
    if is_formula { format!("'{text}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_quoted_where_needed_and_empty_where_absent() {
        let columns = vec![
            Column::strings("name", ["plain", "with, comma", "with \"quote\"", "two\nlines", ""]),
            Column::floats("value", [Some(0.1), None, Some(-1.0), Some(1e-300), Some(1e21)]),
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
        let cells = ["=1+1", "+cmd", "-cmd", "@x", "\tx", "-1.5", "+3", "1=1", "-"];
        let text = String::from_utf8(to_csv(vec![Column::strings("c", cells)]).unwrap()).unwrap();
        let lines: Vec<&str> = text.lines().skip(1).collect();
        assert_eq!(lines, ["'=1+1", "'+cmd", "'-cmd", "'@x", "'\tx", "-1.5", "+3", "1=1", "'-"]);
    }

    #[test]
    fn ragged_columns_are_an_error() {
        let columns = vec![Column::strings("a", ["x"]), Column::floats("b", [])];
        assert!(to_csv(columns).is_err());
    }
}
