//! Clearing up: what no manifest wants any more, shown first and removed on request.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use super::atomic::TEMPORARY;
use super::claim::{claim, is_claimed};
use super::error::{At as _, Error};
use super::look::{DAMAGED, discard};
use super::{JobId, Store};

/// A job directory that no manifest wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leftover {
    /// Its name below `jobs/`.
    pub directory: String,
    /// The size of its files, in bytes.
    pub bytes: u64,
}

impl Store {
    /// The job directories outside of `wanted`, with their sizes, sorted by name; without those that a process works on.
    ///
    /// # Errors
    /// When the store cannot be listed.
    pub fn unwanted<'a>(&self, wanted: impl IntoIterator<Item = &'a JobId>) -> Result<Vec<Leftover>, Error> {
        let wanted: HashSet<String> = wanted.into_iter().map(JobId::directory).collect();
        let mut leftovers = Vec::new();
        for directory in self.directories()?.into_iter().filter(|name| !wanted.contains(name)) {
            let path = self.jobs().join(&directory);
            if !is_claimed(&path) {
                leftovers.push(Leftover { bytes: size(&path)?, directory });
            }
        }
        Ok(leftovers)
    }

    /// Removes job directories and returns those that it removed; those that a process works on are left alone.
    ///
    /// # Errors
    /// When a directory cannot be removed.
    pub fn remove<'a>(&self, leftovers: &'a [Leftover]) -> Result<Vec<&'a Leftover>, Error> {
        let mut removed = Vec::new();
        for leftover in leftovers {
            let path = self.jobs().join(&leftover.directory);
            let Some(_claim) = claim(&path)? else { continue };
            // Without its proof first, so that a process that dies here leaves an absent job and no broken one.
            discard(&path)?;
            fs::remove_dir_all(&path).at("remove", &path)?;
            removed.push(leftover);
        }
        Ok(removed)
    }

    /// Removes the temporary files of dead processes and the inventories of discarded jobs. Returns the bytes that
    /// were freed.
    ///
    /// # Errors
    /// When the store cannot be listed, or a file cannot be removed.
    pub fn tidy(&self) -> Result<u64, Error> {
        let mut freed = 0;
        for directory in self.directories()? {
            freed += tidy(&self.jobs().join(directory))?;
        }
        Ok(freed)
    }
}

fn tidy(directory: &Path) -> Result<u64, Error> {
    let mut stale = Vec::new();
    for entry in fs::read_dir(directory).at("list", directory)? {
        let entry = entry.at("list", directory)?;
        let name = entry.file_name();
        if [TEMPORARY, DAMAGED].iter().any(|prefix| name.to_string_lossy().starts_with(prefix)) {
            stale.push(entry);
        }
    }
    if stale.is_empty() {
        return Ok(0);
    }
    let Some(_claim) = claim(directory)? else { return Ok(0) };
    let mut freed = 0;
    for entry in stale {
        freed += entry.metadata().map_or(0, |found| found.len());
        super::atomic::remove(&entry.path())?;
    }
    super::atomic::remove(&directory.join(".claim"))?;
    Ok(freed)
}

fn size(directory: &Path) -> Result<u64, Error> {
    let mut bytes = 0;
    for entry in fs::read_dir(directory).at("list", directory)? {
        // A file that vanishes meanwhile has no size.
        bytes += entry.at("list", directory)?.metadata().map_or(0, |found| found.len());
    }
    Ok(bytes)
}
