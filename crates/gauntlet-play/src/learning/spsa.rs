//! Simultaneous perturbation stochastic approximation: the numbers of a player, by games between two changed copies of it.
//!
//! Spall 1992, "Multivariate stochastic approximation using a simultaneous perturbation gradient approximation"; gains
//! after Spall 1998, "Implementation of the simultaneous perturbation algorithm for stochastic optimization", as Fishtest
//! (Stockfish's testing framework) applies them to pairs of games. The coordinates of the numbers lie between 0 and 1.

mod job;

use rand::RngExt as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use gauntlet_games::base::{FromOne, Seed, bounded};
pub use job::{SpsaJob, SpsaResult, SpsaStep, TunedNumber};

bounded! {
    /// Pairs of games of a tuning.
    Pairs: u32 from 1 to 100_000_000, "{value} pairs are outside {range}"
}
bounded! {
    /// The last perturbation.
    LastPerturbation: f64 above 0 to 0.5, "c-end is {value}: a part of the range is a number {range}"
}

bounded! {
    /// The last step.
    LastStep: f64 above 0 to 1000, "r-end is {value}: a number {range}"
}
bounded! {
    /// The exponent of a gain.
    Exponent: f64 from 0 to 10, "an exponent of {value} is outside {range}"
}
bounded! {
    /// The part of all pairs that keeps the first steps small.
    Stability: f64 from 0 to 1000, "a stability of {value} is outside {range}"
}

/// Settings of a tuning.
///
/// At pair `k` of `N`, the two players have the numbers `theta + c_k d` and `theta - c_k d`, each sign in `d` drawn. The
/// numbers move by `a_k / c_k (wins - losses) d`, with `c_k = c / k^gamma` and `a_k = a / (A + k)^alpha`. `c` and `a` follow
/// from the last values: `c_N = c-end`, `a_N = r-end c-end^2`.
///
/// | key | default | range | source |
/// |---|---|---|---|
/// | `pairs` | 5,000 | 1 to 100,000,000 | |
/// | `batch` | 10 | 1 or more | |
/// | `c-end` | 0.1 | above 0 to 0.5 | Fishtest advises a twentieth of the range |
/// | `r-end` | 0.01 | above 0 to 1,000 | Fishtest: 0.002, for many more games |
/// | `alpha` | 0.602 | 0 to 10 | Spall 1998, section III |
/// | `gamma` | 0.101 | 0 to 10 | Spall 1998, section III |
/// | `stability` | 0.1 | 0 to 1,000 | Spall 1998: a tenth of all iterations or less |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct SpsaSpec {
    /// Pairs of games in all.
    #[serde(with = "Pairs")]
    pub pairs: u32,
    /// Pairs of games between two changes of the numbers.
    #[serde(with = "FromOne")]
    pub batch: u32,
    /// The last perturbation of a number, as a part of its range.
    #[serde(with = "LastPerturbation")]
    pub c_end: f64,
    /// The last ratio of a step to the square of the perturbation.
    #[serde(with = "LastStep")]
    pub r_end: f64,
    /// Exponent with which steps decrease.
    #[serde(with = "Exponent")]
    pub alpha: f64,
    /// Exponent with which perturbations decrease.
    #[serde(with = "Exponent")]
    pub gamma: f64,
    /// `A` as a part of all pairs: it keeps the first steps small.
    #[serde(with = "Stability")]
    pub stability: f64,
}

impl Default for SpsaSpec {
    fn default() -> SpsaSpec {
        SpsaSpec { pairs: 5000, batch: 10, c_end: 0.1, r_end: 0.01, alpha: 0.602, gamma: 0.101, stability: 0.1 }
    }
}

impl SpsaSpec {
    /// The perturbation of a coordinate, and the step for one win more than losses, at a pair from 1.
    #[must_use]
    pub fn gains(&self, pair: u32) -> (f64, f64) {
        let (k, n) = (f64::from(pair), f64::from(self.pairs));
        let offset = self.stability * n;
        let c = self.c_end * (n / k).powf(self.gamma);
        let a = self.r_end * self.c_end.powi(2) * ((offset + n) / (offset + k)).powf(self.alpha);
        (c, a / c)
    }
}

/// The coordinates of the numbers, and the pairs that led to them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Spsa {
    coordinates: Vec<f64>,
    pairs: u32,
}

/// The two players of a batch: their coordinates, and how the numbers move by their games.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// The coordinates of both players.
    pub players: [Vec<f64>; 2],
    /// Pairs of games that they play.
    pub pairs: u32,
    signs: Vec<f64>,
    step: f64,
}

impl Spsa {
    /// The start of a tuning.
    #[must_use]
    pub fn new(coordinates: Vec<f64>) -> Spsa {
        Spsa { coordinates, pairs: 0 }
    }

    /// The coordinates, 0 to 1.
    #[must_use]
    pub fn coordinates(&self) -> &[f64] {
        &self.coordinates
    }

    /// The pairs so far.
    #[must_use]
    pub fn pairs(&self) -> u32 {
        self.pairs
    }

    /// The players of the next batch; the signs depend on the seed and the pairs so far alone. `None` at the end.
    #[must_use]
    pub fn trial(&self, spec: &SpsaSpec, seed: &Seed) -> Option<Trial> {
        let pairs = spec.batch.min(spec.pairs.saturating_sub(self.pairs));
        let (c, step) = spec.gains(self.pairs + 1);
        let mut rng = seed.child("signs", self.pairs.into()).rng();
        let signs: Vec<f64> = self.coordinates.iter().map(|_| if rng.random::<bool>() { 1.0 } else { -1.0 }).collect();
        let player = |towards: f64| {
            let moved = self.coordinates.iter().zip(&signs).map(|(own, sign)| own + towards * c * sign);
            moved.map(|coordinate| coordinate.clamp(0.0, 1.0)).collect()
        };
        let players = [player(1.0), player(-1.0)];
        (pairs > 0).then_some(Trial { players, pairs, signs, step })
    }

    /// Moves the numbers after a batch; `result` is the first player's wins less its losses.
    pub fn learn(&mut self, trial: &Trial, result: f64) {
        for (coordinate, sign) in self.coordinates.iter_mut().zip(&trial.signs) {
            *coordinate = (*coordinate + trial.step * result * sign).clamp(0.0, 1.0);
        }
        self.pairs += trial.pairs;
    }
}

#[cfg(test)]
mod tests;
