//! `gauntlet check`: checks manifests without running them.

use std::collections::BTreeSet;

use clap::Args;
use serde_json::{Value, json};

use super::output::{BadManifest, json, note, result};
use super::{Exit, Flags, games, output};
use crate::app::Disk;
use crate::app::Planned;
use crate::app::require_memory;
use gauntlet_games::base::count;
use gauntlet_games::games::ludemes::{game, macros, spec::LudemeSpec};
use gauntlet_plan::manifest::ManifestSource as _;
use gauntlet_plan::manifest::plan::cautions;
use gauntlet_plan::manifest::written::CUSTOM;
use gauntlet_report::number::thousands;

/// Check manifests at every profile, and report all mistakes at once with their lines
#[derive(Debug, Args)]
pub struct Check {
    /// Manifest files, artefacts, or descriptions of games (.lud)
    #[arg(required = true, value_name = "MANIFEST")]
    manifests: Vec<String>,
    /// A directory of shared macros (.def) for descriptions of games
    #[arg(long, value_name = "DIR")]
    defs: Option<String>,
    /// Choose an option of a description: `Heading/Item`
    #[arg(long = "option", value_name = "OPTION")]
    options: Vec<String>,
}

impl Check {
    /// Checks every manifest; exit code 2 if any has a problem.
    pub fn run(&self, flags: &Flags) -> anyhow::Result<Exit> {
        let mut exit = Exit::Done;
        let mut found = Vec::new();
        for name in &self.manifests {
            if name.ends_with(".lud") {
                exit = self.description(flags, name, &mut found).unwrap_or(exit);
                continue;
            }
            match at_every_profile(flags, name).and_then(|plans| fitting(flags, plans)) {
                Ok(plans) if !flags.json && !flags.quiet => {
                    result(&format!("{name}: ok, {}", summary(&plans)));
                    cautions(&plans).iter().for_each(|caution| note(false, &format!("caution: {caution}")));
                }
                Ok(_) => {}
                Err(error) => {
                    exit = output::exit_of(&error);
                    match error.downcast_ref::<BadManifest>() {
                        Some(bad) if flags.json => found.extend(as_json(bad)),
                        None if flags.json => found.push(json!({ "file": name, "message": error.to_string() })),
                        _ => output::error(&error),
                    }
                }
            }
        }
        if flags.json {
            json(&found);
        }
        Ok(exit)
    }

    /// Checks the description of a game, and prints its facts; returns an exit code if it has mistakes.
    fn description(&self, flags: &Flags, name: &str, found: &mut Vec<Value>) -> Option<Exit> {
        match self.understood(name) {
            Ok(facts) if !flags.json && !flags.quiet => {
                result(&format!("{name}: ok"));
                facts.iter().for_each(|(what, text)| result(&format!("  {what}: {text}")));
            }
            Ok(_) => {}
            Err(message) => {
                match flags.json {
                    true => found.push(json!({ "file": name, "message": message })),
                    false => output::error(&anyhow::anyhow!(message)),
                }
                return Some(Exit::Usage);
            }
        }
        None
    }

    /// The facts of a description.
    fn understood(&self, name: &str) -> Result<Vec<(&'static str, String)>, String> {
        let text = Disk.text(name)?;
        let files = self.defs.as_ref().map_or(Ok(Vec::new()), |folder| macros::files(folder, Some(name)))?;
        let spec = LudemeSpec::read(name, &text, &files, &self.options)?;
        let [state, actions] = games::tensors(&*spec.build());
        let tensors = [("tensor of a state", state), ("tensor of actions", actions)];
        Ok(game::summary(&spec.program()).into_iter().chain(tensors).collect())
    }
}

/// Warnings for the author of a manifest, at all profiles.
fn cautions(plans: &[Planned]) -> BTreeSet<String> {
    plans.iter().flat_map(|Planned { plan, .. }| cautions::cautions(plan)).collect()
}

/// A summary of a valid manifest: exhibits and jobs, and the matches of its suite, if it has one.
fn summary(plans: &[Planned]) -> String {
    let written = &plans[0].plan.written;
    let jobs = plans.iter().map(|Planned { plan, .. }| format!("{} at {}", plan.jobs.len(), plan.profile));
    let exhibits = count(written.exhibits.len(), "exhibit");
    let jobs = format!("{exhibits}, jobs: {}", jobs.collect::<Vec<_>>().join(", "));
    let Some(suite) = &written.suite else { return jobs };
    let names: Vec<&str> = suite.matches.iter().map(|found| found.name.as_str()).collect();
    let pairs = thousands(suite.design.cap);
    let suite = format!(
        "a suite of {}, of {pairs} pairs a look at most (a second look confirms a regression): {}",
        matches(names.len()),
        names.join(", ")
    );
    if written.stages.is_empty() { suite } else { format!("{jobs}; {suite}") }
}

fn matches(count: usize) -> String {
    if count == 1 { "1 match".to_owned() } else { format!("{count} matches") }
}

/// The plans, if their files of weights fit, and there is memory for their jobs.
fn fitting(flags: &Flags, plans: Vec<Planned>) -> anyhow::Result<Vec<Planned>> {
    plans.iter().try_for_each(|planned| planned.require_weights(&flags.options))?;
    plans.iter().try_for_each(|planned| require_memory(&flags.options, planned))?;
    Ok(plans)
}

/// The plan at the requested profile; without one, at the default profile and all others.
fn at_every_profile(flags: &Flags, name: &str) -> anyhow::Result<Vec<Planned>> {
    let first = flags.options.planned(name)?;
    let is_special = flags.options.profile.is_some() || first.plan.profile == CUSTOM;
    let profiles = if is_special { Vec::new() } else { first.plan.written.profiles.clone() };
    let mut plans = vec![first];
    let mut bad: Option<BadManifest> = None;
    let default = plans[0].plan.profile.clone();
    for profile in profiles.iter().filter(|profile| **profile != default) {
        match flags.options.at_profile(Some(profile)).planned(name).map_err(anyhow::Error::downcast::<BadManifest>) {
            Ok(planned) => plans.push(planned),
            Err(Ok(found)) => match &mut bad {
                Some(bad) => bad.problems.merge(found.problems),
                None => bad = Some(found),
            },
            Err(Err(error)) => return Err(error),
        }
    }
    bad.map_or(Ok(plans), |bad| Err(bad.into()))
}

fn as_json(bad: &BadManifest) -> Vec<Value> {
    let problems = bad.problems.list().iter().map(|problem| {
        let place = bad.problems.locate(problem);
        json!({
            "file": place.map(|(file, _)| file),
            "line": place.map(|(_, line)| line),
            "message": problem.message,
            "hint": problem.hint,
        })
    });
    problems.collect()
}
