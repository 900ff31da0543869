//! What a run shows of itself to other processes: a file in a directory of its own, written anew every second while it
//! runs. Nothing in it is a result.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::gauge::JobNews;
use crate::store::{RunDir, Store, quick_write};

/// The version that is written, and the only one that is read.
const VERSION: u32 = 1;
const FILE: &str = "live.json";

/// A run that is under way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LiveRun {
    pub(super) version: u32,
    /// Its process.
    pub process: u32,
    /// Jobs that it has to run.
    pub jobs: usize,
    /// Those that ended.
    pub ended: usize,
    /// Those of them that failed.
    pub failed: usize,
    /// The finished share of all work, 0 to 1.
    pub share: f64,
    /// Seconds since it began.
    pub seconds: f64,
    /// Seconds until it ends, where that can be said.
    pub seconds_left: Option<f64>,
    /// The estimated cost of what is left, in seconds of one core.
    #[serde(default)]
    pub cost_left: f64,
    /// The jobs that run, in the order in which they began; of very many the first.
    pub running: Vec<LiveJob>,
    /// Jobs that were submitted to a cluster and have not begun.
    #[serde(default)]
    pub queued: usize,
}

/// A job that runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LiveJob {
    /// What tells it from the other jobs of the run.
    pub name: String,
    /// The name of its directory in the store.
    pub directory: String,
    /// Seconds since it began, or went on.
    pub seconds: f64,
    /// Finished units of work.
    pub done: u64,
    /// All units; 0 before the job has said how many.
    pub total: u64,
    /// Units a second, once that is known.
    pub rate: Option<f64>,
    /// What it has told beside that.
    #[serde(flatten)]
    pub told: JobNews,
}

impl LiveJob {
    /// The finished share, 0 to 1.
    #[must_use]
    pub fn share(&self) -> f64 {
        if self.total == 0 { 0.0 } else { (self.done as f64 / self.total as f64).min(1.0) }
    }
}

/// The file of a run. Dropping it removes it.
#[derive(Debug)]
pub(super) struct LiveFile {
    run: RunDir,
    /// The directory of every job, by its number.
    directories: Vec<String>,
}

impl LiveFile {
    /// The file of a run of these jobs; none where it cannot be written, which is no reason not to run.
    pub fn new(store: &Store, directories: Vec<String>) -> Option<LiveFile> {
        let run = store.run_directory().inspect_err(|error| tracing::debug!("{error}")).ok()?;
        Some(LiveFile { run, directories })
    }

    /// The directory of a job.
    pub fn directory(&self, job: usize) -> String {
        self.directories.get(job).cloned().unwrap_or_default()
    }

    /// Shows the run as it is now.
    pub fn write(&self, run: &LiveRun) {
        let bytes = serde_json::to_vec(run).expect("a run is plain data");
        if let Err(error) = quick_write(&self.path(), &bytes) {
            tracing::debug!("{error}");
        }
    }

    fn path(&self) -> PathBuf {
        self.run.path().join(FILE)
    }
}

impl Drop for LiveFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(self.path());
    }
}

impl LiveRun {
    /// A run that begins in this process.
    pub(super) fn new(jobs: usize) -> LiveRun {
        let (version, process) = (VERSION, std::process::id());
        let (share, seconds, seconds_left, cost_left, running) = (0.0, 0.0, None, 0.0, Vec::new());
        LiveRun {
            version,
            process,
            jobs,
            ended: 0,
            failed: 0,
            share,
            seconds,
            seconds_left,
            cost_left,
            running,
            queued: 0,
        }
    }

    /// The runs that are under way on a results tree, as they were a second ago.
    #[must_use]
    pub fn all(store: &Store) -> Vec<LiveRun> {
        let read = |directory: PathBuf| serde_json::from_slice(&std::fs::read(directory.join(FILE)).ok()?).ok();
        let mut runs: Vec<LiveRun> = store.runs_under_way().into_iter().filter_map(read).collect();
        runs.retain(|run| run.version == VERSION);
        runs.sort_unstable_by_key(|run| run.process);
        runs
    }
}
