//! The mean score of one player against others, from counted games or pairs of games, with an interval that stays
//! inside the possible scores.
//!
//! The interval is Wilson's, for the effective number of games: the number of units divided by their design effect,
//! which is their variance divided by that of a win or a loss with the same mean (Kish, Survey Sampling (1965);
//! intervals of shares by the effective number: Korn, Graubard, Survey Methodology 24 (1998)). So draws and paired
//! openings narrow it, correlated games of a pair widen it, and clean sweeps have the error of as many independent
//! games. `tests/library/coverage.rs` simulates its coverage.

use super::Meeting;
use super::intervals::{Interval, game_level_bound, wilson};
use super::match_counts::MatchCounts;

/// A mean score in `[0, 1]`, a draw as half a win, with its error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeanScore {
    /// The score.
    pub value: f64,
    /// One standard error, never 0: of the units. If all units ended alike, that of the effective number of games behind the
    /// interval; at 0 and 1, the bound for this number of games.
    pub error: f64,
    /// Number of independent games without draws that would give the same error.
    effective: f64,
}

/// Weight of the prior design effect, as an amount of variance in units.
const BELIEF: f64 = 1.0;

impl MeanScore {
    /// The mean score of a match. `None` without games.
    #[must_use]
    pub fn of_match(results: &MatchCounts) -> Option<MeanScore> {
        match *results {
            MatchCounts::Trinomial(counts) => MeanScore::of_games(counts),
            MatchCounts::Pentanomial(counts) => MeanScore::of_pairs(counts),
        }
    }

    /// The mean score of single games: lost, drawn, won. `None` without games.
    #[must_use]
    pub fn of_games(counts: [u64; 3]) -> Option<MeanScore> {
        MeanScore::new(&counts, 1)
    }

    /// The mean score of pairs of games by their points: 0, 1/2, 1, 3/2, 2. `None` without pairs.
    #[must_use]
    pub fn of_pairs(counts: [u64; 5]) -> Option<MeanScore> {
        MeanScore::new(&counts, 2)
    }

    /// The mean score of all pairs of a meeting, from the point of view of one player; single games do not count.
    #[must_use]
    pub fn in_meeting(meeting: &Meeting, player: usize) -> Option<MeanScore> {
        let mut pairs = meeting.pentanomial();
        if player != meeting.a {
            pairs.reverse();
        }
        MeanScore::of_pairs(pairs)
    }

    /// `counts[k]` units of `games` games each scored `k` of the maximum points.
    fn new(counts: &[u64], games: u64) -> Option<MeanScore> {
        let (units, most) = (counts.iter().sum::<u64>(), (counts.len() - 1) as f64);
        let n = units as f64;
        let sum = |value: &dyn Fn(f64) -> f64| -> f64 {
            counts.iter().enumerate().map(|(k, &count)| count as f64 * value(k as f64 / most)).sum()
        };
        let value = sum(&|score| score) / n;
        // A single unit gives no estimate of the variance.
        let spread = sum(&|score| (score - value).powi(2)) * n / (n - 1.0).max(1.0);
        let error = Some((spread / n / n).sqrt()).filter(|&error| error > 0.0);
        let binomial = n * value * (1.0 - value);
        let design = (spread + BELIEF / games as f64) / (binomial + BELIEF);
        let effective = n / design;
        let alike = Some((value * (1.0 - value) / effective).sqrt()).filter(|&error| error > 0.0);
        let bound = || game_level_bound(value, [0.0, 1.0], units.saturating_mul(games));
        Some(MeanScore { value, error: error.or(alike).or_else(bound)?, effective })
    }

    /// Interval at `level`, inside `[0, 1]`.
    ///
    /// # Panics
    /// Never: a mean score is based on games.
    #[must_use]
    pub fn interval(&self, level: f64) -> Interval {
        let successes = (self.value * self.effective).min(self.effective);
        wilson(successes, self.effective, level).expect("there are games, and the score is a share")
    }

    /// The excess of this score over one of other games, with one standard error, never 0.
    #[must_use]
    pub fn less(&self, other: &MeanScore) -> (f64, f64) {
        (self.value - other.value, self.error.hypot(other.error))
    }

    /// Interval of that difference at `level`, inside `[-1, 1]`.
    #[must_use]
    pub fn interval_less(&self, other: &MeanScore, level: f64) -> Interval {
        Interval::of_difference([self, other].map(|score| (score.value, score.interval(level))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(score: Option<MeanScore>) -> [f64; 2] {
        let interval = score.expect("there are games").interval(0.95);
        [interval.low, interval.high].map(|end| (1e6 * end).round() / 1e6)
    }

    #[test]
    fn clean_sweeps_have_wilson_s_interval_of_so_many_games() {
        let wilson = |wins, n| wilson(wins, n, 0.95).map(|interval| (1e6 * interval.low).round() / 1e6);
        assert_eq!(Some(ends(MeanScore::of_games([0, 0, 20]))[0]), wilson(20.0, 20.0));
        assert_eq!(Some(ends(MeanScore::of_pairs([0, 0, 0, 0, 50]))[0]), wilson(100.0, 100.0));
        assert_eq!(ends(MeanScore::of_pairs([0, 0, 0, 0, 50]))[1], 1.0);
    }

    #[test]
    fn draws_and_pairs_narrow_it_and_pairs_that_go_together_widen_it() {
        let width = |counts: [u64; 5]| {
            let [low, high] = ends(MeanScore::of_pairs(counts));
            high - low
        };
        // All of the same mean, 1/2.
        let coins = width([25, 0, 50, 0, 25]);
        assert!(width([0, 25, 50, 25, 0]) < 0.6 * coins, "drawish");
        assert!(width([0, 0, 100, 0, 0]) < 0.2 * coins && width([0, 0, 100, 0, 0]) > 0.0, "openings decide all");
        assert!(width([50, 0, 0, 0, 50]) > 1.35 * coins, "both games of a pair end alike");
    }

    #[test]
    fn nothing_and_one_pair() {
        assert_eq!((MeanScore::of_games([0; 3]), MeanScore::of_pairs([0; 5])), (None, None));
        let one = MeanScore::of_pairs([0, 0, 1, 0, 0]).expect("one pair");
        assert!(one.value == 0.5 && one.error > 0.25 && ends(Some(one))[1] > 0.75, "{one:?}");
    }
}
