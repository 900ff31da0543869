//! Exhibits as written in a manifest: the stages, axes and kind of each table or figure. The kinds are in
//! `gauntlet-exhibits`.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::names::Name;
use gauntlet_exhibits::typeset::Typeset;
pub use gauntlet_exhibits::{DRAW, ErrorBars, GameSelector, Labels, PositionView, Show, Success};
use gauntlet_games::base::Key;

/// One table or figure.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Exhibit {
    /// Name within the manifest's family. Default: the manifest's name.
    pub name: Option<Name>,
    /// Heading. Default: the manifest's title.
    pub title: Option<String>,
    /// Sentences below the heading.
    #[serde(default)]
    pub caption: String,
    /// The kind of exhibit, with its settings.
    pub show: Show,
    /// The error bars in the table and in the picture. Default: one standard error.
    #[serde(default)]
    pub errors: ErrorBars,
    /// Whether published numbers of the same metric, row and column are shown beside measured ones; `false` if the
    /// exhibit shows another quantity than the paper. Default: true.
    #[serde(default = "published")]
    pub published: bool,
    /// Claims about the exhibit, decided by its numbers.
    #[serde(default)]
    pub success: Vec<Success>,
    /// Its appearance in a paper: the settings of `gauntlet export` for LaTeX and figures. Reports do not depend on it.
    #[serde(default)]
    pub typeset: Typeset,
}

fn published() -> bool {
    true
}

impl Exhibit {
    /// The identity of a claim: its text, its numbers, and the scale of results.
    #[must_use]
    pub fn criterion_key(&self, success: &Success) -> Key {
        Key::of("criterion", &json!([success, self.show.about().scale]))
    }
}
