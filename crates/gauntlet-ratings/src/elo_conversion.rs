//! Conversion of the mean score of a match to the difference of its players in Elo, on either scale.
//!
//! Normalized Elo is the distance of the mean score from one half, in standard deviations of a game, times `800 / ln
//! 10` (M. Van den Bergh, "Normalized Elo", cantate.be/Fishtest). The standard deviation is that of the units, pairs
//! of games or games; a pair has twice the variance of a game.
//!
//! The variance of a unit at another score `p` is `design p (1 - p)`, as in the interval of [`MeanScore`]: the design
//! effect is that of the sample. So the ends of an interval have their own standard deviations: near 1, no score varies
//! as much as near one half.
//!
//! The sample also estimates the design effect. For a distance `t` in standard deviations of a unit, the delta method
//! multiplies the variance of the mean by `1 - t skewness + t^2 (kurtosis - 1) / 4`. Errors are widened by as much as
//! that exceeds the slope of the conversion.

use super::alike::believed_variance;
use super::compare::{elo_of_score, expected_score};
use super::intervals::Interval;
use super::mean_score::MeanScore;
use super::sprt::{EloScale, MatchCounts, NORMALIZED_ELO};

/// The relation between scores and differences in Elo.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EloConversion {
    scale: EloScale,
    /// Variance of the score of a unit, divided by that of a win or a loss with the same mean: in `(0, 1]`.
    design: f64,
    /// Games of a unit.
    games: f64,
    /// Minimum distance of a score from 0 and 1.
    edge: f64,
    /// Factor on errors for the estimated design effect.
    stretch: f64,
}

/// Minimum distance of a score from 0 and 1, in shares of a unit: far below the end of any interval.
const EDGE: f64 = 1e-3;

/// Minimum distance of a score from 0 and 1.
const SMALLEST_EDGE: f64 = 1e-15;

/// Factor on errors if all units ended alike, but not as wins or losses: with probability `level`, none of `n` units
/// shows an outcome of probability `-ln(level) / n`. That is a distance of `sqrt(-ln(level))` errors of the belief in
/// such units, at most 1.2 times the normal quantile for levels up to 0.1.
const ALIKE: f64 = 1.2;

impl EloConversion {
    /// The relation in a match. `None` without results.
    ///
    /// The variance of a unit is that of the sample, and at least what this number of alike units leaves plausible
    /// (the module `alike`). If all games were won or lost, it is that of wins and losses.
    #[must_use]
    pub fn of(scale: EloScale, results: &MatchCounts) -> Option<EloConversion> {
        let score = MeanScore::of_match(results)?;
        let (binomial, believed) = (score.value * (1.0 - score.value), believed_variance(results, score.value));
        let is_alike = results.outcomes() == 1;
        let spread = if is_alike { 0.0 } else { score.error.powi(2) * results.units() as f64 };
        let variance = spread.max(believed).min(binomial);
        let is_swept = variance <= 0.0;
        let stretch = match scale {
            EloScale::Normalized if is_alike && !is_swept => ALIKE,
            EloScale::Normalized if !is_swept => stretch(results, score.value, variance.sqrt()),
            _ => 1.0,
        };
        let design = if is_swept { 1.0 } else { variance / binomial };
        let edge = (EDGE / results.units() as f64).max(SMALLEST_EDGE);
        Some(EloConversion { scale, design, games: results.games_per_unit() as f64, edge, stretch })
    }

    /// The relation between players without draws, whose units are this number of independent games.
    #[must_use]
    pub fn without_draws(scale: EloScale, games_per_unit: u64) -> EloConversion {
        let games = games_per_unit as f64;
        EloConversion { scale, design: 1.0 / games, games, edge: SMALLEST_EDGE, stretch: 1.0 }
    }

    /// The difference in Elo that belongs to a mean score. It is finite, and never falls if the score rises.
    #[must_use]
    pub fn elo(&self, score: f64) -> f64 {
        let score = score.clamp(self.edge, 1.0 - self.edge);
        match self.scale {
            EloScale::Logistic => elo_of_score(score),
            EloScale::Normalized => {
                let game_sd = (self.design * self.games * score * (1.0 - score)).sqrt();
                (score - 0.5) / game_sd * NORMALIZED_ELO
            }
        }
    }

    /// One standard error of the difference, from that of the mean score: half the distance between the differences at
    /// one error below and above the score.
    #[must_use]
    pub fn error(&self, score: f64, error: f64) -> f64 {
        0.5 * self.stretch * (self.elo(score + error) - self.elo(score - error))
    }

    /// The interval of the difference, from that of the mean score.
    #[must_use]
    pub fn interval(&self, score: f64, interval: Interval) -> Interval {
        let centre = self.elo(score);
        let end = |score: f64| centre + self.stretch * (self.elo(score) - centre);
        Interval { low: end(interval.low), high: end(interval.high) }
    }

    /// The distance from one half of the score that belongs to a difference, in standard deviations of a unit of equal
    /// players.
    #[must_use]
    pub fn distance(&self, elo: f64) -> f64 {
        match self.scale {
            EloScale::Logistic => (expected_score(elo) - 0.5) / (0.5 * self.design.sqrt()),
            EloScale::Normalized => elo / NORMALIZED_ELO * self.games.sqrt(),
        }
    }
}

/// The factor on errors of the difference, for units with this mean and standard deviation.
fn stretch(results: &MatchCounts, mean: f64, sd: f64) -> f64 {
    let (counts, n) = (results.counts(), results.units() as f64);
    let most = (counts.len() - 1) as f64;
    let moment = |power: i32| -> f64 {
        let deviation = |points: usize| (points as f64 / most - mean) / sd;
        counts.iter().enumerate().map(|(points, &count)| count as f64 / n * deviation(points).powi(power)).sum()
    };
    let t = (mean - 0.5) / sd;
    let delta = (1.0 - t * moment(3) + 0.25 * t * t * (moment(4) - 1.0)).max(1.0).sqrt();
    let slope = 1.0 + (mean - 0.5).powi(2) / (mean * (1.0 - mean));
    (delta / slope).max(1.0)
}
