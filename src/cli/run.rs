//! `gauntlet run`: does what manifests ask for. Running again continues where it stopped.

use clap::Args;

use super::{Exit, Flags, work};

/// Run manifests and render their tables and figures; running again continues where it stopped
#[derive(Debug, Args)]
pub struct Run {
    /// Manifest files, or artefacts
    #[arg(required = true, value_name = "MANIFEST")]
    manifests: Vec<String>,
    /// End with exit code 3 unless every success criterion of the manifests is met
    #[arg(long)]
    require_success: bool,
}

impl Run {
    /// Runs the manifests as one batch.
    pub fn run(&self, flags: &Flags) -> anyhow::Result<Exit> {
        work::run(flags, &self.manifests, self.require_success)
    }
}
