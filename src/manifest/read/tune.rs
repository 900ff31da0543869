//! `tune`: a race between the settings of a stage.

use schemars::JsonSchema;
use serde::Deserialize;

use gauntlet_ratings::race::{RaceBudget, RaceRule, RaceUnits};

/// A race between the settings of a stage: each seed is a round, which only the settings that are left play.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct Tune {
    /// Probability that a setting which is out was not worse, or that an interval misses, in the whole race; above 0 and
    /// below 0.5. Default: 0.05.
    #[serde(default = "usual_error")]
    error: f64,
    /// The race also ends when no other setting can be better than the leader by more than this score, 0 to 1. Default:
    /// 0, it goes on.
    #[serde(default)]
    within: f64,
    /// The games or jobs of all settings together; no round begins that would exceed it. Default: all seeds.
    budget: Option<RaceBudget>,
    /// Axes whose values every setting plays, such as opponents or boards; a unit is the mean over them. Default: none.
    #[serde(default)]
    pub panel: Vec<String>,
}

fn usual_error() -> f64 {
    0.05
}

impl Tune {
    /// The rule of the race, for units of this kind.
    #[must_use]
    pub fn rule(&self, units: RaceUnits) -> RaceRule {
        RaceRule { error: self.error, within: self.within, budget: self.budget, units }
    }
}
