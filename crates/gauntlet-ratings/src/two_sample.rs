//! Comparison of two matches against the same opponent: a test for a change of the score, with noise in both matches.
//!
//! For a candidate against a baseline with only stored counts. If the baseline can play again, a head-to-head match
//! under a [`Sprt`](super::sprt::Sprt) decides with fewer games.
//!
//! Welch's test on the scores of the units (pairs of games, or games), each match enlarged by one total loss and one
//! total win, so that clean sweeps have an error too (the method of Agresti, Caffo, Am. Stat. 54 (2000), for
//! proportions).

use super::intervals::{Interval, t_cdf, t_quantile, two_sided};
use super::outcomes::moments;
use super::sprt::MatchCounts;

/// A change of the mean score per game, in `[-1, 1]`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScoreChange {
    /// Score now minus earlier score.
    pub score: f64,
    /// The same with the virtual units, on which the test rests.
    pub enlarged: f64,
    /// One standard error, of both matches together; never 0.
    pub error: f64,
    /// Welch's degrees of freedom.
    pub df: f64,
}

impl ScoreChange {
    /// p-value of "not worse than before": small when the score fell.
    #[must_use]
    pub fn p_worse(&self) -> f64 {
        t_cdf(self.df, self.enlarged / self.error)
    }

    /// p-value of "not better than before": small when the score rose.
    #[must_use]
    pub fn p_better(&self) -> f64 {
        t_cdf(self.df, -self.enlarged / self.error)
    }

    /// Interval of the change at `level`, inside `[-1, 1]`. It contains the observed change.
    #[must_use]
    pub fn interval(&self, level: f64) -> Interval {
        let half_width = self.error * t_quantile(self.df, two_sided(level));
        let Interval { low, high } = Interval::around(self.enlarged, half_width).within([-1.0, 1.0]);
        Interval { low: low.min(self.score), high: high.max(self.score) }
    }
}

/// The change from one match to another; `None` if either has no results.
#[must_use]
pub fn change(now: &MatchCounts, then: &MatchCounts) -> Option<ScoreChange> {
    let ([mean, variance, n], [mean_then, variance_then, n_then]) = (enlarged(now)?, enlarged(then)?);
    // Each enlargement moves a mean towards one half, by its share of virtual units.
    let observed = |mean: f64, n: f64| (mean * n - 1.0) / (n - 2.0);
    let (part, part_then) = (variance / n, variance_then / n_then);
    let df = (part + part_then).powi(2) / (part.powi(2) / (n - 1.0) + part_then.powi(2) / (n_then - 1.0));
    Some(ScoreChange {
        score: observed(mean, n) - observed(mean_then, n_then),
        enlarged: mean - mean_then,
        error: (part + part_then).sqrt(),
        df,
    })
}

/// Mean, variance (ddof 1) and number of the units, including the two virtual ones.
fn enlarged(results: &MatchCounts) -> Option<[f64; 3]> {
    let mut counts: Vec<f64> = match results {
        MatchCounts::Trinomial(counts) => counts.iter().map(|&count| count as f64).collect(),
        MatchCounts::Pentanomial(counts) => counts.iter().map(|&count| count as f64).collect(),
    };
    if counts.iter().all(|&count| count == 0.0) {
        return None;
    }
    let last = counts.len() - 1;
    counts[0] += 1.0;
    counts[last] += 1.0;
    let n: f64 = counts.iter().sum();
    let scores: Vec<f64> = (0..counts.len()).map(|i| i as f64 / last as f64).collect();
    let (mean, variance) = moments(&scores, &counts.iter().map(|count| count / n).collect::<Vec<_>>());
    Some([mean, variance * n / (n - 1.0), n])
}

#[cfg(test)]
mod tests {
    use super::*;
    use gauntlet_games::base::{Rng, Seed};
    use rand::RngExt as _;

    fn pairs(n: u64, p: f64, rng: &mut Rng) -> MatchCounts {
        let mut counts = [0; 5];
        for _ in 0..n {
            let points = (0..2).map(|_| 2 * usize::from(rng.random_bool(p))).sum::<usize>();
            counts[points] += 1;
        }
        MatchCounts::Pentanomial(counts)
    }

    #[test]
    fn nothing_and_sweeps() {
        assert_eq!(change(&MatchCounts::Trinomial([0; 3]), &MatchCounts::Trinomial([1, 0, 0])), None);
        let same = change(&MatchCounts::Pentanomial([0, 0, 0, 0, 50]), &MatchCounts::Pentanomial([0, 0, 0, 0, 50]));
        let same = same.expect("both were played");
        assert!(same.score == 0.0 && same.error > 0.0 && (same.p_worse() - 0.5).abs() < 1e-12);
    }

    #[test]
    fn the_change_is_that_of_the_scores() {
        // All pairs won, now 20 and before 400: the virtual units alone differ.
        let [few, many] = [20, 400].map(|won| MatchCounts::Pentanomial([0, 0, 0, 0, won]));
        let found = change(&few, &many).expect("both were played");
        assert!(found.score.abs() < 1e-12 && found.interval(0.95).contains(found.score), "{found:?}");
        let half = MatchCounts::Pentanomial([50, 0, 0, 0, 50]);
        let found = change(&MatchCounts::Pentanomial([0, 0, 0, 0, 5]), &half).expect("both were played");
        assert!((found.score - 0.5).abs() < 1e-12 && found.interval(0.95).contains(0.5), "{found:?}");
    }

    #[test]
    fn one_game_each_and_billions_have_proper_tests() {
        let (won, lost) = (MatchCounts::Trinomial([0, 0, 1]), MatchCounts::Trinomial([1, 0, 0]));
        let fell = change(&lost, &won).expect("both were played");
        assert!(fell.p_worse() > 0.1 && fell.p_better() < 1.0, "{fell:?}");
        assert_eq!(fell.interval(0.95).low, -1.0);
        let many = 4_000_000_000;
        let same = MatchCounts::Pentanomial([many, 0, 0, 0, many]);
        let found = change(&same, &same).expect("both were played");
        assert!(found.interval(0.95).contains(0.0) && found.interval(0.95).high < 1e-4 && found.p_worse() == 0.5);
    }

    #[test]
    fn a_collapse_is_seen_and_has_a_sign() {
        let fell = change(&MatchCounts::Trinomial([60, 0, 40]), &MatchCounts::Trinomial([30, 0, 70]))
            .expect("both were played");
        assert!(fell.p_worse() < 1e-4 && fell.p_better() > 0.999 && !fell.interval(0.95).contains(0.0));
    }

    #[test]
    fn false_alarms_are_as_rare_as_promised() {
        let mut rng = Seed::new(9).rng();
        for p in [0.5, 0.9] {
            let rounds = 2000;
            let alarms = (0..rounds).filter(|_| {
                let change = change(&pairs(60, p, &mut rng), &pairs(100, p, &mut rng)).expect("both were played");
                change.p_worse() < 0.05
            });
            // Three standard errors above 5 %.
            assert!(alarms.count() < 130, "{p}");
        }
    }
}
