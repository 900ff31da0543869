//! `gauntlet report`: renders the reports again from the store; runs no jobs.

use clap::Args;

use super::announce::announce;
use super::classes::OtherClasses;
use super::output::{count, note};
use super::{Exit, Flags, Terminal};
use crate::app::ManifestLibrary;
use crate::app::Planned;
use crate::app::{publish, require_jobs, require_own};
use crate::scheduler::{Batch, JobState};
use crate::store::Store;

/// Render tables, figures and the page again from the results in the store; runs no jobs
#[derive(Debug, Args)]
pub struct Report {
    /// Manifest files, artefacts, or whole papers [default: every manifest that has results here]
    #[arg(value_name = "MANIFEST|PAPER")]
    manifests: Vec<String>,
}

impl Report {
    /// Renders the reports; jobs without a result count as lost runs.
    pub fn run(&self, flags: &Flags) -> anyhow::Result<Exit> {
        let store = flags.options.look()?;
        let (plans, batch) =
            with_results(flags, named_plans(flags, &store, &self.manifests)?, &store, self.manifests.is_empty())?;
        require_own(&flags.options, &plans)?;
        let (results, _) = batch.results(&store)?;
        let missing = results.iter().filter(|result| result.is_none()).count();
        if missing > 0 {
            let line = format!("{missing} of {} jobs have no result; `gauntlet run` makes them", results.len());
            note(flags.quiet, &OtherClasses::of(&flags.options, &batch, &store)?.note(line));
        }
        let written = publish(&flags.options, &plans, &batch, &store, &results, &mut Terminal::new(flags))?;
        announce(flags, &written);
        Ok(Exit::Done)
    }
}

/// The plans of the named manifests and papers, or of every known manifest whose files exist.
///
/// # Errors
/// If a named manifest has problems, is a suite, or reads missing files.
pub fn named_plans(flags: &Flags, store: &Store, names: &[String]) -> anyhow::Result<Vec<Planned>> {
    let library = ManifestLibrary::open();
    if names.is_empty() {
        let mut plans = flags.options.known_plans(store, &mut Terminal::new(flags))?;
        plans.retain(|planned| planned.plan.missing_input().is_none());
        return Ok(plans);
    }
    let family = |name: &String| match library.family(name) {
        family if family.is_empty() => vec![name.clone()],
        family => family,
    };
    let plans = flags.options.plans(&names.iter().flat_map(family).collect::<Vec<_>>())?;
    // Their results are unknown without the files that they depend on.
    plans.iter().try_for_each(|planned| planned.require_inputs(&flags.options))?;
    plans.iter().try_for_each(require_jobs)?;
    Ok(plans)
}

/// The plans with a result; the existing reports of the others stay. A message is printed only for named plans.
fn with_results(
    flags: &Flags,
    plans: Vec<Planned>,
    store: &Store,
    is_silent: bool,
) -> anyhow::Result<(Vec<Planned>, Batch)> {
    let batch = flags.options.batch(&plans, store)?;
    let has_result = |places: &Vec<usize>| places.iter().any(|&at| batch.jobs[at].state.is_done());
    let kept: Vec<bool> = batch.places.iter().map(has_result).collect();
    if !kept.contains(&true) {
        let names: Vec<String> = plans.into_iter().map(|planned| planned.name).collect();
        let what =
            format!("none of {} has a result in {}", count(batch.jobs.len(), "job"), flags.options.results.display());
        let way = way_to_results(&names, batch.count(JobState::Stale));
        return Err(OtherClasses::of(&flags.options, &batch, store)?.error(what, way));
    }
    if !kept.contains(&false) {
        return Ok((plans, batch));
    }
    let (kept, others): (Vec<_>, Vec<_>) = plans.into_iter().zip(kept).partition(|(_, kept)| *kept);
    for (Planned { name, .. }, _) in others.iter().filter(|_| !is_silent) {
        note(flags.quiet, &format!("{name} has no result; its report is unchanged"));
    }
    let plans: Vec<Planned> = kept.into_iter().map(|(planned, _)| planned).collect();
    let batch = flags.options.batch(&plans, store)?;
    Ok((plans, batch))
}

fn way_to_results(names: &[String], stale: usize) -> String {
    let run = match names {
        [name] => format!("`gauntlet run {name}` makes them"),
        _ => "`gauntlet run` makes them".to_owned(),
    };
    let accept = match stale {
        0 => "",
        _ => ", `gauntlet verify` finds out whether those of older code come out the same, --accept-code takes them",
    };
    format!("{run}{accept}; or name the directory that holds them with --results")
}
