//! Workplaces: private directories of other programs, for the time of a job. A trainer leaves its files in one, and an
//! engine reads them in another.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use tempfile::TempDir;

use gauntlet_games::base::files::read_unlinked;
use gauntlet_games::base::visible;

/// The environment variable with the directory of the files that an engine plays with.
pub const ARTEFACTS: &str = "GAUNTLET_ARTEFACTS";

/// The name of a file that the format of results, safetensors, keeps for itself.
const RESERVED: &str = "__metadata__";

/// Most files in a workplace.
const MOST_FILES: usize = 10_000;

/// A private directory, which is removed with its content.
#[derive(Debug)]
pub struct Workplace(TempDir);

impl Workplace {
    /// A directory with some files; their names lead nowhere else.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn with(files: &BTreeMap<String, Vec<u8>>) -> io::Result<Workplace> {
        let place = Workplace(tempfile::tempdir()?);
        for (name, bytes) in files {
            let file = place.path().join(name);
            fs::create_dir_all(file.parent().unwrap_or(place.path()))?;
            fs::write(file, bytes)?;
        }
        Ok(place)
    }

    /// Its path.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// All of its files, with at most `most` bytes together.
    ///
    /// # Errors
    /// A sentence: a link or a device among them, too many files, or too many bytes.
    pub fn files(&self, most: u64) -> Result<BTreeMap<String, Vec<u8>>, String> {
        self.require_small(most)?;
        let names = self.names()?;
        names.into_iter().map(|name| Ok((self.named(&name)?, self.read(&name, most)?))).collect()
    }

    /// Some of its files, with at most `most` bytes each.
    ///
    /// # Errors
    /// A sentence: a file that is not there, is not below the directory, or is too large.
    pub fn some_files(&self, names: &[String], most: u64) -> Result<BTreeMap<String, Vec<u8>>, String> {
        names.iter().map(|name| Ok((name.clone(), self.read(Path::new(name), most)?))).collect()
    }

    /// Requires that its files have at most `most` bytes together. Files that a program removes meanwhile do not count.
    ///
    /// # Errors
    /// A sentence.
    pub fn require_small(&self, most: u64) -> Result<(), String> {
        let size = |name: &PathBuf| self.path().join(name).symlink_metadata().map_or(0, |found| found.len());
        match self.names()?.iter().map(size).sum::<u64>() {
            found if found > most => Err(format!("its directory has {found} bytes, and {most} are allowed")),
            _ => Ok(()),
        }
    }

    fn read(&self, name: &Path, most: u64) -> Result<Vec<u8>, String> {
        if !name.components().all(|part| matches!(part, Component::Normal(_))) {
            return Err(format!("`{}` is not below its directory", visible(&name.to_string_lossy())));
        }
        let read = read_unlinked(self.path(), &self.path().join(name), most);
        read.map_err(|error| format!("`{}` in its directory: {error}", visible(&name.to_string_lossy())))
    }

    /// The name of a file as text.
    fn named(&self, name: &Path) -> Result<String, String> {
        if name == Path::new(RESERVED) {
            return Err(format!("its directory has a file `{RESERVED}`: the format of results keeps this name"));
        }
        let text = name.to_str().filter(|name| !name.contains('\\')).map(str::to_owned);
        text.ok_or_else(|| {
            format!("its directory has the file `{}`: no text names it", visible(&name.to_string_lossy()))
        })
    }

    /// The names of its files, in order.
    fn names(&self) -> Result<Vec<PathBuf>, String> {
        if self.path().is_symlink() {
            return Err("its directory is a link: only files are kept".to_owned());
        }
        let (mut files, mut open) = (Vec::new(), vec![PathBuf::new()]);
        while let Some(below) = open.pop() {
            // A program may remove a directory meanwhile.
            for entry in fs::read_dir(self.path().join(&below)).into_iter().flatten().flatten() {
                let name = below.join(entry.file_name());
                match entry.file_type() {
                    Ok(kind) if kind.is_dir() => open.push(name),
                    Ok(kind) if kind.is_file() => files.push(name),
                    Ok(_) => {
                        let name = visible(&name.to_string_lossy());
                        return Err(format!("`{name}` in its directory is a link or a device: only files are kept"));
                    }
                    Err(_) => {}
                }
            }
            if files.len() + open.len() > MOST_FILES {
                return Err(format!("its directory has more than {MOST_FILES} files"));
            }
        }
        files.sort();
        Ok(files)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn files(some: &[(&str, &str)]) -> BTreeMap<String, Vec<u8>> {
        some.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec())).collect()
    }

    #[test]
    fn files_are_put_in_and_taken_out() {
        let whole = files(&[("a", "one"), ("deep/er/b", "two"), ("empty", "")]);
        let place = Workplace::with(&whole).unwrap();
        assert_eq!(place.files(6).unwrap(), whole);
        assert_eq!(place.files(5).unwrap_err(), "its directory has 6 bytes, and 5 are allowed");
        let one = place.some_files(&["deep/er/b".to_owned()], 6).unwrap();
        assert_eq!(one, files(&[("deep/er/b", "two")]));
        let path = place.path().to_owned();
        drop(place);
        assert!(!path.exists());
    }

    #[test]
    fn nothing_outside_is_read() {
        let other = tempfile::tempdir().unwrap();
        fs::write(other.path().join("secret"), "x").unwrap();
        let place = Workplace::with(&files(&[("a", "one")])).unwrap();
        symlink(other.path(), place.path().join("out")).unwrap();
        assert!(place.files(99).unwrap_err().contains("`out` in its directory is a link"));
        for name in ["out/secret", "../secret", "none"] {
            assert!(place.some_files(&[name.to_owned()], 99).is_err(), "{name}");
        }
        let absolute = other.path().join("secret").to_string_lossy().into_owned();
        assert!(place.some_files(&[absolute], 99).is_err());
    }
}
