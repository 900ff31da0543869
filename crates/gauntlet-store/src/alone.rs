//! Changes of files that several processes may change: one process at a time, from reading to writing.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::atomic::remove;
use super::error::{At as _, Error};
use super::writing::{Opening, open_to_write};

/// Time between two attempts to get a lock.
const INTERVAL: Duration = Duration::from_millis(10);

/// The longest wait for a lock that is held from reading to writing a small file.
const PATIENCE: Duration = Duration::from_secs(60);

/// A locked file. Dropping it unlocks the file at once, even while a program that another thread is starting still has
/// a copy of the descriptor.
#[derive(Debug)]
pub(super) struct Locked(pub File);

impl Drop for Locked {
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}

/// The right to change a file; dropping it lets the next process change it.
#[derive(Debug)]
pub struct Alone {
    lock: PathBuf,
    _file: Locked,
}

impl Alone {
    /// Waits for the right to change the file at `path`, which need not exist; its directory must. Other programs do
    /// not know of it. Without locks in the file system, no process waits.
    ///
    /// # Errors
    /// If the lock, `.<name>.lock` beside the file, cannot be created, or another process does not release it.
    pub fn with(path: &Path) -> Result<Alone, Error> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let lock = path.with_file_name(format!(".{name}.lock"));
        loop {
            let file = open_to_write(&lock, Opening::Append).at("create", &lock)?;
            wait_for(&file).at("lock", &lock)?;
            // The process before removed it; a lock on a removed file excludes no other process.
            if is_still_at(&file, &lock).at("lock", &lock)? {
                return Ok(Alone { lock, _file: Locked(file) });
            }
        }
    }
}

impl Drop for Alone {
    fn drop(&mut self) {
        let _ = remove(&self.lock);
    }
}

/// Waits for the lock on a file, if the file system has locks. Signals end the wait, as it is a series of attempts.
pub(super) fn wait_for(file: &File) -> io::Result<()> {
    let begun = Instant::now();
    loop {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if begun.elapsed() < PATIENCE => sleep(INTERVAL),
            Err(TryLockError::WouldBlock) => {
                let reason = format!("another process has held it for {} s", PATIENCE.as_secs());
                return Err(io::Error::new(ErrorKind::TimedOut, reason));
            }
            Err(TryLockError::Error(error)) if error.kind() != ErrorKind::Unsupported => return Err(error),
            _ => return Ok(()),
        }
    }
}

/// Whether a path still names an opened file.
pub(super) fn is_still_at(file: &File, path: &Path) -> io::Result<bool> {
    let ours = file.metadata()?;
    match fs::metadata(path) {
        Ok(found) => Ok((ours.dev(), ours.ino()) == (found.dev(), found.ino())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program that another thread starts has a copy for a moment, between its fork and its first instruction.
    #[test]
    fn a_copy_of_the_descriptor_does_not_keep_the_lock() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let [held, again] = [(); 2].map(|()| file.reopen().unwrap());
        held.try_lock().unwrap();
        let copy = held.try_clone().unwrap();
        assert!(again.try_lock().is_err());
        drop(Locked(held));
        again.try_lock().unwrap();
        drop(copy);
    }

    #[test]
    fn changes_by_many_are_all_kept_and_no_lock_is_left() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("sum");
        let add = || {
            for _ in 0..25 {
                let _alone = Alone::with(&path).unwrap();
                let sum = fs::read_to_string(&path).map_or(0, |text| text.parse::<u32>().unwrap());
                fs::write(&path, (sum + 1).to_string()).unwrap();
            }
        };
        std::thread::scope(|scope| (0..8).for_each(|_| drop(scope.spawn(add))));
        assert_eq!(fs::read_to_string(&path).unwrap(), "200");
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 1);
    }
}
