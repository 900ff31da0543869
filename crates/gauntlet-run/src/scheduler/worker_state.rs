//! The state file of a worker process: the run that started it reads its progress and the outcomes of its tasks.
//!
//! The worker rewrites the file, the run only reads it. The file is no proof of a result: only `done.json` in the
//! store is.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::outcome::TaskOutcome;
use super::progress::{JobProgress, ProgressCell};
use gauntlet_games::base::files::{LARGEST_NOTE, read_regular};
use gauntlet_store::{host, quick_write};

/// Least time between two updates of the file, regardless of how many tasks start and end.
const LEAST: Duration = Duration::from_millis(500);

/// The report of a worker.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct WorkerState {
    /// The machine that it runs on.
    pub host: String,
    /// Its process there.
    pub process: u32,
    /// Number of updates of the file so far. Readers compare it with the last one that they saw: clocks of machines
    /// differ.
    pub beats: u64,
    /// The index of the running task.
    pub current: Option<usize>,
    /// The progress of that task.
    #[serde(flatten)]
    pub progress: JobProgress,
    /// The outcomes of tasks, by their indices.
    pub ended: Vec<(usize, TaskOutcome)>,
    /// Whether the worker has ended, and will report no more.
    pub is_over: bool,
}

impl WorkerState {
    /// The state in a file; none if the file does not exist, or cannot be read.
    pub fn read(path: &Path) -> Option<WorkerState> {
        serde_json::from_slice(&read_regular(path, LARGEST_NOTE).ok()?).ok()
    }
}

/// Writes the state file of this process.
pub(super) struct StateFile {
    path: PathBuf,
    /// Longest time between two updates of the file.
    interval: Duration,
    now: Mutex<Now>,
}

struct Now {
    state: WorkerState,
    cell: ProgressCell,
    written: Option<Instant>,
    /// Whether a task has started or ended since the last update.
    is_new: bool,
}

impl StateFile {
    /// The file at a path, updated at least once in each interval.
    pub fn new(path: PathBuf, interval: Duration) -> StateFile {
        let state = WorkerState { host: host(), process: std::process::id(), ..WorkerState::default() };
        let now = Now { state, cell: ProgressCell::default(), written: None, is_new: true };
        StateFile { path, interval, now: Mutex::new(now) }
    }

    fn now(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts the task at an index, which reports its progress through the cell.
    pub fn start(&self, place: usize) -> ProgressCell {
        let mut now = self.now();
        now.cell = ProgressCell::default();
        now.state.current = Some(place);
        self.write_if_due(&mut now);
        now.cell.clone()
    }

    /// Ends the task at an index.
    pub fn end(&self, place: usize, outcome: TaskOutcome) {
        let mut now = self.now();
        now.state.ended.push((place, outcome));
        now.state.current = None;
        self.write_if_due(&mut now);
    }

    /// Marks the worker as ended.
    pub fn close(&self) {
        let mut now = self.now();
        now.state.is_over = true;
        self.write(&mut now);
    }

    /// Writes the file when it is due, until the other end of the channel is gone.
    pub fn keep(&self, end: &Receiver<()>) {
        loop {
            let mut now = self.now();
            if now.is_new || now.written.is_none_or(|written| written.elapsed() >= self.interval) {
                self.write(&mut now);
            }
            drop(now);
            if end.recv_timeout(LEAST.min(self.interval)) != Err(RecvTimeoutError::Timeout) {
                return;
            }
        }
    }

    fn write_if_due(&self, now: &mut Now) {
        now.is_new = true;
        if now.written.is_none_or(|written| written.elapsed() >= LEAST) {
            self.write(now);
        }
    }

    /// A write error stops no task: only the store tells which jobs are done.
    fn write(&self, now: &mut Now) {
        now.state.beats += 1;
        now.state.progress = now.cell.read();
        let bytes = serde_json::to_vec(&now.state).expect("it is plain data");
        if let Err(error) = quick_write(&self.path, &bytes) {
            tracing::debug!("{error}");
        }
        (now.written, now.is_new) = (Some(Instant::now()), false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_reads_the_state_that_a_worker_writes() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.state.json");
        assert_eq!(WorkerState::read(&path), None);
        let file = StateFile::new(path.clone(), Duration::from_secs(1));
        let cell = file.start(0);
        cell.progress(3, 4);
        cell.metric("score", 0.5);
        let outcome = TaskOutcome::Failed("no \"luck\"\n".to_owned());
        file.end(0, outcome.clone());
        file.close();
        let state = WorkerState::read(&path).unwrap();
        assert_eq!((state.progress.share(), state.progress.line().as_str()), (0.75, "score 0.750"));
        assert_eq!((state.current, state.ended, state.is_over), (None, vec![(0, outcome)], true));
    }
}
