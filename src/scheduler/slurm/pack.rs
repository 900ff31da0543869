//! The worker of an array task: runs the jobs of its pack one after another, and says by a file how far it is.

use std::path::Path;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::decide::Pace;
use super::submission::{Files, Pack, WorkerState};
use crate::scheduler::executor::{Slot, attempt};
use crate::scheduler::gauge::Gauge;
use crate::scheduler::outcome::TaskOutcome;
use crate::scheduler::task::Task;
use crate::scheduler::worker::run_task;
use crate::store::{Store, host, quick_write};
use gauntlet_games::base::{CorePool, Stop};

/// Least time between two words of a worker, however many jobs begin and end.
const LEAST: Duration = Duration::from_millis(500);

/// Why an array task cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum PackError {
    /// It was not started by Slurm.
    #[error("this is no task of an array: SLURM_ARRAY_TASK_ID is not set")]
    NoIndex,
    /// There is no such submission here.
    #[error("there is no submission at {directory}, or no array task {index} in it")]
    NoSubmission {
        /// Where it was looked for.
        directory: String,
        /// The index of the array task.
        index: u32,
    },
}

/// Runs the pack of the array task that this process is, and returns how its jobs ended, with their names; fewer where it
/// was told to stop.
///
/// # Errors
/// When this process is no task of an array, or the submission is not there.
pub fn serve_pack(
    directory: &Path,
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
    let voice = Voice::new(files.state(index, number("SLURM_RESTART_COUNT").unwrap_or(0)));
    let ended = thread::scope(|scope| {
        let (ended, end) = mpsc::channel::<()>();
        scope.spawn(|| voice.beat(end));
        let ended: Told<'_> = Told { voice: &voice, _end: ended };
        serve(
            pack,
            &files,
            &ended,
            |task| {
                let (gauge, work) = (voice.gauge(), |_: usize, slot: &Slot<'_>| run_patiently(task, store, data, slot));
                attempt(&work, 0, &Slot { index: 0, gauge: &gauge, stop, cores: cores.enter() })
            },
            stop,
        )
    });
    voice.end();
    Ok(ended)
}

/// Runs the tasks of a pack, until one says that the others would fail, too.
fn serve(
    pack: &Pack,
    files: &Files,
    told: &Told<'_>,
    mut run: impl FnMut(&Task) -> TaskOutcome,
    stop: &Stop,
) -> Vec<(String, TaskOutcome)> {
    let tasks = match files.tasks(pack) {
        Ok(tasks) => tasks,
        // What cannot be read cannot be run, whichever of the pack it is.
        Err(error) => return told.all(pack, &TaskOutcome::Failed(format!("{error}; {}", error.hint()))),
    };
    let mut ended = Vec::new();
    for (at, task) in tasks.iter().enumerate() {
        if stop.is_requested() {
            break;
        }
        told.voice.begin(at);
        let outcome = run(task);
        told.voice.ended(at, outcome.clone());
        let is_fatal = matches!(outcome, TaskOutcome::Fatal(_));
        ended.push((task.name.clone(), outcome));
        if is_fatal {
            break;
        }
    }
    ended
}

/// How long to wait for another process that works on the same job: long enough for a dead one to be known as gone.
const BUSY: Duration = Duration::from_secs(150);

/// Runs a task; where another process works on its job, waits for that a while.
fn run_patiently(task: &Task, store: &Store, data: Option<&Path>, slot: &Slot<'_>) -> TaskOutcome {
    let begun = Instant::now();
    loop {
        match run_task(task, store, data, slot) {
            TaskOutcome::Busy if begun.elapsed() < BUSY && !slot.stop.is_requested() => thread::sleep(LEAST),
            outcome => return outcome,
        }
    }
}

/// What a worker says, and the end of the thread that repeats it.
struct Told<'a> {
    voice: &'a Voice,
    _end: Sender<()>,
}

impl Told<'_> {
    /// All jobs of a pack end alike.
    fn all(&self, pack: &Pack, outcome: &TaskOutcome) -> Vec<(String, TaskOutcome)> {
        let one = |(at, job): (usize, &super::submission::PackJob)| {
            self.voice.ended(at, outcome.clone());
            (job.directory.clone(), outcome.clone())
        };
        pack.jobs.iter().enumerate().map(one).collect()
    }
}

/// The file by which a worker says how far it is.
struct Voice {
    path: std::path::PathBuf,
    pace: Pace,
    said: Mutex<Said>,
}

struct Said {
    state: WorkerState,
    gauge: Gauge,
    written: Option<Instant>,
    /// Whether there is more to say than was written.
    is_new: bool,
}

impl Voice {
    fn new(path: std::path::PathBuf) -> Voice {
        let state = WorkerState { host: host(), process: std::process::id(), ..WorkerState::default() };
        let said = Said { state, gauge: Gauge::default(), written: None, is_new: true };
        Voice { path, pace: Pace::from_environment(), said: Mutex::new(said) }
    }

    fn said(&self) -> MutexGuard<'_, Said> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The gauge of the job that runs.
    fn gauge(&self) -> Gauge {
        self.said().gauge.clone()
    }

    fn begin(&self, at: usize) {
        let mut said = self.said();
        said.gauge = Gauge::default();
        said.state.current = Some(at);
        self.write_if_due(&mut said);
    }

    fn ended(&self, at: usize, outcome: TaskOutcome) {
        let mut said = self.said();
        said.state.ended.push((at, outcome));
        said.state.current = None;
        self.write_if_due(&mut said);
    }

    fn end(&self) {
        let mut said = self.said();
        said.state.is_over = true;
        self.write(&mut said);
    }

    /// Says what is new, and gives signs of life, until the other end of the channel is gone.
    fn beat(&self, end: Receiver<()>) {
        while end.recv_timeout(LEAST.min(self.pace.beat)) == Err(RecvTimeoutError::Timeout) {
            let mut said = self.said();
            if said.is_new || said.written.is_none_or(|written| written.elapsed() >= self.pace.beat) {
                self.write(&mut said);
            }
        }
    }

    fn write_if_due(&self, said: &mut Said) {
        said.is_new = true;
        if said.written.is_none_or(|written| written.elapsed() >= LEAST) {
            self.write(said);
        }
    }

    /// Who cannot be told goes without: the store alone says what is done.
    fn write(&self, said: &mut Said) {
        said.state.beats += 1;
        (said.state.done, said.state.total) = said.gauge.units();
        said.state.told = said.gauge.told();
        let bytes = serde_json::to_vec(&said.state).expect("it is plain data");
        if let Err(error) = quick_write(&self.path, &bytes) {
            tracing::debug!("{error}");
        }
        (said.written, said.is_new) = (Some(Instant::now()), false);
    }
}
