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
            Exit::Damaged => 23,
            Exit::Interrupted => 130,
        })
    }
}
