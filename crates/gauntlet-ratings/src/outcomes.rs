//! Distributions of the outcomes of a match, and the likeliest one of a given strength.
//!
//! By empirical likelihood the likeliest distribution with a linear constraint is `share / (1 + x value)` (Owen,
//! Empirical Likelihood (2001)); M. Van den Bergh, "Normalized Elo" (cantate.be/Fishtest), reduces the constraint on
//! a mean in standard deviations to linear ones. [`search`](super::search) finds the global maximum if there are
//! several.

use super::compare::expected_score;
use super::match_counts::MatchCounts;

/// The observed distribution of scores.
#[derive(Clone)]
pub(super) struct Sample {
    /// Number of units.
    pub(super) n: f64,
    /// Score of every outcome, in `[0, 1]`.
    pub(super) scores: Vec<f64>,
    /// Share of every outcome.
    pub(super) shares: Vec<f64>,
    /// Ratio of the standard deviations of a unit's and of a game's score: 1 for games, the root of 2 for pairs.
    pub(super) units_per_game_sd: f64,
}

impl Sample {
    /// The sample with a small count for missing outcomes, so that none is impossible. `None` without results.
    pub(super) fn new(results: &MatchCounts) -> Option<Sample> {
        let counts = results.counts();
        let units_per_game_sd = if results.games_per_unit() == 2 { std::f64::consts::SQRT_2 } else { 1.0 };
        if results.outcomes() == 0 {
            return None;
        }
        let counts: Vec<f64> = counts.iter().map(|&count| if count == 0 { TRACE } else { count as f64 }).collect();
        let n: f64 = counts.iter().sum();
        let scores = (0..counts.len()).map(|i| i as f64 / (counts.len() - 1) as f64).collect();
        Some(Sample { n, scores, shares: counts.iter().map(|count| count / n).collect(), units_per_game_sd })
    }

    /// The likeliest distribution with the mean score of this difference in logistic Elo.
    pub(super) fn likeliest_with_elo(&self, elo: f64) -> Vec<f64> {
        let mean = expected_score(elo);
        let mut values: Vec<f64> = self.scores.iter().map(|score| score - mean).collect();
        if mean > NEARLY_ONE {
            // The subtraction would lose the digits of the last one.
            values[self.scores.len() - 1] = expected_score(-elo);
        }
        tilted(&self.shares, &values)
    }

    /// The likeliest distribution whose mean lies `t` of its own standard deviations above one half.
    ///
    /// Van den Bergh's iteration, which uses the standard deviation of the previous round, if it converges. It does
    /// for moderate `t`; beyond, all its values may have one sign, and the search replaces it.
    pub(super) fn likeliest_with_t(&self, t: f64) -> Vec<f64> {
        let mut best = vec![1.0 / self.shares.len() as f64; self.shares.len()];
        let mut change = f64::INFINITY;
        for _ in 0..MAX_ROUNDS {
            let (mean, variance) = moments(&self.scores, &best);
            let sd = variance.sqrt();
            let bent = |score: &f64| score - 0.5 - t * sd * (1.0 + ((mean - score) / sd).powi(2)) / 2.0;
            let next = tilted(&self.shares, &self.scores.iter().map(bent).collect::<Vec<_>>());
            change = best.iter().zip(&next).map(|(old, new)| (old - new).abs()).fold(0.0, f64::max);
            best = next;
            if change < 1e-13 {
                break;
            }
        }
        let (mean, variance) = moments(&self.scores, &best);
        let misses = (mean - 0.5 - t * variance.sqrt()).abs() + (best.iter().sum::<f64>() - 1.0).abs();
        if change + misses < FOUND { best } else { self.searched(t) }
    }
}

/// The replacement of a count of zero, as in fishtest and fastchess.
const TRACE: f64 = 1e-3;
const MAX_ROUNDS: usize = 50;
/// Tolerance for changes of a distribution and for its constraint. The error of its likelihood is quadratic.
const FOUND: f64 = 1e-7;
/// Mean scores beyond this (2,400 Elo) have lost digits of their distance from 1.
const NEARLY_ONE: f64 = 1.0 - 1e-6;

/// Mean and variance of a discrete distribution.
pub(super) fn moments(scores: &[f64], shares: &[f64]) -> (f64, f64) {
    let mean: f64 = scores.iter().zip(shares).map(|(score, share)| score * share).sum();
    (mean, scores.iter().zip(shares).map(|(score, share)| share * (score - mean).powi(2)).sum())
}

/// The likeliest distribution under which `values` average to zero: `share / (1 + x value)` for the right `x`.
pub(super) fn tilted(shares: &[f64], values: &[f64]) -> Vec<f64> {
    let x = multiplier(shares, values);
    shares.iter().zip(values).map(|(share, value)| share / (1.0 + x * value)).collect()
}

/// The root of the falling function `sum share value / (1 + x value)`, by Newton's method inside a bracket.
fn multiplier(shares: &[f64], values: &[f64]) -> f64 {
    let lowest = values.iter().copied().fold(f64::MAX, f64::min);
    let highest = values.iter().copied().fold(f64::MIN, f64::max);
    if lowest >= 0.0 || highest <= 0.0 {
        return 0.0;
    }
    let (mut low, mut high) = (-1.0 / highest, -1.0 / lowest);
    let mut x = 0.0;
    for _ in 0..200 {
        let (mut height, mut fall) = (0.0, 0.0);
        for (share, value) in shares.iter().zip(values) {
            let part = value / (1.0 + x * value);
            height += share * part;
            fall += share * part * part;
        }
        if height > 0.0 {
            low = x
        } else {
            high = x
        }
        let newton = x + height / fall;
        let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
        if (next - x).abs() <= 1e-15 * (1.0 + x.abs()) {
            return next;
        }
        x = next;
    }
    x
}
