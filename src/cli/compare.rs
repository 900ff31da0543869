//! `gauntlet compare`: one table for the runs of several manifests, or of one at several profiles or in several results
//! trees.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};

use super::classes::OtherClasses;
use super::output::{self, Misuse, count, note, result, table};
use super::{Exit, Flags};
use crate::app::{Options, PublishedResults, lines, rows};
use gauntlet_report::compare::{Average, Compared, compare};
use gauntlet_report::facts::Facts;
use gauntlet_report::runs::RunRow;

/// The parts of a side that name its results tree and its device class.
const RESULTS: &str = "results";
const CLASS: &str = "device-class";

/// Compare the results of manifests, or of one manifest at several profiles, in several results trees or of several
/// device classes, in one table; runs no jobs
#[derive(Debug, Args)]
#[command(after_help = "\
For example:
  gauntlet compare quickstart@smoke quickstart@base
  gauntlet compare quickstart quickstart,results=../other/results
  gauntlet compare quickstart quickstart,device-class=cpu-x86_64-avx2")]
pub struct Compare {
    /// Two or more manifest files or artefacts, each followed by @PROFILE if it is not the usual profile, by
    /// `,results=DIR` if its results are not in --results, and by `,device-class=NAME` if they are of another one;
    /// differences are from the first
    #[arg(value_name = "MANIFEST[@PROFILE][,results=DIR][,device-class=NAME]", required = true, num_args = 2..)]
    sides: Vec<String>,
    /// Compare this number of the results, named as in `runs.csv` (repeatable) [default: the outcome]
    #[arg(long, value_name = "NUMBER")]
    of: Vec<String>,
}

/// A side of the comparison.
struct ComparedSide<'a> {
    /// As the user wrote it.
    name: &'a str,
    runs: Vec<RunRow>,
    other_classes: OtherClasses,
}

impl Compare {
    /// Prints the table.
    pub fn run(&self, flags: &Flags) -> anyhow::Result<Exit> {
        let sides = self.sides.iter().map(|name| side(flags, name)).collect::<anyhow::Result<Vec<_>>>()?;
        let (first, others) = sides.split_first().expect("clap wants two");
        let found: Vec<Vec<Compared>> =
            others.iter().map(|other| compare(&first.runs, &other.runs, &self.of)).collect();
        if found.iter().all(Vec::is_empty) {
            return Err(self.nothing(&sides));
        }
        let is_shown = |number: &&String| found.iter().flatten().any(|row| row.number == **number);
        let absent: Vec<&str> = self.of.iter().filter(|number| !is_shown(number)).map(String::as_str).collect();
        if !absent.is_empty() {
            return Err(no_number(&sides, &absent));
        }
        if flags.json {
            let of_side = |(other, rows): (&ComparedSide<'_>, &Vec<Compared>)| -> Vec<Value> {
                rows.iter().map(|row| value(row, [first.name, other.name])).collect()
            };
            output::json(&others.iter().zip(&found).flat_map(of_side).collect::<Vec<_>>());
            return Ok(Exit::Done);
        }
        result(&printed(first, others, &found));
        note(
            flags.quiet,
            "± is one standard error: over n runs, or over games where nothing was trained; differences are from the \
             first, positive where the other is larger",
        );
        sides.iter().for_each(|side| missing(flags, side));
        Ok(Exit::Done)
    }

    /// The error for a comparison without rows.
    fn nothing(&self, sides: &[ComparedSide<'_>]) -> anyhow::Error {
        let runs = || sides.iter().flat_map(|side| &side.runs);
        if self.of.is_empty() || !runs().any(|run| run.done) {
            let names: Vec<&str> = sides.iter().map(|side| side.name).collect();
            let what = format!("none of the {} of {} has a result", count(runs().count(), "job"), names.join(" and "));
            let elsewhere = sides.iter().find(|side| side.other_classes.clause().is_some()).unwrap_or(&sides[0]);
            return elsewhere.other_classes.error(what, "`gauntlet run` makes them".to_owned());
        }
        no_number(sides, &self.of.iter().map(String::as_str).collect::<Vec<_>>())
    }
}

/// The error for numbers that no result has.
fn no_number(sides: &[ComparedSide<'_>], absent: &[&str]) -> anyhow::Error {
    let runs = sides.iter().flat_map(|side| &side.runs);
    let mut known: Vec<&str> = runs.flat_map(|run| run.numbers.keys()).map(String::as_str).collect();
    known.sort_unstable();
    known.dedup();
    let message = format!("no result has a number `{}`", absent.join("`, `"));
    Misuse::new(message, format!("there are {}", known.join(", ")))
}

/// The side behind `NAME[@PROFILE][,results=DIR][,device-class=NAME]`.
fn side<'a>(flags: &Flags, written: &'a str) -> anyhow::Result<ComparedSide<'a>> {
    let mut options = flags.options.clone();
    let mut name = written;
    while let Some((rest, key, value)) = last_part(name) {
        match key {
            RESULTS => options.results = results_tree(written, value)?,
            _ => options.device_class = Some(value.to_owned()),
        }
        name = rest;
    }
    if let Some((manifest, profile)) = name.rsplit_once('@').filter(|_| !Path::new(name).exists()) {
        (name, options.profile) = (manifest, Some(profile.to_owned()));
    }
    let (runs, other_classes) = runs(&options, name)?;
    Ok(ComparedSide { name: written, runs, other_classes })
}

/// The last part of a side with its key, and the side before it.
fn last_part(side: &str) -> Option<(&str, &str, &str)> {
    let split = |key: &'static str| side.rsplit_once(&format!(",{key}=")).map(|(rest, value)| (rest, key, value));
    [RESULTS, CLASS].into_iter().filter_map(split).max_by_key(|(rest, ..)| rest.len())
}

/// The directory of a results tree, which exists.
fn results_tree(written: &str, directory: &str) -> anyhow::Result<PathBuf> {
    let path = PathBuf::from(directory);
    match path.is_dir() {
        true => Ok(path),
        false => Err(Misuse::new(
            format!("{written}: there is no directory `{directory}`"),
            "name a results tree: NAME,results=DIR",
        )),
    }
}

/// The runs of a manifest, and the results of other device classes.
fn runs(options: &Options, name: &str) -> anyhow::Result<(Vec<RunRow>, OtherClasses)> {
    let planned = options.planned(name)?;
    let store = options.look()?;
    let batch = options.batch([&planned], &store)?;
    let (results, _) = batch.results(&store)?;
    let places = &batch.places[0];
    let (id, own) = (|at: usize| &batch.jobs[places[at]].id, |at: usize| results[places[at]].as_ref());
    let facts = Facts::of(&planned.plan, (0..places.len()).map(own));
    let lines = lines(&facts, id, &store)?;
    let facts = facts.with_lines(lines);
    let runs = rows(options, &planned, (&facts, &PublishedResults::default()), id);
    Ok((runs, OtherClasses::of(options, &batch, &store)?))
}

/// A comparison as JSON.
fn value(compared: &Compared, sides: [&str; 2]) -> Value {
    let mut value = json!(compared);
    value["sides"] = json!(sides);
    value
}

/// One line for each configuration and number: all sides, then their differences from the first.
fn printed(first: &ComparedSide<'_>, others: &[ComparedSide<'_>], found: &[Vec<Compared>]) -> String {
    let mut header = vec!["configuration".to_owned(), "number".to_owned(), first.name.to_owned()];
    header.extend(others.iter().map(|other| other.name.to_owned()));
    match others {
        [_] => header.push("difference".to_owned()),
        _ => header.extend(others.iter().map(|other| format!("difference of {}", other.name))),
    }
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    // Sides may have configurations and numbers of their own.
    let mut keys: Vec<(&str, String)> = Vec::new();
    for row in found.iter().flatten() {
        let key = (row.configuration.as_str(), row.number_text());
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    table(&header, keys.iter().map(|key| line(key, found)))
}

fn line((configuration, number): &(&str, String), found: &[Vec<Compared>]) -> Vec<String> {
    let of = |rows: &Vec<Compared>| -> Option<Compared> {
        rows.iter().find(|row| row.configuration == *configuration && row.number_text() == *number).cloned()
    };
    let own: Vec<Option<Compared>> = found.iter().map(of).collect();
    let text = |average: Option<Average>| average.map_or("-".to_owned(), Average::text);
    let first = own.iter().flatten().find_map(|row| row.a);
    let mut line = vec![(*configuration).to_owned(), number.clone(), text(first)];
    line.extend(own.iter().map(|row| text(row.as_ref().and_then(|row| row.b))));
    line.extend(own.iter().map(|row| row.as_ref().map_or(String::new(), Compared::difference_text)));
    line
}

/// Reports jobs without a result.
fn missing(flags: &Flags, side: &ComparedSide<'_>) {
    let missing = side.runs.iter().filter(|run| !run.done).count();
    if missing > 0 {
        let of = count(side.runs.len(), "job");
        let what = format!("{missing} of {of} of {} have no result", side.name);
        note(flags.quiet, &side.other_classes.note(what));
    }
}
