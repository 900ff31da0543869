//! A worker process: runs tasks one after another, and reports its progress and their outcomes by a [state
//! file](super::worker_state).

use std::path::Path;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use super::executor::{Slot, attempt};
use super::outcome::TaskOutcome;
use super::task::Task;
use super::worker::run_task;
use super::worker_state::StateFile;
use gauntlet_games::base::{CorePool, Cores, Stop};
use gauntlet_store::Store;

/// Longest time between two updates of the state file of a worker that runs one task.
const INTERVAL: Duration = Duration::from_secs(1);

/// The state file beside a task file.
pub(super) fn state_file(task: &Path) -> std::path::PathBuf {
    task.with_extension("state.json")
}

/// Runs the task from the file `path`, a pack of one, on these cores. Returns its name with its outcome; nothing
/// if the worker was asked to stop before.
#[must_use]
pub fn serve(
    task: &Task,
    path: &Path,
    store: &Store,
    data: Option<&Path>,
    cores: &CorePool,
    stop: &Stop,
) -> Vec<(String, TaskOutcome)> {
    let state = StateFile::new(state_file(path), INTERVAL);
    let run = |task: &Task, slot: &Slot<'_>| run_task(task, store, data, slot);
    serve_all(std::slice::from_ref(task), &state, stop, || cores.enter(), run)
}

/// Runs tasks until one fails for a reason that would fail the others too, and returns the outcomes with the names of
/// the tasks; fewer if the worker was asked to stop.
pub(super) fn serve_all(
    tasks: &[Task],
    state: &StateFile,
    stop: &Stop,
    cores: impl Fn() -> Cores,
    run: impl Fn(&Task, &Slot<'_>) -> TaskOutcome + Sync,
) -> Vec<(String, TaskOutcome)> {
    let mut ended = Vec::new();
    thread::scope(|scope| {
        let (keeps_writing, end) = mpsc::channel::<()>();
        scope.spawn(move || state.keep(&end));
        for (place, task) in tasks.iter().enumerate() {
            if stop.is_requested() {
                break;
            }
            let (progress, work) = (state.start(place), |_: usize, slot: &Slot<'_>| run(task, slot));
            let outcome = attempt(&work, 0, &Slot { index: 0, progress: &progress, stop, cores: cores() });
            state.end(place, outcome.clone());
            let is_fatal = matches!(outcome, TaskOutcome::Fatal(_));
            ended.push((task.name.clone(), outcome));
            if is_fatal {
                break;
            }
        }
        drop(keeps_writing);
    });
    state.close();
    ended
}
