//! Results on disk: one directory per job, committed atomically, looked up by what the job is.
//!
//! ```text
//! results/
//!   .gauntlet-results                  that the directory is a results tree; only there anything is written or removed
//!   .lock .owner.json                  who runs on this tree, and where; results never depend on it
//!   timing/<process>.jsonl             clock readings, outside of all hashes
//!   runs/<process>/                    what a run shows, and files and logs of its workers, while it lasts
//!   cluster/<submission>/              what was submitted to a cluster, and what its workers say
//!   requests/.lock, <manifest>.json    which jobs a manifest asked for, and when first
//!   criteria/.lock, <key>.json         which jobs were done when a success criterion was first planned with them
//!   verified/<key>.json                what came of running a finished job again
//!   verifying/                         where finished jobs are run again: a store of its own, while that lasts
//!   trash/<date>/                      removed jobs, for a week
//!   jobs/<kind>-<slug>-<key>/
//!     key.json                         the preimage of the key, for `plan --explain`
//!     .claim                           locked by the process that works on the job
//!     .owner.json                      which process that is, and on which machine, with its signs of life
//!     checkpoint.bin, segment-*.bin    where an unfinished job continues, with the job's key
//!     <the job's files>                some may grow before, for onlookers
//!     done.json                        names, sizes and hashes: the only proof of completion
//! ```
//! Planning checks sizes, reading checks hashes. Whatever is torn, damaged or of another version counts as absent,
//! and its job runs again. This room knows nothing of what a job computes: jobs are opaque names and bytes.

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
mod verified;

pub use atomic::{atomic_write, quick_write, unique as unique_name};
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
pub use own::{adopt, clear_directory};
pub use owner::GONE;
pub use requests::Requests;
pub use run::RunDir;
pub use timing::{Durations, Reading};
pub use verified::{Difference, Program, VerifiedNote};

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use error::At as _;

/// A results tree. Cheap to clone, and safe to share between threads and processes.
#[derive(Debug, Clone)]
pub struct Store {
    root: PathBuf,
    /// Whether damaged jobs are declared unfinished; whoever only looks changes nothing.
    may_discard: bool,
    timing: Arc<timing::Journal>,
}

impl Store {
    /// Opens the results tree at `root` and creates what is missing of it. A new or an empty directory becomes one.
    ///
    /// # Errors
    /// When `root` is no directory, holds foreign files, or cannot be created or written.
    pub fn open(root: impl Into<PathBuf>) -> Result<Store, Error> {
        let store = Store::look(root)?;
        adopt(&store.root)?;
        std::fs::create_dir_all(store.jobs()).at("create", &store.jobs())?;
        Ok(Store { may_discard: true, ..store })
    }

    /// Looks at the results tree at `root`, which need not be there, and changes nothing: for those who only read.
    ///
    /// # Errors
    /// When `root` is no directory.
    pub fn look(root: impl Into<PathBuf>) -> Result<Store, Error> {
        let root = root.into();
        let is_other = |path: &PathBuf| std::fs::metadata(path).is_ok_and(|found| !found.is_dir());
        if let Some(path) = [root.clone(), root.join("jobs")].into_iter().find(is_other) {
            return Err(Error::NotADirectory { path });
        }
        let timing = Arc::new(timing::Journal::new(root.join("timing")));
        Ok(Store { root, may_discard: false, timing })
    }

    /// The directory that holds everything.
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

    /// What the clock said here of every job, by its directory; for people.
    #[must_use]
    pub fn readings(&self) -> HashMap<String, Reading> {
        timing::readings(&self.root.join("timing"))
    }

    fn jobs(&self) -> PathBuf {
        self.root.join("jobs")
    }
}
