//! A test of equivalence: whether two players are equally strong, up to a margin.
//!
//! Two one-sided tests (TOST) at the level `alpha`: of "the difference is `-margin` or lower", and of "it is `margin`
//! or higher". Both reject if the interval with coverage `1 - 2 alpha` lies within the margin; then the players are
//! equivalent. An ordinary test that finds no difference shows nothing: it may have had too few games.
//!
//! Source: D. J. Schuirmann, J. Pharmacokinet. Biopharm. 15 (1987). The interval is that of [`MeanScore`], converted
//! to Elo by [`EloConversion`]. The unit is the pair of games, or the single game if pairs are not known. The number
//! of units must not depend on their results: a sequential test cannot provide them.
//!
//! The level is that of Wilson's interval: nearly exact from some 50 units on. For fewer, and margins up to 200 Elo,
//! `tests/library/equivalence.rs` computes the worst error rates exactly. Far larger margins are beyond it: their ends
//! are scores near 0 and 1, and a few games reach them.

use serde::{Deserialize, Serialize};

use super::elo_conversion::EloConversion;
use super::intervals::{Interval, normal_cdf, normal_quantile};
use super::mean_score::MeanScore;
use super::sprt::{EloScale, MatchCounts};

/// A test of equivalence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EquivalenceTest {
    /// The scale of the margin.
    pub scale: EloScale,
    /// The largest irrelevant difference in Elo, above 0 and at most some 200.
    pub margin: f64,
    /// Maximum probability of the decision "equivalent" for players that differ by the margin, in `(0, 1/2)`.
    pub level: f64,
}

/// The decision of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EquivalenceDecision {
    /// The interval lies within the margin.
    Equivalent,
    /// The interval lies outside of the margin.
    Different,
    /// The interval holds an end of the margin.
    Undecided,
}

/// A difference in Elo with its error and interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EloDifference {
    /// The difference.
    pub elo: f64,
    /// One standard error, never 0.
    pub error: f64,
    /// Its interval with the coverage of the test.
    pub interval: Interval,
}

impl EquivalenceTest {
    /// Coverage of the interval that decides: `1 - 2 level`.
    #[must_use]
    pub fn coverage(&self) -> f64 {
        1.0 - 2.0 * self.level
    }

    /// The difference of the players of a match, from all its units. `None` without results.
    #[must_use]
    pub fn difference(&self, results: &MatchCounts) -> Option<EloDifference> {
        let score = MeanScore::of_match(results)?;
        let conversion = EloConversion::of(self.scale, results)?;
        Some(EloDifference {
            elo: conversion.elo(score.value),
            error: conversion.error(score.value, score.error),
            interval: conversion.interval(score.value, score.interval(self.coverage())),
        })
    }

    /// The decision for an interval of the difference with the coverage of the test.
    #[must_use]
    pub fn decision(&self, interval: Interval) -> EquivalenceDecision {
        match interval {
            Interval { low, high } if -self.margin < low && high < self.margin => EquivalenceDecision::Equivalent,
            Interval { low, high } if high < -self.margin || self.margin < low => EquivalenceDecision::Different,
            _ => EquivalenceDecision::Undecided,
        }
    }

    /// Probability of the decision "equivalent" for equal players after this number of units: `2 Phi(d sqrt(n) - z(1 -
    /// level)) - 1`, where `d` is the margin in standard deviations of a unit (normal approximation).
    #[must_use]
    pub fn power(&self, conversion: &EloConversion, units: u64) -> f64 {
        let reach = conversion.distance(self.margin) * (units as f64).sqrt() - normal_quantile(1.0 - self.level);
        (2.0 * normal_cdf(reach) - 1.0).max(0.0)
    }

    /// The smallest number of units with this power: `((z(1 - level) + z((1 + power) / 2)) / d)^2`.
    #[must_use]
    pub fn units_for(&self, conversion: &EloConversion, power: f64) -> u64 {
        let reach = normal_quantile(1.0 - self.level) + normal_quantile(0.5 + 0.5 * power);
        (reach / conversion.distance(self.margin)).powi(2).ceil() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::super::sprt::NORMALIZED_ELO;
    use super::*;

    fn test(scale: EloScale, margin: f64) -> EquivalenceTest {
        EquivalenceTest { scale, margin, level: 0.05 }
    }

    fn decide(test: &EquivalenceTest, results: MatchCounts) -> Option<EquivalenceDecision> {
        test.difference(&results).map(|found| test.decision(found.interval))
    }

    #[test]
    fn the_interval_decides() {
        let test = test(EloScale::Normalized, 15.0);
        let decision = |low, high| test.decision(Interval { low, high });
        for (low, high) in [(-14.0, 14.0), (3.0, 14.9), (-2.0, -1.0)] {
            assert_eq!(decision(low, high), EquivalenceDecision::Equivalent, "{low} {high}");
        }
        for (low, high) in [(15.1, 300.0), (-16.0, -15.5)] {
            assert_eq!(decision(low, high), EquivalenceDecision::Different, "{low} {high}");
        }
        for (low, high) in [(-15.0, 14.0), (3.0, 15.0), (15.0, 16.0), (-40.0, 40.0), (14.0, 16.0), (-16.0, 0.0)] {
            assert_eq!(decision(low, high), EquivalenceDecision::Undecided, "{low} {high}");
        }
        assert!((test.coverage() - 0.9).abs() < 1e-15);
    }

    #[test]
    fn nothing_played_has_no_difference() {
        for scale in [EloScale::Logistic, EloScale::Normalized] {
            for none in [MatchCounts::Trinomial([0; 3]), MatchCounts::Pentanomial([0; 5])] {
                assert_eq!(decide(&test(scale, 15.0), none), None);
                assert_eq!(EloConversion::of(scale, &none), None);
            }
        }
    }

    #[test]
    fn few_games_decide_nothing() {
        for scale in [EloScale::Logistic, EloScale::Normalized] {
            for results in [
                MatchCounts::Trinomial([0, 1, 0]),
                MatchCounts::Trinomial([0, 0, 1]),
                MatchCounts::Pentanomial([0, 0, 1, 0, 0]),
                MatchCounts::Pentanomial([0, 0, 0, 1, 0]),
                MatchCounts::Pentanomial([1, 0, 0, 0, 1]),
                MatchCounts::Pentanomial([2, 4, 9, 4, 2]),
            ] {
                let decided = decide(&test(scale, 15.0), results);
                assert_eq!(decided, Some(EquivalenceDecision::Undecided), "{scale:?} {results:?}");
            }
        }
    }

    #[test]
    fn sweeps_are_finite_and_different() {
        for scale in [EloScale::Logistic, EloScale::Normalized] {
            for n in [20, 2000, 1_000_000_000] {
                for (lost, won) in [
                    (MatchCounts::Trinomial([n, 0, 0]), MatchCounts::Trinomial([0, 0, n])),
                    (MatchCounts::Pentanomial([n, 0, 0, 0, 0]), MatchCounts::Pentanomial([0, 0, 0, 0, n])),
                ] {
                    let test = test(scale, 15.0);
                    let [lost, won] = [lost, won].map(|results| test.difference(&results).expect("games were played"));
                    let Interval { low, high } = won.interval;
                    assert!(low > 100.0 && low < high && high.is_finite() && won.error > 0.0, "{scale:?} {n} {won:?}");
                    assert!((lost.elo + won.elo).abs() < 1e-4 * won.elo && lost.interval.high < -100.0, "{lost:?}");
                    assert_eq!(test.decision(won.interval), EquivalenceDecision::Different);
                }
            }
        }
    }

    /// The error of drawn games is not 0. On the normalized scale it is that of any other match of equal players: a
    /// small difference between very drawish players is a large one in their standard deviations.
    #[test]
    fn enough_drawn_games_are_equivalent() {
        for (scale, few, many) in [(EloScale::Logistic, 45, 60), (EloScale::Normalized, 1000, 1100)] {
            let decide = |n| decide(&test(scale, 15.0), MatchCounts::Pentanomial([0, 0, n, 0, 0]));
            assert_eq!(decide(few), Some(EquivalenceDecision::Undecided), "{scale:?}");
            assert_eq!(decide(many), Some(EquivalenceDecision::Equivalent), "{scale:?}");
        }
        let drawn = test(EloScale::Normalized, 15.0).difference(&MatchCounts::Pentanomial([0, 0, 1100, 0, 0]));
        let reach = 1.2 * 1.644_854 * NORMALIZED_ELO / 2200_f64.sqrt();
        assert!(drawn.is_some_and(|drawn| (drawn.interval.high / reach - 1.0).abs() < 0.01 && drawn.error > 0.0));
    }

    #[test]
    fn swapping_the_players_changes_the_sign() {
        for scale in [EloScale::Logistic, EloScale::Normalized] {
            let test = test(scale, 40.0);
            let [one, other] = [[10, 20, 70, 30, 5], [5, 30, 70, 20, 10]]
                .map(|counts| test.difference(&MatchCounts::Pentanomial(counts)).expect("games were played"));
            assert!((one.elo + other.elo).abs() < 1e-9 && (one.error - other.error).abs() < 1e-9);
            assert!((one.interval.low + other.interval.high).abs() < 1e-9);
        }
    }

    #[test]
    fn the_number_of_pairs_for_a_power_is_the_smallest() {
        for scale in [EloScale::Logistic, EloScale::Normalized] {
            for games in [1, 2] {
                let (test, even) = (test(scale, 15.0), EloConversion::without_draws(scale, games));
                let needed = test.units_for(&even, 0.8);
                assert!(test.power(&even, needed) >= 0.8 && test.power(&even, needed - 1) < 0.8, "{scale:?} {needed}");
                // 800 / ln 10 standard deviations, times 1.645 and 1.282 quantiles, divided by 15.
                let expected = (NORMALIZED_ELO * (1.644_853_6 + 1.281_551_6) / 15.0).powi(2) / games as f64;
                assert!((needed as f64 / expected - 1.0).abs() < 2e-3, "{scale:?} {games} {needed} {expected}");
                assert_eq!(test.power(&even, 1), 0.0);
            }
        }
    }

    /// Draws narrow logistic intervals; the normalized scale counts them in.
    #[test]
    fn draws_save_games_on_the_logistic_scale_alone() {
        let drawish = MatchCounts::Pentanomial([50, 200, 500, 200, 50]);
        let ratio = |scale| {
            let test = test(scale, 15.0);
            let of = |conversion: EloConversion| test.units_for(&conversion, 0.8) as f64;
            of(EloConversion::of(scale, &drawish).expect("played")) / of(EloConversion::without_draws(scale, 2))
        };
        assert!((ratio(EloScale::Logistic) - 0.4).abs() < 0.01, "{}", ratio(EloScale::Logistic));
        assert_eq!(ratio(EloScale::Normalized), 1.0);
    }
}
