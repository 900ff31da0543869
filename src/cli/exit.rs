//! Exit codes, which scripts rely on.

use std::process::ExitCode;

/// The outcome of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Success.
    Done,
    /// A job failed.
    JobFailed,
    /// Wrong usage, or a manifest with problems.
    Usage,
    /// Weaker than the baseline, or than a success criterion requires; or a result that differs.
    Regression,
    /// No measurement, or no baseline to compare with.
    Unmeasured,
    /// Results are damaged; running their jobs again repairs them.
    ResultsDamaged,
    /// The allowed number of games gave no decision.
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
            Exit::ResultsDamaged => 5,
            Exit::Inconclusive => 6,
            Exit::Damaged => 23,
            Exit::Interrupted => 130,
        })
    }
}
