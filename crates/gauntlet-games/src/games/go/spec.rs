//! Settings of Go.

use std::num::NonZeroU16;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::{GoSize, GridGame};
use super::{Go, Komi, Superko};

/// Settings of Go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct GoSpec {
    /// Points along one side of the board, 2 to 25.
    pub size: GoSize,
    /// Points of compensation for the second side. Default: 7.5.
    #[serde(default)]
    pub komi: Komi,
    /// The rule for repeated positions. Default: forbidden.
    #[serde(default)]
    pub superko: Superko,
    /// Moves, passes included, after which the game ends and is scored. Default: twice the number of points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub move_cap: Option<NonZeroU16>,
}

impl GoSpec {
    /// The game with these settings.
    #[must_use]
    pub fn build(&self) -> GridGame<Go> {
        let size = self.size.get();
        GridGame::new(self.name(), [size, size], Go::new(size, self.komi, self.superko, self.cap())).with_pass()
    }

    /// Moves after which the game ends.
    #[must_use]
    pub fn cap(&self) -> usize {
        let size = self.size.get();
        self.move_cap.map_or(2 * size * size, |cap| usize::from(cap.get()))
    }

    fn name(&self) -> String {
        let size = self.size.get();
        let superko = match self.superko {
            Superko::Positional => "",
            Superko::Simple => " simple ko",
            Superko::Draw => " repetition draws",
        };
        let cap = self.move_cap.map_or(String::new(), |cap| format!(" cap {cap}"));
        format!("go {size}x{size} komi {}{superko}{cap}", self.komi.get())
    }
}
