//! `gauntlet report`: renders what is in the store again, and runs nothing.

use clap::Args;

use super::library::ManifestLibrary;
use super::load_plans::Planned;
use super::output::{Misuse, count, note};
use super::{Exit, Flags, publish, render, work};
use crate::scheduler::JobState;
use crate::store::Store;

/// Render tables, figures and the page again from what is in the store, and run nothing
#[derive(Debug, Args)]
pub struct Report {
    /// Manifest files, artefacts, or whole papers [default: every artefact that has results]
    #[arg(value_name = "MANIFEST|PAPER")]
    manifests: Vec<String>,
}

impl Report {
    /// Renders; jobs without a result show as lost runs.
    pub fn run(&self, flags: &Flags) -> anyhow::Result<Exit> {
        let store = flags.look()?;
        let plans = with_results(flags, self.plans(flags)?, &store, self.manifests.is_empty())?;
        publish::require_own(flags, &plans)?;
        let batch = flags.batch(&plans, &store)?;
        let (results, _) = batch.results(&store)?;
        let missing = results.iter().filter(|result| result.is_none()).count();
        if missing > 0 {
            let line = format!("{missing} of {} jobs have no result; `gauntlet run` makes them", results.len());
            note(flags.quiet, &line);
        }
        render::publish(flags, &plans, &batch, &store, &results)?;
        Ok(Exit::Done)
    }

    /// The plans of what is named, or of every artefact whose files are there.
    fn plans(&self, flags: &Flags) -> anyhow::Result<Vec<Planned>> {
        let library = ManifestLibrary::open();
        if self.manifests.is_empty() {
            let mut plans = flags.plans_with_profile(&library.artefacts())?;
            plans.retain(|planned| planned.plan.missing_input().is_none());
            return Ok(plans);
        }
        let family = |name: &String| match library.family(name) {
            family if family.is_empty() => vec![name.clone()],
            family => family,
        };
        let plans = flags.plans(&self.manifests.iter().flat_map(family).collect::<Vec<_>>())?;
        // Which results are theirs is not known without the files that they were made from.
        plans.iter().try_for_each(|planned| planned.require_inputs(flags))?;
        plans.iter().try_for_each(work::require_jobs)?;
        Ok(plans)
    }
}

/// The plans that have a result; what was rendered of the others stays. Only of those that were named is it told.
fn with_results(flags: &Flags, plans: Vec<Planned>, store: &Store, is_silent: bool) -> anyhow::Result<Vec<Planned>> {
    let (mut kept, mut missing, mut stale, mut names) = (Vec::new(), 0, 0, Vec::new());
    for planned in plans {
        let batch = flags.batch([&planned], store)?;
        if batch.done() > 0 {
            kept.push(planned);
            continue;
        }
        missing += batch.jobs.len();
        stale += batch.count(JobState::Stale);
        names.push(planned.name);
    }
    if kept.is_empty() {
        let what = format!("none of {} has a result in {}", count(missing, "job"), flags.results.display());
        return Err(Misuse::new(what, way_to_results(&names, stale)));
    }
    if !is_silent {
        names.iter().for_each(|name| note(flags.quiet, &format!("{name} has no result; its report stays as it is")));
    }
    Ok(kept)
}

fn way_to_results(names: &[String], stale: usize) -> String {
    let run = match names {
        [name] => format!("`gauntlet run {name}` makes them"),
        _ => "`gauntlet run` makes them".to_owned(),
    };
    let accept = if stale > 0 { ", --accept-code takes those of older code" } else { "" };
    format!("{run}{accept}; or name the directory that holds them with --results")
}
