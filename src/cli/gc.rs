//! `gauntlet gc`: removes results that no manifest wants.

use clap::Args;

use super::desk::Planned;
use super::library::Library;
use super::output::{self, Misuse, bytes, result, table};
use super::{Exit, Flags};
use crate::store::JobId;

/// Show the results that no manifest wants at any profile; remove them with --yes
#[derive(Debug, Args)]
pub struct Gc {
    /// Further manifests whose results are kept, also with --set and --seeds (all committed ones always are)
    #[arg(value_name = "MANIFEST")]
    manifests: Vec<String>,
}

impl Gc {
    /// Shows what would go, or removes it.
    pub fn run(&self, flags: &Flags) -> anyhow::Result<Exit> {
        let wanted = self.wanted(flags)?;
        let store = flags.store()?;
        let leftovers = store.unwanted(&wanted)?;
        let total: u64 = leftovers.iter().map(|leftover| leftover.bytes).sum();
        if flags.json {
            let value = |leftover: &crate::store::Leftover| serde_json::json!({ "directory": leftover.directory, "bytes": leftover.bytes });
            output::json_list(leftovers.iter().map(value));
        } else if !leftovers.is_empty() {
            let rows = leftovers.iter().map(|leftover| vec![leftover.directory.clone(), bytes(leftover.bytes)]);
            result(&table(&["unwanted result", "size"], rows));
        }
        if !flags.yes {
            let line = format!("{} results, {}; add --yes to remove them", leftovers.len(), bytes(total));
            output::note(flags.quiet, &line);
            return Ok(Exit::Done);
        }
        let freed = store.remove(&leftovers)? + store.tidy()?;
        output::note(flags.quiet, &format!("removed {} results, {}", leftovers.len(), bytes(freed)));
        Ok(Exit::Done)
    }

    /// The jobs of every committed manifest and of the named ones, at every profile; of the named ones also with
    /// what the command line changes.
    fn wanted(&self, flags: &Flags) -> anyhow::Result<Vec<JobId>> {
        if !flags.only.is_empty() {
            return Err(Misuse::new("gc keeps all jobs of a manifest", "leave --only out"));
        }
        let mut wanted = Vec::new();
        for name in Library::open().names().iter().chain(&self.manifests) {
            let default = flags.at_profile(None).planned(name)?;
            wanted.extend(jobs(&default));
            for profile in &default.plan.written.profiles {
                wanted.extend(jobs(&flags.at_profile(Some(profile)).planned(name)?));
            }
        }
        for name in &self.manifests {
            wanted.extend(jobs(&flags.planned(name)?));
        }
        Ok(wanted)
    }
}

fn jobs(planned: &Planned) -> impl Iterator<Item = JobId> {
    let plan = &planned.plan;
    plan.jobs.iter().map(|job| {
        let config = plan.config(job);
        JobId { kind: config.spec.kind().to_owned(), slug: config.slug.clone(), key: job.key }
    })
}
