//! The tests of a regression suite, derived from its promised error rates.
//!
//! With K matches each has `alpha / K` for a false alarm and `beta / K` for a missed drop, so that both promises hold
//! for the suite run as a whole (Bonferroni). A match is red only if fresh seeds confirm it; each of the two
//! stages may therefore miss with `beta / 2K`, half of it by the test's own error and half by reaching the cap.
//!
//! The log-likelihood ratio of a test whose hypotheses lie `d` standard deviations of a pair apart is, near H0,
//! Brownian motion with drift `-d^2 / 2` and variance `d^2` a pair (D. Siegmund, Sequential Analysis, 1985). A path
//! that has not ended by pair `n` lies above the lower bound `-L` there, with probability at most
//! `1 - Phi((n d^2 / 2 - L) / (d sqrt(n)))`; near H1 the same holds for the upper bound. The farther bound determines
//! the cap, so that under each hypothesis the test reaches it with probability `beta / 4K` at most.
//!
//! Consequences for a suite run without any change: a match looks weaker at first with probability `alpha / K` at most,
//! and is red only if it looks weaker again in fresh games. Fresh games that accept "no drop" make it a pass. A match
//! therefore stays open with probability `beta / 4K` at most, except for the product of two small numbers, and the
//! whole suite run passes in all but about `beta / 4` of the cases (`tests/gate.rs` simulates it).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::pairs::Pairs;
use gauntlet_ratings::compare::ELO_PER_LOGIT;
use gauntlet_ratings::intervals::normal_quantile;
use gauntlet_ratings::sprt::{EloScale, LARGEST_ELO, Sprt};

/// The promised error rates of a suite.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Promise {
    /// The drop that the suite must detect, in normalized Elo (one standard deviation of a game's score is 347).
    pub delta: f64,
    /// Probability that a suite run without any change turns red, over all matches, in `(0, 1/2)`.
    pub alpha: f64,
    /// Maximum probability that a drop of `delta` in a match is missed, in `(0, 1/2)`.
    pub beta: f64,
    /// Maximum number of pairs of a match, and once more to confirm a red; by default as many as the promise needs.
    pub pairs: Option<u64>,
}

/// The tests of every match of a suite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Design {
    /// H0: weaker by `delta`; H1: as strong as the baseline.
    pub regression: Sprt,
    /// H0: as strong as the baseline; H1: stronger by `delta`.
    pub gain: Sprt,
    /// Maximum number of pairs in a stage of a match.
    pub cap: u64,
    /// Probability of a false alarm in one match.
    pub alarm: f64,
    /// Probability of a miss in one stage of one match.
    pub miss: f64,
    delta: f64,
}

/// Errors of a promise.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum DesignError {
    /// `delta` is out of range.
    #[error("delta {0} is outside 1 to {LARGEST_DELTA} normalized Elo")]
    Delta(f64),
    /// An error rate is out of range.
    #[error("{name} {rate} is outside 0.000001 to 0.5")]
    Rate {
        /// `alpha` or `beta`.
        name: &'static str,
        /// The given value.
        rate: f64,
    },
    /// Too few pairs are allowed.
    #[error("{given} pairs are too few to find a drop of {delta} normalized Elo as promised: {needed} are needed")]
    Cap {
        /// The pairs that are allowed.
        given: u64,
        /// The pairs that are needed.
        needed: u64,
        /// The drop.
        delta: f64,
    },
}

/// The largest drop, in normalized Elo: a score of 3 % where it was 50 %.
const LARGEST_DELTA: f64 = 1000.0;
const _: () = assert!(LARGEST_DELTA <= LARGEST_ELO, "the tests of a suite are tests that can be made");
/// Larger drops take as many pairs as this one. For fewer pairs, Brownian motion and the normal approximation promise
/// too much: a test of 1000 would stay open in every match of the three pairs that they require.
const FEWEST_PAIRS_AT: f64 = 150.0;
/// The baseline has this many times the pairs that a comparison of two exact halves would need.
const BASELINE_SHARE: f64 = 4.0;
/// Factor on the pairs of the normal approximation, for t instead of normal quantiles and a varying spread.
const MARGIN: f64 = 1.1;

impl Promise {
    /// The tests of a suite with this number of matches.
    ///
    /// # Errors
    /// If a number is out of range, or fewer pairs are allowed than the promise needs.
    pub fn design(&self, matches: usize) -> Result<Design, DesignError> {
        let Promise { delta, alpha, beta, pairs } = *self;
        if !(1.0..=LARGEST_DELTA).contains(&delta) {
            return Err(DesignError::Delta(delta));
        }
        let rates = [("alpha", alpha), ("beta", beta)];
        if let Some((name, rate)) = rates.into_iter().find(|(_, rate)| !(*rate >= 1e-6 && *rate < 0.5)) {
            return Err(DesignError::Rate { name, rate });
        }
        let share = matches.max(1) as f64;
        let (alarm, miss) = (alpha / share, beta / (2.0 * share));
        let test = |elo0, elo1, alpha, beta| Sprt { scale: EloScale::Normalized, elo0, elo1, alpha, beta };
        let regression = test(-delta, 0.0, 0.5 * miss, alarm);
        let gain = test(0.0, delta, alarm, 2.0 * miss);
        let mut design = Design { regression, gain, cap: 0, alarm, miss, delta };
        let needed = design.needed();
        design.cap = pairs.unwrap_or(needed);
        match design.cap < needed {
            true => Err(DesignError::Cap { given: design.cap, needed, delta }),
            false => Ok(design),
        }
    }
}

impl Design {
    /// The drop in standard deviations of a pair's score.
    fn distance(&self) -> f64 {
        std::f64::consts::SQRT_2 * self.delta / (2.0 * ELO_PER_LOGIT)
    }

    /// Pairs after which the test has ended under either hypothesis, except for half of a stage's share of misses.
    fn needed(&self) -> u64 {
        let z = normal_quantile(1.0 - 0.5 * self.miss);
        let bounds = self.regression.bounds();
        let depth = bounds.high.max(-bounds.low);
        ((z + (z * z + 2.0 * depth).sqrt()) / self.planned()).powi(2).ceil() as u64
    }

    /// The drop on which the number of pairs is based, in standard deviations of a pair's score.
    fn planned(&self) -> f64 {
        self.distance() * f64::min(1.0, FEWEST_PAIRS_AT / self.delta)
    }

    /// The drop as a score per game, for a pair's score with this standard deviation.
    #[must_use]
    pub fn drop(&self, sd: f64) -> f64 {
        self.distance() * sd
    }

    /// Pairs that would decide against a noiseless baseline.
    fn exact_pairs(&self) -> f64 {
        let z = normal_quantile(1.0 - self.alarm) + normal_quantile(1.0 - self.miss);
        MARGIN * (z / self.planned()).powi(2)
    }

    /// Number of pairs of a baseline measurement.
    #[must_use]
    pub fn baseline_pairs(&self) -> u64 {
        (BASELINE_SHARE * self.exact_pairs()).ceil() as u64
    }

    /// Number of pairs to compare with a baseline of these counts; `None` if no number within the cap suffices.
    #[must_use]
    pub fn comparison_pairs(&self, then: &Pairs) -> Option<u64> {
        let left = 1.0 / self.exact_pairs() - 1.0 / then.total().max(1) as f64;
        let pairs = (1.0 / left).ceil();
        (left > 0.0 && pairs <= self.cap as f64).then_some(pairs as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROMISE: Promise = Promise { delta: 50.0, alpha: 0.05, beta: 0.05, pairs: None };

    #[test]
    fn every_match_gets_its_share() {
        let design = PROMISE.design(5).expect("the numbers are fine");
        assert!((design.regression.beta - 0.01).abs() < 1e-15, "false alarms");
        assert!((design.regression.alpha - 0.0025).abs() < 1e-15, "misses of one stage, without the cap's");
        assert_eq!((design.regression.elo0, design.regression.elo1), (-50.0, 0.0));
        assert!(PROMISE.design(50).expect("fine").cap > design.cap);
    }

    #[test]
    fn too_few_pairs_are_refused_and_more_are_welcome() {
        let needed = PROMISE.design(3).expect("fine").cap;
        let with = |pairs| Promise { pairs: Some(pairs), ..PROMISE }.design(3);
        assert_eq!(with(needed + 7).expect("more is fine").cap, needed + 7);
        let error = with(needed - 1).expect_err("too few");
        assert!(error.to_string().contains(&format!("{needed} are needed")), "{error}");
    }

    #[test]
    fn numbers_out_of_range_are_named() {
        for (promise, word) in [
            (Promise { delta: 0.0, ..PROMISE }, "delta"),
            (Promise { alpha: f64::NAN, ..PROMISE }, "alpha"),
            (Promise { beta: 0.5, ..PROMISE }, "beta"),
        ] {
            assert!(promise.design(1).expect_err("out of range").to_string().starts_with(word));
        }
    }

    #[test]
    fn large_drops_take_no_fewer_pairs_than_the_approximation_needs() {
        let cap = |delta| Promise { delta, ..PROMISE }.design(2).expect("fine").cap;
        assert!(cap(100.0) > cap(150.0) && [200.0, 250.0, 1000.0].iter().all(|&delta| cap(delta) == cap(150.0)));
    }

    #[test]
    fn a_small_baseline_cannot_be_compared_with() {
        let design = PROMISE.design(4).expect("fine");
        let of = |pairs: u64| design.comparison_pairs(&Pairs([pairs / 2, 0, 0, 0, pairs - pairs / 2]));
        let pairs = of(design.baseline_pairs()).expect("this is what baselines are measured with");
        assert!(pairs < design.baseline_pairs() && pairs <= design.cap, "{pairs} {}", design.cap);
        assert_eq!((of(0), of(100)), (None, None));
    }
}
