//! Sequential tests of matches: a match ends as soon as its games have decided the test.
//!
//! The test takes the pairs of games one after another, in the order of their numbers. Pairs are played in blocks;
//! those after the deciding one are dropped, so that no result depends on the size of a block.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use gauntlet_games::base::{Outcome, Side};
use gauntlet_ratings::sprt::{MatchCounts, Sprt, TestDecision};
use gauntlet_ratings::stopped::stopped;

/// Pairs played between two checks of the test.
pub(super) const BLOCK: usize = 16;

/// Coverage of the interval of the difference.
const LEVEL: f64 = 0.95;

/// The pairs of a match so far, and its test.
pub(super) struct SequentialMatch {
    test: Sprt,
    /// Pairs by the points of the first player: 0, 1/2, 1, 3/2, 2.
    counts: [u64; 5],
}

impl SequentialMatch {
    pub(super) fn new(test: Sprt) -> SequentialMatch {
        SequentialMatch { test, counts: [0; 5] }
    }

    /// Counts a pair; returns whether it decides the test.
    pub(super) fn ends_with(&mut self, [one, two]: [Outcome; 2]) -> bool {
        self.counts[(one.score(Side::First) + two.score(Side::Second) + 2.0) as usize] += 1;
        self.decision() != TestDecision::Undecided
    }

    fn decision(&self) -> TestDecision {
        self.test.decision(&self.results())
    }

    fn results(&self) -> MatchCounts {
        MatchCounts::Pentanomial(self.counts)
    }
}

/// The result of the test of a match.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SequentialResult {
    /// The test.
    pub test: Sprt,
    /// The accepted hypothesis, if the games decided.
    pub decision: TestDecision,
    /// The log-likelihood ratio of H1 against H0 at the end.
    pub llr: f64,
    /// The log-likelihood ratios at which H0 and H1 are accepted.
    pub bounds: [f64; 2],
    /// The median-unbiased difference, in logistic Elo.
    pub elo: f64,
    /// Its 95 % interval.
    pub interval: [f64; 2],
}

impl SequentialResult {
    /// The result for these pairs.
    pub(super) fn new(test: Sprt, pairs: impl Iterator<Item = [Outcome; 2]>) -> Option<SequentialResult> {
        let mut played = SequentialMatch::new(test);
        for pair in pairs {
            played.ends_with(pair);
        }
        let (bounds, found) = (test.bounds(), stopped(&test, &played.results(), LEVEL)?);
        Some(SequentialResult {
            test,
            decision: played.decision(),
            llr: test.llr(&played.results()),
            bounds: [bounds.low, bounds.high],
            elo: found.elo,
            interval: [found.interval.low, found.interval.high],
        })
    }
}
