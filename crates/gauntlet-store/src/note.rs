//! Notes beside the jobs: growing JSON files that several processes update without loss.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::alone::{Locked, wait_for};
use super::atomic::{atomic_write, read_if_there};
use super::error::{At as _, Error};
use super::own::is_note;
use super::writing::{Opening, create_directory, open_to_write};

/// Replaces the note at `path` in a results tree by the result of `change`, unless that is `None`; no other process changes
/// a note of this directory meanwhile. `change` gets `None` if the note does not exist or cannot be parsed.
///
/// # Errors
/// If the note cannot be read or written.
pub(super) fn change_note<N: Serialize + DeserializeOwned>(
    tree: &Path,
    path: &Path,
    change: impl FnOnce(Option<N>) -> Option<N>,
) -> Result<(), Error> {
    let directory = path.parent().unwrap_or(path);
    create_directory(tree, directory)?;
    let _alone = lock_of(directory)?;
    let before = read_if_there(path)?.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    match change(before) {
        Some(note) => atomic_write(path, &serde_json::to_vec(&note).expect("a note is plain data")),
        None => Ok(()),
    }
}

/// The notes in a directory: the files named by a key.
///
/// # Errors
/// If the directory exists and cannot be listed.
pub(super) fn notes_in(directory: &Path) -> Result<Vec<PathBuf>, Error> {
    let entries = match fs::read_dir(directory) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.and_then(Iterator::collect::<std::io::Result<Vec<_>>>).at("list", directory)?,
    };
    let is_own = |entry: &fs::DirEntry| entry.file_name().to_str().is_some_and(is_note);
    Ok(entries.iter().filter(|entry| is_own(entry)).map(fs::DirEntry::path).collect())
}

/// Waits for the lock on the notes of a directory.
fn lock_of(directory: &Path) -> Result<Locked, Error> {
    let path = directory.join(".lock");
    let file = open_to_write(&path, Opening::Append).at("create", &path)?;
    wait_for(&file).at("lock", &path)?;
    Ok(Locked(file))
}
