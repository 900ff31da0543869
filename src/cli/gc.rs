//! `gauntlet gc`: removes results that no manifest wants.

use std::collections::HashSet;

use clap::Args;

use super::library::ManifestLibrary;
use super::output::{self, Misuse, bytes, count, result, table};
use super::{Exit, Flags, work};
use crate::manifest::Plan;
use crate::manifest::load::BASE;
use crate::scheduler::{Stop, former_id_of, id_of, stop_on_signals, wait_for_tree};
use crate::store::{Held, JobId, Leftover, Store, family_of};

/// Show the results that no manifest wants at any profile; remove them with --yes
#[derive(Debug, Args)]
pub struct Gc {
    /// Further manifests whose results are kept, also with --set and --seeds (all built-in ones and those under experiments/ always are)
    #[arg(value_name = "MANIFEST")]
    manifests: Vec<String>,
}

/// What the user has to know before results go.
const STRANGERS: &str = "results of manifests that are neither built in nor under experiments/ count as unwanted unless \
                         named: `gauntlet gc my.toml`";

impl Gc {
    /// Shows what would go, or removes it.
    pub fn run(&self, flags: &Flags) -> anyhow::Result<Exit> {
        let wanted = self.wanted(flags)?;
        let store = flags.look()?;
        if !flags.yes || !flags.results.is_dir() {
            let leftovers = leftovers(&store, &wanted)?;
            show(flags, &leftovers);
            if !leftovers.is_empty() {
                output::note(flags.quiet, &format!("{}; add --yes to remove them", sum(&leftovers)));
            }
            return Ok(Exit::Done);
        }
        let stop = Stop::default();
        // A second handler in one process (tests) is refused; the first one stays.
        let _ = stop_on_signals(&stop);
        // What a run has finished, its later jobs and its report still read.
        let tell = &mut |owner: Option<&Held>| output::tell(&work::waiting(owner, &flags.results));
        let (Some(_lock), _) = wait_for_tree(&store, &stop, tell)? else { return Ok(Exit::Interrupted) };
        let leftovers = leftovers(&store, &wanted)?;
        show(flags, &leftovers);
        let removed = store.remove(&leftovers)?;
        let freed = removed.iter().map(|leftover| leftover.bytes).sum::<u64>() + store.tidy()?;
        if !removed.is_empty() || freed > 0 {
            let results = count(removed.len(), "result");
            output::note(flags.quiet, &format!("removed {results}, {}", bytes(freed)));
        }
        Ok(Exit::Done)
    }

    /// The jobs of every manifest of the library and of the named ones, at every profile; of the named ones also with
    /// what the command line changes.
    fn wanted(&self, flags: &Flags) -> anyhow::Result<Wanted> {
        if !flags.only.is_empty() {
            return Err(Misuse::new("gc keeps all jobs of a manifest", "leave --only out"));
        }
        let mut wanted = Wanted::default();
        for name in ManifestLibrary::open().names().iter().chain(&self.manifests) {
            let default = flags.at_profile(None).plan(name)?;
            wanted.add(&default);
            let known = default.profile.as_str();
            for profile in default.written.profiles.iter().filter(|profile| *profile != known) {
                wanted.add(&flags.at_profile(Some(profile)).plan(name)?);
            }
            if known != BASE {
                // Not every manifest is complete without a profile.
                flags.at_profile(Some(BASE)).plan(name).iter().for_each(|plan| wanted.add(plan));
            }
        }
        for name in &self.manifests {
            wanted.add(&flags.plan(name)?);
        }
        Ok(wanted)
    }
}

/// What may go now.
fn leftovers(store: &Store, wanted: &Wanted) -> anyhow::Result<Vec<Leftover>> {
    Ok(store.unwanted(&wanted.jobs)?.into_iter().filter(|leftover| wanted.may_go(leftover)).collect())
}

/// Prints what may go, and by which rule.
fn show(flags: &Flags, leftovers: &[Leftover]) {
    if flags.json {
        let value =
            |leftover: &Leftover| serde_json::json!({ "directory": leftover.directory, "bytes": leftover.bytes });
        output::json_list(leftovers.iter().map(value));
    } else if !leftovers.is_empty() {
        let rows = leftovers.iter().map(|leftover| vec![leftover.directory.clone(), bytes(leftover.bytes)]);
        result(&table(&["unwanted result", "size"], rows));
    }
    let line = if leftovers.is_empty() { "no unwanted results" } else { STRANGERS };
    output::note(flags.quiet, line);
}

/// How many results, and how large.
fn sum(leftovers: &[Leftover]) -> String {
    let total: u64 = leftovers.iter().map(|leftover| leftover.bytes).sum();
    format!("{}, {}", count(leftovers.len(), "result"), bytes(total))
}

/// What is kept.
#[derive(Default)]
struct Wanted {
    jobs: Vec<JobId>,
    /// Families of jobs that read files that are not there now: which of their results are wanted is not known.
    unknown: HashSet<String>,
}

impl Wanted {
    fn add(&mut self, plan: &Plan) {
        for job in &plan.jobs {
            let config = plan.config(job);
            let id = id_of(plan, job);
            if config.spec.inputs().iter().any(|file| !plan.inputs.contains_key(*file)) {
                self.unknown.insert(id.family());
            }
            self.jobs.extend(former_id_of(plan, job));
            self.jobs.push(id);
        }
    }

    fn may_go(&self, leftover: &Leftover) -> bool {
        family_of(&leftover.directory).is_none_or(|family| !self.unknown.contains(family))
    }
}
