//! Lookup of jobs: planning checks sizes, reading checks hashes.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::atomic::Ordering;

use serde::de::DeserializeOwned;

use super::atomic::{is_unique, read_if_there, unique};
use super::error::{At as _, Error, ReadError};
use super::job::is_job_name;
use super::{FileEntry, Inventory, JobId, Key, Store};
use gauntlet_games::base::files::{LARGEST_DATA, content_hash, read_regular};

/// The file that proves that a job is done.
pub(super) const DONE: &str = "done.json";

/// Prefix of the names of discarded inventories.
const DAMAGED: &str = ".damaged-";

/// The state of a job in the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoredState {
    /// Finished; all files are there at their full sizes.
    Done(Inventory),
    /// Never finished.
    Absent,
    /// Finished once, but no longer intact, with the reason; it counts as absent.
    Broken(String),
}

impl Store {
    /// Whether the job is finished, by names and sizes.
    ///
    /// # Errors
    /// If the system refuses to read a file, which implies nothing about its contents.
    pub fn state(&self, job: &JobId) -> Result<StoredState, Error> {
        state(&self.directory(job), &job.key)
    }

    /// The hash of the inventory of a finished job whose files have the sizes and hashes of the inventory, or else the
    /// fault. Files are hashed piece by piece.
    ///
    /// # Errors
    /// Those of [`Store::state`].
    pub fn proof(&self, job: &JobId) -> Result<Result<String, String>, Error> {
        let inventory = match self.state(job)? {
            StoredState::Done(inventory) => inventory,
            StoredState::Absent => return Ok(Err(format!("`{DONE}` is missing"))),
            StoredState::Broken(reason) => return Ok(Err(reason)),
        };
        for entry in &inventory.files {
            let path = self.directory(job).join(&entry.name);
            if content_hash(&path).at("read", &path)?.to_hex().as_str() != entry.blake3 {
                return Ok(Err(entry.changed()));
            }
        }
        Ok(Ok(blake3::hash(&inventory.to_bytes()).to_hex().to_string()))
    }

    /// Whether the tree may have jobs: false only if it certainly has no directory for them.
    #[must_use]
    pub fn has_jobs(&self) -> bool {
        !matches!(self.root().join("jobs").try_exists(), Ok(false))
    }

    /// Lists a job's directory, which refreshes the cache of a network file system.
    pub fn refresh(&self, job: &JobId) {
        fs::read_dir(self.directory(job)).into_iter().flatten().for_each(drop);
    }

    /// One file of a finished job, checked against its hash.
    ///
    /// # Errors
    /// [`ReadError::Damaged`] if the file is not as written: [`Store::discard`] the job and run it again.
    /// [`ReadError::Store`] if the system refuses to read it, which implies nothing about its contents.
    pub fn read(&self, job: &JobId, name: &str) -> Result<Vec<u8>, ReadError> {
        let inventory = match inventory(&self.directory(job), &job.key)? {
            Some(Ok(inventory)) => inventory,
            Some(Err(reason)) => return Err(ReadError::Damaged { job: job.directory(), reason }),
            None => return Err(ReadError::NotDone { job: job.directory() }),
        };
        let Some(entry) = inventory.entry(name) else {
            return Err(ReadError::NoSuchFile { job: job.directory(), name: name.to_string() });
        };
        self.read_listed(job, entry)
    }

    /// A file of a finished job with a known inventory entry.
    fn read_listed(&self, job: &JobId, entry: &FileEntry) -> Result<Vec<u8>, ReadError> {
        read_entry(&self.directory(job), entry)?.map_err(|reason| ReadError::Damaged { job: job.directory(), reason })
    }

    /// As [`Store::read`]; a damaged job is discarded at once, so that it runs again. A read-only store does
    /// not change.
    ///
    /// # Errors
    /// Those of [`Store::read`].
    pub fn read_or_discard(&self, job: &JobId, name: &str) -> Result<Vec<u8>, ReadError> {
        self.discard_damaged(job, self.read(job, name))
    }

    /// As [`Store::read_or_discard`], for a file with a known inventory entry: the inventory is not read again.
    ///
    /// # Errors
    /// Those of [`Store::read`].
    pub fn read_listed_or_discard(&self, job: &JobId, entry: &FileEntry) -> Result<Vec<u8>, ReadError> {
        self.discard_damaged(job, self.read_listed(job, entry))
    }

    fn discard_damaged(&self, job: &JobId, result: Result<Vec<u8>, ReadError>) -> Result<Vec<u8>, ReadError> {
        if let Err(ReadError::Damaged { reason, .. }) = &result
            && let Err(error) = self.discard(job, reason)
        {
            let cause = std::error::Error::source(&error).map_or(String::new(), |cause| format!(": {cause}"));
            tracing::error!("{error}{cause}");
        }
        result
    }

    /// Marks a job as unfinished, with a reason for the log; it will run again. A read-only store does not
    /// change.
    ///
    /// # Errors
    /// If its `done.json` cannot be renamed. A job that is already absent is not an error.
    pub fn discard(&self, job: &JobId, reason: &str) -> Result<(), Error> {
        if !self.may_discard {
            tracing::warn!("{} is damaged: {reason}; `gauntlet run` makes it again", job.directory());
            return Ok(());
        }
        tracing::warn!("{} will run again: {reason}", job.directory());
        self.has_discarded.store(true, Ordering::Relaxed);
        discard(&self.directory(job))
    }

    /// Whether a job was discarded since the last question.
    #[must_use]
    pub fn take_discarded(&self) -> bool {
        self.has_discarded.swap(false, Ordering::Relaxed)
    }

    /// The key inputs of a job in one of [`Store::directories`], or the requested part of them; `None` if the note
    /// is missing or cannot be parsed.
    ///
    /// # Errors
    /// If the system refuses to read the note.
    pub fn key_inputs_in<T: DeserializeOwned>(&self, directory: &str) -> Result<Option<T>, Error> {
        let bytes = read_if_there(&self.jobs().join(directory).join("key.json"))?;
        Ok(bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
    }

    /// The names of all job directories, sorted, without other directories and links. Compare with
    /// [`JobId::family`] to find earlier versions of a job.
    ///
    /// # Errors
    /// If the store cannot be listed.
    pub fn directories(&self) -> Result<Vec<String>, Error> {
        let jobs = self.jobs();
        let mut names = Vec::new();
        let entries = match fs::read_dir(&jobs) {
            // No job has run yet.
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(names),
            entries => entries.at("list", &jobs)?,
        };
        for entry in entries {
            let entry = entry.at("list", &jobs)?;
            let is_directory = entry.file_type().at("look at", &entry.path())?.is_dir();
            names.extend(entry.file_name().into_string().ok().filter(|name| is_directory && is_job_name(name)));
        }
        names.sort_unstable();
        Ok(names)
    }
}

/// Reads a file by its path. In the directory of a finished job it is checked as in [`Store::read`]; in that
/// of an unfinished one, and elsewhere, it is not checked.
///
/// # Errors
/// Those of [`Store::read`].
pub fn read_path(path: &Path) -> Result<Vec<u8>, ReadError> {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let inventory = match read_if_there(&directory.join(DONE))? {
        Some(bytes) => Inventory::parse_any(&bytes),
        None => return Ok(read_regular(path, LARGEST_DATA).at("read", path)?),
    };
    let job = directory.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned());
    let damaged = |reason| ReadError::Damaged { job: job.clone(), reason };
    match inventory.map_err(damaged)?.entry(&name) {
        Some(entry) => read_entry(directory, entry)?.map_err(damaged),
        None => Ok(read_regular(path, LARGEST_DATA).at("read", path)?),
    }
}

/// The bytes of a file of a finished job, or the problem with them.
fn read_entry(directory: &Path, entry: &FileEntry) -> Result<Result<Vec<u8>, String>, Error> {
    if let Some(reason) = fault_of_size(directory, entry)? {
        return Ok(Err(reason));
    }
    let path = directory.join(&entry.name);
    let bytes = read_regular(&path, entry.size).at("read", &path)?;
    Ok(entry.fault(&bytes).map_or(Ok(bytes), Err))
}

fn missing(entry: &FileEntry) -> String {
    format!("`{}` is missing", entry.name)
}

/// The state of the job in `directory`.
pub(super) fn state(directory: &Path, key: &Key) -> Result<StoredState, Error> {
    let inventory = match inventory(directory, key)? {
        Some(Ok(inventory)) => inventory,
        Some(Err(reason)) => return Ok(StoredState::Broken(reason)),
        None => return Ok(StoredState::Absent),
    };
    for entry in &inventory.files {
        if let Some(reason) = fault_of_size(directory, entry)? {
            return Ok(StoredState::Broken(reason));
        }
    }
    Ok(StoredState::Done(inventory))
}

/// The problem with the size of a file of a finished job, if any.
fn fault_of_size(directory: &Path, entry: &FileEntry) -> Result<Option<String>, Error> {
    let path = directory.join(&entry.name);
    let found = match fs::metadata(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Some(missing(entry))),
        found => found.at("read", &path)?,
    };
    if found.is_dir() {
        return Err(io::Error::from(ErrorKind::IsADirectory)).at("read", &path);
    }
    let is_whole = found.is_file() && found.len() == entry.size;
    Ok((!is_whole).then(|| format!("`{}` has {} bytes instead of {}", entry.name, found.len(), entry.size)))
}

/// Whether a file is a discarded proof of completion.
pub(super) fn is_discarded(name: &OsStr) -> bool {
    name.to_str().and_then(|name| name.strip_prefix(DAMAGED)).is_some_and(is_unique)
}

/// Moves a job's proof of completion aside.
pub(super) fn discard(directory: &Path) -> Result<(), Error> {
    let done = directory.join(DONE);
    match fs::rename(&done, directory.join(format!("{DAMAGED}{}", unique()))) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        result => result.at("rename", &done),
    }
}

/// The inventory of a job, or the reason why the existing file is invalid.
fn inventory(directory: &Path, key: &Key) -> Result<Option<Result<Inventory, String>>, Error> {
    Ok(read_if_there(&directory.join(DONE))?.map(|bytes| Inventory::parse(&bytes, key)))
}
