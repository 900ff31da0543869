//! The comparison of two sets of runs by a success criterion, and the errors that it could rest on.

use serde::{Deserialize, Serialize};

/// The comparison of two sets of runs, with its reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Comparison {
    /// Runs of equal seeds are pairs, as they read the weights of one training.
    TrainedWeights,
    /// Runs of equal seeds are pairs, as their seed draws the same weights for both.
    DrawnWeights,
    /// Runs of equal seeds are pairs, as the manifest states.
    StatedPairs,
    /// A seed is only a label, as runs of equal seeds share no weights.
    NothingShared,
    /// A seed is only a label, as the manifest states.
    StatedApart,
}

impl Comparison {
    /// Whether runs of equal seeds are pairs.
    #[must_use]
    pub fn is_paired(self) -> bool {
        match self {
            Self::TrainedWeights | Self::DrawnWeights | Self::StatedPairs => true,
            Self::NothingShared | Self::StatedApart => false,
        }
    }

    /// The word in a CSV.
    #[must_use]
    pub fn word(self) -> &'static str {
        if self.is_paired() { "paired" } else { "unpaired" }
    }

    /// The comparison as a sentence.
    #[must_use]
    pub fn sentence(self) -> &'static str {
        match self {
            Self::TrainedWeights => "Paired by seed: runs of one seed share trained weights.",
            Self::DrawnWeights => "Paired by seed: runs of one seed share the weights that it draws.",
            Self::StatedPairs => "Paired by seed, as the manifest states.",
            Self::NothingShared => "Not paired (Welch): runs of one seed share no weights.",
            Self::StatedApart => "Not paired (Welch), as the manifest states.",
        }
    }
}

/// The error over runs of a gain, if that over games is larger.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SmallerError {
    /// Its size.
    pub error: f64,
    /// Whether it alone would give another verdict.
    pub changes_verdict: bool,
}
