//! The lock on a whole results tree: it admits one run at a time, for the sake of clear messages.
//!
//! Results never depend on it: every job has its own claim. The operating system releases the locks of dead processes,
//! so that there are no stale ones.

use std::fmt;
use std::fs::TryLockError;
use std::io::ErrorKind;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::Store;
use super::alone::Locked;
use super::error::{At as _, Error};
use super::owner::{OWNER, Owned, Owner, take};
use super::writing::{Opening, open_to_write};

/// A held lock; dropping it releases it.
#[derive(Debug)]
pub struct TreeLock {
    // This order matters: a free lock without an owner is free.
    _owner: Owned,
    _file: Locked,
}

/// The reason for a refused lock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    /// The holder, if known.
    pub holder: Option<Holder>,
    /// The file that excludes other processes, if it is not a lock of this machine. A user who knows that its process
    /// has ended may remove it.
    pub file: Option<PathBuf>,
}

/// The holder of the lock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// The holder's process id.
    pub process: u32,
    /// Start of the lock, as an RFC 3339 instant.
    pub since: String,
    /// The holder's machine.
    pub host: String,
}

impl fmt::Display for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.holder {
            Some(Holder { process, since, .. }) => write!(f, "process {process} since {since}"),
            None => f.write_str("unknown"),
        }
    }
}

/// Errors of taking the lock.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process runs on this tree.
    #[error("another process works on these results ({0})")]
    Held(Held),
    /// The lock file cannot be created, or the file system has no locks.
    #[error(transparent)]
    Store(#[from] Error),
}

impl Store {
    /// Takes the lock on the tree, without waiting.
    ///
    /// # Errors
    /// [`LockError::Held`] if another process has it.
    pub fn lock(&self) -> Result<TreeLock, LockError> {
        let path = self.root().join(".lock");
        let file = open_to_write(&path, Opening::Append).at("create", &path)?;
        let file = Locked(file);
        let is_locked = match file.0.try_lock() {
            Ok(()) => true,
            Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => false,
            Err(TryLockError::Error(error)) => return Err(Error::File { action: "lock", path, source: error }.into()),
            Err(TryLockError::WouldBlock) => return Err(LockError::Held(self.held(None))),
        };
        match take(self.root(), is_locked)? {
            Some(owner) => Ok(TreeLock { _owner: owner, _file: file }),
            None => Err(LockError::Held(self.held(Some(self.root().join(OWNER))))),
        }
    }

    fn held(&self, file: Option<PathBuf>) -> Held {
        let holder = Owner::of(self.root()).map(|Owner { process, since, host, .. }| Holder { process, since, host });
        Held { holder, file }
    }
}
