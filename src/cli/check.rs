//! `gauntlet check`: reads manifests and runs nothing.

use clap::Args;

use super::output::{BadManifest, json, result};
use super::{Exit, Flags, output};

/// Check manifests: every mistake with its line, all in one go
#[derive(Debug, Args)]
pub struct Check {
    /// Manifest files, or artefacts
    #[arg(required = true, value_name = "MANIFEST")]
    manifests: Vec<String>,
}

impl Check {
    /// Checks every manifest; exit code 2 if any has a problem.
    pub fn run(&self, flags: &Flags) -> anyhow::Result<Exit> {
        let mut exit = Exit::Done;
        let mut found = Vec::new();
        for name in &self.manifests {
            match flags.planned(name) {
                Ok(planned) if !flags.json && !flags.quiet => {
                    let plan = &planned.plan;
                    let (jobs, exhibits) = (plan.jobs.len(), plan.written.exhibits.len());
                    result(&format!("{name}: ok, {jobs} jobs, {exhibits} exhibit(s), profile {}", plan.profile));
                }
                Ok(_) => {}
                Err(error) => {
                    exit = output::exit_of(&error);
                    match error.downcast_ref::<BadManifest>() {
                        Some(bad) if flags.json => found.extend(as_json(bad)),
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
}

fn as_json(bad: &BadManifest) -> Vec<serde_json::Value> {
    let problems = bad.problems.list().iter().map(|problem| {
        let place = bad.problems.locate(problem);
        serde_json::json!({
            "file": place.map(|(file, _)| file),
            "line": place.map(|(_, line)| line),
            "message": problem.message,
            "hint": problem.hint,
        })
    });
    problems.collect()
}
