//! What `gauntlet verify` is asked for, and what its two ways have in common: stored results, and a gallery.

use std::path::PathBuf;

use clap::Args;

use crate::cli::Flags;
use crate::scheduler::CodeGroup;
use crate::verification::{Budget, Candidates, Draw, Drawn};

/// Run a sample of finished results again with today's program, and compare the bytes: at least one for each change of
/// code, cheap ones first, long trainings by their first iterations. `run`, `plan`, `status` and `report` then take the
/// older results whose code came out the same. Results that today's code made on a processor like this one are left out
/// without --all
#[derive(Debug, Args)]
pub struct Verify {
    /// Manifest files, artefacts, or whole papers [default: every manifest that has results here, or is in the gallery]
    #[arg(value_name = "MANIFEST|PAPER")]
    pub(super) names: Vec<String>,
    /// Minutes that this may take by the estimate; one job of each group is run all the same [default: 30]
    #[arg(long, value_name = "N", value_parser = minutes)]
    pub(super) minutes: Option<f64>,
    /// Run this many jobs again, those on record among them, and whole ones unless --minutes is given
    #[arg(long, value_name = "N")]
    pub(super) sample: Option<usize>,
    /// Run all jobs again, whole, those that today's code made on a processor like this one, too
    #[arg(long, conflicts_with_all = ["minutes", "sample"])]
    pub(super) all: bool,
    /// Check a published gallery without its results: make some of its single runs again (<paper>/<profile>/runs/*.csv),
    /// with what they depend on, and compare their numbers; nothing is kept
    #[arg(long, value_name = "DIR")]
    pub(super) gallery: Option<PathBuf>,
    /// Draw other jobs
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seed: u64,
}

/// Minutes that may be spent where nothing is said.
const MINUTES: f64 = 30.0;

fn minutes(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(minutes) if minutes > 0.0 && f64::is_finite(minutes) => Ok(minutes),
        _ => Err("a number of minutes above 0 is wanted".to_owned()),
    }
}

/// What is run again, of what, by groups of code.
pub(super) struct Chosen {
    pub(super) found: Candidates,
    pub(super) groups: Vec<CodeGroup>,
    pub(super) draw: Draw,
}

impl Verify {
    /// What may be spent.
    pub(super) fn budget(&self, flags: &Flags) -> Budget {
        let usual = if self.all || self.sample.is_some() { f64::INFINITY } else { MINUTES };
        let seconds = 60.0 * self.minutes.unwrap_or(usual);
        Budget { seconds, slots: flags.options.slots(), jobs: self.sample.unwrap_or(usize::MAX) }
    }
}

/// Seconds that drawn jobs take by the clock, about.
pub(super) fn span(flags: &Flags, drawn: &[Drawn]) -> f64 {
    let seconds = || drawn.iter().map(|drawn| drawn.seconds);
    (seconds().sum::<f64>() / flags.options.slots() as f64).max(seconds().fold(0.0, f64::max))
}
