//! Elo: the rating scale, and a value on it with its error.

use super::intervals::{Interval, normal_cdf, normal_quantile, two_sided};

/// Elo points per natural logit: `400 / ln 10`.
pub const ELO_PER_LOGIT: f64 = 400.0 / std::f64::consts::LN_10;

/// A value in Elo with its error: the difference of two players, a first-player advantage.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EloEstimate {
    /// The value.
    pub elo: f64,
    /// One standard error; `None` if unknown, or if the value was given instead of estimated.
    pub error: Option<f64>,
}

impl EloEstimate {
    /// Likelihood of superiority: the probability that the true value is positive, by the normal approximation.
    #[must_use]
    pub fn superiority(&self) -> Option<f64> {
        self.error.map(|error| normal_cdf(self.elo / error))
    }

    /// Normal interval of the value at `level`.
    #[must_use]
    pub fn interval(&self, level: f64) -> Option<Interval> {
        self.error.map(|error| Interval::around(self.elo, error * normal_quantile(two_sided(level))))
    }
}

/// Expected score, in `[0, 1]`, of a player `elo` points above the opponent (the paper's Eq. 12).
#[must_use]
pub fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + (-elo / ELO_PER_LOGIT).exp())
}

/// Rating difference, in Elo, that gives an expected `score`; infinite for 0 and 1.
#[must_use]
pub fn elo_of_score(score: f64) -> f64 {
    -(1.0 / score - 1.0).ln() * ELO_PER_LOGIT
}
