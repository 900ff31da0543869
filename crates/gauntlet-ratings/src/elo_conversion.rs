//! Conversion of the mean score of a match to the difference of its players in Elo, on either scale.
//!
//! Normalized Elo is the distance of the mean score from one half, in standard deviations of a game, times `800 / ln
//! 10` (M. Van den Bergh, "Normalized Elo", cantate.be/Fishtest). The standard deviation is that of the units, pairs
//! of games or games; a pair has twice the variance of a game.
//!
//! For the error of a distance `t` in standard deviations of a unit, the delta method multiplies the variance of the
//! mean by `1 - t skewness + t^2 (kurtosis - 1) / 4`, as the standard deviation is estimated too. The factor here is at
//! least 1: it is nearly 1 for small differences, and unreliable if few units decide.

use super::alike::believed_variance;
use super::compare::{elo_of_score, expected_score};
use super::intervals::Interval;
use super::mean_score::MeanScore;
use super::sprt::{EloScale, MatchCounts, NORMALIZED_ELO};

/// The relation between scores and differences in Elo.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EloConversion {
    scale: EloScale,
    /// Standard deviation of the score of a unit, never 0.
    sd: f64,
    /// Games of a unit.
    games: f64,
    /// Factor on errors for the estimated standard deviation.
    stretch: f64,
}

/// Minimum distance of a score from 0 and 1 on the logistic scale: 4,800 Elo.
const EDGE: f64 = 1e-12;

impl EloConversion {
    /// The relation in a match. `None` without results.
    ///
    /// The variance of a unit is that of the sample, and at least what this number of alike units leaves plausible
    /// (the module `alike`). If all games were won or lost, it is the variance behind [`MeanScore::error`].
    #[must_use]
    pub fn of(scale: EloScale, results: &MatchCounts) -> Option<EloConversion> {
        let score = MeanScore::of(results)?;
        let spread = score.error.powi(2) * results.units() as f64;
        let believed = believed_variance(results, score.value);
        let is_drawn = results.outcomes() == 1 && believed > 0.0;
        let sd = if is_drawn { believed } else { spread.max(believed) }.sqrt();
        let stretch = match scale {
            EloScale::Logistic => 1.0,
            EloScale::Normalized => stretch(results, score.value, sd),
        };
        Some(EloConversion { scale, sd, games: results.games_per_unit() as f64, stretch })
    }

    /// The relation between equal players without draws, whose units are this number of independent games.
    #[must_use]
    pub fn without_draws(scale: EloScale, games_per_unit: u64) -> EloConversion {
        let games = games_per_unit as f64;
        EloConversion { scale, sd: 0.5 / games.sqrt(), games, stretch: 1.0 }
    }

    /// The difference in Elo that belongs to a mean score. It is finite, and rises with the score.
    #[must_use]
    pub fn elo(&self, score: f64) -> f64 {
        match self.scale {
            EloScale::Logistic => elo_of_score(score.clamp(EDGE, 1.0 - EDGE)),
            EloScale::Normalized => (score - 0.5) / self.game_sd() * NORMALIZED_ELO,
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

    /// The distance from one half of the score that belongs to a difference, in standard deviations of a unit.
    #[must_use]
    pub fn distance(&self, elo: f64) -> f64 {
        match self.scale {
            EloScale::Logistic => (expected_score(elo) - 0.5) / self.sd,
            EloScale::Normalized => elo / NORMALIZED_ELO * self.games.sqrt(),
        }
    }

    fn game_sd(&self) -> f64 {
        self.sd * self.games.sqrt()
    }
}

/// The factor on errors of a mean in standard deviations, for units with this mean and standard deviation.
fn stretch(results: &MatchCounts, mean: f64, sd: f64) -> f64 {
    let (counts, n) = (results.counts(), results.units() as f64);
    let most = (counts.len() - 1) as f64;
    let moment = |power: i32| -> f64 {
        let deviation = |points: usize| (points as f64 / most - mean) / sd;
        counts.iter().enumerate().map(|(points, &count)| count as f64 / n * deviation(points).powi(power)).sum()
    };
    let t = (mean - 0.5) / sd;
    (1.0 - t * moment(3) + 0.25 * t * t * (moment(4) - 1.0)).max(1.0).sqrt()
}
