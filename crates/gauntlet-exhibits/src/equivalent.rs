//! Claims of equivalence: a player is as strong as its opponent, up to a margin in Elo.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use gauntlet_games::base::bounded;
use gauntlet_ratings::MeanScore;
use gauntlet_ratings::elo_conversion::EloConversion;
use gauntlet_ratings::equivalence::{EquivalenceDecision, EquivalenceTest};
use gauntlet_ratings::sprt::{EloScale, MatchCounts};

/// The power that numbers of games are stated for.
pub const POWER: f64 = 0.8;

/// Two one-sided tests (Schuirmann 1987): the player is neither weaker nor stronger than its opponent by the margin.
///
/// Both tests reject at `level` if the interval of the difference with coverage `1 - 2 level` lies within the margin.
/// The difference follows from the mean score. The interval of the score is Student's over runs, or of all pairs of
/// games if another seed only adds games. For fewer than 50 units the level is approximate.
///
/// For a normalized margin, equal players reach the verdict with probability 80 % after this number of games:
/// `((z(1 - level) + z(0.9)) 347.4 / margin)^2`, 4,595 for 15 Elo.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Equivalent {
    /// The largest irrelevant difference, in Elo of the scale.
    #[serde(with = "Margin")]
    pub margin: f64,
    /// The scale of the margin. Default: normalized, as in sequential tests.
    #[serde(default)]
    pub scale: EloScale,
    /// Maximum probability that players that differ by the margin count as equivalent. Default: 0.05.
    #[serde(default = "usual_level", with = "Level")]
    pub level: f64,
}

fn usual_level() -> f64 {
    0.05
}

bounded! {
    /// A margin of equivalence in Elo. Beyond 200 Elo a few games would decide, too few for the level of the test.
    Margin: f64 from 0.1 to 200, "a margin of {value} Elo is outside {range}"
}

bounded! {
    /// The level of a one-sided test.
    Level: f64 from 0.001 to 0.1, "a level of {value} is outside {range}"
}

/// The verdict on a claim of equivalence.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct EquivalenceVerdict {
    /// The claim.
    pub claim: Equivalent,
    /// The decision.
    pub decision: EquivalenceDecision,
    /// The number of pairs of games, or of single games, behind the difference.
    pub units: u64,
    /// Whether these are pairs.
    pub are_pairs: bool,
    /// The number that equal players need; `None` if the error is over runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needed: Option<u64>,
}

impl Equivalent {
    /// The test of the claim.
    #[must_use]
    pub fn test(&self) -> EquivalenceTest {
        EquivalenceTest { scale: self.scale, margin: self.margin, level: self.level }
    }

    /// Whether draws change the number of games that it needs.
    #[must_use]
    pub fn is_logistic(&self) -> bool {
        self.scale == EloScale::Logistic
    }

    /// The name of its scale.
    #[must_use]
    pub fn elo(&self) -> &'static str {
        match self.scale {
            EloScale::Logistic => "Elo",
            EloScale::Normalized => "normalized Elo",
        }
    }

    /// The number of pairs, or of single games, that equal players need for a power of 80 %; if there are draws, the
    /// logistic scale needs fewer.
    #[must_use]
    pub fn needed(&self, are_pairs: bool) -> u64 {
        let games = if are_pairs { 2 } else { 1 };
        self.test().units_for(&EloConversion::without_draws(self.scale, games), POWER)
    }

    /// The number of such units for games like these. Games that one side won all say nothing about draws.
    #[must_use]
    pub fn needed_for(&self, games: &MatchCounts) -> Option<u64> {
        let score = MeanScore::of_match(games)?.value;
        if score <= 0.0 || score >= 1.0 {
            return Some(self.needed(games.games_per_unit() == 2));
        }
        Some(self.test().units_for(&EloConversion::of(self.scale, games)?, POWER))
    }
}
