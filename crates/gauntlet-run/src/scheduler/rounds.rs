//! The run loop: rounds that run the missing jobs, read the results, and repeat for damaged results, and for races whose
//! results want further jobs.

use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use super::batch::{Batch, JobState};
use super::event::{Listener, RoundPlan, RunEvent};
use super::executor::Slot;
use super::live::LiveFile;
use super::outcome::{RunOutcome, Summary};
use super::pool::{PoolSettings, run};
use super::process::{Launch, Processes};
use super::slurm::run_on_cluster;
use super::worker::run_task;
use gauntlet_games::base::{Stop, count};
use gauntlet_store::{Held, LockError, Store, TreeLock};

/// Most rounds with damage; damage that is found while reading makes its jobs run again.
const ROUNDS: usize = 3;

/// Time between two checks whether another process has released the results tree.
const PATIENCE: Duration = Duration::from_millis(200);

/// The settings of a run of a batch.
pub struct Setup<'a> {
    /// The store of results.
    pub store: &'a Store,
    /// Directory of the files that some jobs read.
    pub data: Option<&'a Path>,
    /// Where tasks run.
    pub workers: Workers,
    /// The number of tasks at a time, and the response to failures.
    pub settings: PoolSettings,
    /// Whether results of older code replace jobs that are absent only because the code has changed.
    pub accept_code: bool,
    /// Asks everything to stop.
    pub stop: &'a Stop,
}

/// Where tasks run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Workers {
    /// This process, as [`PoolSettings`] says.
    Here,
    /// One process for each task, started by this command.
    Processes(Launch),
    /// A cluster under Slurm, whose nodes start workers by this command.
    Cluster(Launch),
}

/// A batch whose jobs were all tried.
pub struct Finished {
    /// The batch, with the states before the last round, or after it if a race ended with it.
    pub batch: Batch,
    /// The result of every job that has one.
    pub results: Vec<Option<Value>>,
    /// Whether every job is done.
    pub is_done: bool,
    /// Prevents garbage collection by others while the results are read; none if nothing had to run.
    pub lock: Option<TreeLock>,
}

/// Runs the missing jobs of a batch until all results are intact, or a job has failed.
///
/// # Errors
/// If the store cannot be used, or the system cannot start threads.
pub fn complete(
    mut batch: Batch,
    setup: &Setup<'_>,
    listener: &mut dyn Listener,
) -> anyhow::Result<RunOutcome<Finished>> {
    let (mut lock, mut damages, mut is_planned, mut live) = (None, 0, false, None);
    while damages < ROUNDS {
        if !batch.is_complete() && lock.is_none() {
            let waited;
            (lock, waited) = wait_for_tree(setup.store, setup.stop, listener)?;
            if lock.is_none() {
                return Ok(RunOutcome::Interrupted);
            }
            if waited {
                batch = batch.again(setup.store, setup.accept_code)?;
            }
        }
        if !is_planned {
            listener.event(&RunEvent::RoundPlanned(batch.round_plan(setup)));
        }
        let summary = if batch.is_complete() { Summary::default() } else { round(&batch, setup, &mut live, listener)? };
        if summary.interrupted {
            return Ok(RunOutcome::Interrupted);
        }
        let (results, damaged) = batch.results(setup.store)?;
        if damaged || summary.damaged {
            (damages, is_planned) = (damages + 1, false);
            batch = batch.again(setup.store, setup.accept_code)?;
            continue;
        }
        let is_done = summary.is_complete();
        if batch.has_open_race() && is_done {
            let before = batch.race_lines();
            batch = batch.again(setup.store, setup.accept_code)?;
            let news = batch.race_lines().into_iter().filter(|line| !before.contains(line));
            news.for_each(|line| listener.event(&RunEvent::Note(line)));
            if !batch.is_complete() {
                is_planned = true;
                continue;
            }
        }
        return Ok(RunOutcome::Finished(Finished { batch, results, is_done, lock }));
    }
    Ok(RunOutcome::Damaged)
}

/// Runs the missing jobs once. The file for other processes stays from round to round.
fn round(
    batch: &Batch,
    setup: &Setup<'_>,
    live: &mut Option<LiveFile>,
    listener: &mut dyn Listener,
) -> anyhow::Result<Summary> {
    let Setup { store, data, settings, stop, .. } = *setup;
    *live = live.take().or_else(|| LiveFile::new(store));
    live.iter_mut().for_each(|live| live.begin(batch.live_races()));
    let (graph, mut listener) = (batch.graph(store), (live.as_mut(), listener));
    let here = |at: usize, slot: &Slot<'_>| run_task(&batch.task(at), store, data, slot);
    let summary = match &setup.workers {
        Workers::Here => run(&graph, &here, settings, stop, &mut listener)?,
        Workers::Processes(launch) => {
            let processes = Processes::new(launch, store)?;
            let there = |at: usize, slot: &Slot<'_>| processes.run(&batch.task(at), slot);
            run(&graph, &there, settings, stop, &mut listener)?
        }
        Workers::Cluster(launch) => {
            let at = (store, launch);
            let (summary, detached) = run_on_cluster(batch, &graph, at, settings.fail_fast, stop, &mut listener)?;
            detached.into_iter().for_each(|detached| listener.event(&RunEvent::Detached(detached)));
            summary
        }
    };
    // The next round runs damaged jobs again.
    if !summary.damaged {
        report_failures(&summary, &mut listener);
    }
    Ok(summary)
}

fn report_failures(summary: &Summary, listener: &mut dyn Listener) {
    let (failed, skipped) = (summary.failed.len(), summary.skipped.len());
    if failed > 0 {
        let text = format!("{} failed, {skipped} that wait for them were skipped", count(failed, "job"));
        listener.event(&RunEvent::Note(text));
    }
}

impl Batch {
    /// The content of the store for the jobs when a round begins.
    fn round_plan(&self, setup: &Setup<'_>) -> RoundPlan {
        let slots = setup.settings.slots;
        RoundPlan {
            slots,
            on_cluster: matches!(setup.workers, Workers::Cluster(_)),
            jobs: self.wanted(),
            new: self.count(JobState::New),
            done: self.done(),
            stale: self.count(JobState::Stale),
            damaged: self.count(JobState::Broken),
            accepted: self.count(JobState::Accepted),
            verified: self.count(JobState::Verified),
            from_checkpoint: self.begun(setup.store),
            from_shorter: self.continuing(),
            seconds_left: self.seconds_left(setup.store, slots).min(f64::MAX),
        }
    }
}

/// The lock on the results tree, and whether another process held it before; no lock if `stop` came first. The lock
/// only keeps two runs from competing: correctness depends on the claims of single jobs.
///
/// # Errors
/// If the tree cannot be locked for a reason other than another owner.
pub fn wait_for_tree(
    store: &Store,
    stop: &Stop,
    listener: &mut dyn Listener,
) -> anyhow::Result<(Option<TreeLock>, bool)> {
    let mut waited = false;
    loop {
        match store.lock() {
            Ok(lock) => return Ok((Some(lock), waited)),
            Err(LockError::Store(error)) => return Err(error.into()),
            Err(LockError::Held(_)) if stop.is_requested() => return Ok((None, waited)),
            Err(LockError::Held(held)) => {
                if !waited {
                    let Held { holder, file } = held;
                    let (tree, file) =
                        (store.root().display().to_string(), file.map(|file| file.display().to_string()));
                    listener.event(&RunEvent::TreeHeld { tree, holder, file });
                }
                waited = true;
                std::thread::sleep(PATIENCE);
            }
        }
    }
}
