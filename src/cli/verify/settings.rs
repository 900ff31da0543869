//! The options of `gauntlet verify`, and the common code for stored results and galleries.

use std::path::PathBuf;

use clap::Args;

use crate::cli::Flags;
use crate::cli::limits::whole;
use gauntlet_run::scheduler::CodeGroup;
use gauntlet_run::verification::{Budget, Candidates, Draw, Drawn};

/// Run a sample of finished results again with today's program, and compare the bytes: at least one for each change of
/// code, cheap ones first, long trainings by their first iterations. `run`, `plan`, `status` and `report` then accept
/// the older results whose code gave identical samples. Results of today's code on a processor like this one are
/// skipped without --all or --sample. Damaged results are reported and not touched
#[derive(Debug, Args)]
pub struct Verify {
    /// Manifest files, artefacts, or whole papers [default: every manifest that has results here, or is in the gallery]
    #[arg(value_name = "MANIFEST|PAPER")]
    pub(super) names: Vec<String>,
    /// Limit of the estimated time in minutes; one job of each group is always run [default: 30]
    #[arg(long, value_name = "N", value_parser = minutes)]
    pub(super) minutes: Option<f64>,
    /// Run this many jobs again, including jobs on record and those of today's code on a processor like this one, and in
    /// full unless --minutes is given
    #[arg(long, value_name = "N", value_parser = whole(0..=usize::MAX))]
    pub(super) sample: Option<usize>,
    /// Run all jobs again, in full, including those of today's code on a processor like this one; jobs on record are not
    /// repeated
    #[arg(long, conflicts_with_all = ["minutes", "sample"])]
    pub(super) all: bool,
    /// Check a published gallery without its results: repeat some of its single runs (<paper>/<profile>/runs/*.csv)
    /// with their dependencies, and compare their numbers; the new results are removed. Random samples of cheap and of
    /// long runs, drawn by --seed, bound the share of wrong ones [default DIR: reports/gallery]
    #[arg(long, value_name = "DIR", num_args = 0..=1, default_missing_value = "reports/gallery")]
    pub(super) gallery: Option<PathBuf>,
    /// Seed of the draw of jobs
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole(0..=u64::MAX))]
    pub(super) seed: u64,
}

/// The default limit of minutes.
const MINUTES: f64 = 30.0;

fn minutes(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(minutes) if minutes > 0.0 && f64::is_finite(minutes) => Ok(minutes),
        _ => Err("write a number of minutes above 0".to_owned()),
    }
}

/// The drawn jobs by groups of code, and the sets that they are drawn from.
pub(super) struct Chosen {
    pub(super) found: Candidates,
    pub(super) groups: Vec<CodeGroup>,
    pub(super) draw: Draw,
}

impl Verify {
    /// The budget.
    pub(super) fn budget(&self, flags: &Flags) -> Budget {
        let usual = if self.all || self.sample.is_some() { f64::INFINITY } else { MINUTES };
        let seconds = 60.0 * self.minutes.unwrap_or(usual);
        Budget { seconds, slots: flags.options.slots(), jobs: self.sample.unwrap_or(usize::MAX) }
    }
}

/// The estimated wall-clock seconds of drawn jobs.
pub(super) fn span(flags: &Flags, drawn: &[Drawn]) -> f64 {
    let seconds = || drawn.iter().map(|drawn| drawn.seconds);
    (seconds().sum::<f64>() / flags.options.slots() as f64).max(seconds().fold(0.0, f64::max))
}
