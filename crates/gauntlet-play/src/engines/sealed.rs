//! Sealed directories: the kept files of an old version of an engine, in baselines and in ladders.
//!
//! A directory is named after the hash of its files. Names that lead out of the working directory are kept below
//! [`OUTSIDE`]. A version plays on a copy of exactly these files, so that no other file acts and none is changed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use tempfile::TempDir;

use super::contents::{MISSING, hash_of};
use gauntlet_games::base::files::{LARGEST_NOTE, open_regular, read_regular};

/// The place of files from elsewhere.
const OUTSIDE: &str = "_outside";
/// The place of a parent's files below [`OUTSIDE`].
const PARENT: &str = "_up";
/// The home directory of the user, at the start of a name.
pub(super) const HOME: &str = "~/";
/// Compiled modules of Python. They are not copied, so that they cannot act.
const CACHE: &str = "__pycache__";

/// Whether a name leads out of the working directory.
#[must_use]
pub fn is_outside(name: &str) -> bool {
    name.starts_with(HOME)
        || Path::new(name).components().any(|part| !matches!(part, Component::Normal(_) | Component::CurDir))
}

/// The place of a kept file below its directory.
#[must_use]
pub fn kept_name(name: &str) -> PathBuf {
    let parts = Path::new(name).components().filter_map(|part| match part {
        Component::Normal(part) => Some(Path::new(part)),
        Component::ParentDir => Some(Path::new(PARENT)),
        Component::Prefix(_) | Component::RootDir | Component::CurDir => None,
    });
    let own: PathBuf = parts.collect();
    if is_outside(name) { Path::new(OUTSIDE).join(own) } else { own }
}

/// A short hash of some files, from their names and hashes.
#[must_use]
pub fn hash_of_files(files: &BTreeMap<String, String>) -> String {
    let files = serde_json::to_vec(files).expect("names and hashes are plain data");
    blake3::hash(&files).to_hex()[..16].to_owned()
}

/// Whether a directory has the name of a sealed one: `baselines/engines/HASH` or `versions/NAME-HASH`.
#[must_use]
pub fn is_sealed(directory: &Path) -> bool {
    let mut names = directory.components().rev().map(|part| part.as_os_str().to_string_lossy());
    let [own, above, top] = std::array::from_fn(|_| names.next().unwrap_or_default());
    (is_hash(&own, 16) && above == "engines" && top == "baselines") || version_hash(directory).is_some()
}

/// The hash in the name of a version's directory.
fn version_hash(directory: &Path) -> Option<&str> {
    let (_, hash) = directory.file_name()?.to_str()?.rsplit_once('-')?;
    (directory.parent()?.file_name()? == "versions" && is_hash(hash, 8)).then_some(hash)
}

fn is_hash(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f'))
}

/// The file beside a version's directory that lists its files with their hashes.
#[must_use]
pub fn inventory_file(directory: &Path) -> PathBuf {
    directory.with_added_extension("json")
}

/// The first difference between a sealed directory and the files that it was made of; `files` are those that the engine
/// names.
#[must_use]
pub fn broken_seal(directory: &Path, files: &BTreeMap<String, String>) -> Option<String> {
    let Some(hash) = version_hash(directory) else { return difference(directory, files) };
    let is_sound = |inventory: &BTreeMap<String, String>| hash_of_files(inventory).starts_with(hash);
    let text = read_regular(&inventory_file(directory), LARGEST_NOTE).ok();
    let inventory = text.and_then(|text| serde_json::from_slice(&text).ok()).filter(is_sound);
    let listed = inventory.as_ref().unwrap_or(files);
    let names = || listed.keys().map(String::as_str).collect::<Vec<_>>().join("`, `");
    let unnamed = || (!is_sound(listed)).then(|| format!("one of `{}` has changed", names()));
    difference(directory, listed).or_else(unnamed)
}

/// The first file that is missing, changed or added.
fn difference(directory: &Path, files: &BTreeMap<String, String>) -> Option<String> {
    let fault = |(name, hash): (&String, &String)| match hash_of(&directory.join(kept_name(name))) {
        now if now == MISSING => Some(format!("`{name}` is missing")),
        now => (now != *hash).then(|| format!("`{name}` has changed")),
    };
    let known: BTreeSet<PathBuf> = files.keys().map(|name| kept_name(name)).collect();
    let added = || all_below(directory, Path::new("")).into_iter().find(|name| !known.contains(name));
    files.iter().find_map(fault).or_else(|| Some(format!("`{}` was added", added()?.display())))
}

/// Everything below a directory but directories and caches.
fn all_below(directory: &Path, below: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory.join(below)).into_iter().flatten().flatten();
    let all = entries.flat_map(|entry| {
        let name = below.join(entry.file_name());
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && entry.file_name() == CACHE => Vec::new(),
            Ok(kind) if kind.is_dir() => all_below(directory, &name),
            _ => vec![name],
        }
    });
    all.collect()
}

/// A private copy of the kept files of an engine, for the time that it plays.
#[derive(Debug)]
pub struct Stage(TempDir);

impl Stage {
    /// Copies the files, and checks the copies.
    ///
    /// # Errors
    /// If a file cannot be copied, or is another one.
    pub fn of(directory: &Path, files: &BTreeMap<String, String>) -> io::Result<Stage> {
        let stage = Stage(tempfile::tempdir()?);
        for (name, hash) in files {
            let (from, to) = (directory.join(kept_name(name)), stage.place(name));
            fs::create_dir_all(to.parent().unwrap_or(stage.directory()))?;
            open_regular(&from)?;
            fs::copy(from, &to)?;
            if hash_of(&to) != *hash {
                return Err(io::Error::other(format!("`{name}` has changed")));
            }
        }
        Ok(stage)
    }

    /// Its directory.
    #[must_use]
    pub fn directory(&self) -> &Path {
        self.0.path()
    }

    /// The copy of a file or of a directory.
    #[must_use]
    pub fn place(&self, name: &str) -> PathBuf {
        self.0.path().join(kept_name(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kept_files_stay_below_their_directory() {
        for (name, kept) in [
            ("agent.py", "agent.py"),
            ("./lib/a.py", "lib/a.py"),
            ("/p/w.txt", "_outside/p/w.txt"),
            ("../../w.txt", "_outside/_up/_up/w.txt"),
            ("a/../../w.txt", "_outside/a/_up/_up/w.txt"),
            ("~/w.txt", "_outside/~/w.txt"),
        ] {
            assert_eq!(kept_name(name), Path::new(kept), "{name}");
        }
        let is = |place: &str| is_sealed(Path::new(place));
        assert!(is("versions/v1-0123abcd") && is("/r/baselines/engines/0123456789abcdef"));
        assert!(!is("versions/v1") && !is("engines/0123456789abcdef") && !is("other/v1-0123abcd") && !is(""));
    }

    #[test]
    fn a_seal_is_broken_by_every_change() {
        let root = tempfile::tempdir().unwrap();
        let files = BTreeMap::from([("a.py", "one"), ("/p/w.txt", "two")]);
        let files: BTreeMap<String, String> = files
            .into_iter()
            .map(|(name, text)| (name.to_owned(), blake3::hash(text.as_bytes()).to_hex().to_string()))
            .collect();
        let directory = root.path().join(format!("versions/v1-{}", &hash_of_files(&files)[..8]));
        let write = |name: &str, text: &str| {
            let place = directory.join(kept_name(name));
            fs::create_dir_all(place.parent().unwrap()).unwrap();
            fs::write(place, text).unwrap();
        };
        let fault = || broken_seal(&directory, &files);
        write("a.py", "one");
        assert_eq!(fault().unwrap(), "`/p/w.txt` is missing");
        write("/p/w.txt", "three");
        assert_eq!(fault().unwrap(), "`/p/w.txt` has changed");
        // Without an inventory, only the hash of the name tells that the present files are others.
        let now = files.keys().map(|name| (name.clone(), hash_of(&directory.join(kept_name(name))))).collect();
        assert!(broken_seal(&directory, &now).unwrap().contains("has changed"));
        fs::write(inventory_file(&directory), serde_json::to_vec(&files).unwrap()).unwrap();
        assert_eq!(broken_seal(&directory, &now).unwrap(), "`/p/w.txt` has changed");
        write("/p/w.txt", "two");
        assert_eq!(fault(), None);
        write("__pycache__/json.pyc", "");
        assert_eq!(fault(), None, "it is not copied");
        assert!(!Stage::of(&directory, &files).unwrap().place("__pycache__").exists());
        write("json.py", "");
        assert_eq!(fault().unwrap(), "`json.py` was added");
    }
}
