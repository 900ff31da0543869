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
        // A width beyond the largest number would make no coordinates.
        let is_sound = (to - from).is_finite() && from < to && from > low;
        let above = if scale == NumberScale::Log { ", and both above 0 for a scale of ratios" } else { "" };
        if is_sound {
            Ok(())
        } else {
            Err(format!("the range {from} to {to} is invalid: `from` must be below `to`{above}, and its width finite"))
        }
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
            NumberScale::Log if (self.to / self.from).is_finite() => {
                self.from * (coordinate * (self.to.ln() - self.from.ln())).exp()
            }
            NumberScale::Log => (self.from.ln() + coordinate * (self.to.ln() - self.from.ln())).exp(),
        };
        number.clamp(self.from, self.to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCALES: [NumberScale; 2] = [NumberScale::Linear, NumberScale::Log];

    #[test]
    fn extreme_ranges_have_coordinates() {
        for scale in SCALES {
            for (from, to) in [(1e-300, 1e300), (5e-324, f64::MAX), (1.0, 1.0 + f64::EPSILON), (1e307, f64::MAX)] {
                let range = NumberRange { from, to, scale };
                range.check().unwrap_or_else(|reason| panic!("{scale:?}: {reason}"));
                assert_eq!([range.number(0.0), range.number(1.0)], [from, to]);
                for inner in [0.3, 0.5, 0.8].map(|coordinate| range.number(coordinate)) {
                    assert!((from..=to).contains(&inner), "{scale:?} {from} to {to}: {inner}");
                }
                if to / from > 2.0 && from > 1e-307 {
                    let again = range.coordinate(range.number(0.8));
                    assert!((again - 0.8).abs() < 1e-6, "{scale:?} {from} to {to}: {again}");
                }
                let ends = [range.coordinate(from), range.coordinate(to)];
                assert_eq!(ends, [0.0, 1.0], "{scale:?} {from} to {to}");
            }
        }
    }

    #[test]
    fn ranges_without_a_width_are_refused() {
        for scale in SCALES {
            for (from, to) in [(f64::MIN, f64::MAX), (1.0, 1.0), (2.0, 1.0), (f64::NAN, 1.0), (0.0, f64::INFINITY)] {
                assert!(NumberRange { from, to, scale }.check().is_err(), "{scale:?} {from} to {to}");
            }
        }
        assert!(NumberRange { from: 0.0, to: 1.0, scale: NumberScale::Log }.check().is_err());
    }
}
