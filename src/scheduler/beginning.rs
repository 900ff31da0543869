//! How a training that has to run begins: where a shorter one ended, or anew.

use crate::store::JobId;

/// How a training that has to run begins, where the store has a shorter one that began alike.
#[derive(Debug, Clone, PartialEq)]
pub enum Beginning {
    /// It goes on where the shorter one ended.
    Continues {
        /// The shorter one.
        from: JobId,
        /// The share of the work that it has done, 0 to 1.
        share: f64,
    },
    /// It begins anew, although there is a shorter one, for this reason.
    StartsOver {
        /// The shorter one.
        from: JobId,
        /// Why it is of no use.
        reason: &'static str,
    },
}

impl Beginning {
    /// The training that is continued.
    #[must_use]
    pub fn continued(&self) -> Option<&JobId> {
        if let Beginning::Continues { from, .. } = self { Some(from) } else { None }
    }

    /// The share of the work that is left, 0 to 1.
    #[must_use]
    pub fn left(&self) -> f64 {
        match self {
            Beginning::Continues { share, .. } => 1.0 - share,
            Beginning::StartsOver { .. } => 1.0,
        }
    }

    /// It in words.
    #[must_use]
    pub fn sentence(&self) -> String {
        match self {
            Beginning::Continues { from, share } => {
                format!("continues {}, which has done {:.0} % of this one's work", from.directory(), 100.0 * share)
            }
            Beginning::StartsOver { from, reason } => {
                format!("starts over and does not continue {}: {reason}", from.directory())
            }
        }
    }
}
