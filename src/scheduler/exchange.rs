//! The files by which a worker process and the run that started it know of each other, side by side and each with one
//! writer: the task, how far it is, how it ended, and what the worker said.

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::gauge::{Gauge, JobNews};
use super::outcome::TaskOutcome;
use crate::store::quick_write;

/// The files of one task.
#[derive(Debug)]
pub(super) struct Exchange {
    task: PathBuf,
}

/// That a worker is alive, and how far it is; written anew every second.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Heartbeat {
    /// The worker's process id.
    process: u32,
    /// Finished units.
    done: u64,
    /// All units.
    total: u64,
    /// What it has told beside that.
    told: JobNews,
}

impl Exchange {
    /// The files beside a task file.
    pub(super) fn beside(task: PathBuf) -> Exchange {
        Exchange { task }
    }

    /// The task file.
    pub(super) fn task(&self) -> &Path {
        &self.task
    }

    /// What the worker prints.
    pub(super) fn log(&self) -> PathBuf {
        self.task.with_extension("log")
    }

    fn heartbeat(&self) -> PathBuf {
        self.task.with_extension("progress.json")
    }

    fn outcome_file(&self) -> PathBuf {
        self.task.with_extension("outcome.json")
    }

    /// The worker is alive, and so far.
    pub(super) fn beat(&self, gauge: &Gauge) {
        let (done, total) = gauge.units();
        write(&self.heartbeat(), &Heartbeat { process: std::process::id(), done, total, told: gauge.told() });
    }

    /// Shows how far the worker was when it last wrote.
    pub(super) fn show(&self, gauge: &Gauge) {
        let Some(Heartbeat { done, total, told, .. }) = read(&self.heartbeat()) else { return };
        gauge.progress(done, total);
        gauge.copy(told);
    }

    /// The worker has ended so.
    pub(super) fn end(&self, outcome: &TaskOutcome) {
        write(&self.outcome_file(), outcome);
    }

    /// How the worker ended, if it could say so.
    pub(super) fn outcome(&self) -> Option<TaskOutcome> {
        read(&self.outcome_file())
    }

    /// What the worker printed so far.
    pub(super) fn said(&self) -> String {
        std::fs::read(self.log()).map_or(String::new(), |bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Removes all files.
    pub(super) fn clear(&self) {
        self.clear_but_log();
        let _ = std::fs::remove_file(self.log());
    }

    /// Removes all files but the log.
    pub(super) fn clear_but_log(&self) {
        for path in [self.task.clone(), self.heartbeat(), self.outcome_file()] {
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Who cannot be told goes without: the store alone says what is done.
fn write(path: &Path, value: &impl Serialize) {
    let bytes = serde_json::to_vec(value).expect("it is plain data");
    if let Err(error) = quick_write(path, &bytes) {
        tracing::debug!("{error}");
    }
}

fn read<T: DeserializeOwned>(path: &Path) -> Option<T> {
    serde_json::from_slice(&std::fs::read(path).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_worker_writes_is_what_is_read() {
        let directory = tempfile::tempdir().unwrap();
        let exchange = Exchange::beside(directory.path().join("a.json"));
        let (worker, shown) = (Gauge::default(), Gauge::default());
        worker.progress(3, 4);
        worker.metric("score", 0.5);
        exchange.show(&shown);
        assert_eq!((shown.share(), exchange.outcome()), (0.0, None));
        exchange.beat(&worker);
        exchange.show(&shown);
        assert_eq!((shown.share(), shown.metric_text().as_str()), (0.75, "score 0.750"));
        for outcome in [TaskOutcome::Done, TaskOutcome::Failed("no \"luck\"\n".to_owned()), TaskOutcome::Busy] {
            exchange.end(&outcome);
            assert_eq!(exchange.outcome(), Some(outcome));
        }
        exchange.clear();
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    }
}
