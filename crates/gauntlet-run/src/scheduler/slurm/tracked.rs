//! The state of a submission while a run follows it.

use std::time::{Duration, Instant, SystemTime};

use super::commands::CommandError;
use super::decide::Observation;
use super::parse::{QueueRow, SlurmState};
use super::submission::{FailedJob, Files, Submission};
use crate::scheduler::worker_state::WorkerState;

/// A submission that is followed.
pub(super) struct Tracked {
    pub files: Files,
    pub name: String,
    /// The id of its array; none if sbatch has not answered.
    pub job: Option<u64>,
    /// The jobs of each array task, by their numbers in the batch; none for jobs outside of the batch.
    pub packs: Vec<Vec<Option<usize>>>,
    pub tasks: Vec<ArrayTask>,
    /// Whether it depends on other submissions.
    pub waits: bool,
    /// Whether an earlier run has submitted it.
    pub is_adopted: bool,
    /// Its jobs that failed.
    pub failed: Vec<FailedJob>,
    /// The time of its writing, by the clock of the machine that wrote it.
    pub written: SystemTime,
    /// The time since when it is followed.
    pub since: Instant,
    /// Whether nothing of it waits or runs any more.
    pub is_settled: bool,
}

/// An array task that is followed.
#[derive(Debug, Clone)]
pub(super) struct ArrayTask {
    /// Its last state in Slurm; none if Slurm does not know the task.
    pub state: Option<SlurmState>,
    /// The time of its submission, or of its last sighting before its end.
    pub seen: Instant,
    /// The time of the first sighting of its end.
    pub over: Option<Instant>,
    pub node: String,
    /// The last report of its worker, and the time of its last change.
    pub worker: Option<WorkerState>,
    pub beat: Option<Instant>,
    /// The number of ends of jobs that were handled.
    pub ends_seen: usize,
    pub is_settled: bool,
}

/// An answer of Slurm, and the time of its query.
pub(super) struct Answer {
    pub asked: Instant,
    pub of_accounts: bool,
    pub rows: Result<Vec<QueueRow>, CommandError>,
}

impl Tracked {
    pub fn new(files: Files, submission: &Submission, packs: Vec<Vec<Option<usize>>>, job: Option<u64>) -> Tracked {
        let now = Instant::now();
        let task = ArrayTask {
            // Until the first query, the task counts as waiting.
            state: None,
            seen: now,
            over: None,
            node: String::new(),
            worker: None,
            beat: None,
            ends_seen: 0,
            is_settled: false,
        };
        let tasks = vec![task; packs.len()];
        let (name, waits, failed) = (submission.name.clone(), submission.waits, Vec::new());
        let written = submission.since.parse::<jiff::Timestamp>().map_or(SystemTime::UNIX_EPOCH, SystemTime::from);
        Tracked {
            files,
            name,
            job,
            packs,
            tasks,
            waits,
            is_adopted: false,
            failed,
            written,
            since: now,
            is_settled: false,
        }
    }

    /// Its array tasks that have not ended.
    pub fn open_tasks(&self) -> usize {
        self.tasks.iter().filter(|task| !task.is_settled).count()
    }
}

impl ArrayTask {
    pub fn note_sighting(&mut self, row: Option<QueueRow>, now: Instant) {
        let state = row.as_ref().map(|row| row.state);
        match state {
            Some(SlurmState::Ended(_)) => drop(self.over.get_or_insert(now)),
            Some(_) => (self.seen, self.over) = (now, None),
            None => {}
        }
        self.state = state;
        if let Some(row) = row.filter(|row| !row.node.is_empty()) {
            self.node = row.node;
        }
    }

    pub fn observation(&self) -> Observation {
        Observation {
            state: self.state,
            unseen: self.seen.elapsed(),
            silent: self.beat.map(|beat| beat.elapsed()),
            over: self.over.map_or(Duration::ZERO, |over| over.elapsed()),
            cancelled: false,
        }
    }
}
