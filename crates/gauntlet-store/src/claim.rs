//! Work on a job: claim its directory, write checkpoints, commit.
//!
//! Invariant: files appear in a job's directory only under its claim, and `done.json` last. So after a crash at any
//! moment, the job is absent or done. The operating system releases the claims of dead processes.

use std::fs::{self, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Instant, SystemTime};

use serde_json::Value;

use super::alone::{Locked, is_still_at};
use super::atomic::{Flush, flush_directory, is_temporary, remove, replace};
use super::checkpoint::{self, CHECKPOINT, CheckpointProgress, is_of, is_part, is_reserved};
use super::error::{At as _, Error};
use super::look::{DONE, discard, is_discarded, state};
use super::owner::{OWNER, Owned, is_owned_elsewhere, take, tell_of_owner};
use super::timing::{Journal, TimingLine};
use super::writing::{Opening, create_directory, open_to_write};
use super::{FileEntry, Inventory, JobId, Store, StoredState};
use gauntlet_games::base::ResumePoint;
use gauntlet_games::base::files::open_regular;

/// The lock file of the process that works on the job.
pub(super) const CLAIM: &str = ".claim";
const KEY: &str = "key.json";

/// The result of a claim attempt.
#[derive(Debug)]
pub enum Claim {
    /// The caller owns the job and must run it.
    Mine(JobDir),
    /// The job is finished, possibly by another process just now.
    Done(Inventory),
    /// Another process or thread works on it. Try again later.
    Busy,
}

/// The claimed directory of an unfinished job. Dropping it releases the claim; the checkpoint stays.
#[derive(Debug)]
pub struct JobDir {
    job: JobId,
    path: PathBuf,
    /// Excludes other processes. If it fails to, two processes write the same bytes.
    _claim: Lock,
    timing: Arc<Journal>,
    begun: Instant,
    resumed: bool,
}

impl Store {
    /// Whether an unfinished job has a valid checkpoint.
    #[must_use]
    pub fn has_checkpoint(&self, job: &JobId) -> bool {
        is_of(&job.key, &self.directory(job).join(CHECKPOINT))
    }

    /// Time of the checkpoint of an unfinished job, by the clock of the file system, and its size; `None` if there is
    /// none.
    #[must_use]
    pub fn checkpoint_mark(&self, job: &JobId) -> Option<(SystemTime, u64)> {
        let found = fs::metadata(self.directory(job).join(CHECKPOINT)).ok()?;
        Some((found.modified().ok()?, found.len()))
    }

    /// Claims a job and removes the files of an earlier, unfinished attempt, except its checkpoint. Never waits.
    /// `key_inputs` is stored as `key.json`.
    ///
    /// # Errors
    /// If the job's directory cannot be created, read or written, or is a link.
    pub fn begin(&self, job: &JobId, key_inputs: &Value) -> Result<Claim, Error> {
        let path = self.directory(job);
        if let StoredState::Done(inventory) = state(&path, &job.key)? {
            return Ok(Claim::Done(inventory));
        }
        let Some(lock) = claim(self.root(), &path)? else { return Ok(Claim::Busy) };
        match state(&path, &job.key)? {
            StoredState::Done(inventory) => {
                remove(&path.join(CLAIM))?;
                return Ok(Claim::Done(inventory));
            }
            StoredState::Broken(reason) => {
                tracing::warn!("{} runs again: {reason}", job.directory());
                discard(&path)?;
            }
            StoredState::Absent => {}
        }
        sweep(&path)?;
        let note = serde_json::to_vec_pretty(key_inputs).expect("a JSON value is plain data");
        replace(&path.join(KEY), &note, Flush::System)?;
        Ok(Claim::Mine(JobDir {
            job: job.clone(),
            path,
            _claim: lock,
            timing: Arc::clone(&self.timing),
            begun: Instant::now(),
            resumed: false,
        }))
    }
}

impl JobDir {
    /// Replaces the checkpoint; segments that the previous one had are not written again.
    ///
    /// # Errors
    /// If it cannot be written; the previous checkpoint then remains.
    pub fn checkpoint(&self, point: &ResumePoint) -> Result<(), Error> {
        checkpoint::write(&self.path, &self.job.key, point)
    }

    /// Notes the progress of the last checkpoint, for display.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn note_progress(&self, progress: CheckpointProgress) -> Result<(), Error> {
        checkpoint::write_progress(&self.path, progress)
    }

    /// Replaces a file that grows during the run, for display only: it is no proof of completion, and the next attempt
    /// removes it. The commit writes it once more if it is among the job's files.
    ///
    /// # Errors
    /// If it cannot be written, or its name is not plain.
    pub fn draft(&self, name: &str, bytes: &[u8]) -> Result<(), Error> {
        check_plain(name)?;
        replace(&self.path.join(name), bytes, Flush::System)
    }

    /// The checkpoint of an earlier attempt. One that is incomplete, damaged, of another version or of another job
    /// counts as absent and is removed.
    ///
    /// # Errors
    /// If it cannot be read, or must be removed and cannot be.
    pub fn load_checkpoint(&mut self) -> Result<Option<ResumePoint>, Error> {
        let point = match checkpoint::read(&self.path, &self.job.key)? {
            Some(Err(refusal)) => {
                tracing::warn!("{} starts over: {refusal}", self.job.directory());
                // Otherwise a damaged segment would count as already written.
                checkpoint::clear(&self.path)?;
                None
            }
            Some(Ok(point)) => Some(point),
            None => None,
        };
        self.resumed |= point.is_some();
        Ok(point)
    }

    /// Removes a valid but useless checkpoint, for a reason that is logged.
    ///
    /// # Errors
    /// If it cannot be removed.
    pub fn start_over(&mut self, reason: &str) -> Result<(), Error> {
        tracing::warn!("{} starts over: {reason}", self.job.directory());
        self.resumed = false;
        checkpoint::clear(&self.path)
    }

    /// Marks the work as resumed, so that its duration does not count as that of the whole job.
    pub fn continues(&mut self) {
        self.resumed = true;
    }

    /// Finishes the job with these files (name, bytes). `class` and `cost` (in units of the class) describe the work
    /// for later estimates of durations.
    ///
    /// # Errors
    /// If a file cannot be written, or its name is not plain. The job then stays unfinished.
    pub fn commit(self, files: &[(String, Vec<u8>)], class: &str, cost: f64) -> Result<Inventory, Error> {
        files.iter().try_for_each(|(name, _)| check_plain(name))?;
        for (name, bytes) in files {
            replace(&self.path.join(name), bytes, Flush::Disk)?;
        }
        let entries = files.iter().map(|(name, bytes)| FileEntry::new(name, bytes)).collect();
        let inventory = Inventory::new(self.job.key, entries);
        replace(&self.path.join(DONE), &inventory.to_bytes(), Flush::Disk)?;
        flush_directory(&self.path)?;
        self.finish(class, cost);
        Ok(inventory)
    }

    /// Steps after the commit, which may fail: the job is done.
    fn finish(&self, class: &str, cost: f64) {
        let seconds = self.begun.elapsed().as_secs_f64();
        let line = TimingLine::new(&self.job, class, cost, seconds, self.resumed);
        let removed = checkpoint::clear(&self.path).and_then(|()| remove(&self.path.join(CLAIM)));
        for error in [self.timing.append(line).err(), removed.err()].into_iter().flatten() {
            tracing::debug!("after the commit of {}: {error}", self.job.directory());
        }
    }
}

/// Refuses a file name that leaves its directory or is reserved by the store.
fn check_plain(name: &str) -> Result<(), Error> {
    let letters = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'));
    let is_plain =
        letters && !name.is_empty() && !name.starts_with('.') && ![DONE, KEY].contains(&name) && !is_reserved(name);
    is_plain.then_some(()).ok_or_else(|| Error::Name { name: name.to_owned() })
}

/// Exclusive access to a directory: a lock, if the file system has locks, and an owner file for machines that do not
/// see the lock.
#[derive(Debug)]
pub(super) struct Lock {
    // This order matters: a free lock without an owner is free.
    _owner: Owned,
    _file: Option<Locked>,
}

impl Lock {
    fn new(directory: &Path, file: Option<Locked>) -> Result<Option<Lock>, Error> {
        let owner = take(directory, file.is_some())?;
        if owner.is_none() {
            tell_of_owner(directory);
        }
        Ok(owner.map(|owner| Lock { _owner: owner, _file: file }))
    }
}

/// Locks a job's directory in a results tree, creating it if needed; `None` if another process has it.
pub(super) fn claim(tree: &Path, directory: &Path) -> Result<Option<Lock>, Error> {
    let path = directory.join(CLAIM);
    loop {
        create_directory(tree, directory)?;
        // Writable, because network file systems grant exclusive locks only on writable files.
        let file = match open_to_write(&path, Opening::Append) {
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            result => result.at("create", &path)?,
        };
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => {
                return Lock::new(directory, None);
            }
            Err(TryLockError::Error(error)) => return Err(error).at("lock", &path),
            // The previous owner may have removed the file; a lock on a removed file excludes no other process.
            Ok(()) if is_still_at(&file, &path).at("lock", &path)? => return Lock::new(directory, Some(Locked(file))),
            Ok(()) => {}
        }
    }
}

/// Whether a process works on a job's directory. Read-only; it creates no files.
pub(super) fn is_claimed(directory: &Path) -> bool {
    let is_locked = open_regular(&directory.join(CLAIM)).is_ok_and(|file| {
        let file = Locked(file);
        matches!(file.0.try_lock_shared(), Err(TryLockError::WouldBlock))
    });
    is_locked || is_owned_elsewhere(directory)
}

/// Removes the files of an unfinished attempt, except the claim and the checkpoint. In a directory without the note
/// of an earlier attempt, only files with this program's own names.
fn sweep(directory: &Path) -> Result<(), Error> {
    let was_begun = directory.join(KEY).is_file();
    for entry in fs::read_dir(directory).at("list", directory)? {
        let entry = entry.at("list", directory)?;
        let name = entry.file_name();
        let is_kept = [CLAIM, OWNER, KEY].iter().any(|kept| name == *kept) || is_part(&name.to_string_lossy());
        let is_litter = if was_begun { !is_kept } else { is_temporary(&name) || is_discarded(&name) };
        if is_litter && entry.file_type().is_ok_and(|kind| kind.is_file()) {
            remove(&entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::atomic::crash;
    use super::*;
    use crate::{Key, ReadError};
    use gauntlet_games::base::Segment;
    use serde_json::json;

    fn job() -> JobId {
        JobId { kind: "train".into(), slug: "gomoku 9".into(), key: Key::of("run", &json!({"seed": 1})) }
    }

    fn files() -> Vec<(String, Vec<u8>)> {
        vec![("numbers.csv".into(), b"a,b\n1,2\n".to_vec()), ("weights.bin".into(), vec![7; 5000])]
    }

    fn half_way() -> ResumePoint {
        ResumePoint { head: b"half way".to_vec(), segments: vec![Segment::new(vec![3; 1000])] }
    }

    fn mine(store: &Store) -> JobDir {
        match store.begin(&job(), &json!({"seed": 1})).unwrap() {
            Claim::Mine(directory) => directory,
            other => panic!("expected a claim, got {other:?}"),
        }
    }

    #[test]
    fn a_crash_at_any_step_leaves_the_job_absent_or_done() {
        let (mut survived, mut finished) = (0, false);
        for steps in 0..80 {
            let root = tempfile::tempdir().unwrap();
            let store = Store::open(root.path()).unwrap();
            let ended = crash::after(steps, || match store.begin(&job(), &json!({"seed": 1})) {
                Ok(Claim::Mine(mut directory)) => {
                    directory.load_checkpoint().unwrap();
                    directory.checkpoint(&half_way()).is_ok() && directory.commit(&files(), "gomoku", 1.0).is_ok()
                }
                _ => false,
            });
            match store.state(&job()).unwrap() {
                StoredState::Absent => {
                    assert!(!ended);
                    let mut directory = mine(&store);
                    assert!(directory.load_checkpoint().unwrap().is_none_or(|point| point == half_way()));
                    directory.commit(&files(), "gomoku", 1.0).unwrap();
                    survived += 1;
                }
                StoredState::Done(_) => {}
                StoredState::Broken(reason) => panic!("after {steps} steps: {reason}"),
            }
            assert_eq!(store.read(&job(), "weights.bin").unwrap(), vec![7; 5000]);
            assert!(matches!(store.begin(&job(), &json!({})).unwrap(), Claim::Done(_)));
            finished = ended;
        }
        assert!(finished, "the last round has steps enough");
        assert!(survived >= 15, "only {survived} steps before the commit");
    }

    #[test]
    fn an_attempt_that_crashed_leaves_nothing_in_the_result() {
        let root = tempfile::tempdir().unwrap();
        let store = Store::open(root.path()).unwrap();
        mine(&store).draft("grows.jsonl", b"{}\n").unwrap();
        for name in ["half.csv", ".tmp-1", ".damaged-1"] {
            fs::write(store.directory(&job()).join(name), b"rubbish").unwrap();
        }
        mine(&store).commit(&files(), "gomoku", 1.0).unwrap();
        let mut names: Vec<_> =
            fs::read_dir(store.directory(&job())).unwrap().map(|e| e.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["done.json", "key.json", "numbers.csv", "weights.bin"]);
    }

    #[test]
    fn the_checkpoint_of_another_job_counts_as_none() {
        let root = tempfile::tempdir().unwrap();
        let store = Store::open(root.path()).unwrap();
        mine(&store).checkpoint(&half_way()).unwrap();
        assert_eq!(mine(&store).load_checkpoint().unwrap(), Some(half_way()));
        let other = JobId { key: Key::of("run", &json!(2)), ..job() };
        let Claim::Mine(mut of_other) = store.begin(&other, &json!({})).unwrap() else { panic!("not mine") };
        fs::copy(store.directory(&job()).join(CHECKPOINT), store.directory(&other).join(CHECKPOINT)).unwrap();
        assert!(of_other.load_checkpoint().unwrap().is_none());
    }

    /// A temporary failure of the file system implies nothing about a file's contents: the job does not start over,
    /// and files stay.
    #[test]
    fn a_checkpoint_that_cannot_be_read_is_an_error_and_stays() {
        let root = tempfile::tempdir().unwrap();
        let store = Store::open(root.path()).unwrap();
        mine(&store).checkpoint(&half_way()).unwrap();
        let parts: Vec<_> = fs::read_dir(store.directory(&job())).unwrap().map(|entry| entry.unwrap().path()).collect();
        let parts = parts.into_iter().filter(|path| is_part(&path.file_name().unwrap().to_string_lossy()));
        for path in parts {
            // A directory in the place of a file makes reading fail.
            let aside = root.path().join("aside");
            fs::rename(&path, &aside).unwrap();
            fs::create_dir(&path).unwrap();
            let error = mine(&store).load_checkpoint().unwrap_err();
            assert!(error.to_string().starts_with("cannot read "), "{error}");
            fs::remove_dir(&path).unwrap();
            fs::rename(&aside, &path).unwrap();
            assert_eq!(mine(&store).load_checkpoint().unwrap(), Some(half_way()));
        }
    }

    #[test]
    fn names_that_leave_the_directory_or_collide_are_refused() {
        let root = tempfile::tempdir().unwrap();
        let store = Store::open(root.path()).unwrap();
        for name in
            ["../x", "/x", "a/b", "", ".", "..", ".claim", "done.json", "key.json", "checkpoint.bin", "segment-1.bin"]
        {
            let result = mine(&store).commit(&[(name.to_string(), vec![])], "c", 1.0);
            assert!(matches!(result, Err(Error::Name { .. })), "{name}");
        }
        assert!(matches!(store.read(&job(), "x"), Err(ReadError::NotDone { .. })));
    }
}
