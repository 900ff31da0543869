//! One stage of a match: the first test, or the second one that confirms a red.

use super::design::Design;
use super::pairs::Pairs;
use gauntlet_ratings::intervals::t_cdf;
use gauntlet_ratings::sprt::TestDecision;
use gauntlet_ratings::two_sample;

/// The result of a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finding {
    /// Weaker.
    Red,
    /// Not weaker.
    Level,
    /// Stronger.
    Better,
    /// The allowed pairs did not decide.
    Open,
}

/// The decision rule of a stage.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum StageRule {
    /// Sequentially. The counts are those of the candidate against the baseline.
    Sequential,
    /// After a fixed number of pairs, against older counts. Both are counts against the same opponent.
    Counts {
        /// The baseline's counts.
        then: Pairs,
        /// Number of pairs to play.
        pairs: u64,
    },
}

/// A stage under way.
#[derive(Debug, Clone, Copy)]
pub(super) struct TestStage {
    pub pairs: Pairs,
    /// The counts at which the test for a regression ended.
    pub decided: Option<Pairs>,
    regression: TestDecision,
    gain: TestDecision,
}

impl TestStage {
    pub fn new() -> TestStage {
        let undecided = TestDecision::Undecided;
        TestStage { pairs: Pairs::default(), decided: None, regression: undecided, gain: undecided }
    }

    /// Number of pairs still allowed.
    pub fn left(&self, rule: &StageRule, design: &Design) -> u64 {
        let allowed = match rule {
            StageRule::Sequential => design.cap,
            StageRule::Counts { pairs, .. } => *pairs,
        };
        allowed.saturating_sub(self.pairs.total())
    }

    /// Adds the counts of a batch. A test that has ended stays ended.
    pub fn take(&mut self, batch: Pairs, rule: &StageRule, design: &Design) {
        self.pairs = self.pairs.with(batch);
        if *rule != StageRule::Sequential {
            return;
        }
        let results = self.pairs.results();
        if self.regression == TestDecision::Undecided {
            self.regression = design.regression.decision(&results);
            self.decided = (self.regression != TestDecision::Undecided).then_some(self.pairs);
        }
        if self.gain == TestDecision::Undecided {
            self.gain = design.gain.decision(&results);
        }
    }

    /// The result of the stage, once it is over. Without `gains`, a sequential test does not wait for a decision on
    /// `Better`.
    pub fn finding(&self, rule: &StageRule, design: &Design, gains: bool) -> Option<Finding> {
        let over = self.left(rule, design) == 0;
        match rule {
            StageRule::Counts { then, .. } => over.then(|| compare(&self.pairs, then, design)),
            StageRule::Sequential => match (self.regression, self.gain) {
                (TestDecision::AcceptH0, _) => Some(Finding::Red),
                (TestDecision::AcceptH1, TestDecision::AcceptH1) => Some(Finding::Better),
                (TestDecision::AcceptH1, gain) => {
                    (over || !gains || gain == TestDecision::AcceptH0).then_some(Finding::Level)
                }
                (TestDecision::Undecided, _) => over.then_some(Finding::Open),
            },
        }
    }
}

/// A two-sample test in both directions, and one against the drop to detect.
fn compare(now: &Pairs, then: &Pairs, design: &Design) -> Finding {
    let Some(change) = two_sample::change(&now.results(), &then.results()) else { return Finding::Open };
    let p_drop = t_cdf(change.df, -(change.enlarged + design.drop(then.sd())) / change.error);
    match () {
        () if change.p_worse() <= design.alarm => Finding::Red,
        () if change.p_better() <= design.alarm => Finding::Better,
        () if p_drop <= design.miss => Finding::Level,
        () => Finding::Open,
    }
}

#[cfg(test)]
mod tests {
    use super::super::design::Promise;
    use super::*;

    fn design() -> Design {
        design_of(100.0)
    }

    fn design_of(delta: f64) -> Design {
        Promise { delta, alpha: 0.05, beta: 0.05, pairs: None }.design(2).expect("fine")
    }

    fn fed(batch: Pairs, gains: bool) -> (TestStage, Finding) {
        fed_to(&design(), batch, gains)
    }

    fn fed_to(design: &Design, batch: Pairs, gains: bool) -> (TestStage, Finding) {
        let mut stage = TestStage::new();
        loop {
            stage.take(batch, &StageRule::Sequential, design);
            if let Some(finding) = stage.finding(&StageRule::Sequential, design, gains) {
                return (stage, finding);
            }
        }
    }

    #[test]
    fn large_drops_are_told_from_gains() {
        for delta in [150.0, 250.0, 300.0, 500.0, 1000.0] {
            let design = design_of(delta);
            assert_ne!(fed_to(&design, Pairs([1, 2, 10, 8, 7]), true).1, Finding::Red, "{delta}: stronger");
            assert_eq!(fed_to(&design, Pairs([7, 0, 14, 0, 7]), false).1, Finding::Level, "{delta}: as strong");
            assert_eq!(fed_to(&design, Pairs([28, 0, 0, 0, 0]), true).1, Finding::Red, "{delta}: lost every game");
        }
    }

    #[test]
    fn lopsided_results_decide_and_even_ones_are_level() {
        assert_eq!(fed(Pairs([9, 3, 6, 2, 1]), true).1, Finding::Red);
        assert_eq!(fed(Pairs([5, 3, 6, 3, 5]), true).1, Finding::Level);
        assert_eq!(fed(Pairs([1, 2, 6, 3, 9]), true).1, Finding::Better);
        assert_eq!(fed(Pairs([0, 0, 8, 0, 0]), true).1, Finding::Level);
    }

    #[test]
    fn whether_it_is_better_is_asked_only_where_it_matters() {
        let (asked, finding) = fed(Pairs([4, 3, 6, 3, 5]), true);
        let (unasked, same) = fed(Pairs([4, 3, 6, 3, 5]), false);
        assert_eq!((finding, same), (Finding::Level, Finding::Level));
        assert!(unasked.pairs.total() <= asked.pairs.total());
        assert_eq!(unasked.decided, asked.decided);
    }

    #[test]
    fn between_the_hypotheses_the_cap_leaves_it_open() {
        // A drop of half of delta: the log-likelihood ratio does not move.
        let (stage, finding) = fed(Pairs([25, 0, 40, 0, 15]), true);
        assert_eq!(finding, Finding::Open);
        assert!(stage.left(&StageRule::Sequential, &design()) == 0 && stage.decided.is_none());
    }

    #[test]
    fn older_counts_are_noisy_too() {
        let design = design();
        let then = Pairs([100, 0, 200, 0, 100]);
        assert_eq!(compare(&Pairs([60, 0, 80, 0, 20]), &then, &design), Finding::Red);
        assert_eq!(compare(&Pairs([100, 0, 200, 0, 100]), &then, &design), Finding::Level);
        assert_eq!(compare(&Pairs([50, 0, 200, 0, 150]), &then, &design), Finding::Better);
        assert_eq!(compare(&Pairs([5, 0, 7, 0, 3]), &then, &design), Finding::Open);
    }
}
