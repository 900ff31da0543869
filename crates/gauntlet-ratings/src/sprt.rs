//! Sequential tests of a match: they stop as soon as the result is clear, with both error rates under control.
//!
//! The generalized sequential probability ratio test compares the best explanation of the results under H1 with the
//! best under H0, among all distributions of results with that strength. The unit is the pair of games (pentanomial),
//! or the single game (trinomial) if pairs are not known. H0 is accepted below `ln(beta / (1 - alpha))`, H1 above
//! `ln((1 - beta) / alpha)` (Wald). Repeating an ordinary test until its p-value is small does not control the error
//! rates.
//!
//! Sources: A. Wald, Ann. Math. Stat. 16 (1945); M. Van den Bergh, "A practical introduction to the GSPRT" and
//! "Normalized Elo" (cantate.be/Fishtest). [`stopped`](super::stopped) estimates the strength in a stopped match.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::compare::ELO_PER_LOGIT;
use super::intervals::Interval;
pub use super::match_counts::MatchCounts;
use super::outcomes::Sample;

/// The scale of the two hypotheses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EloScale {
    /// Ordinary Elo: an expected score.
    Logistic,
    /// Normalized Elo: the expected score in standard deviations of a single game, times `800 / ln 10`. A test needs
    /// the same number of games for every draw rate.
    #[default]
    Normalized,
}

/// A test of H0 "the difference is `elo0`" against H1 "it is `elo1`", `elo0 < elo1`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sprt {
    /// The scale of both hypotheses. Default: normalized.
    #[serde(default)]
    pub scale: EloScale,
    /// The difference in Elo if H0 holds.
    pub elo0: f64,
    /// The difference in Elo if H1 holds, above `elo0`.
    pub elo1: f64,
    /// Probability of accepting H1 when H0 holds, in `(0, 1/2)`. Default: 0.05.
    #[serde(default = "error_rate")]
    pub alpha: f64,
    /// Probability of accepting H0 when H1 holds, in `(0, 1/2)`. Default: 0.05.
    #[serde(default = "error_rate")]
    pub beta: f64,
}

fn error_rate() -> f64 {
    0.05
}

/// The current result of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TestDecision {
    /// The lower bound is reached.
    AcceptH0,
    /// The upper bound is reached.
    AcceptH1,
    /// More games are needed.
    Undecided,
}

impl Sprt {
    /// Checks the settings of the test.
    ///
    /// # Errors
    /// A sentence for the user.
    pub fn check(&self) -> Result<(), String> {
        let Sprt { elo0, elo1, alpha, beta, .. } = *self;
        if let Some(elo) = [elo0, elo1].iter().find(|elo| elo.abs() > LARGEST_ELO) {
            return Err(format!(
                "a difference of {elo} Elo is not supported: a sequential test takes -{LARGEST_ELO} to {LARGEST_ELO}"
            ));
        }
        if !(elo0.is_finite() && elo1.is_finite() && elo0 < elo1) {
            return Err(format!("a sequential test needs elo0 below elo1, not {elo0} and {elo1}"));
        }
        match [alpha, beta].iter().find(|&&rate| !(rate > 0.0 && rate < 0.5)) {
            Some(rate) => Err(format!("an error rate of {rate} is outside 0 to 0.5")),
            None => Ok(()),
        }
    }

    /// The log-likelihood ratios at which the test ends.
    #[must_use]
    pub fn bounds(&self) -> Interval {
        Interval { low: (self.beta / (1.0 - self.alpha)).ln(), high: ((1.0 - self.beta) / self.alpha).ln() }
    }

    /// The generalized log-likelihood ratio of H1 against H0; 0 without results.
    ///
    /// It falls when a win becomes a loss. For normalized Elo it may instead rise if the results lie far on one side
    /// of both hypotheses, as the scores then vary less; the test has ended before.
    #[must_use]
    pub fn llr(&self, results: &MatchCounts) -> f64 {
        let Some(sample) = Sample::new(results) else { return 0.0 };
        let [best0, best1] = [self.elo0, self.elo1].map(|elo| match self.scale {
            EloScale::Logistic => sample.likeliest_with_elo(elo),
            EloScale::Normalized => sample.likeliest_with_t(elo / NORMALIZED_ELO * sample.units_per_game_sd),
        });
        let terms = sample.shares.iter().zip(best0.iter().zip(&best1));
        sample.n * terms.map(|(share, (p0, p1))| share * (p1 / p0).ln()).sum::<f64>()
    }

    /// Whether the test has ended.
    #[must_use]
    pub fn decision(&self, results: &MatchCounts) -> TestDecision {
        let (llr, bounds) = (self.llr(results), self.bounds());
        match llr {
            _ if llr <= bounds.low => TestDecision::AcceptH0,
            _ if llr >= bounds.high => TestDecision::AcceptH1,
            _ => TestDecision::Undecided,
        }
    }
}

/// The largest difference of a hypothesis, in Elo of either scale. It is a score of `1 - 1e-25`, or one 29 standard
/// deviations of a game above one half, which requires outcomes as rare as one in 3,000. Every difference has
/// distributions of outcomes, but the rarest of these have probabilities below floating-point precision.
pub const LARGEST_ELO: f64 = 10_000.0;

/// Elo per standard deviation of a game: `800 / ln 10`.
pub(super) const NORMALIZED_ELO: f64 = 2.0 * ELO_PER_LOGIT;

#[cfg(test)]
mod tests {
    use super::*;
    use gauntlet_games::base::Seed;
    use rand::RngExt as _;

    fn test(scale: EloScale) -> Sprt {
        Sprt { scale, elo0: 0.0, elo1: 5.0, alpha: 0.05, beta: 0.05 }
    }

    #[test]
    fn bounds_are_walds() {
        let bounds = Sprt { alpha: 0.01, beta: 0.1, ..test(EloScale::Logistic) }.bounds();
        assert!((bounds.low - (0.1_f64 / 0.99).ln()).abs() < 1e-15 && (bounds.high - 90.0_f64.ln()).abs() < 1e-15);
    }

    #[test]
    fn hypotheses_out_of_reach_are_refused() {
        let of = |elo0, elo1| Sprt { elo0, elo1, ..test(EloScale::Normalized) }.check();
        assert_eq!([of(-LARGEST_ELO, LARGEST_ELO), of(0.0, 300.0)], [Ok(()), Ok(())]);
        for (elo0, elo1) in [(0.0, 10_001.0), (-1e300, 0.0), (f64::NEG_INFINITY, 0.0)] {
            assert!(of(elo0, elo1).is_err_and(|message| message.contains("-10000 to 10000")), "{elo0} {elo1}");
        }
        for (elo0, elo1) in [(5.0, 5.0), (5.0, 0.0), (f64::NAN, 0.0)] {
            assert!(of(elo0, elo1).is_err_and(|message| message.contains("elo0 below elo1")), "{elo0} {elo1}");
        }
    }

    #[test]
    fn nothing_played_nothing_decided() {
        for scale in [EloScale::Logistic, EloScale::Normalized] {
            assert_eq!(test(scale).llr(&MatchCounts::Pentanomial([0; 5])), 0.0);
            assert_eq!(test(scale).decision(&MatchCounts::Trinomial([0; 3])), TestDecision::Undecided);
            assert!(test(scale).llr(&MatchCounts::Trinomial([0, 1, 0])).is_finite());
        }
    }

    #[test]
    fn one_sided_results_decide() {
        for scale in [EloScale::Logistic, EloScale::Normalized] {
            assert_eq!(test(scale).decision(&MatchCounts::Pentanomial([0, 0, 0, 0, 2000])), TestDecision::AcceptH1);
            assert_eq!(test(scale).decision(&MatchCounts::Pentanomial([2000, 0, 0, 0, 0])), TestDecision::AcceptH0);
        }
    }

    #[test]
    fn swapping_sides_swaps_the_answer() {
        let one = test(EloScale::Normalized).llr(&MatchCounts::Pentanomial([10, 20, 70, 30, 5]));
        let swapped = Sprt { elo0: -5.0, elo1: 0.0, ..test(EloScale::Normalized) };
        assert!((one + swapped.llr(&MatchCounts::Pentanomial([5, 30, 70, 20, 10]))).abs() < 1e-9);
    }

    #[test]
    fn error_rates_keep_their_promise() {
        let sprt = Sprt { scale: EloScale::Normalized, elo0: -100.0, elo1: 0.0, alpha: 0.05, beta: 0.05 };
        let rounds = 1000;
        let failed = (0..rounds).filter(|&round| {
            let mut rng = Seed::new(3).child("match", round).rng();
            let mut counts = [0; 5];
            loop {
                let games = [rng.random_bool(0.5), rng.random_bool(0.5)];
                counts[2 * games.iter().filter(|won| **won).count()] += 1;
                match sprt.decision(&MatchCounts::Pentanomial(counts)) {
                    TestDecision::AcceptH0 => return true,
                    TestDecision::AcceptH1 => return false,
                    TestDecision::Undecided => (),
                }
            }
        });
        // Three standard errors above 5 %.
        assert!(failed.count() < 71);
    }
}
