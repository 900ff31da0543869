//! `gauntlet cancel`: cancels submissions to a cluster.

use std::collections::HashSet;

use clap::Args;

use super::output::{Misuse, count, note};
use super::{Exit, Flags};
use gauntlet_run::scheduler::cancel;

/// Cancel the jobs that were submitted to a cluster; their checkpoints stay, and the next run submits them again
#[derive(Debug, Args)]
pub struct Cancel {
    /// Manifest files, or artefacts, whose jobs are cancelled [default: all that were submitted from these results]
    #[arg(value_name = "MANIFEST")]
    manifests: Vec<String>,
}

impl Cancel {
    /// Cancels the arrays that hold jobs of the manifests.
    pub fn run(&self, flags: &Flags) -> anyhow::Result<Exit> {
        let plans = flags.options.plans(&self.manifests)?;
        let store = flags.options.look()?;
        let wanted: Option<HashSet<String>> = match plans.as_slice() {
            [] => None,
            plans => Some(flags.options.batch(plans, &store)?.jobs.iter().map(|job| job.id.directory()).collect()),
        };
        let hint = "is this a machine of the cluster? `gauntlet status` shows what was submitted";
        let (arrays, jobs) = cancel(&store, wanted.as_ref()).map_err(|error| Misuse::new(error.to_string(), hint))?;
        note(flags.quiet, &format!("ended {} with {} to run", count(arrays, "array"), count(jobs, "job")));
        Ok(Exit::Done)
    }
}
