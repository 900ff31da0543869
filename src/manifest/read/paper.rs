//! What a manifest says of the paper that it reproduces: where, and the numbers it printed.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::names::Name;

/// The paper behind a manifest.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Paper {
    /// Short key: `schaul2009`.
    pub key: Name,
    /// Its title.
    pub title: String,
    /// Its authors, as they are cited.
    pub authors: String,
    /// Where and when it was published.
    pub venue: String,
    /// Which table or figure: `Table 1`; absent for our additions to a paper.
    pub artefact: Option<String>,
    /// Printed numbers.
    #[serde(default)]
    pub published: Vec<Numbers>,
}

/// A block of printed numbers of one metric.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Numbers {
    /// What the numbers are: `correlation`.
    pub metric: String,
    /// Column labels.
    pub columns: Vec<String>,
    /// Row label to one number a column.
    pub rows: BTreeMap<String, Vec<f64>>,
    /// Printed standard errors, laid out as the rows; where there are none, `error` says what is known.
    #[serde(default)]
    pub errors: BTreeMap<String, Vec<f64>>,
    /// Their errors, where the paper prints none but its method implies them.
    #[serde(default)]
    pub error: ImpliedError,
    /// Row to column to what is wrong with the number there, where it cannot be right as printed.
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
    /// A score that follows from win and lose rates with each colour, printed in the same manifest.
    Rates {
        /// Games that each of these rates was taken over.
        n: u32,
    },
}

impl Paper {
    /// The printed number of a place, with its implied error.
    #[must_use]
    pub fn number(&self, metric: &str, row: &str, column: &str) -> Option<(f64, ImpliedError)> {
        self.published.iter().filter(|numbers| numbers.metric == metric).find_map(|numbers| {
            let at = numbers.columns.iter().position(|known| known == column)?;
            let printed = numbers.errors.get(row).and_then(|errors| errors.get(at));
            let error = printed.map_or(numbers.error, |&size| ImpliedError::Printed { size });
            Some((*numbers.rows.get(row)?.get(at)?, error))
        })
    }

    /// Why the printed number of a place cannot be right, if it cannot.
    #[must_use]
    pub fn doubt(&self, metric: &str, row: &str, column: &str) -> Option<&str> {
        let blocks = self.published.iter().filter(|numbers| numbers.metric == metric);
        blocks.filter_map(|numbers| numbers.doubts.get(row)?.get(column)).map(String::as_str).next()
    }
}
