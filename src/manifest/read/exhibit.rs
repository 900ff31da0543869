//! What a manifest wants shown: which stages, along which axes, as what. The kinds are in the room `exhibits`.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::names::Name;
pub use crate::exhibits::{DRAW, ErrorBars, GameSelector, Labels, PositionView, Show, Success};
use gauntlet_games::base::Key;

/// One table or figure.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Exhibit {
    /// Name within the manifest's family; the manifest's own name when absent.
    pub name: Option<Name>,
    /// Heading; the manifest's title when absent.
    pub title: Option<String>,
    /// Sentences below the heading.
    #[serde(default)]
    pub caption: String,
    /// What it is.
    pub show: Show,
    /// What its errors are, in the table and in the picture. Default: one standard error.
    #[serde(default)]
    pub errors: ErrorBars,
    /// Whether published numbers of the same metric, row and column stand beside; `false` where what is shown is not what
    /// the paper measured. Default: true.
    #[serde(default = "published")]
    pub published: bool,
    /// Claims about what is shown, decided by the numbers.
    #[serde(default)]
    pub success: Vec<Success>,
}

fn published() -> bool {
    true
}

impl Exhibit {
    /// What a claim is known by: its words, its numbers, and how results are counted.
    #[must_use]
    pub fn criterion_key(&self, success: &Success) -> Key {
        Key::of("criterion", &json!([success, self.show.about().scale]))
    }
}
