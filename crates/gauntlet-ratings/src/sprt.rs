//! Sequential tests of a match: stop as soon as the games have decided, with both error rates under control.
//!
//! The generalized sequential probability ratio test compares the best explanation of the results under H1 with the
//! best under H0, among all distributions of results with that strength. The unit is the pair of games (pentanomial);
//! single games (trinomial) where pairs are not known. H0 is accepted below `ln(beta / (1 - alpha))`, H1 above
//! `ln((1 - beta) / alpha)` (Wald). Looking at ordinary p-values until one is small is no such test.
//!
//! Sources: A. Wald, Ann. Math. Stat. 16 (1945); M. Van den Bergh, "A practical introduction to the GSPRT" and
//! "Normalized Elo" (cantate.be/Fishtest). What strength a stopped match shows is a question for
//! [`stopped`](super::stopped).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::compare::{ELO_PER_LOGIT, expected_score};
use super::intervals::Interval;

/// Results of a match, from the worst to the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchCounts {
    /// Single games: losses, draws, wins.
    Trinomial([u64; 3]),
    /// Pairs of games by points: 0, 1/2, 1, 3/2, 2.
    Pentanomial([u64; 5]),
}

/// What Elo the two hypotheses are stated in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EloScale {
    /// Ordinary Elo: an expected score.
    Logistic,
    /// Normalized Elo: the expected score in standard deviations of a single game, times `800 / ln 10`. A test needs
    /// the same number of games whatever the draw rate.
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

/// What a test says so far.
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
    /// Whether the test can be made.
    ///
    /// # Errors
    /// A sentence for people.
    pub fn check(&self) -> Result<(), String> {
        let Sprt { elo0, elo1, alpha, beta, .. } = *self;
        if !(elo0.is_finite() && elo1.is_finite() && elo0 < elo1) {
            return Err(format!("a sequential test needs elo0 below elo1, and they are {elo0} and {elo1}"));
        }
        match [alpha, beta].iter().find(|&&rate| !(rate > 0.0 && rate < 0.5)) {
            Some(rate) => Err(format!("an error rate of {rate} is outside of 0 to 0.5")),
            None => Ok(()),
        }
    }

    /// The log-likelihood ratios at which the test ends.
    #[must_use]
    pub fn bounds(&self) -> Interval {
        Interval { low: (self.beta / (1.0 - self.alpha)).ln(), high: ((1.0 - self.beta) / self.alpha).ln() }
    }

    /// The generalized log-likelihood ratio of H1 against H0; 0 without results.
    #[must_use]
    pub fn llr(&self, results: &MatchCounts) -> f64 {
        let Some(sample) = Sample::new(results) else { return 0.0 };
        let [best0, best1] = [self.elo0, self.elo1].map(|elo| match self.scale {
            EloScale::Logistic => sample.likeliest_with_mean(expected_score(elo)),
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

/// Elo per standard deviation of a game: `800 / ln 10`.
const NORMALIZED_ELO: f64 = 2.0 * ELO_PER_LOGIT;

/// The observed distribution of scores.
pub(super) struct Sample {
    /// Number of units.
    pub(super) n: f64,
    /// Score of every outcome, in `[0, 1]`.
    pub(super) scores: Vec<f64>,
    /// Share of every outcome.
    pub(super) shares: Vec<f64>,
    /// Standard deviations of a unit's score in one of a game's: 1 for games, the root of 2 for pairs.
    pub(super) units_per_game_sd: f64,
}

impl Sample {
    /// With a trace of every outcome, so that none is impossible. `None` without results.
    pub(super) fn new(results: &MatchCounts) -> Option<Sample> {
        let (counts, units_per_game_sd) = match results {
            MatchCounts::Trinomial(counts) => (&counts[..], 1.0),
            MatchCounts::Pentanomial(counts) => (&counts[..], std::f64::consts::SQRT_2),
        };
        if counts.iter().all(|&count| count == 0) {
            return None;
        }
        let counts: Vec<f64> = counts.iter().map(|&count| if count == 0 { TRACE } else { count as f64 }).collect();
        let n: f64 = counts.iter().sum();
        let scores = (0..counts.len()).map(|i| i as f64 / (counts.len() - 1) as f64).collect();
        Some(Sample { n, scores, shares: counts.iter().map(|count| count / n).collect(), units_per_game_sd })
    }

    /// The likeliest distribution with this mean score.
    fn likeliest_with_mean(&self, mean: f64) -> Vec<f64> {
        tilted(&self.shares, &self.scores.iter().map(|score| score - mean).collect::<Vec<_>>())
    }

    /// The likeliest distribution whose mean lies `t` of its own standard deviations above one half.
    fn likeliest_with_t(&self, t: f64) -> Vec<f64> {
        let mut best = vec![1.0 / self.shares.len() as f64; self.shares.len()];
        for _ in 0..MAX_ROUNDS {
            let (mean, variance) = moments(&self.scores, &best);
            let sd = variance.sqrt();
            let bent = |score: &f64| score - 0.5 - t * sd * (1.0 + ((mean - score) / sd).powi(2)) / 2.0;
            let next = tilted(&self.shares, &self.scores.iter().map(bent).collect::<Vec<_>>());
            let change = best.iter().zip(&next).map(|(old, new)| (old - new).abs()).fold(0.0, f64::max);
            best = next;
            if change < 1e-13 {
                break;
            }
        }
        best
    }
}

/// What a count of zero is replaced by, as fishtest and fastchess do.
const TRACE: f64 = 1e-3;
const MAX_ROUNDS: usize = 50;

/// Mean and variance of a discrete distribution.
pub(super) fn moments(scores: &[f64], shares: &[f64]) -> (f64, f64) {
    let mean: f64 = scores.iter().zip(shares).map(|(score, share)| score * share).sum();
    (mean, scores.iter().zip(shares).map(|(score, share)| share * (score - mean).powi(2)).sum())
}

/// The likeliest distribution under which `values` average to zero: `share / (1 + x value)` for the right `x`.
fn tilted(shares: &[f64], values: &[f64]) -> Vec<f64> {
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
