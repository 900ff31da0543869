//! Settings of programs of other people, whatever they do: their place on this machine, and the time that they get.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::bounded;

bounded! {
    /// Seconds that a program may take.
    Patience: f64 above 0 to 86400, "{value} s: an engine gets above 0 and up to a day"
}

/// A directory of this machine. All places are equal: the same job may run anywhere.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Place(pub PathBuf);

impl PartialEq for Place {
    fn eq(&self, _: &Place) -> bool {
        true
    }
}

impl Place {
    /// Whether it is the current directory.
    #[must_use]
    pub fn is_here(&self) -> bool {
        self.0.as_os_str().is_empty()
    }
}
