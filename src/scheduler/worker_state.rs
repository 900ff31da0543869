//! The state file of a worker process, by which the run that started it knows its progress and the ends of its tasks.
//!
//! The worker writes the file anew, the run only reads it. The file is never proof of a result: that is the store's
//! `done.json` alone.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::outcome::TaskOutcome;
use super::progress::{JobProgress, ProgressCell};
use crate::store::{host, quick_write};

/// Least time between two versions of the file, however many tasks start and end.
const LEAST: Duration = Duration::from_millis(500);

/// What a worker says of itself.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct WorkerState {
    /// The machine that it runs on.
    pub host: String,
    /// Its process there.
    pub process: u32,
    /// Versions of the file so far. Readers compare it with the one that they saw before: clocks of machines differ.
    pub beats: u64,
    /// The place of the task that runs.
    pub current: Option<usize>,
    /// The progress of that task.
    #[serde(flatten)]
    pub progress: JobProgress,
    /// How tasks ended, by their places.
    pub ended: Vec<(usize, TaskOutcome)>,
    /// Whether the worker has ended, and will say no more.
    pub is_over: bool,
}

impl WorkerState {
    /// The state in a file; none where there is no such file, or it cannot be read.
    pub fn read(path: &Path) -> Option<WorkerState> {
        serde_json::from_slice(&std::fs::read(path).ok()?).ok()
    }
}

/// Writes the state file of this process.
pub(super) struct StateFile {
    path: PathBuf,
    /// Longest time between two versions of the file.
    interval: Duration,
    now: Mutex<Now>,
}

struct Now {
    state: WorkerState,
    cell: ProgressCell,
    written: Option<Instant>,
    /// Whether a task has started or ended since the file was written.
    is_new: bool,
}

impl StateFile {
    /// The file at a path, written at least once in each interval.
    pub fn new(path: PathBuf, interval: Duration) -> StateFile {
        let state = WorkerState { host: host(), process: std::process::id(), ..WorkerState::default() };
        let now = Now { state, cell: ProgressCell::default(), written: None, is_new: true };
        StateFile { path, interval, now: Mutex::new(now) }
    }

    fn now(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The task at a place starts; it tells its progress by the cell.
    pub fn start(&self, place: usize) -> ProgressCell {
        let mut now = self.now();
        now.cell = ProgressCell::default();
        now.state.current = Some(place);
        self.write_if_due(&mut now);
        now.cell.clone()
    }

    /// The task at a place has ended.
    pub fn end(&self, place: usize, outcome: TaskOutcome) {
        let mut now = self.now();
        now.state.ended.push((place, outcome));
        now.state.current = None;
        self.write_if_due(&mut now);
    }

    /// The worker is over.
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

    /// A file that cannot be written stops no task: the store alone says which jobs are done.
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
