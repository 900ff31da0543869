//! Results of older code: they make an absent job stale, or stand in for it where the user accepts them.

use std::collections::{HashMap, HashSet};

use rayon::prelude::*;
use serde_json::Value;

use super::batch::{Batch, JobState, former_id_of};
use crate::base::Key;
use crate::manifest::plan::identity::Preimage;
use crate::store::{JobId, Store, StoredState, family_of};

/// A finished job of other code, as its note tells.
struct OlderVersion {
    id: JobId,
    note: Value,
}

/// By lineage, the finished jobs of other code that could stand in for new ones.
type OlderVersions = HashMap<String, Vec<OlderVersion>>;

impl Batch {
    /// Marks the new jobs of which the store has an older version as stale, or takes the older results as they are.
    pub(super) fn compare_with_older(&mut self, store: &Store, accept_code: bool) -> anyhow::Result<()> {
        let older = self.older_versions(store)?;
        if accept_code {
            self.accept(&older, store);
        } else {
            self.mark_stale(&older);
        }
        Ok(())
    }

    fn older_versions(&self, store: &Store) -> anyhow::Result<OlderVersions> {
        let new = (0..self.jobs.len()).filter(|&at| self.jobs[at].state == JobState::New);
        let families: HashSet<String> = new.flat_map(|at| self.families(at)).collect();
        if families.is_empty() {
            return Ok(HashMap::new());
        }
        let known: HashSet<String> = self.jobs.iter().map(|job| job.id.directory()).collect();
        let mut relatives = store.directories()?;
        relatives
            .retain(|name| family_of(name).is_some_and(|family| families.contains(family)) && !known.contains(name));
        let version = |directory: &String| version(directory, store.preimage_in(directory)?);
        let found: Vec<(String, OlderVersion)> = relatives.par_iter().filter_map(version).collect();
        let mut older = OlderVersions::new();
        for (lineage, version) in found.into_iter().filter(|(_, older)| is_done(store, &older.id)) {
            older.entry(lineage).or_default().push(version);
        }
        Ok(older)
    }

    /// The families of a job: under its name, and under the one that it had in earlier versions of this program.
    fn families(&self, at: usize) -> impl Iterator<Item = String> {
        let (plan, job) = self.planned(at);
        let former = former_id_of(plan, job);
        std::iter::once(self.jobs[at].id.family()).chain(former.map(|former| former.family()))
    }

    fn mark_stale(&mut self, older: &OlderVersions) {
        for at in 0..self.jobs.len() {
            if self.jobs[at].state == JobState::New && older.contains_key(&self.lineage(at)) {
                self.jobs[at].state = JobState::Stale;
            }
        }
    }

    /// Takes older results as they are. What reads one of them is another job than the planned one: its key says
    /// what it was really made from.
    fn accept(&mut self, older: &OlderVersions, store: &Store) {
        for at in 0..self.jobs.len() {
            let upstream = self.upstream(at);
            let (plan, job) = self.planned(at);
            if job.after.iter().map(|&before| plan.jobs[before].key).ne(upstream.iter().copied()) {
                self.jobs[at].id.key = plan.key_after(job, &upstream);
                self.jobs[at].state = JobState::of(store, &self.jobs[at].id);
            }
            if self.jobs[at].state == JobState::New
                && let Some(id) = self.stand_in(at, older)
            {
                self.jobs[at].id = id;
                self.jobs[at].state = JobState::Accepted;
            }
        }
    }

    /// The older version of a job that differs from it in nothing but code, and whose key says so.
    fn stand_in(&self, at: usize, older: &OlderVersions) -> Option<JobId> {
        let wanted = self.preimage(at);
        let fits = |version: &&OlderVersion| match serde_json::from_value::<Preimage>(version.note.clone()) {
            Ok(found) if found.differs_in_code_alone(&wanted) => true,
            _ => {
                tracing::warn!("{} is not taken: its key was made from something else", version.id.directory());
                false
            }
        };
        older.get(&self.lineage(at))?.iter().find(fits).map(|version| version.id.clone())
    }

    fn lineage(&self, at: usize) -> String {
        self.planned(at).1.lineage.hex()
    }
}

fn is_done(store: &Store, id: &JobId) -> bool {
    matches!(store.state(id), StoredState::Done(_))
}

/// The lineage and identity of a job directory, as the note in it tells.
fn version(directory: &str, note: Value) -> Option<(String, OlderVersion)> {
    let lineage = note.get("lineage")?.as_str()?.to_owned();
    let key: Key = note.get("key")?.as_str()?.parse().ok()?;
    let (kind, slug) = directory.strip_suffix(&format!("-{key}"))?.split_once('-')?;
    let id = JobId { kind: kind.to_owned(), slug: slug.to_owned(), key };
    Some((lineage, OlderVersion { id, note }))
}
