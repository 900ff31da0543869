//! Ownership of files: the mark of a results tree, and the names of its own files. No other file is ever
//! removed, and no file is removed through a link.

use std::ffi::OsStr;
use std::fs::{self, DirEntry};
use std::io::ErrorKind;
use std::path::Path;

use super::atomic::{atomic_write, is_short_key, is_temporary, is_unique};
use super::error::{At as _, Error};
use super::job::is_job_name;
use super::writing::create_directory;

/// The file that marks a directory as a results tree. Its contents are not read.
pub(super) const MARK: &str = ".gauntlet-results";

const WORDS: &[u8] = b"This directory holds results of Gauntlet. `gauntlet gc` clears it up.\n";

/// Files allowed in a directory that becomes a results tree; none of them is ever removed.
const NEUTRAL: [&str; 10] = [
    ".gitignore",
    ".gitattributes",
    ".gitkeep",
    ".keep",
    ".DS_Store",
    ".snapshot",
    "lost+found",
    "baselines",
    "models",
    "README.md",
];

/// Files that prove that a directory is a job's.
const PROOFS: [&str; 3] = ["key.json", "done.json", ".claim"];

/// Whether a directory holds the files of a job, which only the job writes.
#[must_use]
pub fn holds_job(directory: &Path) -> bool {
    PROOFS.iter().any(|name| directory.join(name).is_file())
}

/// Makes a directory a results tree, unless it already is one or holds foreign files.
///
/// # Errors
/// If it holds such files, or cannot be created or written.
pub fn adopt(root: &Path) -> Result<(), Error> {
    let mark = root.join(MARK);
    if is_there(&mark)? {
        return Ok(());
    }
    create_directory(root, root)?;
    if is_recognised(root)? {
        // The tree could be read before, and still can if it is not writable.
        let _ = atomic_write(&mark, WORDS).inspect_err(|error| tracing::debug!("{error}"));
        return Ok(());
    }
    match foreign_entry(root)? {
        // Another process may have made the mark meanwhile, and files since.
        Some(_) if is_there(&mark)? => Ok(()),
        Some(found) => Err(Error::Foreign { path: root.to_path_buf(), found }),
        None => atomic_write(&mark, WORDS),
    }
}

/// Whether a directory has the mark of a results tree, or was made by a version without marks.
pub(super) fn is_own_tree(root: &Path) -> Result<bool, Error> {
    Ok(is_there(&root.join(MARK))? || is_recognised(root)?)
}

/// Whether an older version of the program made a results tree: it holds a job, or a note of requests.
fn is_recognised(root: &Path) -> Result<bool, Error> {
    let is_job = |entry: &DirEntry| name_is(entry, is_job_name) && has_proof(&entry.path());
    let is_request = |entry: &DirEntry| name_is(entry, is_note) && is_file(entry);
    Ok(entries(&root.join("jobs"))?.iter().any(is_job) || entries(&root.join("requests"))?.iter().any(is_request))
}

/// The name of an entry of a directory that is neither this program's nor a tool's like Git.
fn foreign_entry(root: &Path) -> Result<Option<String>, Error> {
    for entry in entries(root)? {
        let name = entry.file_name();
        let is_lock = [".lock", ".owner.json"].iter().any(|own| name == *own);
        let is_empty_store = || Ok::<_, Error>(name == "jobs" && entries(&entry.path())?.is_empty());
        let is_neutral = NEUTRAL.iter().any(|neutral| name == *neutral) || name.to_string_lossy().starts_with(".nfs");
        if !is_neutral && !is_lock && !is_temporary(&name) && !is_empty_store()? {
            return Ok(Some(name.to_string_lossy().into_owned()));
        }
    }
    Ok(None)
}

/// The entries of a directory; none if it does not exist or is not a directory.
fn entries(directory: &Path) -> Result<Vec<DirEntry>, Error> {
    match fs::read_dir(directory) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(Vec::new()),
        found => found.and_then(Iterator::collect).at("list", directory),
    }
}

fn is_there(path: &Path) -> Result<bool, Error> {
    path.try_exists().at("read", path)
}

/// Whether a path is a directory itself, not a link to one.
pub(super) fn is_real_directory(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_dir())
}

/// Whether a directory in `jobs` or in the trash was made by a job.
pub(super) fn is_job_directory(path: &Path) -> bool {
    let is_own = |name: &str| {
        is_job_name(name) || name.split_once('.').is_some_and(|(job, end)| is_job_name(job) && is_unique(end))
    };
    is_real_directory(path)
        && path.file_name().and_then(OsStr::to_str).is_some_and(is_own)
        && (has_proof(path) || is_empty(path))
}

/// Whether a directory holds a file that only this program writes. A directory just created may hold none yet.
fn has_proof(directory: &Path) -> bool {
    is_real_directory(directory) && PROOFS.iter().any(|name| directory.join(name).is_file())
}

fn is_empty(directory: &Path) -> bool {
    fs::read_dir(directory).is_ok_and(|mut entries| entries.next().is_none())
}

/// Whether a file is named by a key: `<16 hexadecimal digits>.json`.
pub(super) fn is_note(name: &str) -> bool {
    name.strip_suffix(".json").is_some_and(is_short_key)
}

fn name_is(entry: &DirEntry, is_own: impl Fn(&str) -> bool) -> bool {
    entry.file_name().to_str().is_some_and(is_own)
}

fn is_file(entry: &DirEntry) -> bool {
    entry.file_type().is_ok_and(|kind| kind.is_file())
}

/// Removes a job's directory with all contents; other directories stay. Returns the number of freed bytes.
pub(super) fn remove_job(path: &Path) -> Result<u64, Error> {
    if !is_job_directory(path) {
        tracing::debug!("{} stays: it is not a job's directory", path.display());
        return Ok(0);
    }
    let freed = size(path);
    fs::remove_dir_all(path).at("remove", path)?;
    Ok(freed)
}

/// Removes the files in a directory whose names satisfy `is_own`, and the directory if it is then empty. Links
/// and their targets stay. Returns the number of freed bytes.
///
/// # Errors
/// If a file cannot be removed. A directory that does not exist counts as empty.
pub fn clear_directory(directory: &Path, is_own: impl Fn(&str) -> bool) -> Result<u64, Error> {
    if !is_real_directory(directory) {
        return Ok(0);
    }
    let mut freed = 0;
    for entry in entries(directory)?.iter().filter(|entry| is_file(entry)) {
        if name_is(entry, &is_own) || is_temporary(&entry.file_name()) {
            freed += remove_entry(entry)?;
        }
    }
    // Succeeds only for an empty directory.
    let _ = fs::remove_dir(directory);
    Ok(freed)
}

/// Removes a file; returns its size.
pub(super) fn remove_entry(entry: &DirEntry) -> Result<u64, Error> {
    let bytes = entry.metadata().map_or(0, |found| found.len());
    super::atomic::remove(&entry.path())?;
    Ok(bytes)
}

/// Total size of the files below a directory.
pub(super) fn size(directory: &Path) -> u64 {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let bytes = |entry: DirEntry| match entry.metadata() {
        Ok(found) if found.is_dir() => size(&entry.path()),
        found => found.map_or(0, |found| found.len()),
    };
    entries.map(bytes).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(files: &[&str]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for file in files {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        root
    }

    #[test]
    fn a_new_an_empty_and_an_older_tree_are_adopted_and_no_other_directory() {
        let job = "jobs/train-x-0123456789abcdef";
        let old = [format!("{job}/key.json"), "notes.txt".to_owned()];
        let ours: [&[&str]; 6] = [
            &[],
            &[".gitignore", "models/x.safetensors", ".nfs0001"],
            &[".lock", ".owner.json", ".tmp-1-0123456789abcdef-0"],
            &["requests/0123456789abcdef.json", "timing/x"],
            &[&old[0], &old[1]],
            &[MARK, "notes.txt", "runs/mnist/ckpt"],
        ];
        for files in ours {
            let root = made(files);
            adopt(root.path()).unwrap();
            assert!(is_own_tree(root.path()).unwrap() && root.path().join(MARK).is_file(), "{files:?}");
        }
        let others: [&[&str]; 4] = [&["runs/mnist/ckpt"], &["jobs/mine/key.json"], &["jobs/x"], &["trash/x"]];
        for files in others {
            let root = made(files);
            let error = adopt(root.path()).unwrap_err();
            assert!(matches!(error, Error::Foreign { .. }) && error.hint().contains(MARK), "{files:?}: {error}");
            assert!(!root.path().join(MARK).exists());
        }
        let root = tempfile::tempdir().unwrap();
        adopt(&root.path().join("new/results")).unwrap();
        assert!(root.path().join("new/results").join(MARK).is_file());
    }

    #[test]
    fn only_directories_that_jobs_have_made_are_removed() {
        let job = "train-x-0123456789abcdef";
        let root = made(&[&format!("{job}/notes.txt"), "mnist/key.json", &format!("linked/{job}/key.json")]);
        let path = |name: &str| root.path().join(name);
        std::os::unix::fs::symlink(path("linked").join(job), path("play-x-0123456789abcdef")).unwrap();
        for name in [job, "mnist", "play-x-0123456789abcdef"] {
            assert_eq!(remove_job(&path(name)).unwrap(), 0);
            assert!(path(name).exists(), "{name}");
        }
        fs::write(path(job).join("key.json"), "{}").unwrap();
        assert_eq!(remove_job(&path(job)).unwrap(), 2);
        assert!(!path(job).exists() && path("linked").join(job).exists());
    }
}
