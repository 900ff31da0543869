//! Runs one job: claims it, hands it its checkpoint, listens to its events, commits what it returns.
//!
//! It knows nothing of what a job computes: a job is a closure from a checkpoint and a sink to files.

use std::time::{Duration, Instant};

use serde_json::Value;

use super::{Slot, Verdict};
use crate::base::{Event, Interrupted, Sink, Stop};
use crate::jobs::{Files, METRICS};
use crate::store::{Claim, Error, JobDir, JobId, Store};

/// Checkpoints that follow faster than this are kept in memory and written when the job stops.
const CHECKPOINT_INTERVAL: Duration = Duration::from_secs(2);

/// A job, from outside.
#[derive(Debug, Clone, Copy)]
pub struct Order<'a> {
    /// Its identity.
    pub id: &'a JobId,
    /// What the key was made from, kept for explanations.
    pub preimage: &'a Value,
    /// Class of work; jobs of one class take time in proportion to their cost.
    pub class: &'a str,
    /// Amount of work, in units of the class.
    pub cost: f64,
}

/// Does a job, unless it is done or somebody else is at it.
///
/// `run` gets the checkpoint of an earlier attempt, if there is one, and a sink; it returns the job's files. When the
/// sink says [`Interrupted`] it returns at once, with whatever error.
pub fn perform(
    store: &Store,
    order: &Order<'_>,
    slot: &Slot<'_>,
    run: impl FnOnce(Option<Vec<u8>>, &mut dyn Sink) -> anyhow::Result<Files>,
) -> Verdict {
    let mut directory = match store.begin(order.id, order.preimage) {
        Ok(Claim::Mine(directory)) => directory,
        Ok(Claim::Done(_)) => return Verdict::Done,
        Ok(Claim::Busy) => return Verdict::Busy,
        Err(error) => return fatal(error),
    };
    let checkpoint = directory.load_checkpoint();
    let mut sink = JobSink { directory: &directory, slot, unsaved: None, saved: None, ending: None };
    let result = run(checkpoint, &mut sink);
    if result.is_err() && sink.ending.is_none() {
        // It stopped between two events, or it failed, and would again: the last good checkpoint stays all the same. If it
        // cannot be written, that is the sink's ending.
        let _ = if slot.stop.is_requested() { sink.interrupt() } else { sink.save() };
    }
    match (result, sink.ending) {
        (_, Some(Ending::Broken(error))) => fatal(error),
        (Err(_), Some(Ending::Interrupted)) => Verdict::Interrupted,
        (Err(error), None) => Verdict::Failed(format!("{error:#}")),
        (Ok(files), _) => match directory.commit(&files, order.class, order.cost) {
            Ok(_) => Verdict::Done,
            Err(error @ Error::Name { .. }) => Verdict::Failed(error.to_string()),
            Err(error) => fatal(error),
        },
    }
}

/// A store that cannot be written fails every job.
fn fatal(error: Error) -> Verdict {
    let hint = error.hint();
    Verdict::Fatal(format!("{:#}\nhint: {hint}", anyhow::Error::from(error)))
}

/// Why the sink told the job to stop.
enum Ending {
    Interrupted,
    Broken(Error),
}

/// Connects a running job with its directory, the display and the stop flag.
struct JobSink<'a> {
    directory: &'a JobDir,
    slot: &'a Slot<'a>,
    /// The newest checkpoint, if it is not on the disk.
    unsaved: Option<Vec<u8>>,
    /// When a checkpoint was last written.
    saved: Option<Instant>,
    ending: Option<Ending>,
}

impl Sink for JobSink<'_> {
    fn record(&mut self, event: Event<'_>) -> Result<(), Interrupted> {
        match event {
            Event::Progress { done, total } => self.slot.gauge.progress(done, total),
            Event::Checkpoint(bytes) => self.keep(bytes)?,
            Event::Metric { name, value, .. } => {
                self.slot.gauge.metric(name, value);
                return Ok(());
            }
            Event::Metrics(lines) => {
                self.show(lines);
                return Ok(());
            }
            // Games are part of what the job returns, if it wants them kept.
            Event::Game(_) => return Ok(()),
        }
        if self.slot.stop.is_requested() { self.interrupt() } else { Ok(()) }
    }

    fn stop(&self) -> Stop {
        self.slot.stop.clone()
    }
}

impl JobSink<'_> {
    fn interrupt(&mut self) -> Result<(), Interrupted> {
        self.save()?;
        self.ending = Some(Ending::Interrupted);
        Err(Interrupted)
    }

    fn keep(&mut self, bytes: &[u8]) -> Result<(), Interrupted> {
        let mut kept = self.unsaved.take().unwrap_or_default();
        if self.saved.is_none_or(|saved| saved.elapsed() >= CHECKPOINT_INTERVAL) {
            return self.write(bytes);
        }
        kept.clear();
        kept.extend_from_slice(bytes);
        self.unsaved = Some(kept);
        Ok(())
    }

    /// Whoever only looks on does not stop a job.
    fn show(&self, lines: &[u8]) {
        if let Err(error) = self.directory.draft(METRICS, lines) {
            tracing::debug!("{error}");
        }
    }

    fn save(&mut self) -> Result<(), Interrupted> {
        self.unsaved.take().map_or(Ok(()), |bytes| self.write(&bytes))
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Interrupted> {
        self.saved = Some(Instant::now());
        self.directory.checkpoint(bytes).map_err(|error| {
            self.ending = Some(Ending::Broken(error));
            Interrupted
        })
    }
}
