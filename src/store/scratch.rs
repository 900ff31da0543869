//! A store within a store, in which finished jobs are run again: nothing in it is a result, and all of it may go.

use std::fs;
use std::path::PathBuf;

use super::Store;
use super::error::{At as _, Error};
use super::trash::size;

impl Store {
    /// The store in which jobs of this one are run again. It outlives a process that was killed, so that the next one
    /// goes on.
    ///
    /// # Errors
    /// When its directory cannot be created.
    pub fn scratch(&self) -> Result<Store, Error> {
        Store::open(self.scratch_directory())
    }

    /// Removes the store in which jobs of this one were run again. Returns the bytes that were freed.
    ///
    /// # Errors
    /// When something cannot be removed.
    pub fn clear_scratch(&self) -> Result<u64, Error> {
        let directory = self.scratch_directory();
        if !directory.is_dir() {
            return Ok(0);
        }
        let freed = size(&directory);
        fs::remove_dir_all(&directory).at("remove", &directory)?;
        Ok(freed)
    }

    fn scratch_directory(&self) -> PathBuf {
        self.root().join("verifying")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scratch_store_lies_within_and_goes_as_a_whole() {
        let root = tempfile::tempdir().unwrap();
        let store = Store::open(root.path()).unwrap();
        assert_eq!(store.clear_scratch().unwrap(), 0);
        let scratch = store.scratch().unwrap();
        fs::write(scratch.jobs().join("x"), "1234").unwrap();
        assert!(scratch.root().starts_with(root.path()) && store.directories().unwrap().is_empty());
        assert_eq!(store.clear_scratch().unwrap(), 4);
        assert!(!scratch.root().exists());
    }
}
