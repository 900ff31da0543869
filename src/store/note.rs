//! Notes beside the jobs: JSON files that grow, and of which nothing may be lost when two processes add to one.

use std::fs::{self, File, OpenOptions};
use std::io::ErrorKind;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::atomic::{atomic_write, read_if_there};
use super::error::{At as _, Error};

/// Replaces the note at `path` by what `change` makes of it, and leaves it where that is nothing; no other process changes
/// a note of this directory meanwhile. `change` gets none where there is no note, or one that cannot be understood.
///
/// # Errors
/// When the note cannot be read or written.
pub(super) fn change_note<N: Serialize + DeserializeOwned>(
    path: &Path,
    change: impl FnOnce(Option<N>) -> Option<N>,
) -> Result<(), Error> {
    let directory = path.parent().unwrap_or(path);
    fs::create_dir_all(directory).at("create", directory)?;
    let _alone = wait_for(directory)?;
    let before = read_if_there(path)?.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    match change(before) {
        Some(note) => atomic_write(path, &serde_json::to_vec(&note).expect("a note is plain data")),
        None => Ok(()),
    }
}

/// Waits for the lock on the notes of a directory, where the file system has locks.
fn wait_for(directory: &Path) -> Result<File, Error> {
    let path = directory.join(".lock");
    let file = OpenOptions::new().read(true).append(true).create(true).open(&path).at("create", &path)?;
    match file.lock() {
        Err(error) if error.kind() != ErrorKind::Unsupported => Err(error).at("lock", &path),
        _ => Ok(file),
    }
}
