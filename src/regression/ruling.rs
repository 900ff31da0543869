//! The rulings of a match or a whole night.

use serde::{Deserialize, Serialize};

/// The rulings, worst first: a summary lists matches in this order, and earlier rulings outweigh later ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ruling {
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

impl Ruling {
    /// All rulings, worst first.
    pub const ALL: [Ruling; 6] =
        [Ruling::Failed, Ruling::Regressed, Ruling::Unmeasured, Ruling::Inconclusive, Ruling::Improved, Ruling::Passed];

    /// A display name.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Ruling::Failed => "failed",
            Ruling::Unmeasured => "not measured",
            Ruling::Regressed => "regressed",
            Ruling::Inconclusive => "inconclusive",
            Ruling::Improved => "improved",
            Ruling::Passed => "pass",
        }
    }

    /// The worst of several; a night without matches is unmeasured.
    #[must_use]
    pub fn worst(rulings: impl IntoIterator<Item = Ruling>) -> Ruling {
        match rulings.into_iter().min() {
            None => Ruling::Unmeasured,
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
        assert_eq!(Ruling::worst(Ruling::ALL), Ruling::Failed);
        assert_eq!(Ruling::worst([]), Ruling::Unmeasured);
        assert_eq!(Ruling::worst([Ruling::Passed, Ruling::Regressed, Ruling::Inconclusive]), Ruling::Regressed);
        assert_eq!(Ruling::worst([Ruling::Unmeasured, Ruling::Regressed]), Ruling::Regressed, "a new match hides none");
        assert!(Ruling::ALL.is_sorted());
    }
}
