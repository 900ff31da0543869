//! Removal of jobs that no manifest requests, with a preview and through the trash, and of leftovers of dead
//! processes.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::{self, DirEntry};
use std::path::Path;
use std::time::Duration;

use super::atomic::{is_temporary, remove};
use super::checkpoint::is_part;
use super::claim::{CLAIM, claim, is_claimed};
use super::error::{At as _, Error};
use super::look::{DONE, discard, is_discarded};
use super::own::{is_job_directory, remove_entry, remove_job};
use super::owner::OWNER;
use super::{JobId, Store};

/// Age after which a temporary file has no process that could still rename it.
const ABANDONED: Duration = Duration::from_secs(3600);

/// A job directory that no manifest requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leftover {
    /// Its name below `jobs/`.
    pub directory: String,
    /// The size of its files, in bytes.
    pub bytes: u64,
}

/// The destination of removed jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Removal {
    /// The trash, for a week.
    Trash,
    /// Immediate deletion.
    ForGood,
}

impl Store {
    /// The job directories outside of `wanted`, with their sizes, sorted by name; excluding those that a process works
    /// on, and directories that are not a job's.
    ///
    /// # Errors
    /// If the store cannot be listed.
    pub fn unwanted<'a>(&self, wanted: impl IntoIterator<Item = &'a JobId>) -> Result<Vec<Leftover>, Error> {
        let wanted: HashSet<String> = wanted.into_iter().map(JobId::directory).collect();
        let mut leftovers = Vec::new();
        for directory in self.directories()?.into_iter().filter(|name| !wanted.contains(name)) {
            let path = self.jobs().join(&directory);
            if is_job_directory(&path) && !is_claimed(&path) {
                leftovers.push(Leftover { bytes: size(&path)?, directory });
            }
        }
        Ok(leftovers)
    }

    /// Removes job directories and returns the removed ones; those that a process works on stay.
    ///
    /// # Errors
    /// If a directory cannot be moved or removed.
    pub fn remove<'a>(&self, leftovers: &'a [Leftover], removal: Removal) -> Result<Vec<&'a Leftover>, Error> {
        let mut removed = Vec::new();
        for leftover in leftovers {
            let path = self.jobs().join(&leftover.directory);
            if !is_job_directory(&path) {
                continue;
            }
            let Some(_claim) = claim(self.root(), &path)? else { continue };
            match removal {
                Removal::Trash => {
                    [CLAIM, OWNER].iter().try_for_each(|name| remove(&path.join(name)))?;
                    self.throw_away(&path, &leftover.directory)?;
                }
                Removal::ForGood => {
                    // The proof goes first, so that a crash here leaves an absent job and not a broken one.
                    discard(&path)?;
                    remove_job(&path)?;
                }
            }
            removed.push(leftover);
        }
        Ok(removed)
    }

    /// Removes leftovers of dead processes: temporary files everywhere, the inventories of discarded jobs, the claims
    /// and checkpoints of finished ones. Returns the number of freed bytes.
    ///
    /// # Errors
    /// If the store cannot be listed, or a file cannot be removed.
    pub fn tidy(&self) -> Result<u64, Error> {
        let mut freed = sweep_abandoned(self.root())?;
        for directory in self.directories()? {
            freed += tidy(self.root(), &self.jobs().join(directory))?;
        }
        Ok(freed)
    }
}

/// Removes the temporary files below a directory that are unchanged for an hour: those of
/// [`atomic_write`](super::atomic_write), and no others. Follows no links. Returns the number of freed bytes.
///
/// # Errors
/// If a file cannot be removed. A directory that does not exist or cannot be listed counts as empty.
pub fn sweep_abandoned(directory: &Path) -> Result<u64, Error> {
    let mut freed = 0;
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => freed += sweep_abandoned(&entry.path())?,
            Ok(kind) if kind.is_file() && is_temporary(&entry.file_name()) && is_abandoned(&entry) => {
                freed += remove_entry(&entry)?;
            }
            _ => {}
        }
    }
    Ok(freed)
}

fn is_abandoned(entry: &DirEntry) -> bool {
    let written = entry.metadata().and_then(|found| found.modified());
    written.is_ok_and(|written| written.elapsed().is_ok_and(|age| age > ABANDONED))
}

/// Removes leftovers in a job's directory, unless a process works on it.
fn tidy(tree: &Path, directory: &Path) -> Result<u64, Error> {
    if !is_job_directory(directory) {
        return Ok(0);
    }
    let is_done = directory.join(DONE).is_file();
    let mut stale = Vec::new();
    for entry in fs::read_dir(directory).at("list", directory)? {
        let entry = entry.at("list", directory)?;
        if entry.file_type().is_ok_and(|kind| kind.is_file()) && is_stale(&entry.file_name(), is_done) {
            stale.push(entry);
        }
    }
    if stale.is_empty() {
        return Ok(0);
    }
    let Some(_claim) = claim(tree, directory)? else { return Ok(0) };
    let freed = stale.iter().map(remove_entry).sum::<Result<u64, Error>>()?;
    remove(&directory.join(CLAIM))?;
    Ok(freed)
}

/// Whether a file in a job's directory is obsolete.
fn is_stale(name: &OsStr, is_done: bool) -> bool {
    let is_over = || [CLAIM, OWNER].iter().any(|left| name == *left) || is_part(&name.to_string_lossy());
    is_done && is_over() || is_temporary(name) || is_discarded(name)
}

fn size(directory: &Path) -> Result<u64, Error> {
    let mut bytes = 0;
    for entry in fs::read_dir(directory).at("list", directory)? {
        // A file that vanishes meanwhile counts as empty.
        bytes += entry.at("list", directory)?.metadata().map_or(0, |found| found.len());
    }
    Ok(bytes)
}
