//! Doing what a batch of plans asks for: run what is missing, read what is there, publish what came out.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rayon::prelude::*;
use serde_json::Value;

use super::batch::{Batch, Node, NodeState};
use super::desk::Planned;
use super::hours::hours;
use super::output::{Misuse, count, duration, note, tell, visible};
use super::played::played;
use super::publish::Written;
use super::{Executor, Exit, Flags, publish};
use crate::costs;
use crate::jobs::TrainedWeights;
use crate::manifest::feed::Feed;
use crate::manifest::plan::LARGE;
use crate::reports::Criterion;
use crate::reports::facts::Facts;
use crate::scheduler::{
    Display, Graph, Inline, Order, RESULT, Settings, Slot, Stop, Summary, Task, Verdict, drive, execute, perform,
    stop_on_signals, weights_file,
};
use crate::store::{Held, JobId, LockError, ReadError, Store, TreeLock};

/// Damage found while reading makes its jobs run again, at most this often.
const ROUNDS: usize = 3;

/// Seconds that nobody is made to wait without being asked: 1,000 hours.
const LONG: f64 = 3.6e6;

/// How often to ask whether another process has left the results tree.
const PATIENCE: Duration = Duration::from_millis(200);

/// Runs the missing jobs of some manifests, renders their exhibits and says what happened. With `require_success` their
/// success criteria decide how that ends.
///
/// # Errors
/// When a manifest has problems, or the store or the reports cannot be written.
pub fn run(flags: &Flags, names: &[String], require_success: bool) -> anyhow::Result<Exit> {
    let stop = Stop::default();
    // A second handler in one process (tests) is refused; the first one stays.
    let _ = stop_on_signals(&stop);
    let plans = flags.plans(names)?;
    plans.iter().try_for_each(|planned| planned.require_inputs(flags))?;
    plans.iter().try_for_each(require_jobs)?;
    ask(flags, &plans)?;
    if require_success {
        plans.iter().try_for_each(require_criteria)?;
    }
    let store = flags.look()?;
    let mut batch = Batch::new(plans, &store, flags.accept_code)?;
    batch.measure(&store);
    ask_for_time(flags, batch.seconds_left(&store, flags.slots()))?;
    let store = flags.store()?;
    for _ in 0..ROUNDS {
        let (_lock, waited) = if batch.is_complete() { (None, false) } else { lock(flags, &store, &stop)? };
        if waited {
            batch = batch.again(&store, flags.accept_code)?;
        }
        announce(flags, &batch, &store);
        let damaged = AtomicUsize::new(0);
        let exit = if batch.is_complete() { Exit::Done } else { work(flags, &batch, &store, &stop, &damaged)? };
        if exit == Exit::Interrupted {
            note(flags.quiet, "interrupted; run the same command again to continue");
            return Ok(exit);
        }
        let results = read_results(&batch, &store, &damaged);
        if damaged.into_inner() == 0 {
            let written = publish(flags, &batch, &store, results)?;
            return Ok(if require_success && exit == Exit::Done { judge(&written) } else { exit });
        }
        batch = batch.again(&store, flags.accept_code)?;
    }
    tell(&format!("error: results in {} are damaged as soon as they are written", flags.results.display()));
    tell("\nhint: check the disk, or name another directory with --results");
    Ok(Exit::Damaged)
}

/// What is there, what is missing, and what it will cost.
fn announce(flags: &Flags, batch: &Batch, store: &Store) {
    let at = |state| batch.count(state);
    let (cached, stale, broken) = (batch.done(), at(NodeState::Stale), at(NodeState::Broken));
    let new = at(NodeState::New);
    let mut line = format!("{}: {new} new, {cached} cached, {stale} stale", count(batch.nodes.len(), "job"));
    if broken > 0 {
        line += &format!(", {broken} damaged");
    }
    if let begun @ 1.. = batch.begun(store) {
        line += &format!("; {begun} continue from a checkpoint");
    }
    if batch.is_complete() {
        line += "; all jobs are cached, nothing to do";
    } else {
        let slots = flags.slots();
        line += &format!("; about {} on {}", duration(batch.seconds_left(store, slots)), count(slots, "slot"));
    }
    note(flags.quiet, &line);
    if stale > 0 {
        note(flags.quiet, "stale jobs were run by other code and run again; --accept-code takes them as they are");
    }
    match at(NodeState::Accepted) {
        0 => {}
        accepted => note(flags.quiet, &format!("{accepted} results of older code are taken as they are")),
    }
}

fn ask(flags: &Flags, plans: &[Planned]) -> anyhow::Result<()> {
    let jobs: usize = plans.iter().map(|planned| planned.plan.jobs.len()).sum();
    if jobs > LARGE && !flags.yes {
        return Err(Misuse::new(format!("{jobs} jobs are more than {LARGE}"), "add --yes to run them"));
    }
    Ok(())
}

/// No wait that nobody meant: estimates have been wrong by half, but not a thousandfold.
fn ask_for_time(flags: &Flags, seconds: f64) -> anyhow::Result<()> {
    if seconds > LONG && !flags.yes {
        let what = format!("this takes about {} here, on {}", duration(seconds), count(flags.slots(), "slot"));
        return Err(Misuse::new(what, "add --yes to begin, or choose a smaller --profile"));
    }
    Ok(())
}

/// A suite has matches and no jobs.
pub fn require_jobs(planned: &Planned) -> anyhow::Result<()> {
    if planned.plan.jobs.is_empty() && planned.plan.written.suite.is_some() {
        let what = format!("{} is a suite of matches, and has no jobs", planned.name);
        return Err(Misuse::new(what, format!("`gauntlet regress {}` plays it", planned.name)));
    }
    Ok(())
}

/// Where nothing is claimed, nothing can be required.
fn require_criteria(planned: &Planned) -> anyhow::Result<()> {
    if planned.plan.written.exhibits.iter().all(|exhibit| exhibit.success.is_empty()) {
        let what = format!("{} has no success criterion", planned.name);
        return Err(Misuse::new(what, "add [[exhibit.success]], or leave --require-success out"));
    }
    Ok(())
}

/// Names the success criteria that are not met; whether there are any.
fn judge(written: &[Written]) -> Exit {
    let criteria = written.iter().flat_map(|written| &written.sheet.criteria);
    let unmet: Vec<String> = criteria.filter(|criterion| !criterion.met).map(Criterion::sentence).collect();
    unmet.iter().for_each(|sentence| tell(sentence));
    if unmet.is_empty() { Exit::Done } else { Exit::Regression }
}

/// The lock on the results tree, and whether another process had it before. Jobs are claimed one by one, so that
/// this is a courtesy.
pub fn lock(flags: &Flags, store: &Store, stop: &Stop) -> anyhow::Result<(Option<TreeLock>, bool)> {
    let mut waited = false;
    loop {
        match store.lock() {
            Ok(lock) => return Ok((Some(lock), waited)),
            Err(LockError::Store(error)) => return Err(error.into()),
            Err(LockError::Held(_)) if stop.is_requested() => return Ok((None, waited)),
            Err(LockError::Held(owner)) => {
                if !waited {
                    // Not even a quiet run stands still without a word.
                    tell(&waiting(owner.as_ref(), &flags.results));
                }
                waited = true;
                std::thread::sleep(PATIENCE);
            }
        }
    }
}

fn waiting(owner: Option<&Held>, results: &Path) -> String {
    let (who, since) = owner.map_or(("another process".to_owned(), String::new()), |owner| {
        // To the second: `2026-11-21T21:27:26`.
        let since = owner.since.get(..19).unwrap_or(&owner.since).replace('T', " ");
        (format!("process {}", owner.process), format!(" (since {since} UTC)"))
    });
    format!("{who} is running on `{}`{since}; waiting for it, Ctrl-C gives up", results.display())
}

/// Runs the missing jobs.
fn work(flags: &Flags, batch: &Batch, store: &Store, stop: &Stop, damaged: &AtomicUsize) -> anyhow::Result<Exit> {
    let missing: Vec<usize> = (0..batch.nodes.len()).filter(|&at| !batch.nodes[at].state.is_done()).collect();
    let graph = graph_of(batch, &missing, store)?;
    let job = |task: &Task, slot: &Slot<'_>| perform_node(flags, batch, missing[task.id], store, slot, damaged);
    let mut display = if flags.quiet { Display::hidden() } else { Display::for_stderr(flags.no_progress) };
    let settings = Settings { slots: flags.slots(), fail_fast: flags.fail_fast };
    let summary = match flags.executor {
        Executor::Local => crate::scheduler::run(&graph, &job, settings, stop, &mut display)?,
        Executor::Inline => drive(&graph, &mut Inline::new(&job, stop), flags.fail_fast, stop, &mut display),
    };
    if damaged.load(Ordering::Relaxed) == 0 {
        report_failures(flags, &graph, &summary);
    }
    Ok(match &summary {
        summary if summary.interrupted => Exit::Interrupted,
        summary if summary.is_complete() => Exit::Done,
        _ => Exit::JobFailed,
    })
}

fn graph_of(batch: &Batch, missing: &[usize], store: &Store) -> anyhow::Result<Graph> {
    let seconds = batch.seconds(store);
    let mut task_of = vec![None; batch.nodes.len()];
    let mut tasks = Vec::with_capacity(missing.len());
    for (id, &at) in missing.iter().enumerate() {
        task_of[at] = Some(id);
        let node = &batch.nodes[at];
        tasks.push(Task {
            id,
            name: batch.describe(node),
            after: node.after.iter().filter_map(|&before| task_of[before]).collect(),
            cost: seconds[at],
        });
    }
    Ok(Graph::new(tasks)?)
}

fn perform_node(
    flags: &Flags,
    batch: &Batch,
    at: usize,
    store: &Store,
    slot: &Slot<'_>,
    damaged: &AtomicUsize,
) -> Verdict {
    let node = &batch.nodes[at];
    let (plan, job) = batch.job(node);
    let config = plan.config(job);
    let (preimage, class) = (batch.preimage(node), config.cost_class());
    let order = Order { id: &node.id, preimage: &preimage, class: &class, cost: costs::seconds(&config.spec) };
    perform(store, &order, slot, |checkpoint, sink| {
        let weights = |(feed, &before): (&Feed, &usize)| {
            let bytes = read(store, &batch.nodes[before].id, &weights_file(feed.iteration), damaged)?;
            Ok((feed.player.as_deref().map(str::to_owned), bytes))
        };
        let trained =
            config.from.iter().zip(&node.after).map(weights).collect::<Result<TrainedWeights, ReadError>>()?;
        let inputs = flags.inputs(plan, job)?;
        execute(&config.spec, job.seed, &trained, &inputs, checkpoint.as_deref(), sink)
    })
}

/// Reads a file of a finished job; damage makes the job run again.
fn read(store: &Store, id: &JobId, name: &str, damaged: &AtomicUsize) -> Result<Vec<u8>, ReadError> {
    let result = store.read(id, name);
    if let Err(ReadError::Damaged { reason, .. }) = &result {
        damaged.fetch_add(1, Ordering::Relaxed);
        if let Err(error) = store.discard(id, reason) {
            tracing::error!("{error}");
        }
    }
    result
}

fn report_failures(flags: &Flags, graph: &Graph, summary: &Summary) {
    for (id, reason) in &summary.failed {
        tell(&format!("failed: {}: {reason}", graph.tasks()[*id].name));
    }
    let (failed, skipped) = (summary.failed.len(), summary.skipped.len());
    if failed > 0 {
        note(flags.quiet, &format!("{} failed, {skipped} that wait for them were skipped", count(failed, "job")));
    }
}

/// The result of every job of the batch, where there is one.
pub fn read_results(batch: &Batch, store: &Store, damaged: &AtomicUsize) -> Vec<Option<Value>> {
    let result = |node: &Node| {
        let bytes = read(store, &node.id, RESULT, damaged).ok()?;
        serde_json::from_slice(&bytes).ok()
    };
    batch.nodes.par_iter().map(result).collect()
}

/// Renders every plan's exhibits and says where they are.
pub fn publish(
    flags: &Flags,
    batch: &Batch,
    store: &Store,
    results: Vec<Option<Value>>,
) -> anyhow::Result<Vec<Written>> {
    let (mut written, seconds) = (Vec::new(), store.seconds());
    for (planned, places) in batch.plans_with_places() {
        let own = places.iter().map(|&place| results[place].clone()).collect();
        let played = played(planned, |at| &batch.nodes[places[at]], store);
        let facts = Facts::new(&planned.plan, own).with_played(played);
        let is_accepted = |place: &&usize| batch.nodes[**place].state == NodeState::Accepted;
        let accepted = places.iter().filter(is_accepted).count();
        written.extend(publish::exhibits(flags, planned, &facts, accepted)?);
        let hours = hours(planned, |at| &batch.nodes[places[at]], &seconds);
        for (what, hours) in &hours {
            note(flags.quiet, &visible(&format!("{}: {what}: {hours}", planned.plan.written.name)));
        }
        publish::hours(flags, planned, &hours)?;
    }
    publish::pages(&written)?;
    publish::announce(flags, &written);
    Ok(written)
}
