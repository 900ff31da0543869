//! The files of unfinished jobs, for display: how far a checkpoint is, and files that grow during a run. No result
//! depends on them.

use std::fs;
use std::path::PathBuf;
use std::time::SystemTime;

use super::checkpoint::{self, CHECKPOINT, CheckpointProgress};
use super::job::is_job_name;
use super::look::DONE;
use super::{JobId, Store};
use gauntlet_games::base::files::{LARGEST_DATA, read_regular};

impl Store {
    /// The progress of the checkpoint of an unfinished job; `None` without a checkpoint of this job, or if its progress
    /// was not noted.
    #[must_use]
    pub fn checkpoint_progress(&self, job: &JobId) -> Option<CheckpointProgress> {
        if self.has_checkpoint(job) { checkpoint::read_progress(&self.directory(job)) } else { None }
    }

    /// The head of the checkpoint in a job's directory; `None` without a whole one, or if it has segments.
    #[must_use]
    pub fn checkpoint_head(&self, directory: &str) -> Option<Vec<u8>> {
        checkpoint::head(&self.place(directory)?)
    }

    /// Whether the job in a directory has ended, by the presence of its inventory alone.
    #[must_use]
    pub fn is_finished(&self, directory: &str) -> bool {
        self.file_mark(directory, DONE).is_some()
    }

    /// Time and size of a file in a job's directory: whether it has changed.
    #[must_use]
    pub fn file_mark(&self, directory: &str, name: &str) -> Option<(SystemTime, u64)> {
        let found = fs::metadata(self.place(directory)?.join(name)).ok()?;
        Some((found.modified().ok()?, found.len()))
    }

    /// The time and size of the checkpoint in a job's directory.
    #[must_use]
    pub fn head_mark(&self, directory: &str) -> Option<(SystemTime, u64)> {
        self.file_mark(directory, CHECKPOINT)
    }

    /// A file that grows while its job runs, unchecked.
    #[must_use]
    pub fn draft(&self, directory: &str, name: &str) -> Option<Vec<u8>> {
        read_regular(&self.place(directory)?.join(name), LARGEST_DATA).ok()
    }

    /// The directory of this name; `None` if it is not the name of a job's directory.
    fn place(&self, directory: &str) -> Option<PathBuf> {
        is_job_name(directory).then(|| self.jobs().join(directory))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{Claim, Key};
    use super::*;
    use gauntlet_games::base::ResumePoint;

    #[test]
    fn an_unfinished_job_tells_how_far_its_checkpoint_is() {
        let root = tempfile::tempdir().unwrap();
        let store = Store::open(root.path()).unwrap();
        let job = JobId { kind: "play".into(), slug: "x".into(), key: Key::of("run", &json!(1)) };
        let begin = || match store.begin(&job, &json!({})).unwrap() {
            Claim::Mine(directory) => directory,
            other => panic!("{other:?}"),
        };
        let mine = begin();
        assert_eq!(store.checkpoint_progress(&job), None);
        mine.checkpoint(&ResumePoint { head: b"pairs".to_vec(), segments: Vec::new() }).unwrap();
        assert_eq!(store.checkpoint_progress(&job), None, "its progress was not noted");
        let progress = CheckpointProgress { done: 3, total: 8 };
        mine.note_progress(progress).unwrap();
        mine.draft("metrics.jsonl", b"{}").unwrap();
        assert_eq!(store.checkpoint_progress(&job), Some(progress));
        let directory = job.directory();
        assert_eq!(store.checkpoint_head(&directory).as_deref(), Some(b"pairs".as_slice()));
        assert_eq!(store.draft(&directory, "metrics.jsonl").as_deref(), Some(b"{}".as_slice()));
        assert!(store.head_mark(&directory).is_some() && store.draft("../x", "y").is_none());
        drop(mine);
        // The next attempt keeps the checkpoint with its progress, and the end removes both.
        let again = begin();
        assert_eq!(store.checkpoint_progress(&job), Some(progress));
        again.commit(&[], "c", 1.0).unwrap();
        let names: Vec<_> =
            fs::read_dir(store.directory(&job)).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert!(names.iter().all(|name| name != "checkpoint.json" && name != "checkpoint.bin"), "{names:?}");
    }
}
