//! The decision of one match: at most two stages, in fixed batches of pairs.
//!
//! The first stage finds suspected regressions, the second one tests them with fresh games. A match that looked weaker
//! at first is red if it looks weaker again, passes if the fresh games accept "no drop", and stays open if they do not
//! decide. The second stage is independent of the chance that raised the suspicion. Its estimate is therefore unbiased
//! by it.
//!
//! The caller gets the next games from [`Trial::order`] and passes the counts to [`Trial::take`]. A test uses whole
//! batches only, with fixed boundaries, so that no verdict depends on how the games were spread over cores.

use super::design::Design;
use super::pairs::Pairs;
use super::suite_run::{ChangeEstimate, Round};
use super::test_stage::{Finding, StageRule, TestStage};
use super::verdict::Verdict;
use gauntlet_ratings::compare::expected_score;
use gauntlet_ratings::stopped::stopped;
use gauntlet_ratings::two_sample;

/// Pairs in a batch: half of the games that a core plays simultaneously.
const BATCH: u64 = 28;

/// Level of the intervals of estimates.
const LEVEL: f64 = 0.95;

/// Pairs to play next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Order {
    /// 0 for the first stage, 1 for the confirmation of a red. Each has its own seeds.
    pub stage: u64,
    /// Index of the batch within its stage.
    pub batch: u64,
    /// Number of pairs.
    pub pairs: u64,
}

/// A match under decision.
#[derive(Debug, Clone)]
pub struct Trial<'a> {
    design: &'a Design,
    rule: StageRule,
    stages: Vec<TestStage>,
    batches: u64,
}

impl<'a> Trial<'a> {
    /// A match of the candidate against the baseline itself, or against the baseline's results in the same games.
    #[must_use]
    pub fn sequential(design: &'a Design) -> Trial<'a> {
        Trial { design, rule: StageRule::Sequential, stages: vec![TestStage::new()], batches: 0 }
    }

    /// A match of the candidate against an opponent that the baseline has met, with these counts. `None` if these
    /// are too few to keep the promise.
    #[must_use]
    pub fn counts(design: &'a Design, then: Pairs) -> Option<Trial<'a>> {
        let pairs = design.comparison_pairs(&then)?;
        Some(Trial { design, rule: StageRule::Counts { then, pairs }, stages: vec![TestStage::new()], batches: 0 })
    }

    /// The pairs to play next; `None` if the match is decided.
    #[must_use]
    pub fn order(&self) -> Option<Order> {
        if self.verdict().is_some() {
            return None;
        }
        let pairs = self.last().left(&self.rule, self.design).min(BATCH);
        Some(Order { stage: self.stages.len() as u64 - 1, batch: self.batches, pairs })
    }

    /// Adds the counts of the ordered pairs.
    pub fn take(&mut self, batch: Pairs) {
        let last = self.stages.last_mut().expect("there is always a stage");
        last.take(batch, &self.rule, self.design);
        self.batches += 1;
        if self.stages.len() == 1 && self.finding(0) == Some(Finding::Red) {
            self.stages.push(TestStage::new());
            self.batches = 0;
        }
    }

    /// The verdict, if the match is decided.
    #[must_use]
    pub fn verdict(&self) -> Option<Verdict> {
        match (self.finding(0)?, self.stages.len()) {
            (Finding::Level, _) => Some(Verdict::Passed),
            (Finding::Better, _) => Some(Verdict::Improved),
            (Finding::Open, _) | (Finding::Red, 0 | 1) => Some(Verdict::Inconclusive),
            (Finding::Red, _) => Some(match self.finding(1)? {
                Finding::Red => Verdict::Regressed,
                // A drop of delta passes here with the probability that the design allows for a miss.
                Finding::Level | Finding::Better => Verdict::Passed,
                Finding::Open => Verdict::Inconclusive,
            }),
        }
    }

    /// The reason for the verdict, in a sentence.
    #[must_use]
    pub fn reason(&self) -> &'static str {
        match (self.finding(0), self.stages.get(1).and_then(|_| self.finding(1))) {
            (Some(Finding::Red), Some(Finding::Red)) => "weaker than the baseline, and again with fresh seeds",
            (Some(Finding::Red), Some(Finding::Open)) => "weaker at first, which fresh seeds left open",
            (Some(Finding::Red), Some(_)) => "no regression: weaker at first, but not with fresh seeds",
            (Some(Finding::Red), None) => "weaker at first, not yet confirmed",
            (Some(Finding::Level), _) => "no regression",
            (Some(Finding::Better), _) => "stronger than the baseline",
            (Some(Finding::Open), _) => "the pairs that are allowed have not decided",
            (None, _) => "not yet decided",
        }
    }

    /// The numbers of every stage.
    #[must_use]
    pub fn rounds(&self) -> Vec<Round> {
        self.stages.iter().map(|stage| self.round(stage)).collect()
    }

    fn round(&self, stage: &TestStage) -> Round {
        let (results, regression) = (stage.pairs.results(), &self.design.regression);
        let decided = stage.decided.unwrap_or(stage.pairs);
        let (llr, p_worse, estimate) = match self.rule {
            StageRule::Sequential => {
                let found = stopped(regression, &decided.results(), LEVEL);
                let change = |elo: f64| expected_score(elo) - 0.5;
                let estimate = found.map(|found| ChangeEstimate {
                    change: change(found.elo),
                    low: change(found.interval.low),
                    high: change(found.interval.high),
                });
                (Some(regression.llr(&decided.results())), None, estimate)
            }
            StageRule::Counts { then, .. } => {
                let change = two_sample::change(&results, &then.results());
                let estimate = change.map(|change| {
                    let interval = change.interval(LEVEL);
                    ChangeEstimate { change: change.score, low: interval.low, high: interval.high }
                });
                (None, change.map(|change| change.p_worse()), estimate)
            }
        };
        Round { pairs: stage.pairs, score: stage.pairs.score(), llr, p_worse, estimate }
    }

    fn last(&self) -> &TestStage {
        self.stages.last().expect("there is always a stage")
    }

    fn finding(&self, stage: usize) -> Option<Finding> {
        self.stages[stage].finding(&self.rule, self.design, stage == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::design::Promise;
    use super::*;

    fn design() -> Design {
        Promise { delta: 100.0, alpha: 0.05, beta: 0.05, pairs: None }.design(2).expect("fine")
    }

    /// Plays with these shares of points in the first and in the second stage.
    fn play(trial: &mut Trial<'_>, shares: [[u64; 5]; 2]) -> Verdict {
        while let Some(order) = trial.order() {
            let share = shares[order.stage as usize];
            let points: Vec<usize> =
                (0..5).flat_map(|points| std::iter::repeat_n(points, share[points] as usize)).collect();
            // Steps of 37 mix the outcomes evenly.
            let at = |pair: u64| ((28 * order.batch + pair) * 37) as usize % points.len();
            trial.take((0..order.pairs).map(|pair| points[at(pair)]).collect());
        }
        trial.verdict().expect("nothing is left to be played")
    }

    const EVEN: [u64; 5] = [7, 0, 14, 0, 7];
    const WORSE: [u64; 5] = [14, 0, 14, 0, 0];
    /// A drop of half of delta, for which the log-likelihood ratio does not decide.
    const HALF: [u64; 5] = [25, 0, 40, 0, 15];

    #[test]
    fn a_red_must_be_confirmed_and_is_a_pass_when_fresh_games_accept_no_drop() {
        let design = design();
        for (second, verdict) in [(WORSE, Verdict::Regressed), (EVEN, Verdict::Passed)] {
            let mut trial = Trial::sequential(&design);
            assert_eq!(play(&mut trial, [WORSE, second]), verdict);
            assert_eq!(trial.rounds().len(), 2);
            let then = Pairs([200, 0, 400, 0, 200]);
            assert_eq!(play(&mut Trial::counts(&design, then).expect("enough"), [WORSE, second]), verdict);
        }
        let mut trial = Trial::sequential(&design);
        assert_eq!(play(&mut trial, [WORSE, HALF]), Verdict::Inconclusive);
        assert_eq!(trial.reason(), "weaker at first, which fresh seeds left open");
        let mut trial = Trial::sequential(&design);
        assert_eq!(play(&mut trial, [EVEN, WORSE]), Verdict::Passed);
        assert_eq!((trial.rounds().len(), trial.reason()), (1, "no regression"));
    }

    #[test]
    fn orders_never_exceed_the_cap() {
        let design = design();
        let mut trial = Trial::sequential(&design);
        assert_eq!(play(&mut trial, [HALF, HALF]), Verdict::Inconclusive);
        assert!(trial.rounds().iter().all(|round| round.pairs.total() <= design.cap));
    }

    #[test]
    fn too_small_a_baseline_starts_no_trial() {
        assert!(Trial::counts(&design(), Pairs([3, 0, 3, 0, 3])).is_none());
    }

    #[test]
    fn estimates_have_the_sign_of_the_change() {
        let design = design();
        let mut trial = Trial::sequential(&design);
        play(&mut trial, [WORSE, WORSE]);
        let estimate = trial.rounds()[0].estimate.expect("pairs were played");
        assert!(estimate.low <= estimate.change && estimate.change < 0.0 && estimate.high < 0.0, "{estimate:?}");
    }
}
