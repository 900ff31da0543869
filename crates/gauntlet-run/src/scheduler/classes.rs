//! Results of other device classes: those that the store holds for the jobs of a batch, and their use on request.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use rayon::prelude::*;
use serde::Deserialize;

use super::batch::Batch;
use gauntlet_store::{Error, Store, family_of};

/// The device class in the key inputs of a stored job.
#[derive(Deserialize)]
struct StoredClass {
    device: String,
}

impl Batch {
    /// The number of absent jobs that have a result of each other device class. Classes without one are left out.
    ///
    /// # Errors
    /// If the store cannot be listed, or a job's note cannot be read.
    pub fn other_classes(&self, store: &Store, accept_code: bool) -> anyhow::Result<Vec<(String, usize)>> {
        let mut found = Vec::new();
        for class in self.classes_of_relatives(store)? {
            let other = self.for_class(&class, store, accept_code)?;
            let number = self.left().filter(|&at| other.jobs[at].state.is_done()).count();
            found.extend((number > 0).then_some((class, number)));
        }
        Ok(found)
    }

    /// Takes results of other device classes for the jobs that have none of their own.
    ///
    /// # Errors
    /// If the store cannot be listed, or a job's note cannot be read.
    pub fn take_other_classes(&mut self, store: &Store, accept_code: bool) -> anyhow::Result<()> {
        for class in self.classes_of_relatives(store)? {
            let mut other = self.for_class(&class, store, accept_code)?;
            let taken: Vec<usize> = self.left().filter(|&at| other.jobs[at].state.is_done()).collect();
            for at in taken {
                std::mem::swap(&mut self.jobs[at], &mut other.jobs[at]);
                self.jobs[at].other_class = Some(class.clone());
            }
            self.verified_code.extend(other.verified_code);
        }
        Ok(())
    }

    /// The same jobs for another device class, in the same order.
    fn for_class(&self, class: &str, store: &Store, accept_code: bool) -> anyhow::Result<Batch> {
        Batch::new(self.plans.iter().map(|plan| Arc::new(plan.for_class(class))).collect(), store, accept_code)
    }

    /// The device classes of stored jobs that have the kind and the slug of an absent one.
    fn classes_of_relatives(&self, store: &Store) -> Result<BTreeSet<String>, Error> {
        let families: HashSet<String> = self.left().map(|at| self.jobs[at].id.family()).collect();
        if families.is_empty() {
            return Ok(BTreeSet::new());
        }
        let mut relatives = store.directories()?;
        relatives.retain(|name| family_of(name).is_some_and(|family| families.contains(family)));
        let class = |directory: &String| Ok(store.key_inputs_in::<StoredClass>(directory)?.map(|stored| stored.device));
        let found: Vec<Option<String>> = relatives.par_iter().map(class).collect::<Result<_, Error>>()?;
        let own = |class: &String| self.plans.iter().all(|plan| plan.device == *class);
        Ok(found.into_iter().flatten().filter(|class| !own(class)).collect())
    }
}
