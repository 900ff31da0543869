//! `gauntlet verify --gallery`: runs some of the single runs of a published gallery again, and compares their numbers.
//! It needs no stored results: its own are in a temporary directory, which is removed at the end.
//!
//! One run of every stage is made again, cheap ones first; the rest of the budget goes to random samples, from which a
//! bound for all runs follows.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};

use super::gallery_tables::{PublishedTable, paths, read};
use super::settings::Verify;
use crate::cli::output::{self, Misuse, count, duration, note, result, table};
use crate::cli::{Exit, Flags, Terminal};
use gauntlet_games::base::{Key, thousands};
use gauntlet_report::facts::Facts;
use gauntlet_report::published_facts::identities;
use gauntlet_report::published_runs::{DifferingNumber, PublishedRun, RunIdentity};
use gauntlet_report::runs::RunRow;
use gauntlet_run::scheduler::{Batch, RESULT, Stop, Summary, stop_on_signals, wait_for_tree};
use gauntlet_run::verification::{Budget, CONFIDENCE, Draw, Drawable, Extent, Fresh, Stratum, audit, draw};
use gauntlet_store::Store;

/// A published run of today's plan.
struct Published<'a> {
    table: usize,
    run: &'a PublishedRun,
    /// The index of its job in the plan.
    place: usize,
    /// The number of its job in the batch.
    at: usize,
}

/// The runs to make again.
struct Chosen {
    /// One of every stage.
    stages: Draw,
    /// Random samples of all runs, by cost.
    strata: Vec<Stratum>,
    /// Seconds of one core for all of them.
    seconds: f64,
}

impl Chosen {
    /// The indices of all runs, in order.
    fn all(&self) -> BTreeSet<usize> {
        let stages = self.stages.drawn.iter().map(|drawn| drawn.at);
        stages.chain(self.strata.iter().flat_map(|stratum| stratum.drawn.iter().copied())).collect()
    }
}

/// A published run with the outcome of its repetition.
struct Checked<'a> {
    /// Its index.
    at: usize,
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
    let store = Store::open(scratch(gallery))?.by_program(env!("GAUNTLET_COMMIT"));
    let (Some(lock), _) = wait_for_tree(&store, &stop, &mut Terminal::new(flags))? else {
        return Ok(Exit::Interrupted);
    };
    let Some((checked, strata)) = remake(verify, flags, &tables, &store, &stop)? else {
        note(flags.quiet, "interrupted; run the same command again to continue");
        return Ok(Exit::Interrupted);
    };
    drop(lock);
    let _ = store.clear();
    let exit = print(flags, &checked);
    bounds(flags, verify.seed, &checked, &strata);
    Ok(exit)
}

/// A temporary directory for a gallery, so that an interrupted check can continue.
fn scratch(gallery: &Path) -> PathBuf {
    let whole = gallery.canonicalize().unwrap_or_else(|_| gallery.to_owned());
    std::env::temp_dir().join(format!("gauntlet-verify-{}", Key::of("gallery", &json!(whole.to_string_lossy()))))
}

/// Repeats runs and compares them, with the random samples among them; none if it was stopped.
fn remake<'a>(
    verify: &Verify,
    flags: &Flags,
    tables: &'a [PublishedTable],
    store: &Store,
    stop: &Stop,
) -> anyhow::Result<Option<(Vec<Checked<'a>>, Vec<Stratum>)>> {
    let plans = tables.iter().map(|table| Arc::clone(&table.planned.plan)).collect();
    let mut batch = Batch::new(plans, store, false)?;
    let runs = published(flags, tables, &batch);
    batch.measure_of(&runs.iter().map(|run| run.at).collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>(), store);
    let fresh = Fresh { store, data: flags.options.data.as_deref(), batch: &batch };
    let chosen = choose(verify, flags, &runs, &fresh);
    let all = chosen.all();
    let needed = fresh.needed(all.iter().map(|&at| runs[at].at));
    announce(flags, tables, &runs, &chosen, needed.len());
    let summary = fresh.run(&needed, flags.options.pool_settings(), stop, &mut Terminal::new(flags))?;
    if summary.interrupted {
        return Ok(None);
    }
    let drawn: Vec<(usize, &Published<'_>)> = all.iter().map(|&at| (at, &runs[at])).collect();
    Ok(Some((compare(tables, &drawn, &batch, store, &summary), chosen.strata)))
}

/// The published runs of today's plans. A message reports the others.
fn published<'a>(flags: &Flags, tables: &'a [PublishedTable], batch: &Batch) -> Vec<Published<'a>> {
    let mut found = Vec::new();
    for (at, table) in tables.iter().enumerate() {
        let places: BTreeMap<RunIdentity, usize> = identities(&table.planned.plan).into_iter().zip(0..).collect();
        let own = table.runs.iter().filter_map(|run| Some((run, *places.get(&run.identity)?)));
        let before = found.len();
        found.extend(own.map(|(run, place)| Published { table: at, run, place, at: batch.places[at][place] }));
        if let others @ 1.. = table.runs.len() - (found.len() - before) {
            let what = format!("{}: {} left out", table.name, count(others, "run"));
            note(flags.quiet, &format!("{what}, which the manifest does not have any more"));
        }
        let shown: BTreeSet<usize> = found[before..].iter().map(|run| run.place).collect();
        // A race has not decided yet which jobs it wants.
        let missing = table.planned.plan.jobs.len() - shown.len();
        if missing > 0 && batch.races[at].races.is_empty() {
            note(flags.quiet, &format!("{}: {} of the manifest not published", table.name, count(missing, "run")));
        }
    }
    found
}

/// Draws runs: one of every stage of every table that fits into half of the budget, with its dependencies, and random
/// ones for the rest of it.
fn choose(verify: &Verify, flags: &Flags, runs: &[Published<'_>], fresh: &Fresh<'_>) -> Chosen {
    let stages: BTreeSet<(usize, &str)> = runs.iter().map(|run| (run.table, &*run.run.identity.stage)).collect();
    let numbers: BTreeMap<(usize, &str), usize> = stages.into_iter().zip(0..).collect();
    let seconds = fresh.batch.whole_seconds(fresh.store);
    let drawable = |run: &Published<'_>| {
        let needed = fresh.with_dependencies([run.at]);
        Drawable {
            group: numbers[&(run.table, &*run.run.identity.stage)],
            seconds: needed.iter().map(|&at| seconds[at]).sum::<f64>().max(0.02),
            iterations: 1,
            begun: fresh.store.directory(&fresh.batch.jobs[run.at].id).is_dir().then_some(Extent::Whole),
            known: None,
        }
    };
    let jobs: Vec<Drawable> = runs.iter().map(drawable).collect();
    let budget = verify.budget(flags);
    let one_each = Budget { seconds: 0.5 * budget.seconds, jobs: 0, ..budget };
    let stages = draw(&jobs, one_each, verify.seed);
    let spent: f64 = stages.drawn.iter().map(|drawn| drawn.seconds).sum();
    let costs: Vec<f64> = jobs.iter().map(|job| job.seconds).collect();
    let left = (budget.seconds * budget.slots as f64 - spent).max(0.0);
    let strata = audit(&costs, left, budget.jobs.saturating_sub(stages.drawn.len()), verify.seed);
    let mut chosen = Chosen { stages, strata, seconds: 0.0 };
    let needed = fresh.needed(chosen.all().iter().map(|&at| runs[at].at));
    chosen.seconds = needed.iter().map(|&at| seconds[at]).sum();
    chosen
}

fn announce(flags: &Flags, tables: &[PublishedTable], runs: &[Published<'_>], chosen: &Chosen, jobs: usize) {
    let (all, tables) = (count(runs.len(), "published run"), count(tables.len(), "table"));
    let work = format!("{} to make again, {} with their dependencies", chosen.all().len(), count(jobs, "job"));
    let slots = flags.options.slots();
    let time = format!("about {} on {}", duration(chosen.seconds / slots as f64), count(slots, "slot"));
    note(flags.quiet, &format!("{all} in {tables}: {work}; {time}"));
    if let over @ 1.. = chosen.stages.passed_over.len() {
        note(flags.quiet, &format!("{} left out, whose runs all take too long for --minutes", count(over, "stage")));
    }
}

/// The published numbers beside the new ones.
fn compare<'a>(
    tables: &'a [PublishedTable],
    runs: &[(usize, &Published<'a>)],
    batch: &Batch,
    store: &Store,
    summary: &Summary,
) -> Vec<Checked<'a>> {
    let (failed, readings) = (summary.failed.iter().cloned().collect::<HashMap<usize, String>>(), store.readings());
    let checked = |&(at, run): &(usize, &Published<'a>)| {
        let (table, id) = (&tables[run.table], &batch.jobs[run.at].id);
        let plan = &table.planned.plan;
        let number: Option<Value> = store.read(id, RESULT).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let own = |place: usize| number.as_ref().filter(|_| place == run.place);
        let facts = Facts::of(plan, (0..plan.jobs.len()).map(own));
        let row = facts.all().nth(run.place).map(|fact| RunRow::new("", &fact, id.key, String::new()))?;
        let difference = match (&number, failed.get(&run.at)) {
            (Some(_), _) if run.run.numbers.is_empty() && !row.numbers.is_empty() => {
                Some("no number of it is published".to_owned())
            }
            (Some(_), _) => run.run.first_difference(&row).as_ref().map(DifferingNumber::sentence),
            (None, Some(reason)) => Some(format!("it fails: {reason}")),
            (None, None) => Some("a dependency fails".to_owned()),
        };
        let seconds = readings.get(&id.directory()).map(|reading| reading.seconds);
        Some(Checked { at, table: &table.name, run: batch.describe(run.at), difference, seconds })
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
        let class = format!("trainings depend on the device class, which here is {}", flags.options.own_class);
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

/// Prints the bound that follows from each random sample.
fn bounds(flags: &Flags, seed: u64, checked: &[Checked<'_>], strata: &[Stratum]) {
    let outcomes: HashMap<usize, bool> = checked.iter().map(|run| (run.at, run.difference.is_some())).collect();
    for stratum in strata {
        let wrong = stratum.drawn.iter().filter(|at| outcomes.get(at).is_none_or(|differs| *differs)).count();
        note(flags.quiet, &bound(stratum, seed, wrong));
    }
}

/// The bound for the runs of a stratum, `wrong` of whose sample differ.
fn bound(stratum: &Stratum, seed: u64, wrong: usize) -> String {
    let (all, drawn) = (thousands(stratum.runs as u64), stratum.drawn.len());
    let of = format!("{}, with their dependencies: ", stratum.name);
    let Some(most) = stratum.most_wrong(wrong) else {
        return format!("{of}none of {all} drawn, so nothing follows for them");
    };
    let sample = format!(
        "{} of {all} drawn by seed {seed}, {} the same",
        thousands(drawn as u64),
        thousands((drawn - wrong) as u64)
    );
    if drawn == stratum.runs {
        return format!("{of}all {all} made again, {} the same", thousands((drawn - wrong) as u64));
    }
    // The smallest excluded share, rounded up.
    let share = (1e4 * (most + 1) as f64 / stratum.runs as f64).ceil() / 100.0;
    format!("{of}{sample}; with {} % confidence, fewer than {share} % of them are wrong", 100.0 * CONFIDENCE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_told_with_its_bound() {
        let stratum = |runs, drawn| Stratum { name: "runs under 1 s", runs, drawn: (0..drawn).collect() };
        let of = "runs under 1 s, with their dependencies: ";
        for (runs, drawn, wrong, reported) in [
            (
                40,
                10,
                0,
                "10 of 40 drawn by seed 3, 10 the same; with 95 % confidence, fewer than 25 % of them are wrong",
            ),
            (4000, 0, 0, "none of 4,000 drawn, so nothing follows for them"),
            (40, 40, 1, "all 40 made again, 39 the same"),
        ] {
            assert_eq!(bound(&stratum(runs, drawn), 3, wrong), format!("{of}{reported}"));
        }
    }
}
