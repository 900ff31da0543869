//! The worker of an array task: runs the jobs of its pack one after another.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use super::decide::Pace;
use super::submission::{Files, Pack};
use crate::scheduler::executor::Slot;
use crate::scheduler::outcome::TaskOutcome;
use crate::scheduler::serve::serve_all;
use crate::scheduler::task::Task;
use crate::scheduler::worker::run_task;
use crate::scheduler::worker_state::StateFile;
use gauntlet_games::base::{CorePool, Stop};
use gauntlet_store::Store;

/// Time between two attempts while another process works on the job.
const RETRY: Duration = Duration::from_millis(500);

/// Why an array task cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum PackError {
    /// It was not started by Slurm.
    #[error("this is not a task of an array: SLURM_ARRAY_TASK_ID is not set")]
    NoIndex,
    /// The submission does not exist.
    #[error("there is no submission at {directory}, or no array task {index} in it")]
    NoSubmission {
        /// The directory of the search.
        directory: String,
        /// The index of the array task.
        index: u32,
    },
}

/// Runs the pack of the array task of this process, which has a device class, and returns the outcomes of its jobs, with
/// their names; fewer if a stop was requested.
///
/// # Errors
/// If this process is not an array task, or the submission does not exist.
pub fn serve_pack(
    directory: &Path,
    device: &str,
    store: &Store,
    data: Option<&Path>,
    cores: &CorePool,
    stop: &Stop,
) -> Result<Vec<(String, TaskOutcome)>, PackError> {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u32>().ok());
    let index = number("SLURM_ARRAY_TASK_ID").ok_or(PackError::NoIndex)?;
    let files = Files::in_directory(directory.to_owned());
    let submission = files.submission();
    let pack = submission.as_ref().and_then(|submission| submission.packs.get(index as usize));
    let no_pack = || PackError::NoSubmission { directory: directory.display().to_string(), index };
    let pack = pack.ok_or_else(no_pack)?;
    let path = files.state(index, number("SLURM_RESTART_COUNT").unwrap_or(0));
    let state = StateFile::new(path, Pace::from_environment().beat);
    let run = |task: &Task, slot: &Slot<'_>| run_patiently(task, store, data, slot);
    Ok(match files.tasks(pack, device) {
        Ok(tasks) => serve_all(&tasks, &state, stop, || cores.enter(), run),
        // Unreadable tasks cannot be run: the whole pack fails.
        Err(error) => fail_all(pack, &state, &TaskOutcome::Failed(format!("{error}; {}", error.hint()))),
    })
}

/// Ends all jobs of a pack with the same outcome.
fn fail_all(pack: &Pack, state: &StateFile, outcome: &TaskOutcome) -> Vec<(String, TaskOutcome)> {
    (0..pack.jobs.len()).for_each(|place| state.end(place, outcome.clone()));
    state.close();
    pack.jobs.iter().map(|job| (job.directory.clone(), outcome.clone())).collect()
}

/// How long to wait for another process that works on the same job: long enough to recognize a dead one.
const BUSY: Duration = Duration::from_secs(150);

/// Runs a task; if another process works on its job, retries for a while.
fn run_patiently(task: &Task, store: &Store, data: Option<&Path>, slot: &Slot<'_>) -> TaskOutcome {
    let begun = Instant::now();
    loop {
        match run_task(task, store, data, slot) {
            TaskOutcome::Busy if begun.elapsed() < BUSY && !slot.stop.is_requested() => thread::sleep(RETRY),
            outcome => return outcome,
        }
    }
}
