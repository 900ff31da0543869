//! Private directories of runs: their status, and the task files, progress and logs of their worker
//! processes. They contain no results.

use std::fs;
use std::path::{Path, PathBuf};

use super::Store;
use super::atomic::{is_unique, unique};
use super::claim::{CLAIM, Lock, claim, is_claimed};
use super::error::Error;
use super::own::{clear_directory, is_real_directory};
use super::owner::OWNER;

/// The directory of one run, locked during the run. Dropping it removes it, unless files such as logs remain for the
/// user; the next run of this kind removes those too.
#[derive(Debug)]
pub struct RunDir {
    path: PathBuf,
    lock: Option<Lock>,
}

impl Store {
    /// Creates a directory for this run, and removes those of finished runs.
    ///
    /// # Errors
    /// If the directory cannot be created.
    pub fn run_directory(&self) -> Result<RunDir, Error> {
        let runs = self.root().join("runs");
        sweep(&runs);
        let path = runs.join(unique());
        let lock = claim(self.root(), &path)?;
        Ok(RunDir { path, lock })
    }

    /// The directories of current runs.
    #[must_use]
    pub fn runs_under_way(&self) -> Vec<PathBuf> {
        directories(&self.root().join("runs")).filter(|directory| is_claimed(directory)).collect()
    }
}

impl RunDir {
    /// Its path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for RunDir {
    fn drop(&mut self) {
        // Best effort: remaining files are swept by the next run.
        let _ = fs::remove_file(self.path.join(CLAIM));
        self.lock = None;
        let _ = fs::remove_dir(&self.path);
        let _ = self.path.parent().map(fs::remove_dir);
    }
}

/// The directories of runs below `runs`, by their names, without links.
fn directories(runs: &Path) -> impl Iterator<Item = PathBuf> {
    let found = is_real_directory(runs).then(|| fs::read_dir(runs).ok()).flatten();
    let is_own = |entry: &fs::DirEntry| {
        entry.file_name().to_str().is_some_and(is_unique) && entry.file_type().is_ok_and(|kind| kind.is_dir())
    };
    found.into_iter().flatten().flatten().filter(is_own).map(|entry| entry.path())
}

/// Removes the directories of finished runs; other entries stay.
pub(super) fn sweep(runs: &Path) {
    for directory in directories(runs).filter(|directory| !is_claimed(directory)) {
        if let Err(error) = clear_directory(&directory, is_run_file) {
            tracing::debug!("{} stays: {error}", directory.display());
        }
    }
}

/// Whether a file in the directory of a run may be one of its own: status, tasks, and the logs of its workers.
fn is_run_file(name: &str) -> bool {
    [CLAIM, OWNER].contains(&name) || name.ends_with(".json") || name.ends_with(".log")
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

    #[test]
    fn directories_of_others_stay_and_so_does_everything_behind_a_link() {
        let root = tempfile::tempdir().unwrap();
        let store = Store::open(root.path().join("results")).unwrap();
        let (runs, elsewhere) = (root.path().join("results/runs"), root.path().join("elsewhere"));
        let ours = "1-0123456789abcdef-0";
        let files =
            [runs.join("mnist/ckpt/x.json"), runs.join(ours).join("notes.txt"), elsewhere.join(ours).join("x.log")];
        for path in &files {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "mine").unwrap();
        }
        fs::write(runs.join(ours).join("x.log"), "ours").unwrap();
        std::os::unix::fs::symlink(elsewhere.join(ours), runs.join("2-0123456789abcdef-0")).unwrap();
        drop(store.run_directory().unwrap());
        assert!(files.iter().all(|path| path.exists()) && !runs.join(ours).join("x.log").exists());
        fs::rename(&runs, root.path().join("results/kept")).unwrap();
        std::os::unix::fs::symlink(&elsewhere, &runs).unwrap();
        assert!(store.run_directory().is_err(), "nothing is made behind a link");
        assert!(files[2].exists());
    }
}
