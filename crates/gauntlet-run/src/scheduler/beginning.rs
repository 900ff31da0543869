//! The beginning of a training that has to run: the end of a shorter one, or a new start.

use gauntlet_store::JobId;

/// The beginning of a training that has to run, if the store has a shorter one with the same beginning.
#[derive(Debug, Clone, PartialEq)]
pub enum Beginning {
    /// It continues the shorter one.
    Continues {
        /// The shorter one.
        from: JobId,
        /// The share of the work that the shorter one has done, 0 to 1.
        share: f64,
    },
    /// It starts over, for this reason.
    StartsOver {
        /// The shorter one.
        from: JobId,
        /// Why it cannot be continued.
        reason: &'static str,
    },
}

impl Beginning {
    /// The training that is continued.
    #[must_use]
    pub fn continued(&self) -> Option<&JobId> {
        if let Beginning::Continues { from, .. } = self { Some(from) } else { None }
    }

    /// The share of the remaining work, 0 to 1.
    #[must_use]
    pub fn left(&self) -> f64 {
        match self {
            Beginning::Continues { share, .. } => 1.0 - share,
            Beginning::StartsOver { .. } => 1.0,
        }
    }

    /// The beginning as a sentence part.
    #[must_use]
    pub fn sentence(&self) -> String {
        match self {
            Beginning::Continues { from, share } => {
                format!("continues {}, which has done {:.0} % of its work", from.directory(), 100.0 * share)
            }
            Beginning::StartsOver { from, reason } => {
                format!("starts over and does not continue {}: {reason}", from.directory())
            }
        }
    }
}
