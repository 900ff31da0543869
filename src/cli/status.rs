//! `gauntlet status`: the progress of manifests, and their running jobs.

use std::collections::HashSet;

use clap::Args;
use serde_json::json;

use super::output::{self, duration, result, table};
use super::{Exit, Flags, Terminal, cluster, live};
use crate::scheduler::{JobState, LiveRun, Overview};

/// Show the progress of manifests: the built-in ones, those under experiments/ and those that have run here, or the
/// named ones
#[derive(Debug, Args)]
pub struct Status {
    /// Manifest files, or artefacts [default: all known ones]
    #[arg(value_name = "MANIFEST")]
    manifests: Vec<String>,
}

impl Status {
    /// Prints one line for each manifest, followed by a line for each running job.
    pub fn run(&self, flags: &Flags) -> anyhow::Result<Exit> {
        let store = flags.options.look()?;
        let is_named = !self.manifests.is_empty();
        let plans = match self.manifests.as_slice() {
            [] => flags.options.known_plans(&store, &mut Terminal::new(flags))?,
            names => flags.options.plans(names)?,
        };
        let (runs, overview) = (LiveRun::all(&store), Overview::new(&store));
        let under_way = || runs.iter().flat_map(|run| &run.running);
        let (mut rows, mut values) = (Vec::new(), Vec::new());
        for planned in plans {
            let mut batch = flags.options.batch([&planned], &store)?;
            if is_named {
                batch.measure(&store);
            }
            let (name, profile) = (planned.name, planned.plan.profile.clone());
            let left = batch.seconds_left_beside(&runs, &store, flags.options.slots());
            let (cached, stale, broken) = (batch.done(), batch.count(JobState::Stale), batch.count(JobState::Broken));
            let own: HashSet<String> = batch.jobs.iter().map(|job| job.id.directory()).collect();
            let running: Vec<_> = under_way().filter(|job| own.contains(&job.directory)).map(live::value).collect();
            values.push(json!({ "manifest": name, "profile": profile, "jobs": batch.jobs.len(), "cached": cached,
                "verified": batch.count(JobState::Verified), "stale": stale, "damaged": broken, "seconds_left": left, "running": running,
                "cluster": cluster::values(&overview, &own) }));
            let left = if cached == batch.jobs.len() { "-".to_owned() } else { duration(left) };
            let numbers = [batch.jobs.len(), cached, stale, broken].map(|number| number.to_string());
            rows.push([name, profile].into_iter().chain(numbers).chain([left]).collect::<Vec<_>>());
        }
        match flags.json {
            true => output::json(&values),
            false => {
                let header = ["manifest", "profile", "jobs", "cached", "stale", "damaged", "to do, roughly"];
                result(&table(&header, rows));
                for run in &runs {
                    result(&format!("\n{}\n{}", live::headline(run), live::jobs(run.running.iter())));
                }
                cluster::show(flags, &overview);
            }
        }
        Ok(Exit::Done)
    }
}
