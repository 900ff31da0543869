//! The state of submissions without a run: from the files of their workers and, if it answers, from Slurm.

use std::collections::HashMap;
use std::path::PathBuf;

use super::commands::Commands;
use super::decide::Pace;
use super::parse::{QueueRow, SlurmState};
use super::submission::{Files, Submission};
use crate::scheduler::worker_state::WorkerState;
use gauntlet_store::Store;

/// The state of the submitted jobs.
#[derive(Debug, Default)]
pub struct Overview {
    /// The jobs, without those that succeeded.
    pub jobs: Vec<ClusterJob>,
    /// Why Slurm gave no answer, if it did not.
    pub silence: Option<String>,
}

/// A submitted job.
#[derive(Debug, Clone, PartialEq)]
pub struct ClusterJob {
    /// The name of its directory in the store.
    pub directory: String,
    /// The number of the attempt, from 1.
    pub attempt: u32,
    /// Its place.
    pub place: ClusterPlace,
    /// The file of its worker's output.
    pub log: PathBuf,
}

/// The place of a submitted job.
#[derive(Debug, Clone, PartialEq)]
pub enum ClusterPlace {
    /// It waits, for this reason if Slurm gives one.
    Queued(String),
    /// It runs on this node, with this progress.
    Running {
        /// The node.
        node: String,
        /// Finished units.
        done: u64,
        /// All units; 0 while unknown.
        total: u64,
    },
    /// Its worker has ended, and no run has checked its result yet.
    Over,
    /// It failed, for this reason.
    Failed(String),
}

impl Overview {
    /// The state of the jobs that were submitted from a results tree; queries Slurm once.
    #[must_use]
    pub fn new(store: &Store) -> Overview {
        let mut overview = Overview::default();
        let submissions: Vec<(Files, Submission)> =
            Files::all(store).into_iter().filter_map(|files| Some((files.clone(), files.submission()?))).collect();
        for (files, _) in &submissions {
            overview.add_failed(files);
        }
        let open: Vec<&(Files, Submission)> =
            submissions.iter().filter(|(files, _)| files.settled().is_none()).collect();
        let names: Vec<String> = open.iter().map(|(_, submission)| submission.name.clone()).collect();
        let rows = overview.ask(&names);
        for (files, submission) in open {
            overview.add_open(store, files, submission, &rows);
        }
        overview
    }

    fn ask(&mut self, names: &[String]) -> HashMap<(String, u32), QueueRow> {
        if names.is_empty() {
            return HashMap::new();
        }
        let commands = Commands { time_limit: Pace::from_environment().answer };
        let rows = commands.queue(names).inspect_err(|error| self.silence = Some(error.to_string()));
        rows.unwrap_or_default().into_iter().map(|row| ((row.name.clone(), row.index), row)).collect()
    }

    fn add_failed(&mut self, files: &Files) {
        for failed in files.settled().into_iter().flat_map(|settled| settled.failed) {
            let place = ClusterPlace::Failed(failed.reason);
            self.jobs.push(ClusterJob { directory: failed.directory, attempt: 1, place, log: failed.log });
        }
    }

    fn add_open(
        &mut self,
        store: &Store,
        files: &Files,
        submission: &Submission,
        rows: &HashMap<(String, u32), QueueRow>,
    ) {
        let listed = files.states_listed();
        for (index, pack) in (0..).zip(&submission.packs) {
            let worker = listed.get(&index).and_then(|&restarts| files.worker(index, restarts));
            let row = rows.get(&(submission.name.clone(), index));
            for (at, job) in pack.jobs.iter().enumerate() {
                let done = store.root().join("jobs").join(&job.directory).join("done.json");
                if !done.exists() {
                    let (directory, attempt) = (job.directory.clone(), job.attempt);
                    let place = place(at, worker.as_ref(), row);
                    self.jobs.push(ClusterJob { directory, attempt, place, log: files.log(index) });
                }
            }
        }
    }
}

/// The place of the job at an index of a pack.
fn place(at: usize, worker: Option<&WorkerState>, row: Option<&QueueRow>) -> ClusterPlace {
    let reason = || row.map_or(String::new(), |row| row.reason.clone());
    let Some(worker) = worker else {
        let is_over = row.is_some_and(|row| matches!(row.state, SlurmState::Ended(_)));
        return if is_over { ClusterPlace::Over } else { ClusterPlace::Queued(reason()) };
    };
    let node = row.map_or(&worker.host, |row| if row.node.is_empty() { &worker.host } else { &row.node }).clone();
    if worker.is_over || row.is_some_and(|row| matches!(row.state, SlurmState::Ended(_))) {
        return ClusterPlace::Over;
    }
    match worker.current {
        Some(current) if current == at => {
            ClusterPlace::Running { node, done: worker.progress.done, total: worker.progress.total }
        }
        _ => ClusterPlace::Queued(format!("behind others on {node}")),
    }
}
