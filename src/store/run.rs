//! Private directories of runs: what they show of themselves, and the task files, progress and logs of the processes
//! that they start. Nothing in them is a result.

use std::fs;
use std::path::{Path, PathBuf};

use super::Store;
use super::atomic::unique;
use super::claim::{Lock, claim, is_claimed};
use super::error::Error;

/// The directory of one run, locked while the run lasts. Dropping it removes it, unless files were left in it for
/// people; the next run of this kind removes those too.
#[derive(Debug)]
pub struct RunDir {
    path: PathBuf,
    lock: Option<Lock>,
}

impl Store {
    /// Makes a directory that no other run uses, and removes those of runs that have ended.
    ///
    /// # Errors
    /// When the directory cannot be created.
    pub fn run_directory(&self) -> Result<RunDir, Error> {
        let runs = self.root().join("runs");
        sweep(&runs);
        let path = runs.join(unique());
        let lock = claim(&path)?;
        Ok(RunDir { path, lock })
    }

    /// The directories of the runs that are under way.
    #[must_use]
    pub fn runs_under_way(&self) -> Vec<PathBuf> {
        let directories = fs::read_dir(self.root().join("runs")).into_iter().flatten().flatten();
        directories.map(|entry| entry.path()).filter(|directory| is_claimed(directory)).collect()
    }
}

impl RunDir {
    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for RunDir {
    fn drop(&mut self) {
        // Best effort: what stays behind is swept by the next run.
        let _ = fs::remove_file(self.path.join(".claim"));
        self.lock = None;
        let _ = fs::remove_dir(&self.path);
        let _ = self.path.parent().map(fs::remove_dir);
    }
}

/// Removes the directories that no process holds.
fn sweep(runs: &Path) {
    let directories = fs::read_dir(runs).into_iter().flatten().flatten().map(|entry| entry.path());
    for directory in directories.filter(|directory| !is_claimed(directory)) {
        if let Err(error) = fs::remove_dir_all(&directory) {
            tracing::debug!("{} stays: {error}", directory.display());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_of_ended_runs_go_and_those_of_others_stay() {
        let root = tempfile::tempdir().unwrap();
        let store = Store::open(root.path()).unwrap();
        let (first, second) = (store.run_directory().unwrap(), store.run_directory().unwrap());
        assert!(first.path() != second.path() && first.path().is_dir());
        fs::write(first.path().join("a.log"), "why").unwrap();
        let left = first.path().join("a.log");
        drop((first, second));
        assert!(left.exists(), "a log is for people");
        let third = store.run_directory().unwrap();
        assert!(!left.exists() && third.path().is_dir());
        drop(third);
        assert!(!root.path().join("runs").exists());
    }
}
