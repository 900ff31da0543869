//! Runs drawn jobs again in a scratch store, compares their files with the stored ones, and records each result
//! immediately.

use std::path::Path;
use std::sync::OnceLock;
use std::time::Instant;

use super::candidates::Candidate;
use super::compare::{compare_prefix, compare_whole};
use super::draw::{Drawn, Extent};
use crate::scheduler::{
    Batch, Listener, PoolSettings, Slot, Stop, Summary, TaskGraph, TaskNode, TaskOutcome, run, run_task_on,
};
use gauntlet_store::{Difference, JobId, Leftover, Program, Removal, Store, VerifiedNote, processor};

/// The inputs of a verification run.
pub struct Rerun<'a> {
    /// The store with the jobs and their inputs.
    pub store: &'a Store,
    /// The scratch store of the new runs.
    pub scratch: &'a Store,
    /// The directory of the jobs' input files.
    pub data: Option<&'a Path>,
    /// The running program.
    pub program: Program,
    /// The plans of the jobs.
    pub batch: &'a Batch,
    /// The candidates of the draw.
    pub candidates: &'a [Candidate],
    /// The drawn jobs.
    pub drawn: &'a [Drawn],
}

/// The result of a job.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// It was compared.
    Compared(VerifiedNote),
    /// It could not be compared: the stored job or one of its inputs is damaged.
    Damaged(String),
}

impl Rerun<'_> {
    /// Runs the drawn jobs. Returns one outcome for each, in order; `None` if the run
    /// was stopped before it.
    ///
    /// # Errors
    /// If the system cannot start threads.
    pub fn run(
        &self,
        settings: PoolSettings,
        stop: &Stop,
        listener: &mut dyn Listener,
    ) -> std::io::Result<(Vec<Option<Outcome>>, Summary)> {
        let outcomes: Vec<OnceLock<Outcome>> = self.drawn.iter().map(|drawn| self.known(drawn)).collect();
        let work = |at: usize, slot: &Slot<'_>| self.again(at, slot, &outcomes[at]);
        let graph = self.graph(&outcomes);
        let summary = run(&graph, &work, settings, stop, listener)?;
        Ok((outcomes.into_iter().map(OnceLock::into_inner).collect(), summary))
    }

    /// The recorded result of a job, if it suffices.
    fn known(&self, drawn: &Drawn) -> OnceLock<Outcome> {
        let note = self.candidates[drawn.at].note.clone().filter(|_| drawn.seconds == 0.0);
        note.map_or_else(OnceLock::new, |note| Outcome::Compared(note).into())
    }

    /// Jobs are independent here: their inputs are in the store.
    fn graph(&self, outcomes: &[OnceLock<Outcome>]) -> TaskGraph {
        let node = |(drawn, outcome): (&Drawn, &OnceLock<Outcome>)| {
            let (name, is_done) = (self.candidates[drawn.at].name.clone(), outcome.get().is_some());
            TaskNode { name, cost: drawn.seconds, is_done, ..TaskNode::default() }
        };
        TaskGraph::new(self.drawn.iter().zip(outcomes).map(node).collect())
    }

    /// Runs one job again and compares it. A failed job counts as different.
    fn again(&self, at: usize, slot: &Slot<'_>, outcome: &OnceLock<Outcome>) -> TaskOutcome {
        let (drawn, begun) = (&self.drawn[at], Instant::now());
        let candidate = &self.candidates[drawn.at];
        let task = self.batch.task_again(&candidate.version, drawn.extent.iterations());
        let found = match run_task_on(&task, self.store, self.scratch, self.data, slot) {
            TaskOutcome::Done => self.compare(candidate, &task.id, drawn.extent),
            TaskOutcome::Failed(reason) => Ok(Some(Difference::Fails { reason })),
            TaskOutcome::Damaged(reason) => Err(reason),
            other => return other,
        };
        let ended = found.map(|difference| {
            let seconds = begun.elapsed().as_secs_f64();
            self.note(candidate).ended(drawn.extent.iterations(), difference, seconds)
        });
        if let Err(error) = self.keep(&ended, &task.id) {
            return TaskOutcome::Fatal(format!("{error}\nhint: {}", error.hint()));
        }
        let _ = outcome.set(ended.map_or_else(Outcome::Damaged, Outcome::Compared));
        TaskOutcome::Done
    }

    fn compare(&self, candidate: &Candidate, new: &JobId, extent: Extent) -> Result<Option<Difference>, String> {
        let (stored, new) = ((self.store, &candidate.version.id), (self.scratch, new));
        let found = match extent {
            Extent::Whole => compare_whole(stored, new),
            Extent::Prefix(iterations) => compare_prefix(stored, new, iterations),
        };
        found.map_err(|error| error.to_string())
    }

    fn note(&self, candidate: &Candidate) -> VerifiedNote {
        let Candidate { version, group, .. } = candidate;
        let codes = [group.stored, group.today];
        let (job, device, program) = (version.id.directory(), group.device.clone(), self.program.clone());
        let mut note = VerifiedNote::new(job, codes, device, program, processor());
        note.proof = Some(candidate.proof.clone());
        note
    }

    /// Records the result of a job and removes its files.
    fn keep(&self, ended: &Result<VerifiedNote, String>, new: &JobId) -> Result<(), gauntlet_store::Error> {
        if let Ok(note) = ended {
            self.store.note_verified(note)?;
        }
        let files = Leftover { directory: new.directory(), bytes: 0 };
        self.scratch.remove(&[files], Removal::ForGood).map(drop)
    }
}
