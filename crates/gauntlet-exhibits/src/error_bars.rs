//! The kinds of error bars.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The kind of error bars, in a table and in its picture.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum ErrorBars {
    /// One standard error: `±` in tables, and bars or bands of this length to each side in pictures.
    #[default]
    #[serde(rename = "se")]
    StandardError,
    /// The 95 % confidence interval: brackets in tables, bars and bands in pictures. A number without one shows its
    /// standard error, labelled as such.
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
