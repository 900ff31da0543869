//! Doing what a batch of plans asks for: run what is missing, read what is there, publish what came out.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use serde_json::Value;

use super::desk::{Batch, Node, NodeState};
use super::output::{Misuse, duration, note};
use super::{Exit, Flags, publish};
use crate::manifest::plan::LARGE;
use crate::reports::facts::Facts;
use crate::scheduler::{
    Display, Graph, Order, Settings, Slot, Stop, Summary, Task, Verdict, execute, perform, stop_on_signals,
};
use crate::store::{JobId, LockError, ReadError, Store};

/// Damage found while reading makes its jobs run again, at most this often.
const ROUNDS: usize = 3;

/// Runs the missing jobs of some manifests, renders their exhibits and says what happened.
///
/// # Errors
/// When a manifest has problems, or the store or the reports cannot be written.
pub fn run(flags: &Flags, names: &[String]) -> anyhow::Result<Exit> {
    let stop = Stop::default();
    // A second handler in one process (tests) is refused; the first one stays.
    let _ = stop_on_signals(&stop);
    let store = flags.store()?;
    let mut exit = Exit::Done;
    for round in 1..=ROUNDS {
        let batch = flags.batch(names, &store)?;
        batch.require_inputs()?;
        announce(flags, &batch, &store);
        ask(flags, &batch)?;
        let damaged = AtomicUsize::new(0);
        exit = match batch.count(NodeState::Cached) == batch.nodes.len() {
            true => Exit::Done,
            false => work(flags, &batch, &store, &stop, &damaged)?,
        };
        if exit == Exit::Interrupted {
            note(flags.quiet, "interrupted; run the same command again to continue");
            return Ok(exit);
        }
        let results = read_results(&batch, &store, &damaged);
        if damaged.into_inner() > 0 && round < ROUNDS {
            continue;
        }
        publish(flags, &batch, results)?;
        break;
    }
    Ok(exit)
}

/// What is there, what is missing, and what it will cost.
fn announce(flags: &Flags, batch: &Batch, store: &Store) {
    let count = |state| batch.count(state);
    let (cached, stale, broken) = (count(NodeState::Cached), count(NodeState::Stale), count(NodeState::Broken));
    let new = count(NodeState::New);
    let mut line = format!("{} jobs: {new} new, {cached} cached, {stale} stale", batch.nodes.len());
    if broken > 0 {
        line += &format!(", {broken} damaged");
    }
    if cached == batch.nodes.len() {
        line += "; all jobs are cached, nothing to do";
    } else {
        let (seconds, slots) = (batch.seconds_left(store), flags.slots());
        line += &format!("; about {} on {slots} slot(s)", duration(seconds / slots as f64));
    }
    note(flags.quiet, &line);
    if stale > 0 {
        note(flags.quiet, "stale jobs were run by other code and run again; --accept-code takes them as they are");
    }
    if batch.accepted > 0 {
        note(flags.quiet, &format!("{} results of older code are taken as they are", batch.accepted));
    }
}

fn ask(flags: &Flags, batch: &Batch) -> anyhow::Result<()> {
    if batch.nodes.len() > LARGE && !flags.yes {
        return Err(Misuse::new(format!("{} jobs are more than {LARGE}", batch.nodes.len()), "add --yes to run them"));
    }
    Ok(())
}

/// Runs the missing jobs.
fn work(flags: &Flags, batch: &Batch, store: &Store, stop: &Stop, damaged: &AtomicUsize) -> anyhow::Result<Exit> {
    let _lock = wait_for_tree(flags, store, stop)?;
    let missing: Vec<usize> = (0..batch.nodes.len()).filter(|&at| batch.nodes[at].state != NodeState::Cached).collect();
    let graph = graph_of(batch, &missing, store)?;
    let job = |task: &Task, slot: &Slot<'_>| perform_node(flags, batch, missing[task.id], store, slot, damaged);
    let mut display = if flags.quiet { Display::hidden() } else { Display::for_stderr(flags.no_progress) };
    let settings = Settings { slots: flags.slots(), fail_fast: flags.fail_fast };
    let summary = crate::scheduler::run(&graph, &job, settings, stop, &mut display)?;
    report_failures(flags, &graph, &summary);
    Ok(match &summary {
        summary if summary.interrupted => Exit::Interrupted,
        summary if summary.is_complete() => Exit::Done,
        _ => Exit::JobFailed,
    })
}

/// Waits while another process works on the tree. Jobs are claimed one by one, so that this is a courtesy.
fn wait_for_tree(flags: &Flags, store: &Store, stop: &Stop) -> anyhow::Result<Option<crate::store::TreeLock>> {
    let mut told = false;
    loop {
        match store.lock() {
            Ok(lock) => return Ok(Some(lock)),
            Err(LockError::Held(owner)) => {
                if !told {
                    let owner = owner.map_or("another process".to_owned(), |owner| owner.to_string());
                    note(flags.quiet, &format!("waiting for {owner} on {}", flags.results.display()));
                    told = true;
                }
                if stop.is_requested() {
                    return Ok(None);
                }
                std::thread::sleep(std::time::Duration::from_millis(200));
            }
            Err(error) => return Err(error.into()),
        }
    }
}

fn graph_of(batch: &Batch, missing: &[usize], store: &Store) -> anyhow::Result<Graph> {
    let durations = store.durations();
    let mut task_of = vec![None; batch.nodes.len()];
    let mut tasks = Vec::with_capacity(missing.len());
    for (id, &at) in missing.iter().enumerate() {
        task_of[at] = Some(id);
        let node = &batch.nodes[at];
        let (plan, job) = batch.job(node);
        let spec = plan.spec(job);
        let rate = durations.seconds_per_unit(spec.kind(), &spec.cost_class()).unwrap_or(1.0);
        tasks.push(Task {
            id,
            name: format!("{} seed={}", plan.config(job).describe(), job.seed),
            after: node.after.and_then(|before| task_of[before]).into_iter().collect(),
            cost: spec.cost() * rate,
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
    let spec = plan.spec(job);
    let preimage = plan.preimage(job);
    let class = spec.cost_class();
    let order = Order { id: &node.id, preimage: &preimage, class: &class, cost: spec.cost() };
    perform(store, &order, slot, |checkpoint, sink| {
        let upstream = match node.after {
            Some(before) => Some(read(store, &batch.nodes[before].id, crate::scheduler::WEIGHTS, damaged)?),
            None => None,
        };
        let inputs = flags.inputs(plan, job)?;
        execute(spec, job.seed, upstream.as_deref(), &inputs, checkpoint.as_deref(), sink)
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
    if summary.is_complete() {
        return;
    }
    for (id, reason) in &summary.failed {
        eprintln!("failed: {}: {reason}", graph.tasks()[*id].name);
    }
    let (failed, skipped) = (summary.failed.len(), summary.skipped.len());
    if failed > 0 {
        note(flags.quiet, &format!("{failed} job(s) failed, {skipped} that wait for them were skipped"));
    }
}

/// The result of every job of the batch, where there is one.
pub fn read_results(batch: &Batch, store: &Store, damaged: &AtomicUsize) -> Vec<Option<Value>> {
    let result = |node: &Node| {
        let bytes = read(store, &node.id, crate::scheduler::RESULT, damaged).ok()?;
        serde_json::from_slice(&bytes).ok()
    };
    batch.nodes.par_iter().map(result).collect()
}

/// Renders every plan's exhibits and says where they are.
pub fn publish(flags: &Flags, batch: &Batch, results: Vec<Option<Value>>) -> anyhow::Result<()> {
    let mut written = Vec::new();
    for planned in &batch.plans {
        let own = planned.places.iter().map(|&place| results[place].clone()).collect();
        let facts = Facts::new(&planned.plan, own);
        written.extend(publish::exhibits(flags, planned, &facts, batch.accepted)?);
    }
    publish::pages(&written)?;
    publish::announce(flags, &written);
    Ok(())
}
