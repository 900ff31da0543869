//! The scratch store, a store within a store in which finished jobs are run again. It contains no results and may be
//! removed.

use std::path::PathBuf;

use super::atomic::is_unique;
use super::error::Error;
use super::own::{MARK, clear_directory, is_note, is_own_tree, is_real_directory, remove_job};
use super::owner::OWNER;
use super::run::sweep;
use super::{Removal, Store};

impl Store {
    /// The store in which jobs of this one are run again. It outlives a killed process, so that the next one
    /// can continue.
    ///
    /// # Errors
    /// If its directory cannot be created.
    pub fn scratch(&self) -> Result<Store, Error> {
        Ok(Store { timing: self.timing.of(self.scratch_directory()), ..Store::open(self.scratch_directory())? })
    }

    /// Removes the store in which jobs of this one were run again. Returns the number of freed bytes.
    ///
    /// # Errors
    /// If a file or directory cannot be removed.
    pub fn clear_scratch(&self) -> Result<u64, Error> {
        let directory = self.scratch_directory();
        if !is_real_directory(&directory) { Ok(0) } else { Store::look(directory)?.clear() }
    }

    /// Removes all files that this store has made in its directory, and the directory if it is then empty. The store
    /// must not contain needed results. Returns the number of freed bytes.
    ///
    /// # Errors
    /// If a file or directory cannot be removed.
    pub fn clear(&self) -> Result<u64, Error> {
        if !is_real_directory(self.root()) || !is_own_tree(self.root())? {
            return Ok(0);
        }
        let mut freed = 0;
        for job in self.directories()?.iter().filter(|_| is_real_directory(&self.jobs())) {
            freed += remove_job(&self.jobs().join(job))?;
        }
        freed += clear_directory(&self.jobs(), |_| false)?;
        freed += self.clear_notes()?;
        let is_own = |name: &str| [MARK, ".lock", OWNER].contains(&name);
        Ok(freed + clear_directory(self.root(), is_own)?)
    }

    /// Removes the notes beside the jobs.
    fn clear_notes(&self) -> Result<u64, Error> {
        let place = |name: &str| self.root().join(name);
        let is_journal = |name: &str| name.strip_suffix(".jsonl").is_some_and(is_unique);
        let mut freed = clear_directory(&place("timing"), is_journal)?;
        for notes in ["requests", "criteria", "verified"] {
            freed += clear_directory(&place(notes), |name| name == ".lock" || is_note(name))?;
        }
        sweep(&place("runs"));
        let _ = std::fs::remove_dir(place("runs"));
        Ok(freed + self.empty_trash(Removal::ForGood)?)
    }

    fn scratch_directory(&self) -> PathBuf {
        self.root().join("verifying")
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::json;

    use super::*;
    use crate::{Claim, JobId, Key, Planning};

    #[test]
    fn a_scratch_store_lies_within_and_goes_as_a_whole() {
        let root = tempfile::tempdir().unwrap();
        let store = Store::open(root.path()).unwrap().by_program("c0ffee");
        assert_eq!(store.clear_scratch().unwrap(), 0);
        let scratch = store.scratch().unwrap();
        let job = JobId { kind: "play".into(), slug: "x".into(), key: Key::of("run", &json!(1)) };
        let Ok(Claim::Mine(directory)) = scratch.begin(&job, &json!({})) else { panic!("not mine") };
        directory.commit(&[("x".to_owned(), vec![7; 5])], "c", 1.0).unwrap();
        let commits: Vec<_> = scratch.readings().into_values().map(|reading| reading.commit).collect();
        assert_eq!(commits, [Some("c0ffee".to_owned())], "the journal names the commit of the program");
        scratch.request("/a.toml", "a", &Planning::now(job.key, "c0ffee", false), [&job]).unwrap();
        assert!(scratch.root().starts_with(root.path()) && store.directories().unwrap().is_empty());
        assert!(store.clear_scratch().unwrap() > 5);
        assert!(!scratch.root().exists());
    }

    #[test]
    fn files_of_others_stay_and_nothing_goes_through_a_link() {
        let root = tempfile::tempdir().unwrap();
        let store = Store::open(root.path().join("results")).unwrap();
        let scratch = store.scratch().unwrap();
        let mine =
            [scratch.root().join("notes.txt"), scratch.jobs().join("mine/x"), scratch.root().join("runs/mnist/x")];
        for path in &mine {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "mine").unwrap();
        }
        store.clear_scratch().unwrap();
        assert!(mine.iter().all(|path| path.exists()));
        let elsewhere = root.path().join("elsewhere");
        fs::rename(scratch.root(), &elsewhere).unwrap();
        fs::write(elsewhere.join(MARK), "").unwrap();
        std::os::unix::fs::symlink(&elsewhere, scratch.root()).unwrap();
        assert_eq!(store.clear_scratch().unwrap(), 0);
        assert!(elsewhere.join(MARK).exists());
    }
}
