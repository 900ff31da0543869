//! Candidates for verification: stored finished jobs of some plans, made by older code, or by current code on
//! another machine.

use std::collections::{HashMap, HashSet};

use rayon::prelude::*;

use super::draw::{Drawable, Extent};
use crate::scheduler::{Batch, CodeGroup, JobState, StoredVersion};
use gauntlet_games::base::Key;
use gauntlet_jobs::JobSpec;
use gauntlet_plan::manifest::plan::identity::KeyInputs;
use gauntlet_play::jobs::METRICS;
use gauntlet_store::{ReadError, Reading, Store, StoredState, VerifiedNote, processor};

/// A finished job that can be run again.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The job.
    pub version: StoredVersion,
    /// The hash of its inventory. Its files are those of the inventory.
    pub proof: String,
    /// Its display name, one line.
    pub name: String,
    /// The code that made it, and the current code.
    pub group: CodeGroup,
    /// Estimated seconds of one core.
    pub seconds: f64,
    /// Iterations of a training; `None` for other jobs.
    pub iterations: Option<u32>,
    /// The reason if its first iterations alone prove nothing about it.
    pub obstacle: Option<&'static str>,
    /// The result of an earlier verification here.
    pub note: Option<VerifiedNote>,
    /// The extent that an interrupted run has begun.
    pub begun: Option<Extent>,
}

/// A stored job that is damaged.
#[derive(Debug, Clone)]
pub struct DamagedJob {
    /// Its display name, one line.
    pub name: String,
    /// The name of its directory.
    pub directory: String,
    /// The damage.
    pub reason: String,
}

/// The candidates, and counts of the excluded jobs.
#[derive(Debug, Default)]
pub struct Candidates {
    /// The jobs.
    pub jobs: Vec<Candidate>,
    /// The jobs whose files are not those that they wrote, by names, sizes and hashes; excluded jobs are among them.
    pub damaged: Vec<DamagedJob>,
    /// Number of jobs made by the current code on a processor like this one.
    pub own: usize,
    /// Number of jobs whose inputs are no longer in the store.
    pub unread: usize,
    /// Number of jobs with a clock, or with engines that are not deterministic: no second run is the same.
    pub unrepeatable: usize,
}

/// Finds the finished jobs of a batch in a store, by the current code's definition of the jobs, and measures the speed
/// of this machine for kinds of jobs that it never ran. All their files are read, also those of excluded jobs.
/// `scratch` holds interrupted verification runs; with `all`, results of the current code and this processor are
/// included.
///
/// # Errors
/// If the store cannot be listed, or the system refuses to read a file.
pub fn find(batch: &mut Batch, store: &Store, scratch: &Store, all: bool) -> anyhow::Result<Candidates> {
    let versions = batch.versions(store)?;
    batch.measure_of(&versions.iter().map(|version| version.at).collect::<Vec<_>>(), store);
    let (batch, seconds) = (&*batch, batch.whole_seconds(store));
    let (readings, left) = (store.readings(), Unfinished::read(scratch)?);
    let notes = own_notes(store)?;
    let absent = absent(&versions, store)?;
    let mut found = Candidates { damaged: without_key(batch, &versions), ..Candidates::default() };
    // If there is a result of the current code, older ones are excluded.
    let is_asked_for = |version: &StoredVersion| {
        let job = &batch.jobs[version.at];
        !job.state.is_done() || job.id == version.id
    };
    let versions: Vec<StoredVersion> = versions.into_iter().filter(is_asked_for).collect();
    let proof = |version: &StoredVersion| store.proof(&version.id);
    let proofs = versions.par_iter().map(proof).collect::<Result<Vec<_>, _>>()?;
    for (version, proof) in versions.into_iter().zip(proofs) {
        let group = batch.group_of(version.at, version.key_inputs.code);
        let proof = match proof {
            Ok(proof) => proof,
            Err(reason) => {
                let (name, directory) = (batch.describe(version.at), version.id.directory());
                found.damaged.push(DamagedJob { name, directory, reason });
                continue;
            }
        };
        if !batch.is_repeatable(version.at) {
            found.unrepeatable += 1;
        } else if version.upstream.iter().any(|job| absent.contains(&job.directory())) {
            found.unread += 1;
        } else if !all && is_own(&version, &group, &readings) {
            found.own += 1;
        } else {
            let job = Candidate::new(batch, version, proof, group, store)?;
            let note = notes.get(&(job.version.id.directory(), job.group.today));
            // The files may have changed since.
            let note = note.filter(|note| note.proof.as_ref() == Some(&job.proof)).cloned();
            let (begun, seconds) = (left.extent(batch, &job.version), seconds[job.version.at]);
            found.jobs.push(Candidate { note, begun, seconds, ..job });
        }
    }
    Ok(found)
}

/// The finished jobs whose inputs are not beside them: nothing says how they were made.
fn without_key(batch: &Batch, versions: &[StoredVersion]) -> Vec<DamagedJob> {
    let known: HashSet<String> = versions.iter().map(|version| version.id.directory()).collect();
    let own =
        batch.jobs.iter().enumerate().filter(|(_, job)| job.state == JobState::Cached && job.other_class.is_none());
    let damaged = own.map(|(at, job)| (at, job.id.directory())).filter(|(_, directory)| !known.contains(directory));
    let reason = || "key.json is missing, or is not that of this job".to_owned();
    damaged.map(|(at, directory)| DamagedJob { name: batch.describe(at), directory, reason: reason() }).collect()
}

/// Results of verification runs on a processor like this one, by directory and code.
fn own_notes(store: &Store) -> anyhow::Result<HashMap<(String, Key), VerifiedNote>> {
    let own = store.verified()?.into_iter().filter(|note| note.processor == processor());
    Ok(own.map(|note| ((note.job.clone(), note.today), note)).collect())
}

/// The directories of jobs that some jobs read and that no longer exist.
fn absent(versions: &[StoredVersion], store: &Store) -> anyhow::Result<HashSet<String>> {
    let read: HashMap<String, _> =
        versions.iter().flat_map(|version| &version.upstream).map(|job| (job.directory(), job)).collect();
    let mut absent = HashSet::new();
    for (directory, job) in read {
        if !matches!(store.state(job)?, StoredState::Done(_)) {
            absent.insert(directory);
        }
    }
    Ok(absent)
}

/// Whether a job was made by the current code on a processor like this one.
fn is_own(version: &StoredVersion, group: &CodeGroup, readings: &HashMap<String, Reading>) -> bool {
    let made_on = || readings.get(&version.id.directory())?.processor.clone();
    group.stored == group.today && made_on().is_some_and(|made_on| made_on == processor())
}

impl Candidate {
    fn new(
        batch: &Batch,
        version: StoredVersion,
        proof: String,
        group: CodeGroup,
        store: &Store,
    ) -> anyhow::Result<Candidate> {
        let continuation = version.key_inputs.spec.job().continuation();
        let length = |end: u32, compute: f64| if compute.is_finite() { ended(&version, store, end) } else { Ok(end) };
        let iterations = continuation.as_ref().map(|it| length(it.end, it.compute)).transpose()?;
        let obstacle = continuation.and_then(|it| it.obstacle);
        let name = batch.describe(version.at);
        Ok(Candidate { version, proof, name, group, seconds: 0.0, iterations, obstacle, note: None, begun: None })
    }

    /// The candidate as an input of the draw, in the group of this number.
    #[must_use]
    pub fn drawable(&self, group: usize) -> Drawable {
        let iterations = self.iterations.filter(|_| self.obstacle.is_none()).unwrap_or(1);
        let known = self.note.as_ref().map(|note| note.iterations.map_or(Extent::Whole, Extent::Prefix));
        // If a part of a job differs, the job differs.
        let differs = self.note.as_ref().is_some_and(|note| !note.is_same());
        let known = if differs { Some(Extent::Whole) } else { known };
        // No job is free: it must be read, written and compared.
        Drawable { group, seconds: self.seconds.max(0.02), iterations, begun: self.begun, known }
    }
}

/// The last iteration of a training that may have ended earlier than configured.
fn ended(version: &StoredVersion, store: &Store, end: u32) -> Result<u32, ReadError> {
    let metrics = match store.read(&version.id, METRICS) {
        Err(error @ ReadError::Store(_)) => return Err(error),
        metrics => metrics.ok(),
    };
    let lines = metrics.map(|metrics| metrics.iter().filter(|&&byte| byte == b'\n').count());
    Ok(lines.and_then(|lines| u32::try_from(lines).ok()).map_or(end, |lines| lines.clamp(1, end)))
}

/// The jobs of interrupted runs: keys, and the iterations of trainings.
struct Unfinished {
    begun: HashMap<Key, Option<u32>>,
}

impl Unfinished {
    fn read(scratch: &Store) -> anyhow::Result<Unfinished> {
        let end = |spec: &JobSpec| spec.job().continuation().map(|it| it.end);
        let mut begun = HashMap::new();
        for directory in scratch.directories()? {
            let note = scratch.key_inputs_in::<KeyInputs>(&directory)?;
            begun.extend(note.map(|key_inputs| (key_inputs.key, end(&key_inputs.spec))));
        }
        Ok(Unfinished { begun })
    }

    /// The extent of a job that was begun.
    fn extent(&self, batch: &Batch, version: &StoredVersion) -> Option<Extent> {
        let is_begun = |iterations: Option<u32>| self.begun.contains_key(&batch.task_again(version, iterations).id.key);
        if self.begun.is_empty() {
            return None;
        }
        if is_begun(None) {
            return Some(Extent::Whole);
        }
        version.key_inputs.spec.job().continuation()?;
        let mut ends: Vec<u32> = self.begun.values().flatten().copied().collect();
        ends.sort_unstable();
        ends.dedup();
        ends.into_iter().find(|&end| is_begun(Some(end))).map(Extent::Prefix)
    }
}
