//! What is shown as the error of a number.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is shown as the error of a number, in a table and in the picture beside it alike.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum ErrorBars {
    /// One standard error: `±` in tables, and as long a bar or band to each side in pictures.
    #[default]
    #[serde(rename = "se")]
    StandardError,
    /// The 95 % confidence interval: brackets in tables, bars and bands in pictures. Where a number has none, its
    /// standard error stands there, and is called so.
    #[serde(rename = "95%")]
    Interval,
}

impl ErrorBars {
    /// Whether it is the default.
    #[must_use]
    pub fn is_standard_error(&self) -> bool {
        *self == ErrorBars::StandardError
    }
}
