//! Results of older code: they make an absent job stale, or replace it if jobs of the same code are verified or the
//! user accepts them.

use std::collections::{HashMap, HashSet};

use rayon::prelude::*;
use serde::Deserialize;

use super::batch::{Batch, JobState};
use super::verified_code::{CodeGroup, Older, VerifiedCode};
use gauntlet_games::base::Key;
use gauntlet_plan::manifest::plan::identity::KeyInputs;
use gauntlet_play::jobs::RESULT;
use gauntlet_store::{Error, FileEntry, JobId, Store, StoredState, family_of};

/// A finished job of other code.
struct OlderVersion {
    id: JobId,
    code: Key,
    result: Option<FileEntry>,
}

/// By code-free key, the finished jobs of other code that could replace new ones. There may be many: the rest of their notes
/// is read again on demand.
type OlderVersions = HashMap<Key, Vec<OlderVersion>>;

/// The identity of a job in a note.
#[derive(Deserialize)]
struct Identity {
    key: Key,
    #[serde(rename = "lineage")]
    code_free_key: Key,
    code: Key,
    config: Key,
    seed: u64,
}

impl Batch {
    /// Marks new jobs with an older version in the store as stale, or takes the older results.
    pub(super) fn compare_with_older(&mut self, store: &Store, taken: Older) -> anyhow::Result<()> {
        let older = self.older_versions(store)?;
        if older.is_empty() {
            return Ok(());
        }
        self.take_renamed(&older, store)?;
        if taken == Older::Verified {
            self.verified_code = VerifiedCode::read(store)?;
        }
        if taken != Older::Nothing {
            self.take(&older, store, taken == Older::Everything)?;
        }
        if taken != Older::Everything {
            self.mark_stale(&older);
        }
        Ok(())
    }

    fn older_versions(&self, store: &Store) -> anyhow::Result<OlderVersions> {
        let new = (0..self.jobs.len()).filter(|&at| self.jobs[at].state == JobState::New);
        let families: HashSet<String> = new.map(|at| self.jobs[at].id.family()).collect();
        if families.is_empty() {
            return Ok(HashMap::new());
        }
        let known: HashSet<String> = self.jobs.iter().map(|job| job.id.directory()).collect();
        let mut relatives = store.directories()?;
        relatives
            .retain(|name| family_of(name).is_some_and(|family| families.contains(family)) && !known.contains(name));
        let renamed = self.without_networks();
        let version = |directory: &String| version(store, directory, &renamed).transpose();
        let found: Vec<(Key, OlderVersion)> = relatives.par_iter().filter_map(version).collect::<Result<_, _>>()?;
        let mut older = OlderVersions::new();
        found.into_iter().for_each(|(code_free_key, version)| older.entry(code_free_key).or_default().push(version));
        Ok(older)
    }

    /// Takes the results of today's code whose keys name the whole device class, as those of older programs do although
    /// the job has no network.
    fn take_renamed(&mut self, older: &OlderVersions, store: &Store) -> Result<(), Error> {
        for at in 0..self.jobs.len() {
            let (plan, job) = self.planned(at);
            let today = plan.config(job).code;
            if self.jobs[at].state == JobState::New
                && let Some(version) = self.stand_in(at, older, store, false, |version| version.code == today)?
            {
                self.jobs[at].rename(version.id.clone(), version.result.clone());
            }
        }
        Ok(())
    }

    /// The code-free keys of the jobs without networks, by configuration and seed: these read no other result.
    pub(super) fn without_networks(&self) -> HashMap<(Key, u64), Key> {
        let known = (0..self.jobs.len()).map(|at| self.planned(at));
        let own = known.filter(|(plan, job)| plan.spec(job).is_without_networks());
        own.map(|(plan, job)| ((plan.config(job).key, job.seed), job.code_free_key)).collect()
    }

    fn mark_stale(&mut self, older: &OlderVersions) {
        for at in 0..self.jobs.len() {
            let versions = older.get(&self.code_free_key(at)).filter(|_| self.jobs[at].state == JobState::New);
            let groups = versions.into_iter().flatten().map(|version| self.group(at, version));
            // If a group is known to differ, it is the reason for the run.
            let group = groups.max_by_key(|group| self.verified_code.differing(group).is_some());
            if group.is_some() {
                (self.jobs[at].state, self.jobs[at].older) = (JobState::Stale, group);
            }
        }
    }

    /// Takes older results: `all`, or those whose code is verified. A job that reads one differs from the planned job:
    /// its key states its real inputs.
    fn take(&mut self, older: &OlderVersions, store: &Store, all: bool) -> Result<(), Error> {
        for at in 0..self.jobs.len() {
            let upstream = self.upstream(at);
            let (plan, job) = self.planned(at);
            if job.after.iter().map(|&before| plan.jobs[before].key).ne(upstream.iter().copied()) {
                self.jobs[at].id.key = plan.key_after(job, &upstream);
                self.jobs[at].look(store)?;
            }
            if self.jobs[at].state == JobState::New
                && let Some(version) = self.stand_in(at, older, store, all, |version| {
                    all || self.verified_code.is_same(&self.group(at, version))
                })?
            {
                let group = self.group(at, version);
                let state = if all { JobState::Accepted } else { JobState::Verified };
                self.jobs[at].accept(version.id.clone(), version.result.clone(), state, group);
            }
        }
        Ok(())
    }

    /// The older version of a job that may be taken and differs from it only in code, according to its key.
    fn stand_in<'a>(
        &self,
        at: usize,
        older: &'a OlderVersions,
        store: &Store,
        warns: bool,
        is_taken: impl Fn(&OlderVersion) -> bool,
    ) -> Result<Option<&'a OlderVersion>, Error> {
        let wanted = self.key_inputs(at);
        for version in older.get(&self.code_free_key(at)).into_iter().flatten().filter(|version| is_taken(version)) {
            let directory = version.id.directory();
            let found: Option<KeyInputs> = store.key_inputs_in(&directory)?;
            if found.is_some_and(|found| found.differs_in_code_alone(&wanted)) {
                return Ok(Some(version));
            }
            // Without `--accept-code` the job runs again anyway, so a warning would not help.
            if warns {
                tracing::warn!("{directory} is not taken: its key was made from something else");
            }
        }
        Ok(None)
    }

    /// The group of an older version of a job.
    fn group(&self, at: usize, version: &OlderVersion) -> CodeGroup {
        self.group_of(at, version.code)
    }

    pub(super) fn code_free_key(&self, at: usize) -> Key {
        self.planned(at).1.code_free_key
    }
}

/// A job directory with its code-free key (today's for `renamed` jobs), if the job is finished and its note is
/// readable.
fn version(
    store: &Store,
    directory: &str,
    renamed: &HashMap<(Key, u64), Key>,
) -> Result<Option<(Key, OlderVersion)>, Error> {
    let Some(Identity { key, code_free_key, code, config, seed }) = store.key_inputs_in(directory)? else {
        return Ok(None);
    };
    let named = directory.strip_suffix(&format!("-{key}")).and_then(|name| name.split_once('-'));
    let Some((kind, slug)) = named else { return Ok(None) };
    let id = JobId { kind: kind.to_owned(), slug: slug.to_owned(), key };
    let StoredState::Done(inventory) = store.state(&id)? else { return Ok(None) };
    let code_free_key = renamed.get(&(config, seed)).copied().unwrap_or(code_free_key);
    Ok(Some((code_free_key, OlderVersion { id, code, result: inventory.into_entry(RESULT) })))
}
