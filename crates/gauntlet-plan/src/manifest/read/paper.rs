//! The paper that a manifest reproduces: its reference and its printed numbers.

use schemars::JsonSchema;
use serde::Deserialize;

use super::names::Name;
use gauntlet_exhibits::printed::{self, ImpliedError, PrintedNumbers};

/// The reproduced paper. Its key, title, authors and venue stand here, or in an included file.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Paper {
    /// Short key: `schaul2009`.
    pub key: Name,
    /// Its title.
    pub title: String,
    /// Its authors, as cited.
    pub authors: String,
    /// Where and when it was published.
    pub venue: String,
    /// The reproduced table or figure: `Table 1`; absent for additions of this project.
    pub artefact: Option<String>,
    /// Printed numbers.
    #[serde(default)]
    pub published: Vec<PrintedNumbers>,
}

impl Paper {
    /// The printed number in a cell, with its implied error.
    #[must_use]
    pub fn number(&self, metric: &str, row: &str, column: &str) -> Option<(f64, ImpliedError)> {
        printed::number(&self.published, metric, row, column)
    }
}
