//! Options of Go's rules: komi and superko.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// The rule for moves that would repeat an earlier position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Superko {
    /// No move may repeat the stones of any earlier position, for either side to move.
    #[default]
    Positional,
    /// A lone stone that captured a lone stone may not be recaptured at once; longer cycles continue until the move
    /// cap.
    Simple,
    /// As `simple`, and a move that repeats an earlier position ends the game as a draw.
    Draw,
}

/// Points for moving second, -1000 to 1000 in steps of a half. In a manifest: a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Komi(i16);

/// The error for a komi that is not a whole number of half points, or too large.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("komi {0} is not a multiple of 0.5 between -1000 and 1000")]
pub struct NoKomi(f64);

impl Komi {
    /// The points, checked.
    ///
    /// # Errors
    /// `NoKomi` if they are not a whole number of half points, or too large.
    pub fn new(points: f64) -> Result<Komi, NoKomi> {
        let halves = points * 2.0;
        let fits = halves.fract() == 0.0 && (-2000.0..=2000.0).contains(&halves);
        if fits { Ok(Komi(halves as i16)) } else { Err(NoKomi(points)) }
    }

    /// The points.
    #[must_use]
    pub fn get(self) -> f64 {
        f64::from(self.0) / 2.0
    }

    /// Twice the points.
    pub(super) fn halves(self) -> i32 {
        i32::from(self.0)
    }
}

impl Default for Komi {
    fn default() -> Komi {
        Komi(15)
    }
}

impl TryFrom<f64> for Komi {
    type Error = NoKomi;

    fn try_from(points: f64) -> Result<Komi, NoKomi> {
        Komi::new(points)
    }
}

impl From<Komi> for f64 {
    fn from(komi: Komi) -> f64 {
        komi.get()
    }
}

impl JsonSchema for Komi {
    fn schema_name() -> Cow<'static, str> {
        "Komi".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "number", "multipleOf": 0.5, "minimum": -1000, "maximum": 1000 })
    }
}
