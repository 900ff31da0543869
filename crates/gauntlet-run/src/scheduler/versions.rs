//! Stored versions of planned jobs, made by any code: they can be run again and compared.

use std::collections::{HashMap, HashSet};

use rayon::prelude::*;

use super::batch::Batch;
use super::task::{Task, WeightsFile};
use super::verified_code::CodeGroup;
use gauntlet_games::base::Key;
use gauntlet_plan::costs;
use gauntlet_plan::manifest::plan::identity::{KeyInputs, upstream_keys};
use gauntlet_plan::manifest::resolve::config::config_key;
use gauntlet_store::{JobId, Store, StoredState, family_of};

/// A finished version of a planned job in the store, made by any code; it may be damaged.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredVersion {
    /// The number of the planned job.
    pub at: usize,
    /// Its identity in the store.
    pub id: JobId,
    /// Its key inputs.
    pub key_inputs: KeyInputs,
    /// The jobs whose results it read.
    pub upstream: Vec<JobId>,
}

impl Batch {
    /// All finished versions of these jobs in the store, made by any code.
    ///
    /// # Errors
    /// If the store cannot be listed.
    pub fn versions(&self, store: &Store) -> anyhow::Result<Vec<StoredVersion>> {
        let code_free_keys: HashMap<Key, usize> = (0..self.jobs.len()).map(|at| (self.code_free_key(at), at)).collect();
        let renamed = self.without_networks();
        let families: HashSet<String> = self.jobs.iter().map(|job| job.id.family()).collect();
        let mut directories = store.directories()?;
        directories.retain(|name| family_of(name).is_some_and(|family| families.contains(family)));
        let version = |directory: &String| {
            let key_inputs: Option<KeyInputs> = store.key_inputs_in(directory)?;
            let known = key_inputs.and_then(|key_inputs| {
                let own = renamed.get(&(key_inputs.config, key_inputs.seed)).unwrap_or(&key_inputs.code_free_key);
                Some((*code_free_keys.get(own)?, key_inputs))
            });
            let version = known.map_or(Ok(None), |(at, key_inputs)| self.version(at, key_inputs, store))?;
            Ok(version.filter(|version| version.id.directory() == *directory))
        };
        directories.par_iter().filter_map(|directory| version(directory).transpose()).collect()
    }

    /// A finished job that differs from a planned one only in its code and the code of its inputs.
    fn version(&self, at: usize, key_inputs: KeyInputs, store: &Store) -> anyhow::Result<Option<StoredVersion>> {
        let (plan, job) = self.planned(at);
        if !key_inputs.is_version_of(&self.key_inputs(at)) {
            return Ok(None);
        }
        let Some(keys) = upstream_keys(&plan.config(job).from, &key_inputs.upstream) else { return Ok(None) };
        let own = |(before, key): (usize, Key)| JobId { key, ..self.jobs[before].id.clone() };
        let upstream = self.after(at).zip(keys).map(own).collect();
        let id = JobId { key: key_inputs.key, ..self.jobs[at].id.clone() };
        let is_finished = store.state(&id)? != StoredState::Absent;
        Ok(is_finished.then_some(StoredVersion { at, id, key_inputs, upstream }))
    }

    /// The group of a job that was made by some code.
    #[must_use]
    pub fn group_of(&self, at: usize, stored: Key) -> CodeGroup {
        let (plan, job) = self.planned(at);
        let device = plan.spec(job).device_class(&plan.device).to_owned();
        CodeGroup { stored, today: plan.config(job).code, device }
    }

    /// The task that runs a stored job again with today's code, on the same inputs: the whole job, or its first
    /// iterations.
    #[must_use]
    pub fn task_again(&self, version: &StoredVersion, iterations: Option<u32>) -> Task {
        let (plan, job) = self.planned(version.at);
        let config = plan.config(job);
        let weights = WeightsFile::of(&config.from, version.upstream.iter());
        let stored = &version.key_inputs;
        let spec = iterations.and_then(|end| stored.spec.shorter(end)).unwrap_or_else(|| stored.spec.clone());
        let device = config.spec.device_class(&plan.device).to_owned();
        let mut key_inputs = KeyInputs { config: config_key(&spec), spec, code: config.code, device, ..stored.clone() };
        key_inputs.key = key_inputs.made_key();
        let id = JobId { key: key_inputs.key, ..version.id.clone() };
        let cost = costs::seconds(&key_inputs.spec);
        Task::new(id, plan.describe(job), key_inputs, weights, config.cost_class(), cost)
    }
}
