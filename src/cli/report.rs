//! `gauntlet report`: renders the reports again from the store; runs no jobs.

use std::path::{Path, PathBuf};

use clap::Args;

use super::announce::announce;
use super::classes::OtherClasses;
use super::output::{Misuse, count, note, visible};
use super::{Exit, Flags, Terminal};
use crate::app::{
    ManifestLibrary, Planned, PublishedResults, RequestedManifest, WrittenArtefact, publish, require_jobs, require_own,
};
use gauntlet_run::scheduler::{Batch, JobState};
use gauntlet_store::Store;

/// Render tables, figures and the page again from the results in the store; runs no jobs
#[derive(Debug, Args)]
pub struct Report {
    /// Manifest files, artefacts, or whole papers [default: those that ran on these results, at the profiles that they ran at]
    #[arg(value_name = "MANIFEST|PAPER")]
    manifests: Vec<String>,
    /// For jobs without a result here, take the numbers of a gallery's single runs (<paper>/<profile>/runs/*.csv), so that a
    /// study goes on on another machine with more seeds; a note on each page counts them [default DIR: reports/gallery]
    #[arg(long, value_name = "DIR", num_args = 0..=1, default_missing_value = "reports/gallery", requires = "manifests")]
    gallery: Option<PathBuf>,
}

impl Report {
    /// Renders the reports; jobs without a result count as lost runs.
    pub fn run(&self, flags: &Flags) -> anyhow::Result<Exit> {
        let store = flags.options.look()?;
        if !self.manifests.is_empty() {
            let plans = named_plans(flags, &store, &self.manifests)?;
            let (plans, batch) = match &self.gallery {
                None => with_results(flags, plans, &store, false)?,
                // The results can be those of the gallery alone.
                Some(_) => {
                    let batch = flags.options.batch(&plans, &store)?;
                    (plans, batch)
                }
            };
            require_own(&flags.options, &plans)?;
            announce(flags, &rendered(flags, &plans, &batch, &store, self.gallery.as_deref())?);
            return Ok(Exit::Done);
        }
        let mut requested = Requested::of(flags, &store)?;
        if requested.plans.is_empty() {
            // A store without notes of requests.
            requested.plans = named_plans(flags, &store, &[])?;
        }
        let (mut written, mut empty, mut refused) = (Vec::new(), None, None);
        for (own, plans) in requested.by_profile(flags) {
            let (plans, batch) = match with_results(&own, plans, &store, true) {
                Ok(found) => found,
                Err(error) if error.is::<Misuse>() => {
                    empty = empty.or(Some(error));
                    continue;
                }
                Err(error) => return Err(error),
            };
            // A conflict of one profile leaves the others.
            match require_own(&own.options, &plans) {
                Ok(()) => written.extend(rendered(&own, &plans, &batch, &store, None)?),
                Err(error) => refused = refused.or(Some(error)),
            }
        }
        if !written.is_empty() {
            announce(flags, &written);
        }
        for name in requested.others {
            let why = "its file is gone, or it ran with `--set` or `--seeds`; name it with the same settings";
            note(flags.quiet, &format!("{} is left out: {why}", visible(&name)));
        }
        match refused.or(empty.filter(|_| written.is_empty())) {
            Some(error) => Err(error),
            None => Ok(Exit::Done),
        }
    }
}

/// Renders the reports of plans, with the runs of a gallery where there are no others; jobs without a result count as lost
/// runs.
fn rendered(
    flags: &Flags,
    plans: &[Planned],
    batch: &Batch,
    store: &Store,
    gallery: Option<&Path>,
) -> anyhow::Result<Vec<WrittenArtefact>> {
    let (mut results, _) = batch.results(store)?;
    let fill = |gallery| PublishedResults::fill(&flags.options, gallery, plans, batch, &mut results);
    let published = gallery.map(fill).transpose()?.unwrap_or_default();
    let is_missing: Vec<bool> =
        results.iter().zip(&batch.jobs).filter(|(_, job)| job.is_wanted()).map(|own| own.0.is_none()).collect();
    let missing = is_missing.iter().filter(|is_missing| **is_missing).count();
    if missing > 0 {
        let line = format!("{missing} of {} jobs have no result; `gauntlet run` makes them", is_missing.len());
        note(flags.quiet, &OtherClasses::of(&flags.options, batch, store)?.note(line));
    }
    publish(&flags.options, plans, batch, store, (&results, &published), &mut Terminal::new(flags))
}

/// The manifests that ran on a results tree.
struct Requested {
    plans: Vec<Planned>,
    /// Those that ran with other settings than those of a profile.
    others: Vec<String>,
}

impl Requested {
    fn of(flags: &Flags, store: &Store) -> anyhow::Result<Requested> {
        let mut requested = Requested { plans: Vec::new(), others: Vec::new() };
        for asked in flags.options.asked(store, &mut Terminal::new(flags))? {
            match asked {
                RequestedManifest::Planned(planned) => requested.plans.push(*planned),
                RequestedManifest::Other { name, .. } => requested.others.push(name),
            }
        }
        requested.plans.retain(|planned| planned.plan.missing_input().is_none());
        Ok(requested)
    }

    /// The plans of each profile, with the flags that would name it.
    fn by_profile(&mut self, flags: &Flags) -> Vec<(Flags, Vec<Planned>)> {
        if !flags.options.is_plain() {
            return vec![(flags.clone(), std::mem::take(&mut self.plans))];
        }
        let mut groups: Vec<(String, Vec<Planned>)> = Vec::new();
        for planned in self.plans.drain(..) {
            match groups.iter_mut().find(|(profile, _)| *profile == planned.plan.profile) {
                Some((_, plans)) => plans.push(planned),
                None => groups.push((planned.plan.profile.clone(), vec![planned])),
            }
        }
        let own = |profile: String| Flags { options: flags.options.at_profile(Some(&profile)), ..flags.clone() };
        groups.into_iter().map(|(profile, plans)| (own(profile), plans)).collect()
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
