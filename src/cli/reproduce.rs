//! `gauntlet reproduce`: published tables and figures by name.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use super::output::{Misuse, confirmed, duration, json, result, table};
use super::{Exit, Flags, run};
use crate::app::{ManifestLibrary, RunRequest};
use gauntlet_plan::manifest::PaperScale;
use gauntlet_plan::manifest::source::nearest;

/// Reproduce published tables and figures by name, and put the published numbers beside ours
#[derive(Debug, Args)]
pub struct Reproduce {
    /// Artefacts (schaul2009/table1) or whole papers (schaul2009)
    #[arg(value_name = "ARTEFACT|PAPER")]
    names: Vec<String>,
    /// Show every artefact with its paper, state and rough cost (`plan` measures); runs no jobs
    #[arg(long)]
    list: bool,
    /// End with exit code 3 unless every success criterion of the artefacts is met
    #[arg(long, conflicts_with = "list")]
    require_success: bool,
    /// Record the events of the run in this file; `gauntlet watch --replay FILE` plays them back
    #[arg(long, value_name = "FILE", conflicts_with = "list")]
    record: Option<PathBuf>,
}

#[derive(Serialize)]
struct Listed {
    artefact: String,
    what: String,
    title: String,
    profile: String,
    jobs: usize,
    cached: usize,
    /// Unknown while a file that it reads is missing.
    seconds_left: Option<f64>,
    /// The first missing file that it reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    missing: Option<String>,
}

impl Reproduce {
    /// Lists the artefacts, or runs the named ones as one batch.
    pub fn run(&self, flags: &Flags) -> anyhow::Result<Exit> {
        let library = ManifestLibrary::open();
        let known = library.artefacts();
        if self.list {
            let wanted = if self.names.is_empty() { known } else { self.chosen(&known)? };
            return list(flags, &wanted);
        }
        if self.names.is_empty() {
            return Err(Misuse::new("no artefact or paper is named", "gauntlet reproduce --list shows what there is"));
        }
        let (names, record) = (self.chosen(&known)?, self.record.clone());
        run::run(flags, &RunRequest { names, require_success: self.require_success, record, ask: Some(confirmed) })
    }

    fn chosen(&self, known: &[String]) -> anyhow::Result<Vec<String>> {
        let mut chosen: Vec<String> = Vec::new();
        for name in &self.names {
            let family = format!("{name}/");
            let found: Vec<&String> =
                known.iter().filter(|known| *known == name || known.starts_with(&family)).collect();
            if found.is_empty() {
                return Err(unknown(name, known));
            }
            for artefact in found {
                if !chosen.contains(artefact) {
                    chosen.push(artefact.clone());
                }
            }
        }
        Ok(chosen)
    }
}

fn unknown(name: &str, known: &[String]) -> anyhow::Error {
    let papers = known.iter().filter_map(|name| name.split('/').next());
    let words: Vec<&str> = known.iter().map(String::as_str).chain(papers).collect();
    let hint = match nearest(name, &words) {
        Some(near) => format!("did you mean {near}?"),
        None => "gauntlet reproduce --list shows what there is".to_owned(),
    };
    Misuse::new(format!("there is no artefact or paper `{name}`"), hint)
}

fn list(flags: &Flags, names: &[String]) -> anyhow::Result<Exit> {
    let plans = flags.options.plans_with_profile(names)?;
    if let (true, Some(profile)) = (plans.is_empty(), &flags.options.profile) {
        return Err(Misuse::new(format!("no artefact has a profile `{profile}`"), "leave --profile out"));
    }
    let store = flags.options.look()?;
    let mut listed = Vec::new();
    for planned in plans {
        let batch = flags.options.batch([&planned], &store)?;
        let written = &planned.plan.written;
        let missing = planned.plan.missing_input().map(str::to_owned);
        listed.push(Listed {
            artefact: planned.name.clone(),
            what: written.paper.as_ref().and_then(|paper| paper.artefact.clone()).unwrap_or("addition".to_owned()),
            title: written.title.clone(),
            profile: match (planned.scale, planned.plan.profile.as_str()) {
                (PaperScale::Same, "paper") | (PaperScale::Other, _) => planned.plan.profile.clone(),
                (PaperScale::Same, profile) => format!("{profile} (= paper)"),
                (PaperScale::MoreRuns, profile) => format!("{profile} (paper, more runs)"),
            },
            jobs: batch.wanted() + batch.later_at_most(),
            cached: batch.done(),
            seconds_left: missing.is_none().then(|| batch.seconds_left(&store, flags.options.slots())),
            missing,
        });
    }
    if flags.json {
        json(&listed);
    } else {
        result(&table(&["artefact", "paper", "profile", "done", "to do, roughly", "title"], listed.iter().map(row)));
    }
    Ok(Exit::Done)
}

fn row(listed: &Listed) -> Vec<String> {
    let left = match (listed.jobs - listed.cached, listed.seconds_left) {
        (0, _) => "-".to_owned(),
        (_, Some(seconds)) => duration(seconds),
        (_, None) => "needs --data".to_owned(),
    };
    let done = format!("{}/{}", listed.cached, listed.jobs);
    vec![listed.artefact.clone(), listed.what.clone(), listed.profile.clone(), done, left, listed.title.clone()]
}
