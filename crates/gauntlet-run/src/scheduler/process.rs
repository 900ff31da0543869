//! Tasks in worker processes. A worker reads its task from a file and reports by a [state
//! file](super::worker_state). Its standard input gives the number of cores that it may use; it stops when the input
//! is closed. If a worker dies, only its task is lost.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::executor::Slot;
use super::outcome::TaskOutcome;
use super::serve::state_file;
use super::task::Task;
use super::worker_state::WorkerState;
use gauntlet_games::base::Stop;
use gauntlet_games::base::files::{LARGEST_DATA, read_regular};
use gauntlet_store::{Error, Opening, RunDir, Store, StoredState, open_to_write};

/// Time between two checks whether a worker has ended or should stop.
const PATIENCE: Duration = Duration::from_millis(20);

/// Time between two looks at the progress of a worker.
const LOOK: Duration = Duration::from_millis(500);

/// Longest delay of a signal between a worker and this process, if it was sent to both.
const SIGNAL_DELAY: Duration = Duration::from_millis(500);

/// The command that starts a worker: the program, and its arguments before the task file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    /// The program.
    pub program: PathBuf,
    /// Its arguments: the store, the data directory and the device.
    pub arguments: Vec<OsString>,
    /// The GPUs that are assigned to slots in turn; none if workers see the GPUs of this process.
    pub gpus: Vec<String>,
}

/// Starts workers, whose files lie in a private directory of the results tree.
pub(super) struct Processes<'a> {
    launch: &'a Launch,
    store: &'a Store,
    directory: RunDir,
}

impl<'a> Processes<'a> {
    pub(super) fn new(launch: &'a Launch, store: &'a Store) -> Result<Processes<'a>, Error> {
        Ok(Processes { launch, store, directory: store.run_directory()? })
    }

    /// Runs a task in a worker and waits for its end. The outcome comes from the worker, or else from the store.
    pub(super) fn run(&self, task: &Task, slot: &Slot<'_>) -> TaskOutcome {
        let name = format!("{}.json", task.id.directory());
        let files = WorkerFiles { task: self.directory.path().join(name) };
        let cores = slot.cores.even_share();
        let ended = match self.start(task, &files, slot, cores) {
            Ok(worker) => follow(worker, &files, slot, cores),
            Err(error) => return unstarted(&error, &files),
        };
        let stored = || match self.store.state(&task.id) {
            Ok(state) => matches!(state, StoredState::Done(_)).then_some(TaskOutcome::Done),
            Err(error) => Some(TaskOutcome::of_store(error)),
        };
        let outcome = match files.outcome().or_else(stored) {
            // The worker may receive a signal to both processes first.
            None | Some(TaskOutcome::Interrupted) if is_requested_soon(slot.stop) => TaskOutcome::Interrupted,
            None => return died(ended, &files),
            Some(TaskOutcome::Interrupted) => {
                TaskOutcome::Failed("its worker alone was told to stop; run again to continue".to_owned())
            }
            Some(outcome) => outcome,
        };
        if outcome == TaskOutcome::Done {
            files.printed().lines().for_each(|line| tracing::warn!("{}: {line}", task.name));
        }
        files.remove();
        outcome
    }

    fn start(&self, task: &Task, files: &WorkerFiles, slot: &Slot<'_>, cores: usize) -> anyhow::Result<Child> {
        task.save(&files.task)?;
        let log = open_to_write(&files.log(), Opening::Replace)?;
        let mut command = Command::new(&self.launch.program);
        command.args(&self.launch.arguments).args(["--threads-per-job", &cores.to_string()]).arg(&files.task);
        command.envs(environment(slot, &self.launch.gpus)).stdin(Stdio::piped()).stdout(log.try_clone()?).stderr(log);
        Ok(command.spawn()?)
    }
}

/// The files of one worker, side by side.
struct WorkerFiles {
    /// Its task.
    task: PathBuf,
}

impl WorkerFiles {
    /// Its state.
    fn state(&self) -> PathBuf {
        state_file(&self.task)
    }

    /// The file of its output.
    fn log(&self) -> PathBuf {
        self.task.with_extension("log")
    }

    /// The outcome of the task, if the worker could write it. A worker without one was told to stop before it began.
    fn outcome(&self) -> Option<TaskOutcome> {
        let WorkerState { ended, is_over, .. } = WorkerState::read(&self.state())?;
        let outcome = ended.into_iter().next().map(|(_, outcome)| outcome);
        outcome.or_else(|| is_over.then_some(TaskOutcome::Interrupted))
    }

    /// The output of the worker so far.
    fn printed(&self) -> String {
        read_regular(&self.log(), LARGEST_DATA)
            .map_or(String::new(), |bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    fn remove(&self) {
        self.remove_all_but_log();
        let _ = std::fs::remove_file(self.log());
    }

    fn remove_all_but_log(&self) {
        for path in [self.task.clone(), self.state()] {
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Fatal: if one worker cannot be started, none can.
fn unstarted(error: &anyhow::Error, files: &WorkerFiles) -> TaskOutcome {
    files.remove();
    TaskOutcome::Fatal(format!(
        "no worker can be started: {error:#}\nhint: if the program was replaced meanwhile, run again"
    ))
}

/// A worker ended without an outcome; its log stays for the user.
fn died(ended: io::Result<ExitStatus>, files: &WorkerFiles) -> TaskOutcome {
    files.remove_all_but_log();
    let status = ended.map_or_else(|error| error.to_string(), |status| status.to_string());
    let said = files.printed().lines().next().map_or(String::new(), |line| format!(": {line}"));
    let log = files.log();
    TaskOutcome::Failed(format!(
        "its worker died ({status}){said}; its log is {}; run again to continue",
        log.display()
    ))
}

/// The additional environment of a worker: the number of its slot, from 0, and the GPU of that slot, if slots have one
/// each.
fn environment(slot: &Slot<'_>, gpus: &[String]) -> Vec<(&'static str, String)> {
    let own = gpus.get(slot.index % gpus.len().max(1)).map(|gpu| ("CUDA_VISIBLE_DEVICES", gpu.clone()));
    std::iter::once(("GAUNTLET_SLOT", slot.index.to_string())).chain(own).collect()
}

/// Reports the progress of a worker until it ends, sends it changes of its number of cores, and closes its input when
/// it should stop.
fn follow(mut worker: Child, files: &WorkerFiles, slot: &Slot<'_>, mut cores: usize) -> io::Result<ExitStatus> {
    let mut input = worker.stdin.take();
    let mut looked = Instant::now();
    loop {
        if let Some(status) = worker.try_wait()? {
            return Ok(status);
        }
        if slot.stop.is_requested() {
            drop(input.take());
        }
        let share = slot.cores.even_share();
        if let Some(input) = input.as_mut().filter(|_| share != cores) {
            // A worker that does not listen any more is about to end.
            let _ = writeln!(input, "{share}");
            cores = share;
        }
        if looked.elapsed() >= LOOK {
            WorkerState::read(&files.state()).into_iter().for_each(|state| slot.progress.set(state.progress));
            looked = Instant::now();
        }
        sleep(PATIENCE);
    }
}

/// Whether a stop is requested now or within a moment.
fn is_requested_soon(stop: &Stop) -> bool {
    let begun = Instant::now();
    while !stop.is_requested() && begun.elapsed() < SIGNAL_DELAY {
        sleep(PATIENCE);
    }
    stop.is_requested()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheduler::progress::ProgressCell;
    use gauntlet_games::base::Cores;

    #[test]
    fn slots_take_turns_on_gpus() {
        let (progress, stop) = (ProgressCell::default(), Stop::default());
        let gpus = ["0", "GPU-5d5b"].map(str::to_owned);
        let of_slot = |index: usize, gpus: &[String]| {
            let slot = Slot { index, progress: &progress, stop: &stop, cores: Cores::alone(1) };
            environment(&slot, gpus).into_iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>()
        };
        assert_eq!(of_slot(1, &gpus), ["GAUNTLET_SLOT=1", "CUDA_VISIBLE_DEVICES=GPU-5d5b"]);
        assert_eq!(of_slot(2, &gpus), ["GAUNTLET_SLOT=2", "CUDA_VISIBLE_DEVICES=0"]);
        assert_eq!(of_slot(2, &[]), ["GAUNTLET_SLOT=2"]);
    }
}
