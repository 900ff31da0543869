//! The names of rows and columns in texts that have no heading of their axes: `board size 7` for the column `7`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The start of the labels of the paper's own columns.
pub const PAPER: &str = "paper: ";

/// The labels of rows and columns that are bare numbers, or true and false, with the words of their axes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct AxisNames {
    rows: BTreeMap<String, String>,
    columns: BTreeMap<String, String>,
}

impl AxisNames {
    /// The names of rows and columns by their labels.
    #[must_use]
    pub fn new(mut rows: BTreeMap<String, String>, mut columns: BTreeMap<String, String>) -> AxisNames {
        [&mut rows, &mut columns].into_iter().for_each(|known| known.retain(|label, name| label != name));
        AxisNames { rows, columns }
    }

    /// Whether every label is its own name.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.columns.is_empty()
    }

    /// The name of a row.
    #[must_use]
    pub fn row<'a>(&'a self, label: &'a str) -> &'a str {
        self.rows.get(label).map_or(label, String::as_str)
    }

    /// The name of a column, which may end in the name of a value, and may be the paper's own.
    #[must_use]
    pub fn column(&self, label: &str) -> String {
        if let Some(label) = label.strip_prefix(PAPER) {
            return format!("{PAPER}{}", self.column(label));
        }
        let is_end = |rest: &&str| rest.is_empty() || rest.starts_with(" / ") || rest.starts_with(", ");
        let named = |(known, name): (&String, &String)| {
            label.strip_prefix(known.as_str()).filter(is_end).map(|rest| format!("{name}{rest}"))
        };
        // The longest of those that fit is the last.
        self.columns.iter().filter_map(named).next_back().unwrap_or_else(|| label.to_owned())
    }

    /// The names of a row and a column.
    #[must_use]
    pub fn place(&self, row: &str, column: &str) -> String {
        let names = [self.row(row).to_owned(), self.column(column)];
        names.into_iter().filter(|name| !name.is_empty()).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bare_labels_have_the_words_of_their_axes() {
        let map = |pairs: &[(&str, &str)]| pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        let rows = map(&[("2.242, 0.1509", "c 2.242, temperature 0.1509"), ("naive", "naive")]);
        let names = AxisNames::new(rows, map(&[("7", "board size 7"), ("7, 10", "board size 7, simulations 10")]));
        for (label, name) in [
            ("7", "board size 7"),
            ("7 / plies", "board size 7 / plies"),
            ("7, games", "board size 7, games"),
            ("7, 10 / plies", "board size 7, simulations 10 / plies"),
            ("paper: 7", "paper: board size 7"),
            ("75", "75"),
        ] {
            assert_eq!(names.column(label), name);
        }
        assert_eq!(names.place("2.242, 0.1509", "7"), "c 2.242, temperature 0.1509, board size 7");
        assert_eq!((names.row("naive"), names.place("naive", "")), ("naive", "naive".to_owned()));
    }
}
