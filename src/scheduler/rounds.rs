//! The run loop: what a batch lacks is run, what came out is read, and what turned out damaged is run again.

use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use super::batch::Batch;
use super::executor::{Inline, Slot};
use super::live::LiveFile;
use super::outcome::Summary;
use super::pool::{PoolSettings, drive, run};
use super::process::{Launch, Processes};
use super::progress::Display;
use super::slurm::{Detached, run_on_cluster};
use super::worker::run_task;
use crate::store::{Held, LockError, Store, TreeLock};
use gauntlet_games::base::Stop;

/// Damage found while reading makes its jobs run again, at most this often.
const ROUNDS: usize = 3;

/// How often to ask whether another process has left the results tree.
const PATIENCE: Duration = Duration::from_millis(200);

/// How a batch is run.
pub struct Setup<'a> {
    /// Where results are.
    pub store: &'a Store,
    /// Directory of the files that some jobs read.
    pub data: Option<&'a Path>,
    /// Who runs the tasks.
    pub workers: Workers,
    /// How many at a time, and what a failure stops.
    pub settings: PoolSettings,
    /// Whether results of older code stand in for jobs that are absent only because the code has changed.
    pub accept_code: bool,
    /// Asks everything to stop.
    pub stop: &'a Stop,
}

/// Who runs tasks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Workers {
    /// A thread of this process for each slot.
    Threads,
    /// The calling thread, one after another.
    Inline,
    /// A process of its own for each task, started so.
    Processes(Launch),
    /// A cluster under Slurm, whose nodes start workers so.
    Cluster(Launch),
}

/// Who is told what happens on the way.
pub trait RunListener {
    /// Another process runs on the results tree; told once.
    fn waits(&mut self, held: &Held);
    /// A round begins, with what the store has and lacks.
    fn begins(&mut self, batch: &Batch);
    /// Shows the tasks of a round while they run.
    fn display(&mut self) -> Display;
    /// The run was stopped, and this stays with the cluster.
    fn detaches(&mut self, detached: &Detached);
    /// The tasks of a round have ended.
    fn ends(&mut self, batch: &Batch, summary: &Summary);
}

/// How a run ended.
pub enum Ended {
    /// Every job was tried.
    Complete {
        /// The batch, with the states before the last round.
        batch: Batch,
        /// The result of every job, where there is one.
        results: Vec<Option<Value>>,
        /// Whether every job is done.
        is_done: bool,
        /// Keeps others from clearing up while the results are read; none where nothing had to run.
        lock: Option<TreeLock>,
    },
    /// It was asked to stop; running again continues.
    Interrupted,
    /// Results are damaged as soon as they are written.
    Damaged,
}

/// Runs what a batch lacks until all results are intact, or a job has failed.
///
/// # Errors
/// When the store cannot be used, or the system gives no threads.
pub fn complete(mut batch: Batch, setup: &Setup<'_>, listener: &mut dyn RunListener) -> anyhow::Result<Ended> {
    for _ in 0..ROUNDS {
        let mut lock = None;
        if !batch.is_complete() {
            let waited;
            (lock, waited) = wait_for_tree(setup.store, setup.stop, &mut |held| listener.waits(held))?;
            if waited {
                batch = batch.again(setup.store, setup.accept_code)?;
            }
        }
        listener.begins(&batch);
        let summary = if batch.is_complete() { Summary::default() } else { round(&batch, setup, listener)? };
        if summary.interrupted {
            return Ok(Ended::Interrupted);
        }
        let (results, damaged) = batch.results(setup.store)?;
        if !damaged && !summary.damaged {
            return Ok(Ended::Complete { batch, results, is_done: summary.is_complete(), lock });
        }
        batch = batch.again(setup.store, setup.accept_code)?;
    }
    Ok(Ended::Damaged)
}

/// Runs the missing jobs once. Failures that only come from damage are not told: the next round mends them.
fn round(batch: &Batch, setup: &Setup<'_>, listener: &mut dyn RunListener) -> anyhow::Result<Summary> {
    let Setup { store, data, settings, stop, .. } = *setup;
    let (graph, mut display) = (batch.graph(store), listener.display());
    display.also_to(LiveFile::new(store, batch.jobs.iter().map(|job| job.id.directory()).collect()));
    let here = |at: usize, slot: &Slot<'_>| run_task(&batch.task(at), store, data, slot);
    let summary = match &setup.workers {
        Workers::Threads => run(&graph, &here, settings, stop, &mut display)?,
        Workers::Inline => {
            let cores = PoolSettings { slots: 1, ..settings }.cores();
            drive(&graph, &mut Inline::new(&here, stop).on(cores), settings.fail_fast, stop, &mut display)
        }
        Workers::Processes(launch) => {
            let processes = Processes::new(launch, store)?;
            let there = |at: usize, slot: &Slot<'_>| processes.run(&batch.task(at), slot);
            run(&graph, &there, settings, stop, &mut display)?
        }
        Workers::Cluster(launch) => {
            let at = (store, launch);
            let (summary, detached) = run_on_cluster(batch, &graph, at, settings.fail_fast, stop, &mut display)?;
            detached.iter().for_each(|detached| listener.detaches(detached));
            summary
        }
    };
    if !summary.damaged {
        listener.ends(batch, &summary);
    }
    Ok(summary)
}

/// The lock on the results tree, and whether another process had it before; no lock where `stop` came first. Jobs are
/// claimed one by one, so that this is a courtesy.
///
/// # Errors
/// When the tree cannot be locked for another reason than its owner.
pub fn wait_for_tree(
    store: &Store,
    stop: &Stop,
    tell: &mut dyn FnMut(&Held),
) -> anyhow::Result<(Option<TreeLock>, bool)> {
    let mut waited = false;
    loop {
        match store.lock() {
            Ok(lock) => return Ok((Some(lock), waited)),
            Err(LockError::Store(error)) => return Err(error.into()),
            Err(LockError::Held(_)) if stop.is_requested() => return Ok((None, waited)),
            Err(LockError::Held(held)) => {
                if !waited {
                    tell(&held);
                }
                waited = true;
                std::thread::sleep(PATIENCE);
            }
        }
    }
}
