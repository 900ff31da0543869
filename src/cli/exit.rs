//! Exit codes, as scripts rely on them.

use std::process::ExitCode;

/// How the program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// All was done.
    Done,
    /// A job failed.
    JobFailed,
    /// Wrong usage, or a manifest with problems.
    Usage,
    /// Weaker than the baseline, or than a success criterion demands; or a result that came out differently.
    Regression,
    /// Nothing was measured, or there is nothing to compare with.
    Unmeasured,
    /// The games that were allowed have not decided.
    Inconclusive,
    /// The store is damaged beyond recomputation.
    Damaged,
    /// Interrupted; the next run continues.
    Interrupted,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(match exit {
            Exit::Done => 0,
            Exit::JobFailed => 1,
            Exit::Usage => 2,
            Exit::Regression => 3,
            Exit::Unmeasured => 4,
            Exit::Inconclusive => 6,
            Exit::Damaged => 23,
            Exit::Interrupted => 130,
        })
    }
}
