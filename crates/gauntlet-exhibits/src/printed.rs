//! Numbers that a paper printed, as a manifest lists them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

/// A block of printed numbers of one metric.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename = "Numbers", rename_all = "kebab-case", expecting = "struct Numbers")]
pub struct PrintedNumbers {
    /// The metric: `correlation`.
    pub metric: String,
    /// Column labels.
    pub columns: Vec<String>,
    /// Row label to one number a column.
    pub rows: BTreeMap<String, Vec<f64>>,
    /// Printed standard errors, in the layout of the rows; without them, `error` describes the errors.
    #[serde(default)]
    pub errors: BTreeMap<String, Vec<f64>>,
    /// The errors that the method implies if the paper prints none.
    #[serde(default)]
    pub error: ImpliedError,
    /// Row to column to the reason why the number there cannot be right as printed.
    #[serde(default)]
    pub doubts: BTreeMap<String, BTreeMap<String, String>>,
}

/// The error that a method implies for a printed number.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub enum ImpliedError {
    /// None is known.
    #[default]
    Unknown,
    /// A correlation over `n` units: Fisher's z has standard error `1 / sqrt(n - 3)`.
    Fisher {
        /// Units that the correlation was taken over.
        n: u32,
    },
    /// The paper prints this standard error.
    Printed {
        /// Its size.
        size: f64,
    },
    /// A share of `n` units.
    Binomial {
        /// Units that the share was taken over.
        n: u32,
    },
    /// A score computed from win and lose rates with each colour, printed in the same manifest.
    Rates {
        /// Games that each of these rates was taken over.
        n: u32,
    },
}

/// The printed number of a place, with its implied error.
#[must_use]
pub fn number(printed: &[PrintedNumbers], metric: &str, row: &str, column: &str) -> Option<(f64, ImpliedError)> {
    printed.iter().filter(|numbers| numbers.metric == metric).find_map(|numbers| {
        let at = numbers.columns.iter().position(|known| known == column)?;
        let printed = numbers.errors.get(row).and_then(|errors| errors.get(at));
        let error = printed.map_or(numbers.error, |&size| ImpliedError::Printed { size });
        Some((*numbers.rows.get(row)?.get(at)?, error))
    })
}

/// Metric and row of the printed numbers that no table shows, though one shows other rows of their block: a row that is
/// spelled in another way stands beside nothing.
pub fn unshown(
    printed: &[PrintedNumbers],
    is_shown: impl Fn(&str, &str) -> bool,
) -> impl Iterator<Item = (&str, &str)> {
    printed.iter().flat_map(move |numbers| {
        let (shown, others): (Vec<&str>, Vec<&str>) =
            numbers.rows.keys().map(String::as_str).partition(|row| is_shown(&numbers.metric, row));
        let others = if shown.is_empty() { Vec::new() } else { others };
        others.into_iter().map(|row| (&*numbers.metric, row))
    })
}

/// Half a unit of the last digit of the printed numbers of a place: the largest decimals of its block count, as a number
/// loses its zeros at the end. `None` for numbers that are printed whole.
#[must_use]
pub fn rounding(printed: &[PrintedNumbers], metric: &str, row: &str) -> Option<f64> {
    let decimals = |number: &f64| number.to_string().split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let mut blocks = printed.iter().filter(|numbers| numbers.metric == metric);
    let block = blocks.find(|numbers| numbers.rows.contains_key(row))?;
    let decimals = block.rows.values().flatten().map(decimals).max().filter(|decimals| *decimals > 0)?;
    Some(0.5 * 10_f64.powi(-(decimals as i32)))
}

/// The reason why the printed number of a place cannot be right, if it cannot.
#[must_use]
pub fn doubt<'a>(printed: &'a [PrintedNumbers], metric: &str, row: &str, column: &str) -> Option<&'a str> {
    let blocks = printed.iter().filter(|numbers| numbers.metric == metric);
    blocks.filter_map(|numbers| numbers.doubts.get(row)?.get(column)).map(String::as_str).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two blocks of scores, and one of a metric that no table shows.
    const PRINTED: &str = r#"
        [[all]]
        metric = "score"
        columns = ["8"]
        rows = { old = [0.5], new = [0.6], nwe = [0.7] }
        [[all]]
        metric = "score"
        columns = ["8"]
        rows = { elsewhere = [0.5] }
        [[all]]
        metric = "rate"
        columns = ["8"]
        rows = { old = [0.5] }
    "#;

    #[test]
    fn a_row_that_is_spelled_in_another_way_is_found_in_a_block_that_is_shown() {
        let read: BTreeMap<String, Vec<PrintedNumbers>> = toml::from_str(PRINTED).unwrap();
        let found = |rows: &[&str]| {
            let is_shown = |metric: &str, row: &str| metric == "score" && rows.contains(&row);
            unshown(&read["all"], is_shown).map(|(metric, row)| format!("{metric} {row}")).collect::<Vec<_>>()
        };
        assert_eq!(found(&["old", "new"]), ["score nwe"]);
        assert_eq!(found(&["new"]), ["score nwe", "score old"]);
        // Blocks of other artefacts are no mistake.
        assert_eq!(found(&[]), [""; 0]);
        assert_eq!(found(&["old", "new", "nwe", "elsewhere"]), [""; 0]);
    }
}
