//! The verdict on a measured number beside the published one.

use serde::{Deserialize, Serialize};

/// The comparison of the measured with the published value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Agreement {
    /// Within twice the combined standard error.
    Agrees,
    /// Outside of it.
    Differs,
    /// Another scale than the paper's: never judged.
    NotComparable,
}

impl Agreement {
    /// Every verdict, in the order of legends.
    pub const ALL: [Self; 3] = [Self::Agrees, Self::Differs, Self::NotComparable];

    /// The word on a chip.
    pub fn word(self) -> &'static str {
        match self {
            Self::Agrees => "agrees",
            Self::Differs => "differs",
            Self::NotComparable => "not comparable",
        }
    }

    /// The relation sign between the measured number and the published one.
    pub fn mark(self) -> &'static str {
        match self {
            Self::Agrees => "≈",
            Self::Differs => "≠",
            Self::NotComparable => "○",
        }
    }

    /// The meaning of the sign, as a part of a sentence.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Agrees => "agrees within twice the combined standard error",
            Self::Differs => "differs by more than twice the combined standard error",
            Self::NotComparable => "not comparable, as it was measured at another scale",
        }
    }
}
