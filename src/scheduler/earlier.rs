//! Shorter trainings whose last state a longer one continues from: found in the store when a batch is made.

use rayon::prelude::*;
use serde_json::Value;

use super::batch::{Batch, BatchJob};
use super::beginning::Beginning;
use crate::jobs::{Continuation, STATE};
use crate::manifest::plan::identity::Preimage;
use crate::store::{JobId, Store, StoredState};

/// A shorter training in the store.
struct Shorter {
    id: JobId,
    end: u32,
    keeps_state: bool,
}

impl Batch {
    /// Looks for shorter trainings of those that have to run.
    pub(super) fn find_beginnings(&mut self, store: &Store) -> anyhow::Result<()> {
        let trainings: Vec<(usize, Continuation)> =
            self.left().filter_map(|at| Some((at, self.continuation(at)?))).collect();
        if trainings.is_empty() {
            return Ok(());
        }
        let directories = store.directories()?;
        let beginning = |(at, wanted): &(usize, Continuation)| {
            let (own, job) = (self.preimage(*at), &self.jobs[*at]);
            let shorter = relatives(&directories, job).filter_map(|name| shorter(store, name, job, &own, wanted));
            (*at, shorter.max_by_key(|one| (one.keeps_state, one.end)).map(|one| begin(one, wanted)))
        };
        let found: Vec<(usize, Option<Beginning>)> = trainings.par_iter().map(beginning).collect();
        found.into_iter().for_each(|(at, beginning)| self.jobs[at].beginning = beginning);
        Ok(())
    }

    fn continuation(&self, at: usize) -> Option<Continuation> {
        let (plan, job) = self.planned(at);
        plan.spec(job).job().continuation()
    }
}

/// The directories of a job's family: trainings of the same kind.
fn relatives<'a>(directories: &'a [String], job: &BatchJob) -> impl Iterator<Item = &'a String> {
    let family = job.id.family();
    let start = directories.partition_point(|name| *name < family);
    directories[start..].iter().take_while(move |name| name.starts_with(&family))
}

/// The finished training of a directory, if another one begins like it: with the same seed, code and device class.
fn shorter(store: &Store, name: &str, job: &BatchJob, own: &Preimage, wanted: &Continuation) -> Option<Shorter> {
    let note: Value = store.preimage_in(name)?;
    let found: Preimage = serde_json::from_value(note).ok()?;
    let continuation = found.spec.job().continuation()?;
    let same = Preimage {
        key: found.key,
        lineage: found.lineage,
        config: found.config,
        spec: found.spec.clone(),
        ..own.clone()
    };
    let id = JobId { key: found.key, ..job.id.clone() };
    if found != same || id.directory() != name || !wanted.extends(&continuation) || !found.is_consistent() {
        return None;
    }
    let StoredState::Done(inventory) = store.state(&id) else { return None };
    Some(Shorter { id, end: continuation.end, keeps_state: inventory.entry(STATE).is_some() })
}

fn begin(Shorter { id, end, keeps_state }: Shorter, wanted: &Continuation) -> Beginning {
    let reason = match (wanted.obstacle, keeps_state) {
        (Some(obstacle), _) => obstacle,
        (None, false) => "it kept no state: `keep = \"state\"`",
        (None, true) => return Beginning::Continues { from: id, done: end, of: wanted.end },
    };
    Beginning::StartsOver { from: id, reason }
}
