//! `gauntlet compare`: one table for the runs of two manifests, or of one at two profiles.

use clap::Args;

use super::output::{self, Misuse, count, note, result, table};
use super::{Exit, Flags};
use crate::app::Planned;
use crate::app::{Options, rows};
use crate::reports::compare::{Average, Compared, compare};
use crate::reports::facts::Facts;
use crate::reports::runs::RunRow;
use crate::store::Store;

/// Compare the results of two manifests, or of one manifest at two profiles, in one table; runs no jobs
#[derive(Debug, Args)]
pub struct Compare {
    /// A manifest file or artefact, followed by @PROFILE if it is not the usual profile
    #[arg(value_name = "A[@PROFILE]")]
    a: String,
    /// Another one, or the same at another profile
    #[arg(value_name = "B[@PROFILE]")]
    b: String,
    /// Compare this number of the results, named as in `runs.csv` (repeatable) [default: the outcome]
    #[arg(long, value_name = "NUMBER")]
    of: Vec<String>,
}

impl Compare {
    /// Prints the table.
    pub fn run(&self, flags: &Flags) -> anyhow::Result<Exit> {
        let (a, b) = (planned(flags, &self.a)?, planned(flags, &self.b)?);
        let store = flags.options.look()?;
        let [runs, others] = [runs(flags, &a, &store)?, runs(flags, &b, &store)?];
        let found = compare(&runs, &others, &self.of);
        if found.is_empty() {
            return Err(self.nothing(&[runs, others].concat()));
        }
        if flags.json {
            output::json(&found);
            return Ok(Exit::Done);
        }
        let header = ["configuration", "number", &self.a, &self.b, "difference"];
        result(&table(&header, found.iter().map(row)));
        note(
            flags.quiet,
            "± is one standard error: over n runs, or over games where nothing was trained; differences are the second less \
                 the first",
        );
        missing(flags, &self.a, &runs);
        missing(flags, &self.b, &others);
        Ok(Exit::Done)
    }

    /// The error for a comparison without rows.
    fn nothing(&self, runs: &[RunRow]) -> anyhow::Error {
        let done = runs.iter().filter(|run| run.done).count();
        if done == 0 || self.of.is_empty() {
            let what = format!("none of the {} of {} and {} has a result", count(runs.len(), "job"), self.a, self.b);
            return Misuse::new(what, "`gauntlet run` makes them");
        }
        let mut known: Vec<&str> = runs.iter().flat_map(|run| run.numbers.keys()).map(String::as_str).collect();
        known.sort_unstable();
        known.dedup();
        Misuse::new(
            format!("no result has a number `{}`", self.of.join("`, `")),
            format!("there are {}", known.join(", ")),
        )
    }
}

/// The plan behind `NAME` or `NAME@PROFILE`.
fn planned(flags: &Flags, name: &str) -> anyhow::Result<Planned> {
    match name.rsplit_once('@') {
        Some((manifest, profile)) if !std::path::Path::new(name).exists() => {
            Options { profile: Some(profile.to_owned()), ..flags.options.clone() }.planned(manifest)
        }
        _ => flags.options.planned(name),
    }
}

/// The runs of a plan that have results.
fn runs(flags: &Flags, planned: &Planned, store: &Store) -> anyhow::Result<Vec<RunRow>> {
    let batch = flags.options.batch([planned], store)?;
    let (results, _) = batch.results(store)?;
    let places = &batch.places[0];
    let own = places.iter().map(|&place| results[place].as_ref());
    Ok(rows(&flags.options, planned, &Facts::of(&planned.plan, own), |at| &batch.jobs[places[at]].id))
}

fn row(compared: &Compared) -> Vec<String> {
    let side = |average: Option<Average>| average.map_or("-".to_owned(), Average::text);
    let (a, b) = (side(compared.a), side(compared.b));
    vec![compared.configuration.clone(), compared.number_text(), a, b, compared.difference_text()]
}

/// Reports jobs without a result.
fn missing(flags: &Flags, name: &str, runs: &[RunRow]) {
    let missing = runs.iter().filter(|run| !run.done).count();
    if missing > 0 {
        note(flags.quiet, &format!("{missing} of {} of {name} have no result", count(runs.len(), "job")));
    }
}
