//! `gauntlet run`: runs manifests. Running again continues an interrupted run.

use std::path::PathBuf;

use clap::Args;

use super::announce::announce;
use super::output::{confirmed, note, tell};
use super::{ExecutorKind, Exit, Flags, Terminal};
use crate::app::{self, RunRequest, WrittenArtefact};
use gauntlet_run::scheduler::RunOutcome;

/// Run manifests and render their tables and figures; running again continues an interrupted run
#[derive(Debug, Args)]
pub struct Run {
    /// Manifest files, or artefacts
    #[arg(required = true, value_name = "MANIFEST")]
    manifests: Vec<String>,
    /// End with exit code 3 unless every success criterion of the manifests is met
    #[arg(long)]
    require_success: bool,
    /// Record the events of the run in this file; `gauntlet watch --replay FILE` plays them back
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
}

impl Run {
    /// Runs the manifests as one batch.
    pub fn run(&self, flags: &Flags) -> anyhow::Result<Exit> {
        let (names, record) = (self.manifests.clone(), self.record.clone());
        let ask: Option<fn(&str) -> Option<bool>> = Some(confirmed);
        run(flags, &RunRequest { names, require_success: self.require_success, record, ask })
    }
}

/// Runs manifests as one batch and prints their artefacts. If success is required, the criteria decide the exit code.
///
/// # Errors
/// If a manifest has problems, or the store or the reports cannot be written.
pub fn run(flags: &Flags, request: &RunRequest) -> anyhow::Result<Exit> {
    let mut terminal = Terminal::new(flags);
    let ended = app::run(&flags.options, request, &mut terminal);
    terminal.end();
    match ended? {
        RunOutcome::Finished((written, is_done)) => {
            announce(flags, &written);
            let exit = if request.require_success { judge(&written) } else { Exit::Done };
            Ok(if is_done { exit } else { Exit::JobFailed })
        }
        RunOutcome::Interrupted => {
            // The jobs that stay with a cluster were already listed.
            if flags.options.executor != ExecutorKind::Slurm {
                note(flags.quiet, "interrupted; run the same command again to continue");
            }
            Ok(Exit::Interrupted)
        }
        RunOutcome::Damaged => {
            let results = flags.options.results.display();
            tell(&format!("error: results in {results} are damaged as soon as they are written"));
            tell("\nhint: check the disk, or name another directory with --results");
            Ok(Exit::Damaged)
        }
    }
}

/// Prints the success criteria that are not met; returns the exit code.
fn judge(written: &[WrittenArtefact]) -> Exit {
    let unmet = app::unmet_criteria(written);
    unmet.iter().for_each(|sentence| tell(sentence));
    if unmet.is_empty() { Exit::Done } else { Exit::Regression }
}
