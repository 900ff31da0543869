//! `gauntlet doctor`: what this machine is, whether it computes right, and how fast.

use clap::{Args, ValueEnum as _};
use serde::Serialize;

use super::output::{json, result};
use super::{Exit, Flags};
use crate::diagnosis::{Finding, Part, Verdict, diagnose};

/// Check this machine: what it is, whether it computes right, and how fast
#[derive(Debug, Args)]
pub struct Doctor {
    /// Parts of the report [default: all]
    #[arg(value_name = "PART")]
    parts: Vec<Part>,
}

/// The report as JSON.
#[derive(Serialize)]
struct Diagnosis {
    /// Whether no check failed.
    good: bool,
    version: &'static str,
    lines: Vec<Finding>,
}

impl Doctor {
    /// Checks and prints. Fails if a check does.
    pub fn run(&self, flags: &Flags) -> Exit {
        let mut lines = Vec::new();
        let mut tell = |line: Finding| {
            if !flags.json {
                result(&text(&line, lines.last()));
            }
            lines.push(line);
        };
        for part in Part::value_variants() {
            if self.parts.is_empty() || self.parts.contains(part) {
                diagnose(*part, &flags.options.results, flags.options.slots(), &mut tell);
            }
        }
        let bad = lines.iter().filter(|line| line.verdict == Verdict::Bad).count();
        let checks = bad + lines.iter().filter(|line| line.verdict == Verdict::Good).count();
        match flags.json {
            true => json(&Diagnosis { good: bad == 0, version: env!("CARGO_PKG_VERSION"), lines }),
            false if bad == 0 => result(&format!("\nAll {checks} checks passed.\n")),
            false => result(&format!("\n{bad} of {checks} checks FAILED.\n")),
        }
        if bad == 0 { Exit::Done } else { Exit::JobFailed }
    }
}

/// A line of the report, below a heading where a subject begins.
fn text(line: &Finding, before: Option<&Finding>) -> String {
    let heading = match before {
        Some(before) if before.subject == line.subject => String::new(),
        Some(_) => format!("\n{}\n", line.subject),
        None => format!("{}\n", line.subject),
    };
    let mark = match line.verdict {
        Verdict::Good => "ok",
        Verdict::Bad => "FAIL",
        Verdict::Fact => "",
        Verdict::Skipped => "-",
    };
    let hint = line.hint.as_ref().map_or(String::new(), |hint| format!("        hint: {hint}\n"));
    format!("{heading}  {mark:<4}  {}: {}\n{hint}", line.name, line.text)
}
