//! `gauntlet report`: renders what is in the store again, and runs nothing.

use std::sync::atomic::AtomicUsize;

use clap::Args;

use super::batch::Batch;
use super::desk::Planned;
use super::output::note;
use super::{Exit, Flags, work};

/// Render tables, figures and the page again from what is in the store, and run nothing
#[derive(Debug, Args)]
pub struct Report {
    /// Manifest files, or artefacts
    #[arg(required = true, value_name = "MANIFEST")]
    manifests: Vec<String>,
}

impl Report {
    /// Renders; jobs without a result show as lost runs.
    pub fn run(&self, flags: &Flags) -> anyhow::Result<Exit> {
        let plans = flags.plans(&self.manifests)?;
        // Which results are theirs, nobody knows without the files that they were made from.
        plans.iter().try_for_each(Planned::require_inputs)?;
        let store = flags.look()?;
        let batch = Batch::new(plans, &store, flags.accept_code)?;
        let damaged = AtomicUsize::new(0);
        let results = work::read_results(&batch, &store, &damaged);
        let missing = results.iter().filter(|result| result.is_none()).count();
        if missing > 0 {
            let line = format!("{missing} of {} jobs have no result; `gauntlet run` makes them", results.len());
            note(flags.quiet, &line);
        }
        work::publish(flags, &batch, &store, results)?;
        Ok(Exit::Done)
    }
}
