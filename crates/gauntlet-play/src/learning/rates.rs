//! Learning-rate schedules by iteration.

use schemars::JsonSchema;
use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize};

use gauntlet_games::base::{FromOne, FromZero};

/// The learning rates of the iterations, replacing that of `adam`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RateSchedule {
    /// The rate of `adam`, replaced from given iterations on: `{ steps = [{ from = 50, rate = 1e-4 }] }`.
    Steps(#[serde(deserialize_with = "ascending")] Vec<RateStep>),
    /// From the rate of `adam` in the first iteration along half a cosine to `last` in the last iteration. A longer
    /// training has different rates from the second iteration on.
    Cosine(CosineSpec),
}

/// A learning rate from an iteration on.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RateStep {
    /// The first iteration with this rate, from 1.
    #[serde(with = "FromOne")]
    pub from: u32,
    /// Learning rate, 0 or more.
    #[serde(with = "FromZero")]
    pub rate: f64,
}

/// The end of a cosine.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CosineSpec {
    /// Learning rate of the last iteration, 0 or more.
    #[serde(with = "FromZero")]
    pub last: f64,
}

impl RateSchedule {
    /// The rate of an iteration, from 1, of a training of `iterations` iterations that starts with the rate `first`.
    #[must_use]
    pub fn rate(&self, first: f64, iteration: u64, iterations: u32) -> f64 {
        match self {
            RateSchedule::Steps(steps) => {
                let begun = steps.iter().rev().find(|step| u64::from(step.from) <= iteration);
                begun.map_or(first, |step| step.rate)
            }
            RateSchedule::Cosine(CosineSpec { last }) => {
                let way = (iteration - 1) as f64 / f64::from(iterations - 1).max(1.0);
                last + (first - last) * 0.5 * (1.0 + (std::f64::consts::PI * way).cos())
            }
        }
    }

    /// Whether the rate of an iteration depends on the number of iterations.
    #[must_use]
    pub fn depends_on_length(&self) -> bool {
        matches!(self, RateSchedule::Cosine(_))
    }
}

fn ascending<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<RateStep>, D::Error> {
    let steps = Vec::<RateStep>::deserialize(deserializer)?;
    match steps.is_empty() || !steps.is_sorted_by(|a, b| a.from < b.from) {
        true => Err(D::Error::custom("steps are not empty, and their iterations start at 1 or later and ascend")),
        false => Ok(steps),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_change_where_they_should() {
        let steps: RateSchedule =
            toml::from_str("steps = [{ from = 3, rate = 0.1 }, { from = 5, rate = 0.01 }]").unwrap();
        assert_eq!([1, 2, 3, 4, 5, 90].map(|at| steps.rate(1.0, at, 6)), [1.0, 1.0, 0.1, 0.1, 0.01, 0.01]);
        let cosine: RateSchedule = toml::from_str("cosine = { last = 0.2 }").unwrap();
        let rates = [1, 2, 3].map(|at| cosine.rate(1.0, at, 3));
        assert!(rates.iter().zip([1.0, 0.6, 0.2]).all(|(rate, wanted)| (rate - wanted).abs() < 1e-12), "{rates:?}");
        assert_eq!(cosine.rate(1.0, 1, 1), 1.0);
        assert!(cosine.depends_on_length() && !steps.depends_on_length());
        for wrong in ["steps = []", "steps = [{ from = 0, rate = 1 }]", "cosine = { last = -1 }", "linear = {}"] {
            assert!(toml::from_str::<RateSchedule>(wrong).is_err(), "{wrong}");
        }
    }
}
