//! Estimates for sequential matches in which all units ended alike, so that the sample variance is 0.
//!
//! A clean sweep is the most extreme outcome of a test, so its probability `p^n` is the whole tail, and the result is
//! exact, like Clopper and Pearson's. If all units are drawn, the variance is that of as many independent games, as
//! in [`mean_score`](super::mean_score).

use super::compare::elo_of_score;
use super::intervals::Interval;
use super::match_counts::MatchCounts;

/// Minimum distance of a score from 0 and 1.
pub(super) const EDGE: f64 = 1e-6;

/// The variance of a unit's score if all units ended alike: that of independent games, divided by the design effect
/// that this number of alike units leaves plausible.
pub(super) fn believed_variance(results: &MatchCounts, score: f64) -> f64 {
    let (units, games) = (results.units() as f64, results.games_per_unit() as f64);
    let binomial = score * (1.0 - score);
    binomial / games / (units * binomial + 1.0)
}

/// The median-unbiased difference in Elo, and its interval, of a match with only wins or only losses; `None` for
/// others.
pub(super) fn swept(results: &MatchCounts, level: f64) -> Option<(f64, Interval)> {
    let counts = results.counts();
    let sign = match results.outcomes() {
        1 if counts[0] > 0 => -1.0,
        1 if counts[counts.len() - 1] > 0 => 1.0,
        _ => return None,
    };
    let games = (results.units() * results.games_per_unit()) as f64;
    let quantile = |probability: f64| elo_of_score(probability.powf(1.0 / games).clamp(EDGE, 1.0 - EDGE));
    let (near, far) = (sign * quantile(0.5 - 0.5 * level), sign * elo_of_score(1.0 - EDGE));
    let interval = Interval { low: near.min(far), high: near.max(far) };
    Some((sign * quantile(0.5), interval))
}

#[cfg(test)]
mod tests {
    use super::super::compare::expected_score;
    use super::super::intervals::clopper_pearson;
    use super::super::sprt::{EloScale, Sprt};
    use super::super::stopped::stopped;
    use super::*;

    const TEST: Sprt = Sprt { scale: EloScale::Logistic, elo0: -20.0, elo1: 20.0, alpha: 0.05, beta: 0.05 };

    #[test]
    fn clean_sweeps_have_exact_estimates() {
        for (results, games) in [
            (MatchCounts::Pentanomial([0, 0, 0, 0, 20]), 40),
            (MatchCounts::Trinomial([0, 0, 40]), 40),
            (MatchCounts::Trinomial([0, 0, 1]), 1),
        ] {
            for elo1 in [5.0, 50.0, 1000.0] {
                let test = Sprt { scale: EloScale::Normalized, elo0: 0.0, elo1, ..TEST };
                let found = stopped(&test, &results, 0.95).expect("games were played");
                let exact = clopper_pearson(games, games, 0.95).expect("games were played");
                assert!((found.interval.low - elo_of_score(exact.low)).abs() < 1e-6, "{results:?} {found:?}");
                assert!((expected_score(found.elo).powi(games as i32) - 0.5).abs() < 1e-9, "{results:?} {found:?}");
                let lost = match results {
                    MatchCounts::Trinomial([a, b, c]) => MatchCounts::Trinomial([c, b, a]),
                    MatchCounts::Pentanomial([a, b, c, d, e]) => MatchCounts::Pentanomial([e, d, c, b, a]),
                };
                let mirror = stopped(&test, &lost, 0.95).expect("games were played");
                assert!(
                    (mirror.elo + found.elo).abs() < 1e-9 && (mirror.interval.high + found.interval.low).abs() < 1e-9
                );
            }
        }
    }

    /// Ten drawn pairs leave an error of some dozens of Elo, not of the one or two from the small counts added for
    /// wins.
    #[test]
    fn nothing_but_draws_is_no_certainty() {
        for results in [MatchCounts::Pentanomial([0, 0, 10, 0, 0]), MatchCounts::Trinomial([0, 20, 0])] {
            let found = stopped(&TEST, &results, 0.95).expect("games were played");
            assert!(found.naive.elo.abs() < 1e-9 && found.naive.error.is_some_and(|error| error > 20.0), "{found:?}");
            assert!(found.interval.low < -50.0 && found.interval.high > 50.0 && found.elo.abs() < 20.0, "{found:?}");
        }
    }
}
