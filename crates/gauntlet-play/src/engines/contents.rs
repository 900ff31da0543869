//! The contents of files: their hashes, and the files of a directory.

use std::fs;
use std::path::{Path, PathBuf};

use gauntlet_games::base::files::open_regular;

/// The hash that stands for a program or a file that does not exist.
pub const MISSING: &str = "missing";

/// Most files of a named directory that belong to a job, and most bytes.
const MOST: (usize, u64) = (2000, 1 << 30);

/// Directories of the machine: their programs and libraries are not those of an agent.
const SYSTEM: [&str; 14] = [
    "/usr", "/bin", "/sbin", "/lib", "/lib64", "/opt", "/etc", "/dev", "/proc", "/sys", "/run", "/var", "/nix", "/snap",
];
/// Those whose files are devices, or facts of the kernel.
const DEVICES: [&str; 3] = ["/dev", "/proc", "/sys"];
/// The exception: files in memory.
const MEMORY: &str = "/dev/shm";

/// Whether it is a regular file.
pub(super) fn is_file(path: &Path) -> bool {
    path.is_file() && !is_below(path, &DEVICES)
}

/// Whether it belongs to the machine.
pub(super) fn is_of_system(path: &Path) -> bool {
    is_below(path, &SYSTEM)
}

fn is_below(path: &Path, places: &[&str]) -> bool {
    places.iter().any(|place| path.starts_with(place)) && !path.starts_with(MEMORY)
}

/// The files below a directory that belong to a job, by their names there, in order; none if there are too many.
pub(super) fn files_below(directory: &Path) -> Option<Vec<PathBuf>> {
    let files = walk(directory, MOST.0, &|_| false)?;
    let size = |name: &PathBuf| fs::metadata(directory.join(name)).map_or(0, |found| found.len());
    (files.iter().map(size).sum::<u64>() <= MOST.1).then_some(files)
}

/// The files below a directory, by their names there, in order; none if there are more than `most`. Directories of
/// caches are passed by, and those that `is_passed` names.
pub(super) fn walk(directory: &Path, most: usize, is_passed: &dyn Fn(&Path) -> bool) -> Option<Vec<PathBuf>> {
    let (mut files, mut open) = (Vec::new(), vec![PathBuf::new()]);
    while let Some(below) = open.pop() {
        for entry in fs::read_dir(directory.join(&below)).into_iter().flatten().flatten() {
            let name = below.join(entry.file_name());
            match entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                true if is_cache(&name) || is_passed(&entry.path()) => {}
                true => open.push(name),
                false => files.extend(is_file(&entry.path()).then_some(name)),
            }
        }
        if files.len() + open.len() > most {
            return None;
        }
    }
    files.sort();
    Some(files)
}

/// Directories whose files follow from others.
fn is_cache(directory: &Path) -> bool {
    directory.file_name().is_some_and(|name| name == "__pycache__" || name == ".git")
}

/// The hash of a regular file.
pub(super) fn hash_of(file: &Path) -> String {
    let hash = |file: fs::File| blake3::Hasher::new().update_reader(file).map(|hasher| hasher.finalize());
    let found = is_file(file).then(|| open_regular(file).and_then(hash).ok()).flatten();
    found.map_or_else(|| MISSING.to_owned(), |hash| hash.to_hex().to_string())
}
