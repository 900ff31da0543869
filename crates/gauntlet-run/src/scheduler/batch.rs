//! A batch: the jobs of several plans, each once, with its state in the store. Jobs without a result become tasks.
//!
//! A job has one number from here to the worker: its index in the batch.

use std::collections::HashMap;
use std::sync::Arc;

use rayon::prelude::*;
use serde_json::Value;

use super::beginning::Beginning;
use super::graph::{TaskGraph, TaskNode};
use super::task::{Task, WeightsFile};
use super::verified_code::{CodeGroup, Older, VerifiedCode};
use gauntlet_games::base::Key;
use gauntlet_plan::costs;
use gauntlet_plan::manifest::plan::identity::KeyInputs;
use gauntlet_plan::manifest::{Admission, Admissions, Plan, PlanJob};
use gauntlet_play::jobs::RESULT;
use gauntlet_store::{CheckpointProgress, Error as StoreError, FileEntry, JobId, ReadError, Store, StoredState};

/// Several plans whose common jobs run once.
pub struct Batch {
    /// The plans.
    pub plans: Vec<Arc<Plan>>,
    /// The jobs of all plans, each after its dependencies.
    pub jobs: Vec<BatchJob>,
    /// For every plan the numbers of its jobs.
    pub places: Vec<Vec<usize>>,
    /// For each plan and configuration, seconds on this machine per estimated second; empty before a measurement.
    pub(super) slowness: Vec<Vec<f64>>,
    /// The comparisons behind verified older results; empty if no result depends on them.
    pub verified_code: VerifiedCode,
    /// For each plan, the courses of its races.
    pub races: Vec<Admissions>,
}

/// The state of a job of a batch in the store, beside its row in the plan; several plans may share it.
pub struct BatchJob {
    /// Its name in the store.
    pub id: JobId,
    /// The first plan that wants it, and its job there.
    pub(super) origin: (usize, usize),
    /// Its state when the batch was made.
    pub state: JobState,
    /// The inventory entry of its result at that time.
    result: Option<FileEntry>,
    /// The code that made its stored result, if that is other code.
    pub older: Option<CodeGroup>,
    /// The device class of its result, if that is another one.
    pub other_class: Option<String>,
    /// The shorter training with the same beginning in the store, for a job that has to run.
    pub beginning: Option<Beginning>,
    /// Whether the races of the plans want it.
    pub(super) admission: Admission,
}

/// Whether a job has to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobState {
    /// The store has its result.
    Cached,
    /// The store has a result of older code, and `--accept-code` takes it.
    Accepted,
    /// The store has a result of older code, and some results of that code were identical when run again.
    Verified,
    /// The store has no version of it.
    New,
    /// The store has a version of other code only.
    Stale,
    /// Its result is damaged.
    Broken,
}

impl JobState {
    /// Whether there is nothing to run.
    #[must_use]
    pub fn is_done(self) -> bool {
        matches!(self, JobState::Cached | JobState::Accepted | JobState::Verified)
    }

    /// The name of the state, as tables show it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            JobState::Cached => "cached",
            JobState::Accepted => "accepted",
            JobState::Verified => "verified",
            JobState::New => "new",
            JobState::Stale => "stale",
            JobState::Broken => "damaged",
        }
    }
}

impl BatchJob {
    fn new(id: JobId, origin: (usize, usize)) -> BatchJob {
        let (state, result, older, other_class, beginning) = (JobState::New, None, None, None, None);
        let admission = Admission::Wanted;
        BatchJob { id, origin, state, result, older, other_class, beginning, admission }
    }

    /// Whether the races of the plans want it now, or no race decides about it.
    #[must_use]
    pub fn is_wanted(&self) -> bool {
        self.admission == Admission::Wanted
    }

    /// Whether it has to run now.
    #[must_use]
    pub fn is_open(&self) -> bool {
        !self.state.is_done() && self.is_wanted()
    }

    /// A word for its state, as tables show it.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self.admission {
            Admission::Later if !self.state.is_done() => "later",
            Admission::Out if !self.state.is_done() => "out",
            _ => self.state.word(),
        }
    }

    /// Looks up the state in the store; a damaged job causes a warning.
    ///
    /// # Errors
    /// If its files cannot be inspected.
    pub(super) fn look(&mut self, store: &Store) -> Result<(), StoreError> {
        (self.state, self.result) = match store.state(&self.id)? {
            StoredState::Done(inventory) => (JobState::Cached, inventory.into_entry(RESULT)),
            StoredState::Absent => (JobState::New, None),
            StoredState::Broken(reason) => {
                tracing::warn!("{} will run again: {reason}", self.id.directory());
                (JobState::Broken, None)
            }
        };
        Ok(())
    }

    /// Takes its own result under another name.
    pub(super) fn rename(&mut self, id: JobId, result: Option<FileEntry>) {
        (self.id, self.result, self.state) = (id, result, JobState::Cached);
    }

    /// Takes the result of another job for its own.
    pub(super) fn accept(&mut self, id: JobId, result: Option<FileEntry>, state: JobState, older: CodeGroup) {
        (self.id, self.result, self.state, self.older) = (id, result, state, Some(older));
    }
}

impl Batch {
    /// Combines plans and looks up the state of every job in the store. Results of older code replace jobs that are
    /// absent only because the code has changed: all of them with `accept_code`, otherwise only those whose code is
    /// verified.
    ///
    /// # Errors
    /// If the store cannot be listed, or a job's note cannot be read.
    pub fn new(plans: Vec<Arc<Plan>>, store: &Store, accept_code: bool) -> anyhow::Result<Batch> {
        Batch::with(plans, store, if accept_code { Older::Everything } else { Older::Verified })
    }

    /// Like [`Batch::new`], with these results of older code.
    ///
    /// # Errors
    /// If the store cannot be listed.
    pub fn with(plans: Vec<Arc<Plan>>, store: &Store, taken: Older) -> anyhow::Result<Batch> {
        let (jobs, places) = jobs_of(&plans);
        let (slowness, verified_code, races) = (Vec::new(), VerifiedCode::default(), Vec::new());
        let mut batch = Batch { plans, jobs, places, slowness, verified_code, races };
        // Most listings are of trees without results: 50,000 look-ups for `reproduce --list`.
        if store.has_jobs() {
            batch.jobs.par_iter_mut().with_min_len(64).try_for_each(|job| job.look(store))?;
            batch.compare_with_older(store, taken)?;
        }
        batch.admit(store)?;
        if store.has_jobs() {
            batch.find_beginnings(store)?;
        }
        Ok(batch)
    }

    /// The same plans, with the current state of the store.
    ///
    /// # Errors
    /// If the store cannot be listed.
    pub fn again(self, store: &Store, accept_code: bool) -> anyhow::Result<Batch> {
        let slowness = self.slowness;
        Ok(Batch { slowness, ..Batch::new(self.plans, store, accept_code)? })
    }

    /// The plan's job behind a job of the batch.
    #[must_use]
    pub fn planned(&self, at: usize) -> (&Plan, &PlanJob) {
        let (plan, job) = self.jobs[at].origin;
        let plan = &self.plans[plan];
        (plan, &plan.jobs[job])
    }

    /// The jobs that a job depends on, one for each dependency of its configuration.
    pub fn after(&self, at: usize) -> impl ExactSizeIterator<Item = usize> {
        let (plan, job) = self.jobs[at].origin;
        self.plans[plan].jobs[job].after.iter().map(move |&before| self.places[plan][before])
    }

    /// One line that describes a job.
    #[must_use]
    pub fn describe(&self, at: usize) -> String {
        let (plan, job) = self.planned(at);
        plan.describe(job)
    }

    /// The key inputs of a job.
    #[must_use]
    pub fn key_inputs(&self, at: usize) -> KeyInputs {
        let (plan, job) = self.planned(at);
        plan.key_inputs(job, &self.upstream(at))
    }

    /// Whether a second run of a job gives the same bytes.
    #[must_use]
    pub fn is_repeatable(&self, at: usize) -> bool {
        let (plan, job) = self.planned(at);
        plan.spec(job).job().is_repeatable()
    }

    /// Whether the games of a job have a clock.
    fn is_timed(&self, at: usize) -> bool {
        let (plan, job) = self.planned(at);
        plan.spec(job).job().is_timed()
    }

    /// The run keys of the results that a job reads.
    pub(super) fn upstream(&self, at: usize) -> Vec<Key> {
        self.after(at).map(|before| self.jobs[before].id.key).collect()
    }

    /// The task of a job.
    #[must_use]
    pub fn task(&self, at: usize) -> Task {
        let (plan, job) = self.planned(at);
        let config = plan.config(job);
        let weights = WeightsFile::of(&config.from, self.after(at).map(|before| &self.jobs[before].id));
        let (id, earlier) = (self.jobs[at].id.clone(), self.jobs[at].beginning.as_ref().and_then(Beginning::continued));
        let cost = costs::seconds(&config.spec);
        let task = Task::new(id, plan.describe(job), self.key_inputs(at), weights, config.cost_class(), cost);
        task.continuing(earlier.cloned())
    }

    /// All jobs as a graph, in which finished jobs are marked as done.
    #[must_use]
    pub fn graph(&self, store: &Store) -> TaskGraph {
        let node = |(at, (job, cost)): (usize, (&BatchJob, f64))| {
            let (name, after) = (self.describe(at), self.after(at).collect());
            let (directory, is_done) = (job.id.directory(), !job.is_open());
            let is_timed = self.is_timed(at);
            TaskNode { name, directory, after, cost, is_done, is_timed }
        };
        TaskGraph::new(self.jobs.iter().zip(self.seconds(store)).enumerate().map(node).collect())
    }

    /// The numbers of the jobs that have to run now.
    pub fn left(&self) -> impl Iterator<Item = usize> {
        (0..self.jobs.len()).filter(|&at| self.jobs[at].is_open())
    }

    /// The number of jobs in a state, without those that no race wants now.
    #[must_use]
    pub fn count(&self, state: JobState) -> usize {
        self.jobs.iter().filter(|job| job.state == state && (state.is_done() || job.is_open())).count()
    }

    /// The number of finished jobs.
    #[must_use]
    pub fn done(&self) -> usize {
        self.jobs.iter().filter(|job| job.state.is_done()).count()
    }

    /// The number of jobs that are finished or have to run now.
    #[must_use]
    pub fn wanted(&self) -> usize {
        self.done() + self.left().count()
    }

    /// Whether no job has to run now.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.left().next().is_none()
    }

    /// The unfinished jobs with a checkpoint, with its progress if it was noted.
    #[must_use]
    pub fn checkpoints(&self, store: &Store) -> Vec<(usize, Option<CheckpointProgress>)> {
        let noted = |at: usize| (at, store.checkpoint_progress(&self.jobs[at].id));
        self.with_checkpoint(store).into_iter().map(noted).collect()
    }

    /// The number of unfinished jobs that continue from a checkpoint.
    #[must_use]
    pub fn begun(&self, store: &Store) -> usize {
        self.with_checkpoint(store).len()
    }

    fn with_checkpoint(&self, store: &Store) -> Vec<usize> {
        let left: Vec<usize> = if store.has_jobs() { self.left().collect() } else { Vec::new() };
        left.into_par_iter().with_min_len(64).filter(|&at| store.has_checkpoint(&self.jobs[at].id)).collect()
    }

    /// The number of unfinished jobs that continue a shorter training.
    #[must_use]
    pub fn continuing(&self) -> usize {
        self.left().filter(|&at| self.jobs[at].beginning.as_ref().is_some_and(|it| it.continued().is_some())).count()
    }

    /// The result of every job that has one, and whether damage was found. Damaged jobs are discarded unless the store
    /// is read-only.
    ///
    /// # Errors
    /// If the system refuses to read an existing result: a table without it would cover fewer runs.
    pub fn results(&self, store: &Store) -> Result<(Vec<Option<Value>>, bool), StoreError> {
        let read = self.jobs.par_iter().map(|job| result_of(store, job));
        let (results, damaged): (Vec<_>, Vec<bool>) = read.collect::<Result<Vec<_>, StoreError>>()?.into_iter().unzip();
        Ok((results, damaged.contains(&true)))
    }
}

/// The result of a job, and whether it was damaged and discarded.
pub(super) fn result_of(store: &Store, job: &BatchJob) -> Result<(Option<Value>, bool), StoreError> {
    let id = &job.id;
    let read = match &job.result {
        Some(entry) => store.read_listed_or_discard(id, entry),
        None => store.read_or_discard(id, RESULT),
    };
    let bytes = match read {
        Ok(bytes) => bytes,
        Err(ReadError::NotDone { .. }) => return Ok((None, false)),
        Err(ReadError::Store(error)) => return Err(error),
        Err(ReadError::Damaged { .. }) => return Ok((None, true)),
        Err(error @ ReadError::NoSuchFile { .. }) => return damaged(store, id, &error.to_string()),
    };
    match serde_json::from_slice(&bytes) {
        Ok(value) => Ok((Some(value), false)),
        Err(error) => damaged(store, id, &format!("{RESULT}: {error}")),
    }
}

fn damaged(store: &Store, id: &JobId, reason: &str) -> Result<(Option<Value>, bool), StoreError> {
    store.discard(id, reason)?;
    Ok((None, true))
}

/// The identity of a planned job in the store.
#[must_use]
pub fn id_of(plan: &Plan, job: &PlanJob) -> JobId {
    let config = plan.config(job);
    JobId { kind: config.spec.kind().to_owned(), slug: config.slug.clone(), key: job.key }
}

/// The jobs of all plans, each once, and for each plan the numbers of its jobs.
fn jobs_of(plans: &[Arc<Plan>]) -> (Vec<BatchJob>, Vec<Vec<usize>>) {
    let mut jobs: Vec<BatchJob> = Vec::new();
    let mut known: HashMap<Key, usize> = HashMap::new();
    let mut all_places: Vec<Vec<usize>> = Vec::new();
    for (plan_index, plan) in plans.iter().enumerate() {
        let mut places: Vec<usize> = Vec::with_capacity(plan.jobs.len());
        for (job_index, job) in plan.jobs.iter().enumerate() {
            let place = *known.entry(job.key).or_insert_with(|| {
                jobs.push(BatchJob::new(id_of(plan, job), (plan_index, job_index)));
                jobs.len() - 1
            });
            places.push(place);
        }
        all_places.push(places);
    }
    (jobs, all_places)
}
