//! Settings of a CMA-ES training.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{KeepState, default_population};
use crate::arena::EvenGames;
use crate::players::{NetAgent, PlayerSpec};
use gauntlet_games::base::{Seed, bounded};
use gauntlet_games::games::GameSpec;
use gauntlet_nets::nets::{NetSpec, random_weights};

/// One training with CMA-ES.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct CmaesJob {
    /// The game of the training.
    pub game: GameSpec,
    /// The network to train, as a player. If its `weights` come from the training in the stage's `from` or from
    /// a file, they are the initial mean of the search.
    pub agent: PlayerSpec,
    /// The opponent.
    pub opponent: PlayerSpec,
    /// The training settings.
    #[serde(default)]
    pub settings: CmaesSpec,
}

impl CmaesJob {
    /// The agent to train, if it can be trained.
    #[must_use]
    pub fn agent(&self) -> Option<&NetAgent> {
        if let PlayerSpec::Net(agent) = &self.agent { Some(agent) } else { None }
    }

    /// The network to train, if the agent has one.
    #[must_use]
    pub fn net(&self) -> Option<&NetSpec> {
        self.agent().map(|agent| &agent.network)
    }
}

/// Evolution of all weights with CMA-ES against a fixed opponent (Schaul and Schmidhuber 2009, section 3.2).
///
/// | key | default | range | the paper |
/// |---|---|---|---|
/// | `generations` | 100 | 1 to 1,000,000 | not given for Table 2; Figure 3 shows 100 |
/// | `population` | `4 + floor(3 ln n)` for n weights | 4 to 10,000 | not given; 17 for 93 weights |
/// | `sigma` | 1.0 | above 0 to 1e12 | not given |
/// | `start` | `"zero"` | `"zero"`, `"normal"` | not given |
/// | `games` | 100 | even, 2 to 1,000,000 | 100, half of them with each colour |
/// | `active` | true | | not given; the default of pycma |
/// | `result` | `"mean"` | `"mean"`, `"best"` | not given |
/// | `keep` | none | `"state"`: the last state, from which a longer training continues | none |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CmaesSpec {
    /// Number of generations.
    #[serde(with = "Generations")]
    pub generations: u32,
    /// Candidates of a generation; absent: `4 + floor(3 ln n)` for `n` weights.
    #[serde(with = "Population", skip_serializing_if = "Option::is_none")]
    pub population: Option<u32>,
    /// Standard deviation of the first generation, in every weight.
    #[serde(with = "Sigma")]
    pub sigma: f64,
    /// The initial mean of the search, unless the agent has trained weights.
    pub start: InitialMean,
    /// Games that measure one candidate's fitness.
    pub games: EvenGames,
    /// Whether the worse half of a generation is also used, with negative weights.
    pub active: bool,
    /// The weights that the training returns.
    pub result: ReturnedWeights,
    /// The last state, from which a longer training continues, if it is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep: Option<KeepState>,
}

/// The initial mean of a search.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum InitialMean {
    /// All weights 0.
    #[default]
    Zero,
    /// Weights from the standard normal distribution.
    Normal,
}

/// The weights that a search returns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReturnedWeights {
    /// The final mean of the search distribution.
    #[default]
    Mean,
    /// The candidate with the highest measured fitness, the earliest of equals.
    Best,
}

impl Default for CmaesSpec {
    fn default() -> CmaesSpec {
        CmaesSpec {
            generations: 100,
            population: None,
            sigma: 1.0,
            start: InitialMean::default(),
            games: EvenGames::try_from(100).expect("100 is even"),
            active: true,
            result: ReturnedWeights::default(),
            keep: None,
        }
    }
}

impl CmaesSpec {
    /// Candidates of a generation in a search over `dimension` weights.
    #[must_use]
    pub fn population(&self, dimension: usize) -> usize {
        self.population.map_or_else(|| default_population(dimension), |population| population as usize)
    }

    /// The initial mean of a search over `dimension` weights.
    #[must_use]
    pub(super) fn mean(&self, dimension: usize, seed: &Seed) -> Vec<f64> {
        match self.start {
            InitialMean::Zero => vec![0.0; dimension],
            InitialMean::Normal => random_weights(dimension, 1.0, &seed.child("start", 0)),
        }
    }

    /// Number of games of a training over `dimension` weights.
    #[must_use]
    pub fn total_games(&self, dimension: usize) -> u64 {
        u64::from(self.generations) * self.population(dimension) as u64 * self.games.get() as u64
    }
}

bounded! {
    /// Generations of a training.
    Generations: u32 from 1 to 1_000_000, "{value} generations: a search takes from {range}"
}
bounded! {
    /// Candidates of a generation.
    Population: u32 from 4 to 10_000, "a population of {value}: CMA-ES takes from {range} candidates"
}
bounded! {
    /// The standard deviation of the first generation.
    Sigma: f64 above 0 to 1e12, "sigma is {value}: a standard deviation is a number {range}"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_table_is_the_default() {
        let spec: CmaesSpec = toml::from_str("").expect("every key has a default");
        assert_eq!(spec, CmaesSpec::default());
        assert_eq!(spec.population(93), 17);
        assert_eq!(spec.total_games(93), 170_000);
    }

    #[test]
    fn a_spec_survives_the_round_trip() {
        let text = "generations = 7\npopulation = 12\nsigma = 0.5\nstart = \"normal\"\ngames = 40\nactive = false\nresult = \"best\"\n";
        let spec: CmaesSpec = toml::from_str(text).expect("all of it is known");
        assert_eq!(toml::to_string(&spec).expect("a table"), text);
    }

    #[test]
    fn impossible_values_are_refused_where_they_stand() {
        let cases = [
            ("sigma = nan", "sigma is NaN"),
            ("sigma = 0.0", "sigma is 0"),
            ("generations = 0", "0 generations"),
            ("population = 3", "a population of 3"),
            ("games = 37", "37 games cannot be split evenly over the two colours"),
            ("games = -2", "-2 games: take an even number from 2 to 1000000"),
            ("sigme = 1.0", "unknown field `sigme`"),
            ("start = \"one\"", "unknown variant `one`"),
        ];
        for (text, message) in cases {
            let error = toml::from_str::<CmaesSpec>(text).expect_err(text);
            assert!(error.message().contains(message), "{text}: {}", error.message());
            assert!(error.span().is_some(), "{text} has no place");
        }
    }

    #[test]
    fn editors_learn_the_ranges() {
        let schema = serde_json::to_string(&schemars::schema_for!(CmaesSpec)).expect("a schema is JSON");
        for fact in ["\"exclusiveMinimum\":0", "\"multipleOf\":2", "\"additionalProperties\":false", "\"default\":100"]
        {
            assert!(schema.contains(fact), "{fact} is missing in {schema}");
        }
    }
}
