//! `gauntlet gc`: removes results that no manifest wants.

use std::collections::HashSet;

use clap::Args;

use super::batch::family_of;
use super::desk::Planned;
use super::library::Library;
use super::output::{self, Misuse, bytes, result, table};
use super::{Exit, Flags};
use crate::store::{JobId, Leftover};

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
        let store = flags.look()?;
        let leftovers: Vec<Leftover> =
            store.unwanted(&wanted.jobs)?.into_iter().filter(|it| wanted.may_go(it)).collect();
        let total: u64 = leftovers.iter().map(|leftover| leftover.bytes).sum();
        if flags.json {
            let value =
                |leftover: &Leftover| serde_json::json!({ "directory": leftover.directory, "bytes": leftover.bytes });
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
    fn wanted(&self, flags: &Flags) -> anyhow::Result<Wanted> {
        if !flags.only.is_empty() {
            return Err(Misuse::new("gc keeps all jobs of a manifest", "leave --only out"));
        }
        let mut wanted = Wanted::default();
        for name in Library::open().names().iter().chain(&self.manifests) {
            let default = flags.at_profile(None).planned(name)?;
            wanted.add(&default);
            for profile in &default.plan.written.profiles {
                wanted.add(&flags.at_profile(Some(profile)).planned(name)?);
            }
        }
        for name in &self.manifests {
            wanted.add(&flags.planned(name)?);
        }
        Ok(wanted)
    }
}

/// What is kept.
#[derive(Default)]
struct Wanted {
    jobs: Vec<JobId>,
    /// Families of jobs that read files that are not there now: which of their results are wanted, nobody knows.
    unknown: HashSet<String>,
}

impl Wanted {
    fn add(&mut self, planned: &Planned) {
        let plan = &planned.plan;
        for job in &plan.jobs {
            let config = plan.config(job);
            let id = JobId { kind: config.spec.kind().to_owned(), slug: config.slug.clone(), key: job.key };
            if config.spec.inputs().iter().any(|file| !plan.inputs.contains_key(*file)) {
                self.unknown.insert(id.family());
            }
            self.jobs.push(id);
        }
    }

    fn may_go(&self, leftover: &Leftover) -> bool {
        family_of(&leftover.directory).is_none_or(|family| !self.unknown.contains(family))
    }
}
