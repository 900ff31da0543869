//! `gauntlet gc`: removes results that no manifest wants.

use clap::Args;

use super::library::Library;
use super::output::{self, bytes, result, table};
use super::{Exit, Flags};
use crate::store::JobId;

/// Show the results that no manifest wants at any profile; remove them with --yes
#[derive(Debug, Args)]
pub struct Gc {
    /// Further manifests whose results are kept (all committed ones always are)
    #[arg(value_name = "MANIFEST")]
    manifests: Vec<String>,
}

impl Gc {
    /// Shows what would go, or removes it.
    pub fn run(&self, flags: &Flags) -> anyhow::Result<Exit> {
        let store = flags.store()?;
        let wanted = self.wanted(flags)?;
        let leftovers = store.unwanted(&wanted)?;
        let total: u64 = leftovers.iter().map(|leftover| leftover.bytes).sum();
        if flags.json {
            let list = leftovers.iter().map(|l| serde_json::json!({ "directory": l.directory, "bytes": l.bytes }));
            output::json(&list.collect::<Vec<_>>());
        } else {
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

    /// The jobs of every committed manifest, and of the named ones, at every profile.
    fn wanted(&self, flags: &Flags) -> anyhow::Result<Vec<JobId>> {
        let mut wanted = Vec::new();
        for name in Library::open().names().iter().chain(&self.manifests) {
            let first = flags.planned(name)?;
            let profiles: Vec<Option<String>> = match first.plan.written.profiles.as_slice() {
                [] => vec![None],
                profiles => profiles.iter().cloned().map(Some).collect(),
            };
            for profile in profiles {
                let planned = Flags { profile, ..flags.clone() }.planned(name)?;
                wanted.extend(planned.plan.jobs.iter().map(|job| {
                    let spec = planned.plan.spec(job);
                    JobId { kind: spec.kind().to_owned(), slug: spec.slug(), key: job.key }
                }));
            }
        }
        Ok(wanted)
    }
}
