//! Checks of a machine: what it is, whether it computes right, and how fast. `gauntlet doctor` prints them.
//!
//! Every line has a verdict. A fact has none; a check that does not apply here says why it was skipped.

mod arithmetic;
mod device;
mod machine;
mod play;
pub mod speed;

use std::path::Path;

use serde::Serialize;

/// What a line says about the machine.
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
pub struct Line {
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

impl Line {
    fn fact(subject: &'static str, name: impl Into<String>, text: impl Into<String>) -> Line {
        Line { subject, name: name.into(), verdict: Verdict::Fact, text: text.into(), hint: None }
    }

    fn skipped(subject: &'static str, name: impl Into<String>, text: impl Into<String>) -> Line {
        Line { verdict: Verdict::Skipped, ..Line::fact(subject, name, text) }
    }

    /// A check with its finding; the hint is for a failure.
    fn check(subject: &'static str, name: impl Into<String>, good: bool, text: impl Into<String>, hint: &str) -> Line {
        let verdict = if good { Verdict::Good } else { Verdict::Bad };
        Line { verdict, hint: (!good).then(|| hint.to_owned()), ..Line::fact(subject, name, text) }
    }

    /// A check that ended with an error.
    fn failed(subject: &'static str, name: impl Into<String>, error: &impl std::fmt::Display, hint: &str) -> Line {
        Line::check(subject, name, false, error.to_string(), hint)
    }
}

/// All checks, in order; `tell` receives each line when it is known. `results` is the directory of results, which need
/// not exist.
pub fn diagnose(results: &Path, cores: usize, tell: &mut dyn FnMut(Line)) {
    machine::lines(results).into_iter().for_each(&mut *tell);
    device::lines().into_iter().for_each(&mut *tell);
    arithmetic::lines(tell);
    play::lines(cores, tell);
    speed::lines(tell);
}
