//! The worker of one task: claims its job, loads its checkpoint and inputs, receives its events, and commits its
//! files.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use serde_json::Value;

use super::executor::Slot;
use super::outcome::TaskOutcome;
use super::progress::JobProgress;
use super::task::{Task, WeightsFile};
use gauntlet_games::base::files::{LARGEST_DATA, read_regular};
use gauntlet_games::base::{Cores, Event, Interrupted, ResumePoint, Sink, Stop};
use gauntlet_jobs::{UnusableCheckpoint, execute};
use gauntlet_play::jobs::{Files, Inputs, METRICS, RESULT, ReadFile, STATE, UpstreamFiles, weights_file};
use gauntlet_store::{CheckpointProgress, Claim, Error, JobDir, JobId, ReadError, Store};

/// Checkpoints at shorter intervals are kept in memory and written when the job stops.
const CHECKPOINT_INTERVAL: Duration = Duration::from_secs(2);

/// Runs a task, unless its job is done or another process works on it. `data` is the directory of the files that some
/// jobs read.
pub fn run_task(task: &Task, store: &Store, data: Option<&Path>, slot: &Slot<'_>) -> TaskOutcome {
    run_task_on(task, store, store, data, slot)
}

/// Like [`run_task`], with the inputs of the task in another store, `trainings`.
pub fn run_task_on(task: &Task, trainings: &Store, store: &Store, data: Option<&Path>, slot: &Slot<'_>) -> TaskOutcome {
    perform(task, store, slot, |checkpoint, sink| {
        let inputs = inputs(task, data)?;
        let upstream = upstream(task, trainings, &inputs)?;
        execute(&task.key_inputs.spec, task.key_inputs.seed, &upstream, &inputs, checkpoint.as_ref(), sink)
    })
}

/// Runs a task by a closure, which knows nothing of stores.
///
/// `run` receives the checkpoint of an earlier attempt, if there is one, and a sink; it returns the job's files. After
/// [`Interrupted`] from the sink it returns at once, with any error. If it cannot continue the checkpoint, it is
/// called once more, without one.
pub fn perform(
    task: &Task,
    store: &Store,
    slot: &Slot<'_>,
    mut run: impl FnMut(Option<ResumePoint>, &mut dyn Sink) -> anyhow::Result<Files>,
) -> TaskOutcome {
    let key_inputs = serde_json::to_value(&task.key_inputs).expect("key inputs are plain data");
    let mut directory = match store.begin(&task.id, &key_inputs) {
        Ok(Claim::Mine(directory)) => directory,
        Ok(Claim::Done(_)) => return TaskOutcome::Done,
        Ok(Claim::Busy) => return TaskOutcome::Busy,
        Err(error) => return TaskOutcome::of_store(error),
    };
    let checkpoint = match directory.load_checkpoint() {
        Ok(None) => last_state(task, store, &mut directory),
        found => found,
    };
    let checkpoint = match checkpoint {
        Ok(checkpoint) => checkpoint,
        Err(error) => return TaskOutcome::of_store(error),
    };
    let (mut result, mut ending) = attempt(&directory, slot, checkpoint, &mut run);
    if let Err(unusable) = &result
        && unusable.is::<UnusableCheckpoint>()
    {
        if let Err(error) = directory.start_over(&unusable.to_string()) {
            return TaskOutcome::of_store(error);
        }
        (result, ending) = attempt(&directory, slot, None, &mut run);
    }
    match (result, ending) {
        // A job that ends in spite of an interrupt is done.
        (Ok(files), None | Some(TaskOutcome::Interrupted)) => {
            match directory.commit(&files, &task.class, measured_cost(task, slot)) {
                Ok(_) => TaskOutcome::Done,
                Err(error @ Error::Name { .. }) => TaskOutcome::Failed(error.to_string()),
                Err(error) => TaskOutcome::of_store(error),
            }
        }
        (_, Some(outcome)) => outcome,
        (Err(error), None) => failed(&error),
    }
}

/// Runs a job from a checkpoint, or from its start; also returns how the sink ended it, if it did.
fn attempt(
    directory: &JobDir,
    slot: &Slot<'_>,
    checkpoint: Option<ResumePoint>,
    run: &mut impl FnMut(Option<ResumePoint>, &mut dyn Sink) -> anyhow::Result<Files>,
) -> (anyhow::Result<Files>, Option<TaskOutcome>) {
    let mut sink = JobSink { directory, slot, unsaved: None, saved: None, ending: None };
    let result = run(checkpoint, &mut sink);
    if result.is_err() && sink.ending.is_none() {
        // It stopped between two events, or it failed, and would again: the last good checkpoint stays. A write error
        // of it is the ending of the sink.
        let _ = if slot.stop.is_requested() { sink.interrupt() } else { sink.save() };
    }
    (result, sink.ending)
}

/// The amount of work of one core in the time that the task took; 0 if other cores helped, since that time would not
/// predict the next job.
fn measured_cost(task: &Task, slot: &Slot<'_>) -> f64 {
    if slot.cores.was_helped() { 0.0 } else { task.cost }
}

/// The last state of the training that a task continues. Without it, the task starts over, and ends with the same
/// bytes.
///
/// # Errors
/// If the system refuses to read it.
fn last_state(task: &Task, store: &Store, directory: &mut JobDir) -> Result<Option<ResumePoint>, Error> {
    let Some(earlier) = &task.earlier else { return Ok(None) };
    let state = match store.read_or_discard(earlier, STATE) {
        Ok(state) => state,
        Err(ReadError::Store(error)) => return Err(error),
        Err(error) => {
            tracing::warn!("{} starts over: {error}", task.id.directory());
            return Ok(None);
        }
    };
    let point = ResumePoint::from_bytes(&state);
    if point.is_none() {
        tracing::warn!(
            "{} starts over: the state of {} is of another version",
            task.id.directory(),
            earlier.directory()
        );
    }
    Ok(point.inspect(|_| directory.continues()))
}

/// The files that a task reads, of other jobs and of the data directory. A damaged job is discarded, so that it runs
/// again.
fn upstream(task: &Task, store: &Store, inputs: &Inputs) -> anyhow::Result<UpstreamFiles> {
    let read = |WeightsFile { job, file, player }: &WeightsFile| {
        let bytes = store.read_or_discard(job, file).map_err(|error| explained(error, store, job, file))?;
        Ok(ReadFile { owner: player.clone(), file: file.clone(), bytes })
    };
    let of_files = task.key_inputs.spec.weights_files().into_iter().map(|(player, file)| {
        let bytes = inputs.get(file).cloned().unwrap_or_default();
        Ok(ReadFile { owner: Some(player.to_owned()), file: file.to_owned(), bytes })
    });
    task.weights.iter().map(read).chain(of_files).collect()
}

/// The error of a missing file. If it is the network of an iteration that the training did not reach, since a budget ended
/// it before, the error names its last iteration.
fn explained(error: ReadError, store: &Store, job: &JobId, file: &str) -> anyhow::Error {
    let ReadError::NoSuchFile { .. } = &error else { return error.into() };
    let result = store.read(job, RESULT).ok();
    let result: Option<Value> = result.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let ended = result.and_then(|result| u32::try_from(result.get("curve")?.as_array()?.len()).ok());
    match ended {
        Some(ended) if file.starts_with("weights-") && *file != weights_file(Some(ended)) => anyhow::anyhow!(
            "{error}: its budget ended it after iteration {ended}; name an earlier `iteration`, or give it a larger budget"
        ),
        _ => error.into(),
    }
}

/// The files of the data directory that a task reads, unchanged since planning.
fn inputs(task: &Task, data: Option<&Path>) -> anyhow::Result<Inputs> {
    let mut inputs = Inputs::new();
    for (file, hash) in &task.key_inputs.inputs {
        let path = data.map(|data| data.join(file)).unwrap_or_default();
        let bytes = read_regular(&path, LARGEST_DATA).with_context(|| format!("cannot read {}", path.display()))?;
        let is_same = hash.as_deref() == Some(&content_hash(&bytes));
        anyhow::ensure!(is_same, "{} has changed meanwhile; run again", path.display());
        inputs.insert(file.clone(), bytes);
    }
    Ok(inputs)
}

/// The hash of a file's contents, which is part of the keys of the jobs that read it.
#[must_use]
pub fn content_hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

fn failed(error: &anyhow::Error) -> TaskOutcome {
    match error.downcast_ref::<ReadError>() {
        Some(ReadError::Damaged { .. }) => TaskOutcome::Damaged(format!("{error:#}")),
        _ => TaskOutcome::Failed(format!("{error:#}")),
    }
}

/// Connects a running job with its directory, the progress of its task and the stop flag.
struct JobSink<'a> {
    directory: &'a JobDir,
    slot: &'a Slot<'a>,
    /// The newest checkpoint, if it is not on the disk.
    unsaved: Option<(ResumePoint, CheckpointProgress)>,
    /// When a checkpoint was last written.
    saved: Option<Instant>,
    /// Why the sink stopped the job, if it did: it was interrupted, or the store failed.
    ending: Option<TaskOutcome>,
}

impl Sink for JobSink<'_> {
    fn record(&mut self, event: Event<'_>) -> Result<(), Interrupted> {
        match event {
            Event::Progress { done, total } => self.slot.progress.progress(done, total),
            Event::Checkpoint(point) => self.keep(point)?,
            Event::Metric { name, value, .. } => {
                self.slot.progress.metric(name, value);
                return Ok(());
            }
            Event::Metrics(lines) => {
                self.show(lines);
                return Ok(());
            }
            // Games are part of the job's files, if they are to be kept.
            Event::Game(record) => {
                self.slot.progress.game(record);
                return Ok(());
            }
        }
        if self.slot.stop.is_requested() { self.interrupt() } else { Ok(()) }
    }

    fn stop(&self) -> Stop {
        self.slot.stop.clone()
    }

    fn cores(&self) -> Cores {
        self.slot.cores.clone()
    }
}

impl JobSink<'_> {
    fn interrupt(&mut self) -> Result<(), Interrupted> {
        self.save()?;
        self.ending = Some(TaskOutcome::Interrupted);
        Err(Interrupted)
    }

    fn keep(&mut self, point: &ResumePoint) -> Result<(), Interrupted> {
        self.unsaved = None;
        let JobProgress { done, total, .. } = self.slot.progress.read();
        let progress = CheckpointProgress { done, total };
        if self.saved.is_none_or(|saved| saved.elapsed() >= CHECKPOINT_INTERVAL) {
            return self.write(point, progress);
        }
        self.unsaved = Some((point.clone(), progress));
        Ok(())
    }

    /// A metrics file that cannot be written does not stop the job.
    fn show(&self, lines: &[u8]) {
        if let Err(error) = self.directory.draft(METRICS, lines) {
            tracing::debug!("{error}");
        }
    }

    fn save(&mut self) -> Result<(), Interrupted> {
        self.unsaved.take().map_or(Ok(()), |(point, progress)| self.write(&point, progress))
    }

    fn write(&mut self, point: &ResumePoint, progress: CheckpointProgress) -> Result<(), Interrupted> {
        self.saved = Some(Instant::now());
        self.directory.checkpoint(point).map_err(|error| {
            self.ending = Some(TaskOutcome::of_store(error));
            Interrupted
        })?;
        // It is for display: without it, the checkpoint is as good.
        if let Err(error) = self.directory.note_progress(progress) {
            tracing::debug!("{error}");
        }
        Ok(())
    }
}
