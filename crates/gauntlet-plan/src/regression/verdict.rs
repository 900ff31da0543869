//! The verdicts of a match or a whole suite run.

use serde::{Deserialize, Serialize};

/// The verdicts, worst first: a summary lists matches in this order, and earlier verdicts outweigh later ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// A player failed; this is not a lost game.
    Failed,
    /// Weaker than the baseline, and again with fresh seeds.
    Regressed,
    /// No measurement: there is no baseline to compare with.
    Unmeasured,
    /// The allowed pairs did not decide.
    Inconclusive,
    /// Stronger than the baseline.
    Improved,
    /// No regression.
    Passed,
}

impl Verdict {
    /// All verdicts, worst first.
    pub const ALL: [Verdict; 6] = [
        Verdict::Failed,
        Verdict::Regressed,
        Verdict::Unmeasured,
        Verdict::Inconclusive,
        Verdict::Improved,
        Verdict::Passed,
    ];

    /// A display name.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Failed => "failed",
            Verdict::Unmeasured => "not measured",
            Verdict::Regressed => "regressed",
            Verdict::Inconclusive => "inconclusive",
            Verdict::Improved => "improved",
            Verdict::Passed => "pass",
        }
    }

    /// The worst of several; a suite run without matches is unmeasured.
    #[must_use]
    pub fn worst(verdicts: impl IntoIterator<Item = Verdict>) -> Verdict {
        match verdicts.into_iter().min() {
            None => Verdict::Unmeasured,
            // One match may have improved while the others did not change.
            Some(worst) => worst,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_ruling_outweighs_the_others() {
        assert_eq!(Verdict::worst(Verdict::ALL), Verdict::Failed);
        assert_eq!(Verdict::worst([]), Verdict::Unmeasured);
        assert_eq!(Verdict::worst([Verdict::Passed, Verdict::Regressed, Verdict::Inconclusive]), Verdict::Regressed);
        assert_eq!(
            Verdict::worst([Verdict::Unmeasured, Verdict::Regressed]),
            Verdict::Regressed,
            "a new match hides none"
        );
        assert!(Verdict::ALL.is_sorted());
    }
}
