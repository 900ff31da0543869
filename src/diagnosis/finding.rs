//! A line of the report on a machine.

use serde::Serialize;

/// The hint of a check of numbers.
pub(super) const UNTRUSTED: &str =
    "results of this machine are not to be trusted: report this with the output of `gauntlet doctor --json`";

/// The verdict of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// A check that holds.
    Good,
    /// A check that fails: results of this machine are not to be trusted, or runs end early.
    Bad,
    /// A fact or a speed.
    Fact,
    /// A check that does not apply here.
    Skipped,
}

/// A line of the report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The subject: `machine`, `device`, `arithmetic`, `play` or `speed`.
    pub subject: &'static str,
    /// The name of the check or fact.
    pub name: String,
    /// The verdict.
    pub verdict: Verdict,
    /// The finding, in words and numbers.
    pub text: String,
    /// A suggested fix, if the check fails.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Finding {
    pub(super) fn fact(subject: &'static str, name: impl Into<String>, text: impl Into<String>) -> Finding {
        Finding { subject, name: name.into(), verdict: Verdict::Fact, text: text.into(), hint: None }
    }

    pub(super) fn skipped(subject: &'static str, name: impl Into<String>, text: impl Into<String>) -> Finding {
        Finding { verdict: Verdict::Skipped, ..Finding::fact(subject, name, text) }
    }

    /// A check with its finding; the hint is for a failure.
    pub(super) fn check(
        subject: &'static str,
        name: impl Into<String>,
        good: bool,
        text: impl Into<String>,
        hint: &str,
    ) -> Finding {
        let verdict = if good { Verdict::Good } else { Verdict::Bad };
        Finding { verdict, hint: (!good).then(|| hint.to_owned()), ..Finding::fact(subject, name, text) }
    }

    /// A check that ended with an error.
    pub(super) fn failed(
        subject: &'static str,
        name: impl Into<String>,
        error: &impl std::fmt::Display,
        hint: &str,
    ) -> Finding {
        Finding::check(subject, name, false, error.to_string(), hint)
    }
}
