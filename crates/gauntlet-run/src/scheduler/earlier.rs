//! Shorter trainings that a longer one continues: found in the store when a batch is made.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use rayon::prelude::*;

use super::batch::Batch;
use super::beginning::Beginning;
use gauntlet_plan::manifest::plan::identity::KeyInputs;
use gauntlet_play::jobs::{Continuation, STATE};
use gauntlet_store::{Error, JobId, Store, StoredState, family_of};

/// A training in the store, from its note.
struct Relative {
    directory: String,
    key_inputs: KeyInputs,
    continuation: Continuation,
}

/// A finished training with the same beginning as another one.
struct Shorter {
    id: JobId,
    share: f64,
    keeps_state: bool,
}

impl Batch {
    /// Finds the shorter trainings of the trainings that have to run.
    pub(super) fn find_beginnings(&mut self, store: &Store) -> anyhow::Result<()> {
        let trainings: Vec<(usize, Continuation)> =
            self.left().filter_map(|at| Some((at, self.continuation(at)?))).collect();
        if trainings.is_empty() {
            return Ok(());
        }
        let families: HashSet<String> = trainings.iter().map(|(at, _)| self.jobs[*at].id.family()).collect();
        let relatives = relatives(store, &families)?;
        let beginning = |(at, wanted): &(usize, Continuation)| {
            let (id, own) = (&self.jobs[*at].id, self.key_inputs(*at));
            let known = relatives.get(&id.family()).into_iter().flatten();
            let shorter = known.filter_map(|relative| relative.as_shorter(store, id, &own, wanted).transpose());
            let shorter = shorter.collect::<Result<Vec<Shorter>, Error>>()?.into_iter();
            Ok((*at, shorter.max_by(Shorter::cmp).map(|one| begin(one, wanted))))
        };
        let found: Vec<(usize, Option<Beginning>)> =
            trainings.par_iter().map(beginning).collect::<Result<_, Error>>()?;
        found.into_iter().for_each(|(at, beginning)| self.jobs[at].beginning = beginning);
        Ok(())
    }

    fn continuation(&self, at: usize) -> Option<Continuation> {
        let (plan, job) = self.planned(at);
        plan.spec(job).job().continuation()
    }
}

/// The trainings of some families, each read once.
fn relatives(store: &Store, families: &HashSet<String>) -> anyhow::Result<HashMap<String, Vec<Relative>>> {
    let mut directories = store.directories()?;
    directories.retain(|name| family_of(name).is_some_and(|family| families.contains(family)));
    let read = |directory: String| {
        let key_inputs: Option<KeyInputs> = store.key_inputs_in(&directory)?;
        Ok(key_inputs.and_then(|key_inputs| {
            let continuation = key_inputs.spec.job().continuation()?;
            Some((family_of(&directory)?.to_owned(), Relative { directory, key_inputs, continuation }))
        }))
    };
    let read = |directory: String| read(directory).transpose();
    let found: Vec<(String, Relative)> = directories.into_par_iter().filter_map(read).collect::<Result<_, Error>>()?;
    let mut relatives: HashMap<String, Vec<Relative>> = HashMap::new();
    found.into_iter().for_each(|(family, relative)| relatives.entry(family).or_default().push(relative));
    Ok(relatives)
}

impl Relative {
    /// This training, if it is finished and has the same beginning as the wanted one: seed, code and device class.
    ///
    /// # Errors
    /// If its files cannot be inspected.
    fn as_shorter(
        &self,
        store: &Store,
        wanted: &JobId,
        own: &KeyInputs,
        longer: &Continuation,
    ) -> Result<Option<Shorter>, Error> {
        let Relative { directory, key_inputs, continuation } = self;
        let id = JobId { key: key_inputs.key, ..wanted.clone() };
        let is_shorter = key_inputs.begins_alike(own) && longer.extends(continuation);
        if !is_shorter || id.directory() != *directory || !key_inputs.is_consistent() {
            return Ok(None);
        }
        let StoredState::Done(inventory) = store.state(&id)? else { return Ok(None) };
        let keeps_state = inventory.entry(STATE).is_some();
        Ok(Some(Shorter { id, share: longer.share(continuation), keeps_state }))
    }
}

impl Shorter {
    /// A training that kept its state is preferred, then one that has done more.
    fn cmp(one: &Shorter, other: &Shorter) -> Ordering {
        one.keeps_state.cmp(&other.keeps_state).then(one.share.total_cmp(&other.share))
    }
}

fn begin(Shorter { id, share, keeps_state }: Shorter, wanted: &Continuation) -> Beginning {
    let reason = match (wanted.obstacle, keeps_state) {
        (Some(obstacle), _) => obstacle,
        (None, false) => "it kept no state: `keep = \"state\"`",
        (None, true) => return Beginning::Continues { from: id, share },
    };
    Beginning::StartsOver { from: id, reason }
}
