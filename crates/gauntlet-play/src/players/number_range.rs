//! The range of a number that is tuned. Within it a number is a coordinate from 0 to 1, so that all numbers have one scale.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The range of a number. A number that is whole in the settings stays whole.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NumberRange {
    /// The minimum.
    pub from: f64,
    /// The maximum.
    pub to: f64,
    /// The scale between the two ends. Default: linear.
    #[serde(default)]
    pub scale: NumberScale,
}

/// The scale of a range.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NumberScale {
    /// Equal differences.
    #[default]
    Linear,
    /// Equal ratios; both ends are above 0.
    Log,
}

impl NumberRange {
    pub(super) fn check(&self) -> Result<(), String> {
        let (low, NumberRange { from, to, scale }) = (f64::MIN, *self);
        let low = if scale == NumberScale::Log { 0.0 } else { low };
        let is_sound = from.is_finite() && to.is_finite() && from < to && from > low;
        let above = if scale == NumberScale::Log { ", both above 0 for a scale of ratios" } else { "" };
        if is_sound { Ok(()) } else { Err(format!("the range {from} to {to}: `from` is below `to`{above}")) }
    }

    /// The coordinate of a number, 0 to 1 within the range.
    #[must_use]
    pub fn coordinate(&self, number: f64) -> f64 {
        let place = |number: f64| if self.scale == NumberScale::Log { number.ln() } else { number };
        (place(number) - place(self.from)) / (place(self.to) - place(self.from))
    }

    /// The number at a coordinate, within the range.
    pub(super) fn number(&self, coordinate: f64) -> f64 {
        let number = match self.scale {
            _ if coordinate <= 0.0 => self.from,
            _ if coordinate >= 1.0 => self.to,
            NumberScale::Linear => self.from + coordinate * (self.to - self.from),
            NumberScale::Log => self.from * (coordinate * (self.to.ln() - self.from.ln())).exp(),
        };
        number.clamp(self.from, self.to)
    }
}
