//! Notes in the store, written before a run: the jobs that each manifest requests, and the success criteria that were
//! planned before the results that they judge.

use std::collections::{BTreeMap, HashMap};

use super::options::Options;
use super::plans::Planned;
use gauntlet_games::base::Key;
use gauntlet_plan::manifest::exhibit::Success;
use gauntlet_report::exhibits::judged;
use gauntlet_run::scheduler::{Batch, BatchJob, JobState};
use gauntlet_store::{Error, Planning, Precedence, Reading, Store};

/// By criterion and by the index of a job in the plan: which of the two existed first.
pub type Precedences = BTreeMap<Key, BTreeMap<usize, Precedence>>;

/// Notes that these plans are about to run, with the resolved form of their manifests. If no job has to run, the store may be read-only.
///
/// # Errors
/// If the store cannot be written.
pub fn remember(options: &Options, plans: &[Planned], batch: &Batch, store: &Store) -> Result<(), Error> {
    match note(options, plans, batch, store) {
        Err(error) if batch.is_complete() => {
            tracing::debug!("the request is not noted: {error}");
            Ok(())
        }
        result => result,
    }
}

fn note(options: &Options, plans: &[Planned], batch: &Batch, store: &Store) -> Result<(), Error> {
    let is_judged = plans.iter().any(|planned| criteria(planned).next().is_some());
    let known = if is_judged { KnownJobs::read(store)? } else { KnownJobs::default() };
    for (planned, places) in plans.iter().zip(&batch.places) {
        for (key, success, jobs) in criteria(planned) {
            let job = |at: usize| &planned.plan.jobs[at];
            let note = |&at: &usize| (job(at).code_free_key, known.precedence(&batch.jobs[places[at]]));
            store.note_criterion(&key, &success.claim, &jobs.iter().map(note).collect::<Vec<_>>())?;
        }
        let jobs = places.iter().map(|&place| &batch.jobs[place].id);
        let form = options.form(planned);
        let planning = Planning::now(form.key, env!("GAUNTLET_COMMIT"), form.is_held);
        store.request(&planned.place, planned.plan.written.name.as_str(), &planning, jobs)?;
    }
    Ok(())
}

/// The precedences of the criteria of a plan, whose jobs have these numbers in the batch, from the store. Without a
/// note both count as planned now.
///
/// # Errors
/// If a note of the store cannot be read.
pub fn precedences(planned: &Planned, places: &[usize], batch: &Batch, store: &Store) -> Result<Precedences, Error> {
    if criteria(planned).next().is_none() {
        return Ok(Precedences::new());
    }
    let known_jobs = KnownJobs::read(store)?;
    let of_criterion = |(key, _, jobs): (Key, &Success, Vec<usize>)| {
        let noted = store.criterion_notes(&key)?;
        let found = |at: usize| {
            let known = noted.get(&planned.plan.jobs[at].code_free_key.hex()).copied();
            (at, known.unwrap_or_else(|| known_jobs.precedence(&batch.jobs[places[at]])))
        };
        Ok((key, jobs.into_iter().map(found).collect()))
    };
    criteria(planned).map(of_criterion).collect()
}

/// Every criterion with its key and the jobs that it judges.
fn criteria(planned: &Planned) -> impl Iterator<Item = (Key, &Success, Vec<usize>)> {
    let plan = &planned.plan;
    let pairs = plan.written.exhibits.iter().flat_map(|exhibit| exhibit.success.iter().map(move |one| (exhibit, one)));
    pairs.map(|(exhibit, success)| (exhibit.criterion_key(success), success, judged(plan, exhibit, success)))
}

/// What a store notes about jobs, by the names of their directories.
#[derive(Default)]
struct KnownJobs {
    /// The manifests that requested them.
    requesters: HashMap<String, Vec<String>>,
    /// The times of those that ended.
    readings: HashMap<String, Reading>,
}

impl KnownJobs {
    fn read(store: &Store) -> Result<KnownJobs, Error> {
        Ok(KnownJobs { requesters: store.requesters()?, readings: store.readings() })
    }

    /// The precedence of a new criterion and the result of a job.
    fn precedence(&self, job: &BatchJob) -> Precedence {
        let directory = job.id.directory();
        match job.state {
            // It had a result, which was removed.
            JobState::New if self.readings.contains_key(&directory) => Precedence::Unknown,
            JobState::New => Precedence::Before,
            // Its older versions may have been run for this very criterion.
            JobState::Stale => Precedence::Unknown,
            _ if self.requesters.contains_key(&directory) => Precedence::After,
            _ => Precedence::Unknown,
        }
    }
}
