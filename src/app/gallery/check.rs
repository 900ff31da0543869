//! The check of a gallery: runs some of the single runs of a published gallery again, and compares their numbers.
//! It needs no stored results: its own are in a temporary directory, which is removed at the end.
//!
//! One run of every stage is made again, cheap ones first; the rest of the budget goes to random samples, from which a
//! bound for all runs follows.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};

use super::recipe::{PublishedTable, paths, read};
use crate::app::errors::Misuse;
use crate::app::options::Options;
use gauntlet_games::base::{Key, count, duration};
use gauntlet_report::facts::Facts;
use gauntlet_report::published_facts::identities;
use gauntlet_report::published_runs::{DifferingNumber, PublishedRun, RunIdentity};
use gauntlet_report::runs::RunRow;
use gauntlet_run::scheduler::{Batch, Listener, RESULT, RunEvent, Stop, Summary, stop_on_signals, wait_for_tree};
use gauntlet_run::verification::{Budget, Draw, Drawable, Extent, Fresh, Stratum, audit, draw};
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
struct DrawnRuns {
    /// One of every stage.
    stages: Draw,
    /// Random samples of all runs, by cost.
    strata: Vec<Stratum>,
    /// Seconds of one core for all of them.
    seconds: f64,
}

impl DrawnRuns {
    /// The indices of all runs, in order.
    fn all(&self) -> BTreeSet<usize> {
        let stages = self.stages.drawn.iter().map(|drawn| drawn.at);
        stages.chain(self.strata.iter().flat_map(|stratum| stratum.drawn.iter().copied())).collect()
    }
}

/// A published run with the outcome of its repetition.
pub struct CheckedRun {
    /// Its index.
    pub at: usize,
    /// Its table.
    pub table: String,
    /// The description of its job.
    pub run: String,
    /// Its difference; none if all numbers are equal.
    pub difference: Option<String>,
    /// Its wall-clock seconds, if they were measured.
    pub seconds: Option<f64>,
}

/// The request for a check.
pub struct GalleryRequest<'a> {
    /// The directory of the gallery.
    pub directory: &'a Path,
    /// Manifests or papers; all of them if there are none.
    pub names: &'a [String],
    /// The limits of time and jobs.
    pub budget: Budget,
    /// The seed of the draw.
    pub seed: u64,
}

/// The runs that were made again, and the random samples among them.
pub struct CheckedGallery {
    /// The runs, by their indices.
    pub runs: Vec<CheckedRun>,
    /// The samples.
    pub strata: Vec<Stratum>,
}

/// Checks a gallery: draws runs, repeats them, compares; none if it was stopped.
///
/// # Errors
/// If the directory has no runs, or the system's directory for temporary files is not writable.
pub fn check_gallery(
    options: &Options,
    request: &GalleryRequest<'_>,
    listener: &mut dyn Listener,
) -> anyhow::Result<Option<CheckedGallery>> {
    let stop = Stop::default();
    // A second handler in one process (tests) is refused; the first one stays.
    let _ = stop_on_signals(&stop);
    let gallery = request.directory;
    let found = paths(gallery);
    if found.is_empty() {
        let what = format!("there is no <paper>/<profile>/runs/*.csv in {}", gallery.display());
        return Err(Misuse::new(what, "name the directory of a gallery that `gauntlet gallery --add` has made"));
    }
    let mut note = |text: String| note_to(listener, text);
    let read = |path: &PathBuf| read(options, (gallery, path), request.names, &mut note);
    let tables: Vec<PublishedTable> = found.iter().filter_map(read).collect();
    let store = Store::open(scratch(gallery))?.by_program(env!("GAUNTLET_COMMIT"));
    let (Some(lock), _) = wait_for_tree(&store, &stop, listener)? else { return Ok(None) };
    let checked = remake(options, request, (&tables, &store), &stop, listener)?;
    if checked.is_some() {
        drop(lock);
        let _ = store.clear();
    } else {
        note_to(listener, "interrupted; run the same command again to continue".to_owned());
    }
    Ok(checked)
}

fn note_to(listener: &mut dyn Listener, text: String) {
    listener.event(&RunEvent::Note(text));
}

/// A temporary directory for a gallery, so that an interrupted check can continue.
fn scratch(gallery: &Path) -> PathBuf {
    let whole = gallery.canonicalize().unwrap_or_else(|_| gallery.to_owned());
    std::env::temp_dir().join(format!("gauntlet-verify-{}", Key::of("gallery", &json!(whole.to_string_lossy()))))
}

/// Repeats runs and compares them, with the random samples among them; none if it was stopped.
fn remake(
    options: &Options,
    request: &GalleryRequest<'_>,
    (tables, store): (&[PublishedTable], &Store),
    stop: &Stop,
    listener: &mut dyn Listener,
) -> anyhow::Result<Option<CheckedGallery>> {
    let plans = tables.iter().map(|table| Arc::clone(&table.planned.plan)).collect();
    let mut batch = Batch::new(plans, store, false)?;
    let runs = published(tables, &batch, listener);
    batch.measure_of(&runs.iter().map(|run| run.at).collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>(), store);
    let fresh = Fresh { store, data: options.data.as_deref(), batch: &batch };
    let chosen = choose(request, &runs, &fresh);
    let all = chosen.all();
    let needed = fresh.needed(all.iter().map(|&at| runs[at].at));
    let found = format!("{} in {}", count(runs.len(), "published run"), count(tables.len(), "table"));
    announce(options.slots(), &chosen, needed.len(), &found, listener);
    let summary = fresh.run(&needed, options.pool_settings(), stop, listener)?;
    if summary.interrupted {
        return Ok(None);
    }
    let drawn: Vec<(usize, &Published<'_>)> = all.iter().map(|&at| (at, &runs[at])).collect();
    Ok(Some(CheckedGallery { runs: compare(tables, &drawn, &batch, store, &summary), strata: chosen.strata }))
}

/// The published runs of today's plans. A message reports the others.
fn published<'a>(tables: &'a [PublishedTable], batch: &Batch, listener: &mut dyn Listener) -> Vec<Published<'a>> {
    let mut found = Vec::new();
    for (at, table) in tables.iter().enumerate() {
        let places: BTreeMap<RunIdentity, usize> = identities(&table.planned.plan).into_iter().zip(0..).collect();
        let own = table.runs.iter().filter_map(|run| Some((run, *places.get(&run.identity)?)));
        let before = found.len();
        found.extend(own.map(|(run, place)| Published { table: at, run, place, at: batch.places[at][place] }));
        if let others @ 1.. = table.runs.len() - (found.len() - before) {
            let what = format!("{}: {} left out", table.name, count(others, "run"));
            note_to(listener, format!("{what}, which the manifest does not have any more"));
        }
        let shown: BTreeSet<usize> = found[before..].iter().map(|run| run.place).collect();
        // A race has not decided yet which jobs it wants.
        let missing = table.planned.plan.jobs.len() - shown.len();
        if missing > 0 && batch.races[at].races.is_empty() {
            note_to(listener, format!("{}: {} of the manifest not published", table.name, count(missing, "run")));
        }
    }
    found
}

/// Draws runs: one of every stage of every table that fits into half of the budget, with its dependencies, and random
/// ones for the rest of it.
fn choose(request: &GalleryRequest<'_>, runs: &[Published<'_>], fresh: &Fresh<'_>) -> DrawnRuns {
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
    let budget = request.budget;
    let one_each = Budget { seconds: 0.5 * budget.seconds, jobs: 0, ..budget };
    let stages = draw(&jobs, one_each, request.seed);
    let spent: f64 = stages.drawn.iter().map(|drawn| drawn.seconds).sum();
    let costs: Vec<f64> = jobs.iter().map(|job| job.seconds).collect();
    let left = (budget.seconds * budget.slots as f64 - spent).max(0.0);
    let strata = audit(&costs, left, budget.jobs.saturating_sub(stages.drawn.len()), request.seed);
    let mut chosen = DrawnRuns { stages, strata, seconds: 0.0 };
    let needed = fresh.needed(chosen.all().iter().map(|&at| runs[at].at));
    chosen.seconds = needed.iter().map(|&at| seconds[at]).sum();
    chosen
}

/// Reports the amount of work, and the estimated time.
fn announce(slots: usize, chosen: &DrawnRuns, jobs: usize, found: &str, listener: &mut dyn Listener) {
    let work = format!("{} to make again, {} with their dependencies", chosen.all().len(), count(jobs, "job"));
    let time = format!("about {} on {}", duration(chosen.seconds / slots as f64), count(slots, "slot"));
    note_to(listener, format!("{found}: {work}; {time}"));
    if let over @ 1.. = chosen.stages.passed_over.len() {
        let text = format!("{} left out, whose runs all take too long for --minutes", count(over, "stage"));
        note_to(listener, text);
    }
}

/// The published numbers beside the new ones.
fn compare(
    tables: &[PublishedTable],
    runs: &[(usize, &Published<'_>)],
    batch: &Batch,
    store: &Store,
    summary: &Summary,
) -> Vec<CheckedRun> {
    let (failed, readings) = (summary.failed.iter().cloned().collect::<HashMap<usize, String>>(), store.readings());
    let checked = |&(at, run): &(usize, &Published<'_>)| {
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
        Some(CheckedRun { at, table: table.name.clone(), run: batch.describe(run.at), difference, seconds })
    };
    runs.iter().filter_map(checked).collect()
}
