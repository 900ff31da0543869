//! `gauntlet verify --gallery`: runs some of the single runs of a published gallery again, and compares their numbers.
//! It needs no stored results: its own are in a temporary directory, which is removed at the end.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};

use super::gallery_tables::{PublishedTable, paths, read};
use super::settings::{Verify, span};
use crate::cli::output::{self, Misuse, count, duration, note, result, table};
use crate::cli::{Exit, Flags, Terminal};
use crate::reports::facts::Facts;
use crate::reports::published_runs::{DifferingNumber, PublishedRun, RunIdentity};
use crate::reports::runs::RunRow;
use crate::scheduler::{Batch, RESULT, Stop, Summary, stop_on_signals, wait_for_tree};
use crate::store::Store;
use crate::verification::{Draw, Drawable, Extent, Fresh, draw};
use gauntlet_games::base::Key;
use gauntlet_nets::nets::deep::device_class;

/// A published run of today's plan.
struct Published<'a> {
    table: usize,
    run: &'a PublishedRun,
    /// The index of its job in the plan.
    place: usize,
    /// The number of its job in the batch.
    at: usize,
}

/// A published run with the outcome of its repetition.
struct Checked<'a> {
    table: &'a str,
    run: String,
    /// Its difference; none if all numbers are equal.
    difference: Option<String>,
    seconds: Option<f64>,
}

/// Checks a gallery: draws runs, repeats them, compares, prints the table.
///
/// # Errors
/// If the directory has no runs, or the system's directory for temporary files is not writable.
pub fn check(verify: &Verify, flags: &Flags, gallery: &Path) -> anyhow::Result<Exit> {
    let stop = Stop::default();
    // A second handler in one process (tests) is refused; the first one stays.
    let _ = stop_on_signals(&stop);
    let found = paths(gallery);
    if found.is_empty() {
        let what = format!("there is no <paper>/<profile>/runs/*.csv in {}", gallery.display());
        return Err(Misuse::new(what, "name the directory of a gallery that `gauntlet gallery --add` has made"));
    }
    let tables: Vec<PublishedTable> =
        found.iter().filter_map(|path| read(flags, gallery, path, &verify.names)).collect();
    let store = Store::open(scratch(gallery))?;
    let (Some(lock), _) = wait_for_tree(&store, &stop, &mut Terminal::new(flags))? else {
        return Ok(Exit::Interrupted);
    };
    let Some(checked) = remake(verify, flags, &tables, &store, &stop)? else {
        note(flags.quiet, "interrupted; run the same command again to continue");
        return Ok(Exit::Interrupted);
    };
    drop(lock);
    let _ = store.clear();
    Ok(print(flags, &checked))
}

/// A temporary directory for a gallery, so that an interrupted check can continue.
fn scratch(gallery: &Path) -> PathBuf {
    let whole = gallery.canonicalize().unwrap_or_else(|_| gallery.to_owned());
    std::env::temp_dir().join(format!("gauntlet-verify-{}", Key::of("gallery", &json!(whole.to_string_lossy()))))
}

/// Repeats runs and compares them; none if it was stopped.
fn remake<'a>(
    verify: &Verify,
    flags: &Flags,
    tables: &'a [PublishedTable],
    store: &Store,
    stop: &Stop,
) -> anyhow::Result<Option<Vec<Checked<'a>>>> {
    let plans = tables.iter().map(|table| Arc::clone(&table.planned.plan)).collect();
    let mut batch = Batch::new(plans, store, false)?;
    let runs = published(flags, tables, &batch);
    batch.measure_of(&runs.iter().map(|run| run.at).collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>(), store);
    let fresh = Fresh { store, data: flags.options.data.as_deref(), batch: &batch };
    let draw = choose(verify, flags, &runs, &fresh);
    let needed = fresh.needed(draw.drawn.iter().map(|drawn| runs[drawn.at].at));
    announce(flags, tables, &runs, &draw, needed.len());
    let summary = fresh.run(&needed, flags.options.pool_settings(), stop, &mut Terminal::new(flags))?;
    if summary.interrupted {
        return Ok(None);
    }
    let drawn: Vec<&Published<'_>> = draw.drawn.iter().map(|drawn| &runs[drawn.at]).collect();
    Ok(Some(compare(tables, &drawn, &batch, store, &summary)))
}

/// The published runs of today's plans. A message reports the others.
fn published<'a>(flags: &Flags, tables: &'a [PublishedTable], batch: &Batch) -> Vec<Published<'a>> {
    let mut found = Vec::new();
    for (at, table) in tables.iter().enumerate() {
        let places: BTreeMap<RunIdentity, usize> = identities(table).into_iter().zip(0..).collect();
        let own = table.runs.iter().filter_map(|run| Some((run, *places.get(&run.identity)?)));
        let before = found.len();
        found.extend(own.map(|(run, place)| Published { table: at, run, place, at: batch.places[at][place] }));
        if let others @ 1.. = table.runs.len() - (found.len() - before) {
            let what = format!("{}: {} left out", table.name, count(others, "run"));
            note(flags.quiet, &format!("{what}, which the manifest does not have any more"));
        }
    }
    found
}

/// The identities of the jobs of a table's plan.
fn identities(table: &PublishedTable) -> Vec<RunIdentity> {
    let plan = &table.planned.plan;
    let facts = Facts::of(plan, plan.jobs.iter().map(|_| None));
    let rows = facts.all().zip(&plan.jobs);
    rows.map(|(fact, job)| RunIdentity::of(&RunRow::new("", &fact, job.key, String::new()))).collect()
}

/// Draws runs: at least one of every stage of every table that fits, with its dependencies.
fn choose(verify: &Verify, flags: &Flags, runs: &[Published<'_>], fresh: &Fresh<'_>) -> Draw {
    let stages: BTreeSet<(usize, &str)> = runs.iter().map(|run| (run.table, &*run.run.identity.stage)).collect();
    let numbers: BTreeMap<(usize, &str), usize> = stages.into_iter().zip(0..).collect();
    let seconds = fresh.batch.whole_seconds(fresh.store);
    let drawable = |run: &Published<'_>| {
        let needed = fresh.needed([run.at]);
        Drawable {
            group: numbers[&(run.table, &*run.run.identity.stage)],
            seconds: needed.iter().map(|&at| seconds[at]).sum::<f64>().max(0.02),
            iterations: 1,
            begun: fresh.store.directory(&fresh.batch.jobs[run.at].id).is_dir().then_some(Extent::Whole),
            known: None,
        }
    };
    let jobs: Vec<Drawable> = runs.iter().map(drawable).collect();
    draw(&jobs, verify.budget(flags), verify.seed)
}

fn announce(flags: &Flags, tables: &[PublishedTable], runs: &[Published<'_>], draw: &Draw, jobs: usize) {
    let (all, tables) = (count(runs.len(), "published run"), count(tables.len(), "table"));
    let work = format!("{} to make again, {} with their dependencies", draw.drawn.len(), count(jobs, "job"));
    let time = format!("about {} on {}", duration(span(flags, &draw.drawn)), count(flags.options.slots(), "slot"));
    note(flags.quiet, &format!("{all} in {tables}: {work}; {time}"));
    if let over @ 1.. = draw.passed_over.len() {
        note(flags.quiet, &format!("{} left out, whose runs all take more than --minutes", count(over, "stage")));
    }
}

/// The published numbers beside the new ones.
fn compare<'a>(
    tables: &'a [PublishedTable],
    runs: &[&Published<'a>],
    batch: &Batch,
    store: &Store,
    summary: &Summary,
) -> Vec<Checked<'a>> {
    let (failed, readings) = (summary.failed.iter().cloned().collect::<HashMap<usize, String>>(), store.readings());
    let checked = |run: &&Published<'a>| {
        let (table, id) = (&tables[run.table], &batch.jobs[run.at].id);
        let plan = &table.planned.plan;
        let number: Option<Value> = store.read(id, RESULT).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let own = |place: usize| number.as_ref().filter(|_| place == run.place);
        let facts = Facts::of(plan, (0..plan.jobs.len()).map(own));
        let row = facts.all().nth(run.place).map(|fact| RunRow::new("", &fact, id.key, String::new()))?;
        let difference = match (&number, failed.get(&run.at)) {
            (Some(_), _) => run.run.first_difference(&row).as_ref().map(DifferingNumber::sentence),
            (None, Some(reason)) => Some(format!("it fails: {reason}")),
            (None, None) => Some("a dependency fails".to_owned()),
        };
        let seconds = readings.get(&id.directory()).map(|reading| reading.seconds);
        Some(Checked { table: &table.name, run: batch.describe(run.at), difference, seconds })
    };
    runs.iter().filter_map(checked).collect()
}

/// Prints the table, and returns the exit code.
fn print(flags: &Flags, checked: &[Checked<'_>]) -> Exit {
    if flags.json {
        let value = |run: &Checked<'_>| {
            let outcome = if run.difference.is_some() { "differs" } else { "same" };
            json!({ "table": run.table, "run": run.run, "outcome": outcome, "difference": run.difference,
                "seconds": run.seconds })
        };
        output::json_list(checked.iter().map(value));
    } else if !checked.is_empty() {
        let row = |run: &Checked<'_>| {
            let outcome = run.difference.as_ref().map_or("same".to_owned(), |differs| format!("differs: {differs}"));
            let seconds = run.seconds.map_or("-".to_owned(), |seconds| format!("{seconds:.1} s"));
            vec![run.table.to_owned(), run.run.clone(), outcome, seconds]
        };
        result(&table(&["table", "run", "outcome", "time"], checked.iter().map(row)));
    }
    let differ = checked.iter().filter(|run| run.difference.is_some()).count();
    if differ > 0 {
        let what = format!("{differ} of {} came out differently", count(checked.len(), "run"));
        let class = format!("trainings depend on the device class, which here is {}", device_class());
        note(flags.quiet, &format!("{what}; {class}"));
        return Exit::Regression;
    }
    if checked.is_empty() {
        note(flags.quiet, "nothing could be compared");
        return Exit::Unmeasured;
    }
    note(flags.quiet, &format!("{} came out with the same numbers", count(checked.len(), "run")));
    Exit::Done
}
