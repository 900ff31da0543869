//! `gauntlet status`: the progress of manifests, and their running and interrupted jobs.

use std::collections::HashSet;

use clap::Args;
use serde_json::{Value, json};

use super::output::{self, duration, note, result, table};
use super::{Exit, Flags, Terminal, checkpoints, cluster, live};
use crate::app::{Planned, RequestedManifest, directory};
use gauntlet_plan::manifest::written::CUSTOM;
use gauntlet_run::scheduler::{JobState, LiveRun, Overview};
use gauntlet_store::Store;

/// Show the progress of manifests: of all that ran on these results, or of the named ones
#[derive(Debug, Args)]
pub struct Status {
    /// Manifest files, or artefacts [default: those that ran on these results, at the profiles that they ran at]
    #[arg(value_name = "MANIFEST")]
    manifests: Vec<String>,
}

/// What a line is made of.
struct Scene<'a> {
    flags: &'a Flags,
    store: &'a Store,
    runs: &'a [LiveRun],
    overview: &'a Overview,
}

/// The state of a manifest: as JSON, as a row of the table, and its interrupted jobs.
struct ManifestState {
    value: Value,
    row: Vec<String>,
    /// One line for each of its races.
    races: Vec<String>,
    interrupted: Vec<Vec<String>>,
}

impl Status {
    /// Prints one line for each manifest, followed by the running and the interrupted jobs.
    pub fn run(&self, flags: &Flags) -> anyhow::Result<Exit> {
        let store = flags.options.look()?;
        let asked = match self.manifests.as_slice() {
            [] => flags.options.asked(&store, &mut Terminal::new(flags))?,
            names => named(flags.options.plans(names)?),
        };
        let (runs, overview) = (LiveRun::all(&store), Overview::new(&store));
        let scene = Scene { flags, store: &store, runs: &runs, overview: &overview };
        let states = asked.into_iter().map(|asked| match asked {
            RequestedManifest::Planned(planned) => scene.planned(*planned),
            RequestedManifest::Other { name, directories } => Ok(scene.other(name, &directories)),
        });
        let states = states.collect::<anyhow::Result<Vec<ManifestState>>>()?;
        if flags.json {
            output::json(&states.iter().map(|state| &state.value).collect::<Vec<_>>());
            return Ok(Exit::Done);
        }
        if states.is_empty() {
            tell_why_empty(flags, &store)?;
        } else {
            let header = ["manifest", "profile", "jobs", "cached", "stale", "damaged", "to do, roughly"];
            result(&table(&header, states.iter().map(|state| state.row.clone())));
            states.iter().flat_map(|state| &state.races).for_each(|line| result(line));
        }
        checkpoints::show(states.into_iter().flat_map(|state| state.interrupted).collect());
        for run in &runs {
            result(&format!("\n{}\n{}", live::headline(run), live::jobs(run.running.iter())));
        }
        cluster::show(flags, &overview);
        Ok(Exit::Done)
    }
}

/// Says why no manifest is shown. Those with problems have messages of their own.
fn tell_why_empty(flags: &Flags, store: &Store) -> anyhow::Result<()> {
    let results = flags.options.results.display();
    if store.requests()?.is_empty() {
        let way = "`gauntlet reproduce --list` shows all artefacts";
        note(flags.quiet, &format!("nothing has run on `{results}`; {way}"));
    } else if let Some(profile) = &flags.options.profile {
        note(flags.quiet, &format!("no sound manifest that ran on `{results}` has the profile `{profile}`"));
    }
    Ok(())
}

fn named(plans: Vec<Planned>) -> Vec<RequestedManifest> {
    plans.into_iter().map(|planned| RequestedManifest::Planned(Box::new(planned))).collect()
}

impl Scene<'_> {
    fn planned(&self, planned: Planned) -> anyhow::Result<ManifestState> {
        let options = &self.flags.options;
        let mut batch = options.batch([&planned], self.store)?;
        batch.measure(self.store);
        let report = directory(options, &planned);
        let (name, profile) = (planned.name, planned.plan.profile.clone());
        let left = batch.seconds_left_beside(self.runs, self.store, options.slots());
        let (cached, stale, broken) = (batch.done(), batch.count(JobState::Stale), batch.count(JobState::Broken));
        let (jobs, races) = (batch.wanted() + batch.later_at_most(), batch.race_lines());
        let own: HashSet<String> = batch.jobs.iter().map(|job| job.id.directory()).collect();
        let under_way = || self.runs.iter().flat_map(|run| &run.running);
        let running: Vec<_> = under_way().filter(|job| own.contains(&job.directory)).map(live::value).collect();
        let busy: HashSet<&str> = under_way().map(|job| job.directory.as_str()).collect();
        let begun = batch.checkpoints(self.store).into_iter();
        let begun: Vec<_> = begun.filter(|(at, _)| !busy.contains(&*batch.jobs[*at].id.directory())).collect();
        let value = json!({ "manifest": name, "profile": profile, "report": report, "jobs": jobs,
            "cached": cached, "verified": batch.count(JobState::Verified), "stale": stale, "damaged": broken, "seconds_left": left,
            "running": running, "races": races, "checkpoints": checkpoints::values(&batch, &begun),
            "cluster": cluster::values(self.overview, &own) });
        let left = if cached == jobs { "-".to_owned() } else { duration(left) };
        let numbers = [jobs, cached, stale, broken].map(|number| number.to_string());
        let row = [name, profile].into_iter().chain(numbers).chain([left]).collect();
        Ok(ManifestState { value, row, races, interrupted: checkpoints::rows(&batch, &begun) })
    }

    /// A manifest that ran with other settings than those of its profiles, or whose file is gone.
    fn other(&self, name: String, directories: &[String]) -> ManifestState {
        let is_done = |directory: &&String| self.store.is_finished(directory);
        let (jobs, cached) = (directories.len(), directories.iter().filter(is_done).count());
        let value = json!({ "manifest": name, "profile": CUSTOM, "report": null, "jobs": jobs, "cached": cached,
            "verified": 0, "stale": 0, "damaged": 0, "seconds_left": null, "running": [], "races": [], "checkpoints": [], "cluster": [] });
        let words = [jobs.to_string(), cached.to_string(), "0".to_owned(), "0".to_owned(), "-".to_owned()];
        let row = [name, CUSTOM.to_owned()].into_iter().chain(words).collect();
        ManifestState { value, row, races: Vec::new(), interrupted: Vec::new() }
    }
}
