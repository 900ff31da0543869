//! Atomic file replacement: after a crash, a file is the old one or the new one, never a part of either.
//!
//! A temporary file with a unique name in the same directory is written, flushed to the disk and renamed. Files are
//! never truncated in place, and never removed before their successor exists.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::hash::{BuildHasher as _, Hasher as _};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use super::error::{At as _, Error};
use super::writing::{Opening, create_directory, open_to_write};
use gauntlet_games::base::files::{LARGEST_DATA, read_regular};

/// Prefix of the names of temporary files.
pub(super) const TEMPORARY: &str = ".tmp-";

/// Replaces the file at `path`, durably.
///
/// # Errors
/// If the file cannot be written; the old file, if any, is then unchanged.
pub fn atomic_write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    replace(path, bytes, Flush::Disk)?;
    flush_directory(path.parent().unwrap_or(Path::new(".")))
}

/// Replaces a file of a tree, durably, and creates the directories above it.
///
/// # Errors
/// Those of [`create_directory`] and [`atomic_write`].
pub fn write_below(tree: &Path, path: &Path, bytes: &[u8]) -> Result<(), Error> {
    create_directory(tree, path.parent().unwrap_or(tree))?;
    atomic_write(path, bytes)
}

/// Replaces the file at `path` so that it survives a crash of this process, but not a loss of power.
///
/// # Errors
/// Those of [`atomic_write`].
pub fn quick_write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    replace(path, bytes, Flush::System)
}

/// The required durability of a file's bytes before its rename.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flush {
    /// On the disk: survives a loss of power.
    Disk,
    /// In the operating system: survives a crash of the process.
    System,
}

/// Replaces the file at `path`. The new name itself is durable only after [`flush_directory`].
pub(super) fn replace(path: &Path, bytes: &[u8], flush: Flush) -> Result<(), Error> {
    let temporary = Temporary(path.with_file_name(format!("{TEMPORARY}{}", unique())));
    temporary.fill(bytes, flush).at("write", path)?;
    step("rename").and_then(|()| fs::rename(&temporary.0, path)).at("rename a file to", path)?;
    std::mem::forget(temporary);
    Ok(())
}

/// Makes the names in a directory durable.
pub(super) fn flush_directory(directory: &Path) -> Result<(), Error> {
    step("flush").and_then(|()| File::open(directory)?.sync_all()).at("flush", directory)
}

/// The bytes of a file; `None` if it does not exist.
pub(super) fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>, Error> {
    match read_regular(path, LARGEST_DATA) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        result => result.map(Some).at("read", path),
    }
}

/// Removes a file that may not exist.
pub(super) fn remove(path: &Path) -> Result<(), Error> {
    match step("remove").and_then(|()| fs::remove_file(path)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result.at("remove", path),
    }
}

/// A name unique among all processes and threads, on this machine and others that share its disk.
#[must_use]
pub fn unique() -> String {
    static PROCESS: OnceLock<u64> = OnceLock::new();
    static COUNT: AtomicU64 = AtomicU64::new(0);
    // The standard hasher's keys are random numbers of the system; results never depend on this name.
    let process = PROCESS.get_or_init(|| std::hash::RandomState::new().build_hasher().finish());
    format!("{}-{process:016x}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

/// Whether [`unique`] made a name: `<process>-<16 hexadecimal digits>-<count>`.
pub(super) fn is_unique(name: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|digit| digit.is_ascii_digit());
    match name.split('-').collect::<Vec<_>>()[..] {
        [process, random, count] => is_number(process) && is_number(count) && is_short_key(random),
        _ => false,
    }
}

/// Whether a text is 16 hexadecimal digits, as in file names with a key.
pub(super) fn is_short_key(text: &str) -> bool {
    text.len() == 16 && text.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
}

/// Whether a file has the name of a temporary file: `.tmp-<process>-<random>-<count>`.
pub(super) fn is_temporary(name: &OsStr) -> bool {
    name.to_str().and_then(|name| name.strip_prefix(TEMPORARY)).is_some_and(is_unique)
}

/// A temporary file; dropping it before the rename removes it.
struct Temporary(PathBuf);

impl Temporary {
    fn fill(&self, bytes: &[u8], flush: Flush) -> io::Result<()> {
        step("create")?;
        let mut file = open_to_write(&self.0, Opening::New)?;
        step("write")?;
        file.write_all(bytes)?;
        step("sync")?;
        if flush == Flush::Disk { file.sync_data() } else { Ok(()) }
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // Best effort: remaining files are cleared by the next claim of the job.
        let _ = step("clear").and_then(|()| fs::remove_file(&self.0));
    }
}

#[cfg(not(test))]
#[expect(clippy::unnecessary_wraps, reason = "the twin for tests fails")]
fn step(_: &'static str) -> io::Result<()> {
    Ok(())
}

/// One file system operation; it and all later ones fail once the simulated process has crashed.
#[cfg(test)]
fn step(what: &'static str) -> io::Result<()> {
    crash::TRACE.with_borrow_mut(|trace| trace.push(what));
    crash::STEPS_LEFT.with(|left| match left.get() {
        Some(0) => Err(io::Error::other("simulated crash")),
        Some(n) => {
            left.set(Some(n - 1));
            Ok(())
        }
        None => Ok(()),
    })
}

/// Makes this thread's file operations fail from the n-th on, as if the process had crashed there.
#[cfg(test)]
pub(super) mod crash {
    use std::cell::{Cell, RefCell};

    thread_local!(pub(super) static STEPS_LEFT: Cell<Option<usize>> = const { Cell::new(None) });
    thread_local!(pub(super) static TRACE: RefCell<Vec<&'static str>> = const { RefCell::new(Vec::new()) });

    /// The file operations of `work`, in order.
    pub(crate) fn traced(work: impl FnOnce()) -> Vec<&'static str> {
        TRACE.take();
        work();
        TRACE.take()
    }

    /// Runs `work`, with a crash after `steps` operations.
    pub(crate) fn after<T>(steps: usize, work: impl FnOnce() -> T) -> T {
        STEPS_LEFT.set(Some(steps));
        let result = work();
        STEPS_LEFT.set(None);
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replaced_file_is_old_or_new_and_leaves_nothing_behind() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        atomic_write(&path, b"old").unwrap();
        for steps in 0..8 {
            let result = crash::after(steps, || atomic_write(&path, b"new"));
            let found = fs::read(&path).unwrap();
            assert!(found == b"old" || found == b"new");
            assert!(result.is_err() || found == b"new");
        }
        atomic_write(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
    }

    #[test]
    fn only_whole_names_are_temporary() {
        assert!(is_unique(&unique()) && is_temporary(OsStr::new(&format!("{TEMPORARY}{}", unique()))));
        let others = [".tmp-", ".tmp-mine", ".tmp-1-2-3", ".tmp-a-0123456789abcdef-1", "1-0123456789abcdef-2"];
        assert!(others.iter().all(|name| !is_temporary(OsStr::new(name))));
    }

    #[test]
    fn a_failed_write_names_the_path_and_the_way_out() {
        let error = atomic_write(Path::new("/nonexistent-directory/file"), b"").unwrap_err();
        assert!(error.to_string().contains("/nonexistent-directory/file"), "{error}");
        assert!(!error.hint().is_empty());
    }

    #[test]
    fn a_tree_is_left_through_no_link_and_its_root_may_be_one() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        fs::create_dir_all(at("disk/tree")).unwrap();
        fs::create_dir(at("theirs")).unwrap();
        std::os::unix::fs::symlink("disk/tree", at("tree")).unwrap();
        std::os::unix::fs::symlink(at("theirs"), at("tree/linked")).unwrap();
        write_below(&at("tree"), &at("tree/a/b"), b"own").unwrap();
        assert_eq!(fs::read(at("disk/tree/a/b")).unwrap(), b"own");
        for file in ["tree/linked/b", "tree/linked/a/b", "tree/../theirs/b"] {
            let error = write_below(&at("tree"), &at(file), b"own").unwrap_err();
            assert!(matches!(error, Error::Link { .. }), "{file}: {error}");
        }
        assert_eq!(fs::read_dir(at("theirs")).unwrap().count(), 0);
        fs::remove_dir_all(at("disk")).unwrap();
        let error = write_below(&at("tree"), &at("tree/a/b"), b"own").unwrap_err();
        assert!(matches!(error, Error::Dangling { .. }), "{error}");
    }
}
