//! Looking jobs up: planning checks sizes, reading checks hashes.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use serde::de::DeserializeOwned;

use super::atomic::unique;
use super::error::{At as _, Error, ReadError};
use super::{FileEntry, Inventory, JobId, Key, Store};

/// What proves that a job is done.
pub(super) const DONE: &str = "done.json";

/// How names of discarded inventories begin.
pub(super) const DAMAGED: &str = ".damaged-";

/// What the store knows of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoredState {
    /// Finished; all files are there at their full sizes.
    Done(Inventory),
    /// Never finished.
    Absent,
    /// Finished once, but no longer intact, for this reason; it counts as absent.
    Broken(String),
}

impl Store {
    /// Whether the job is finished, by names and sizes.
    #[must_use]
    pub fn state(&self, job: &JobId) -> StoredState {
        state(&self.directory(job), &job.key)
    }

    /// Lists a job's directory, after which a network file system knows what is in it, and not what was in it.
    pub fn refresh(&self, job: &JobId) {
        fs::read_dir(self.directory(job)).into_iter().flatten().for_each(drop);
    }

    /// One file of a finished job, checked against its hash.
    ///
    /// # Errors
    /// [`ReadError::Damaged`] when the file is not what the job wrote: [`Store::discard`] the job and run it again.
    /// [`ReadError::Store`] when the system does not let it be read, which says nothing of what is in it.
    pub fn read(&self, job: &JobId, name: &str) -> Result<Vec<u8>, ReadError> {
        let inventory = match inventory(&self.directory(job), &job.key) {
            Ok(Some(inventory)) => inventory,
            Ok(None) => return Err(ReadError::NotDone { job: job.directory() }),
            Err(reason) => return Err(ReadError::Damaged { job: job.directory(), reason }),
        };
        let Some(entry) = inventory.entry(name) else {
            return Err(ReadError::NoSuchFile { job: job.directory(), name: name.to_string() });
        };
        self.read_listed(job, entry)
    }

    /// A file of a finished job whose inventory is known and lists it like this.
    fn read_listed(&self, job: &JobId, entry: &FileEntry) -> Result<Vec<u8>, ReadError> {
        read_entry(&self.directory(job), entry)?.map_err(|reason| ReadError::Damaged { job: job.directory(), reason })
    }

    /// As [`Store::read`]; a damaged job is discarded at once, so that it runs again.
    ///
    /// # Errors
    /// As [`Store::read`].
    pub fn read_or_discard(&self, job: &JobId, name: &str) -> Result<Vec<u8>, ReadError> {
        self.discard_damaged(job, self.read(job, name))
    }

    /// As [`Store::read_or_discard`], of a file that the job's inventory lists like this: it is not read again.
    ///
    /// # Errors
    /// As [`Store::read`].
    pub fn read_listed_or_discard(&self, job: &JobId, entry: &FileEntry) -> Result<Vec<u8>, ReadError> {
        self.discard_damaged(job, self.read_listed(job, entry))
    }

    fn discard_damaged(&self, job: &JobId, result: Result<Vec<u8>, ReadError>) -> Result<Vec<u8>, ReadError> {
        if let Err(ReadError::Damaged { reason, .. }) = &result
            && let Err(error) = self.discard(job, reason)
        {
            tracing::error!("{error}");
        }
        result
    }

    /// Declares a job unfinished, for a reason that goes into the log; it will run again.
    ///
    /// # Errors
    /// When its `done.json` cannot be renamed. A job that is already absent is no error.
    pub fn discard(&self, job: &JobId, reason: &str) -> Result<(), Error> {
        tracing::warn!("{} will run again: {reason}", job.directory());
        discard(&self.directory(job))
    }

    /// The preimage of a key that lies in one of [`Store::directories`], or the part of it that is asked for, if the note
    /// is readable.
    #[must_use]
    pub fn preimage_in<T: DeserializeOwned>(&self, directory: &str) -> Option<T> {
        let bytes = fs::read(self.jobs().join(directory).join("key.json")).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// The names of all job directories, sorted. Compare with [`JobId::family`] to find earlier versions of a job.
    ///
    /// # Errors
    /// When the store cannot be listed.
    pub fn directories(&self) -> Result<Vec<String>, Error> {
        let jobs = self.jobs();
        let mut names = Vec::new();
        let entries = match fs::read_dir(&jobs) {
            // Nothing has run yet.
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(names),
            entries => entries.at("list", &jobs)?,
        };
        for entry in entries {
            let entry = entry.at("list", &jobs)?;
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                names.extend(entry.file_name().into_string());
            }
        }
        names.sort_unstable();
        Ok(names)
    }
}

/// A file that is named by its path. In the directory of a finished job it is checked as [`Store::read`] does; in that
/// of an unfinished one, and elsewhere, there is nothing to check it by.
///
/// # Errors
/// As [`Store::read`].
pub fn read_path(path: &Path) -> Result<Vec<u8>, ReadError> {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let inventory = match fs::read(directory.join(DONE)) {
        Ok(bytes) => Inventory::parse_any(&bytes),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(fs::read(path).at("read", path)?),
        Err(error) => Err(format!("{DONE}: {error}")),
    };
    let job = directory.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned());
    let damaged = |reason| ReadError::Damaged { job: job.clone(), reason };
    match inventory.map_err(damaged)?.entry(&name) {
        Some(entry) => read_entry(directory, entry)?.map_err(damaged),
        None => Ok(fs::read(path).at("read", path)?),
    }
}

/// The bytes of a file of a finished job, or what is wrong with them.
fn read_entry(directory: &Path, entry: &FileEntry) -> Result<Result<Vec<u8>, String>, Error> {
    let path = directory.join(&entry.name);
    let bytes = match fs::read(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Err(format!("`{}` is missing", entry.name))),
        result => result.at("read", &path)?,
    };
    Ok(entry.fault(&bytes).map_or(Ok(bytes), Err))
}

/// The state of the job in `directory`.
pub(super) fn state(directory: &Path, key: &Key) -> StoredState {
    let inventory = match inventory(directory, key) {
        Ok(Some(inventory)) => inventory,
        Ok(None) => return StoredState::Absent,
        Err(reason) => return StoredState::Broken(reason),
    };
    let fault = inventory.files.iter().find_map(|entry| match fs::metadata(directory.join(&entry.name)) {
        Ok(found) if found.is_file() && found.len() == entry.size => None,
        Ok(found) => Some(format!("`{}` has {} bytes instead of {}", entry.name, found.len(), entry.size)),
        Err(error) => Some(format!("`{}`: {error}", entry.name)),
    });
    fault.map_or(StoredState::Done(inventory), StoredState::Broken)
}

/// Moves a job's proof of completion aside.
pub(super) fn discard(directory: &Path) -> Result<(), Error> {
    let done = directory.join(DONE);
    match fs::rename(&done, directory.join(format!("{DAMAGED}{}", unique()))) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        result => result.at("rename", &done),
    }
}

fn inventory(directory: &Path, key: &Key) -> Result<Option<Inventory>, String> {
    match fs::read(directory.join(DONE)) {
        Ok(bytes) => Inventory::parse(&bytes, key).map(Some),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(format!("{DONE}: {error}")),
    }
}
