//! The results store on disk: one directory per job, committed atomically, looked up by the job's key.
//!
//! ```text
//! results/
//!   .gauntlet-results                  marks a results tree; files are written and removed only in one
//!   .lock .owner.json                  the run on this tree and its machine; results never depend on it
//!   timing/<process>.jsonl             clock readings, outside of all hashes
//!   runs/<process>/                    a run's status, and files and logs of its workers, during the run
//!   cluster/<submission>/              submitted tasks of a cluster, and messages of its workers
//!   requests/.lock, <manifest>.json    the jobs that a manifest requested, and the time of the first request
//!   criteria/.lock, <key>.json         the jobs done when a success criterion was first planned with them
//!   verified/<key>.json                results of running a finished job again
//!   verifying/                         a temporary store in which finished jobs are run again
//!   trash/<date>/                      removed jobs, for a week
//!   jobs/<kind>-<slug>-<key>/
//!     key.json                         the key inputs, for `plan --explain`
//!     .claim                           locked by the process that works on the job
//!     .owner.json                      that process and its machine, with heartbeats
//!     checkpoint.bin, segment-*.bin    the state of an unfinished job, with the job's key
//!     <the job's files>                some may grow during the run, for display
//!     done.json                        names, sizes and hashes: the only proof of completion
//! ```
//! Planning checks sizes, reading checks hashes. Incomplete or damaged files and those of another version count as
//! absent, and their jobs run again. To the store, jobs are opaque names and bytes.

mod alone;
mod atomic;
mod checkpoint;
mod claim;
mod clear;
mod criteria;
mod error;
pub mod frames;
mod host;
mod inventory;
mod job;
mod lock;
mod look;
mod note;
mod own;
mod owner;
mod requests;
mod run;
mod scratch;
mod silence;
mod timing;
mod trash;
mod under_way;
mod verified;
mod writing;

pub use alone::Alone;
pub use atomic::{atomic_write, quick_write, unique as unique_name, write_below};
pub use checkpoint::CheckpointProgress;
pub use claim::{Claim, JobDir};
pub use clear::{Leftover, Removal, sweep_abandoned};
pub use criteria::Precedence;
pub use error::{Error, ReadError};
pub use gauntlet_games::base::Key;
pub use host::{host, processor};
pub use inventory::{FileEntry, Inventory};
pub use job::{JobId, family_of};
pub use lock::{Held, Holder, LockError, TreeLock};
pub use look::{StoredState, read_path};
use own::adopt;
pub use own::{clear_directory, holds_job};
pub use owner::GONE;
pub use requests::{Planning, Requests};
pub use run::RunDir;
pub use timing::{Durations, Reading};
pub use verified::{Difference, Program, VerifiedNote};
pub use writing::{Opening, create_directory, open_to_write, require_no_link, require_root};

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A results tree. Cheap to clone, and safe to share between threads and processes.
#[derive(Debug, Clone)]
pub struct Store {
    root: PathBuf,
    /// Whether damaged jobs are marked as unfinished; false in a read-only store.
    may_discard: bool,
    /// Whether a job was discarded.
    has_discarded: Arc<AtomicBool>,
    timing: Arc<timing::Journal>,
}

impl Store {
    /// Opens the results tree at `root` and creates its missing parts. A new or an empty directory becomes one.
    ///
    /// # Errors
    /// If `root` is not a directory, holds foreign files, or cannot be created or written.
    pub fn open(root: impl Into<PathBuf>) -> Result<Store, Error> {
        let store = Store::look(root)?;
        adopt(&store.root)?;
        create_directory(&store.root, &store.jobs())?;
        Ok(Store { may_discard: true, ..store })
    }

    /// Opens the results tree at `root` read-only; it need not exist.
    ///
    /// # Errors
    /// If `root` is not a directory.
    pub fn look(root: impl Into<PathBuf>) -> Result<Store, Error> {
        let root = root.into();
        require_root(&root.join("jobs"))?;
        let is_other = |path: &PathBuf| std::fs::metadata(path).is_ok_and(|found| !found.is_dir());
        if let Some(path) = [root.clone(), root.join("jobs")].into_iter().find(is_other) {
            return Err(Error::NotADirectory { path });
        }
        let timing = Arc::new(timing::Journal::new(root.clone(), None));
        Ok(Store { root, may_discard: false, has_discarded: Arc::default(), timing })
    }

    /// The same store, used by the program of this commit. The timing journal records the commit.
    #[must_use]
    pub fn by_program(self, commit: &str) -> Store {
        let timing = Arc::new(timing::Journal::new(self.root.clone(), Some(commit.to_owned())));
        Store { timing, ..self }
    }

    /// The root directory.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The directory of one job, whether or not it exists.
    #[must_use]
    pub fn directory(&self, job: &JobId) -> PathBuf {
        self.jobs().join(job.directory())
    }

    /// Seconds per unit of cost, as measured in earlier runs on this tree.
    #[must_use]
    pub fn durations(&self) -> Durations {
        Durations::read(&self.root.join("timing"))
    }

    /// The timing of every job on this tree, by its directory; for display.
    #[must_use]
    pub fn readings(&self) -> HashMap<String, Reading> {
        timing::readings(&self.root.join("timing"))
    }

    fn jobs(&self) -> PathBuf {
        self.root.join("jobs")
    }
}
