//! Stored versions of planned jobs, made by any code: they can be run again and compared.

use std::collections::{HashMap, HashSet};

use rayon::prelude::*;

use super::batch::Batch;
use super::task::{Task, WeightsFile};
use super::verdicts::CodeGroup;
use crate::costs;
use crate::jobs::weights_file;
use crate::manifest::feed::Feed;
use crate::manifest::plan::identity::{Preimage, config_key, upstream_keys};
use crate::manifest::shorter;
use crate::store::{JobId, Store, StoredState, family_of};
use gauntlet_games::base::Key;

/// A finished version of a planned job in the store, made by any code.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredVersion {
    /// The number of the planned job.
    pub at: usize,
    /// Its identity in the store.
    pub id: JobId,
    /// Its key inputs.
    pub preimage: Preimage,
    /// The jobs whose results it read.
    pub upstream: Vec<JobId>,
}

impl Batch {
    /// All finished versions of these jobs in the store, made by any code.
    ///
    /// # Errors
    /// If the store cannot be listed.
    pub fn versions(&self, store: &Store) -> anyhow::Result<Vec<StoredVersion>> {
        let lineages: HashMap<Key, usize> = (0..self.jobs.len()).map(|at| (self.planned(at).1.lineage, at)).collect();
        let families: HashSet<String> = self.jobs.iter().map(|job| job.id.family()).collect();
        let mut directories = store.directories()?;
        directories.retain(|name| family_of(name).is_some_and(|family| families.contains(family)));
        let version = |directory: &String| {
            let preimage: Option<Preimage> = store.preimage_in(directory)?;
            let known = preimage.and_then(|preimage| Some((*lineages.get(&preimage.lineage)?, preimage)));
            let version = known.map_or(Ok(None), |(at, preimage)| self.version(at, preimage, store))?;
            Ok(version.filter(|version| version.id.directory() == *directory))
        };
        directories.par_iter().filter_map(|directory| version(directory).transpose()).collect()
    }

    /// A finished job that differs from a planned one only in its code and the code of its inputs.
    fn version(&self, at: usize, preimage: Preimage, store: &Store) -> anyhow::Result<Option<StoredVersion>> {
        let (plan, job) = self.planned(at);
        if !preimage.is_version_of(&self.preimage(at)) {
            return Ok(None);
        }
        let Some(keys) = upstream_keys(&plan.config(job).from, &preimage.upstream) else { return Ok(None) };
        let own = |(&before, key): (&usize, Key)| JobId { key, ..self.jobs[before].id.clone() };
        let upstream = self.jobs[at].after.iter().zip(keys).map(own).collect();
        let id = JobId { key: preimage.key, ..self.jobs[at].id.clone() };
        let is_done = matches!(store.state(&id)?, StoredState::Done(_));
        Ok(is_done.then_some(StoredVersion { at, id, preimage, upstream }))
    }

    /// The group of a job that was made by some code.
    #[must_use]
    pub fn group_of(&self, at: usize, stored: Key) -> CodeGroup {
        let (plan, job) = self.planned(at);
        CodeGroup { stored, today: plan.config(job).code, device: plan.device.clone() }
    }

    /// The task that runs a stored job again with today's code, on the same inputs: the whole job, or its first
    /// iterations.
    #[must_use]
    pub fn task_again(&self, version: &StoredVersion, iterations: Option<u32>) -> Task {
        let (plan, job) = self.planned(version.at);
        let config = plan.config(job);
        let weights = |(feed, job): (&Feed, &JobId)| WeightsFile {
            job: job.clone(),
            file: weights_file(feed.iteration),
            player: feed.player.as_deref().map(str::to_owned),
        };
        let weights = config.from.iter().zip(&version.upstream).map(weights).collect();
        let stored = &version.preimage;
        let spec = iterations.and_then(|end| shorter(&stored.spec, end)).unwrap_or_else(|| stored.spec.clone());
        let mut preimage = Preimage { config: config_key(&spec), spec, code: config.code, ..stored.clone() };
        preimage.key = preimage.made_key();
        let id = JobId { key: preimage.key, ..version.id.clone() };
        let cost = costs::seconds(&preimage.spec);
        Task::new(id, plan.describe(job), preimage, weights, config.cost_class(), cost)
    }
}
