//! The sources of manifests: the directory `experiments`, and the embedded manifests for all other names.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::string::FromUtf8Error;

use gauntlet_games::base::files::read_regular;
use gauntlet_games::base::visible;
use gauntlet_games::formats::{self, decode};
use gauntlet_plan::manifest::ManifestSource;

/// The manifests that were committed at build time.
const EMBEDDED: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/experiments.rs"));

/// The ending of files that manifests include and that are no manifests themselves.
const SHARED: &str = "common.toml";

/// Manifests larger than this are refused.
const LARGEST: u64 = 4 << 20;

/// The manifests of papers and examples, and the user's own files in the same directory.
#[derive(Debug, Clone)]
pub struct ManifestLibrary {
    directory: Option<PathBuf>,
}

impl ManifestLibrary {
    /// The embedded manifests, overridden by the files of `./experiments`.
    #[must_use]
    pub fn open() -> ManifestLibrary {
        let directory = Path::new("experiments");
        ManifestLibrary { directory: directory.is_dir().then(|| directory.to_owned()) }
    }

    /// The embedded manifests alone.
    #[must_use]
    pub fn embedded() -> ManifestLibrary {
        ManifestLibrary { directory: None }
    }

    /// Names of all manifests (`schaul2009/table1`), sorted.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        let mut files: Vec<String> = EMBEDDED.iter().map(|(name, _)| (*name).to_owned()).collect();
        files.extend(self.directory.iter().flat_map(|directory| files_below(directory, "", ".toml")));
        let manifests = files.iter().filter(|file| !file.ends_with(SHARED));
        let mut names: Vec<String> =
            manifests.filter_map(|file| file.strip_suffix(".toml")).map(str::to_owned).collect();
        names.sort_by_key(|name| natural(name));
        names.dedup();
        names
    }

    /// Whether there is a manifest of this name.
    #[must_use]
    pub fn holds(&self, name: &str) -> bool {
        let file = format!("{name}.toml");
        // `./table1` is a path, not a name.
        let is_name = name.split('/').all(|part| !part.is_empty() && part != "." && part != "..");
        let is_own = || self.directory.as_ref().is_some_and(|directory| directory.join(&file).is_file());
        is_name && !file.ends_with(SHARED) && (EMBEDDED.iter().any(|(known, _)| *known == file) || is_own())
    }

    /// Names of the artefacts: the manifests of papers, without the examples.
    #[must_use]
    pub fn artefacts(&self) -> Vec<String> {
        self.names().into_iter().filter(|name| name.contains('/')).collect()
    }

    /// The artefacts of a paper; none if the paper is unknown.
    #[must_use]
    pub fn family(&self, paper: &str) -> Vec<String> {
        let below = format!("{paper}/");
        self.names().into_iter().filter(|name| name.starts_with(&below)).collect()
    }
}

/// A sort key that puts `fig10` after `fig2`.
pub fn natural(name: &str) -> Vec<(String, u64)> {
    let mut parts: Vec<(String, u64)> = vec![(String::new(), 0)];
    let mut in_number = false;
    for c in name.chars() {
        match (c.to_digit(10), in_number) {
            (Some(digit), _) => {
                let number = &mut parts.last_mut().expect("there is always one").1;
                *number = number.saturating_mul(10).saturating_add(u64::from(digit));
                in_number = true;
            }
            (None, true) => {
                parts.push((c.to_string(), 0));
                in_number = false;
            }
            (None, false) => parts.last_mut().expect("there is always one").0.push(c),
        }
    }
    parts
}

/// The paths of the files below a directory with this ending, with slashes, in no order.
pub fn files_below(directory: &Path, prefix: &str, ending: &str) -> Vec<String> {
    let entries = std::fs::read_dir(directory).map(|entries| entries.flatten().collect::<Vec<_>>());
    let mut files = Vec::new();
    for entry in entries.unwrap_or_default() {
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => files.extend(files_below(&entry.path(), &format!("{name}/"), ending)),
            Ok(_) if name.ends_with(ending) => files.push(name),
            _ => {}
        }
    }
    files
}

impl ManifestSource for ManifestLibrary {
    fn text(&self, name: &str) -> Result<String, String> {
        let own = self.directory.as_ref().map(|directory| directory.join(name)).filter(|path| path.exists());
        let embedded = || EMBEDDED.iter().find(|(known, _)| *known == name).map(|(_, text)| (*text).to_owned());
        match own {
            Some(path) => read(&path),
            None => embedded().ok_or_else(|| format!("there is no manifest `{name}`")),
        }
    }

    fn text_below(&self, directory: &str, name: &str) -> Result<String, String> {
        let root = self.directory.as_ref().map(|root| root.join(directory));
        match root.map(|root| (root.join(name), root)).filter(|(path, _)| path.exists()) {
            Some((path, root)) => read_below(&root, &path),
            None => self.text(&format!("{directory}{name}")),
        }
    }
}

/// Manifests that are named by a path of the file system.
#[derive(Debug, Clone, Copy)]
pub struct Disk;

impl ManifestSource for Disk {
    fn text(&self, name: &str) -> Result<String, String> {
        read(Path::new(name))
    }

    fn text_below(&self, directory: &str, name: &str) -> Result<String, String> {
        read_below(Path::new(directory), &Path::new(directory).join(name))
    }
}

/// The text of a regular file within the size limit of manifests, read once.
fn read(path: &Path) -> Result<String, String> {
    let shown = || visible(&path.to_string_lossy());
    let (largest, kind) =
        if has_openings(path) { (formats::LARGEST as u64, "a book") } else { (LARGEST, "a manifest") };
    read_regular(path, largest).and_then(|bytes| text_of(path, bytes)).map_err(|error| match error.kind() {
        ErrorKind::FileTooLarge => {
            format!("{} has more than {largest} bytes, the most that {kind} can have", shown())
        }
        _ => format!("cannot read {}: {error}", shown()),
    })
}

/// Whether a file has openings, by its name.
fn has_openings(path: &Path) -> bool {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    ending.is_some_and(|ending| ["sgf", "pgn", "epd"].contains(&&*ending))
}

/// Bytes as text: UTF-8; files of openings may have other encodings.
fn text_of(path: &Path, bytes: Vec<u8>) -> std::io::Result<String> {
    match String::from_utf8(bytes) {
        Err(error) if has_openings(path) => match decode(error.as_bytes()) {
            Ok(text) => Ok(text.into_owned()),
            Err(fault) => Err(std::io::Error::other(fault)),
        },
        // Of a description, a comment ends with its line, also where lines end with CR alone.
        Ok(text) if path.extension().is_some_and(|ending| ending == "lud") && !text.contains('\n') => {
            Ok(text.replace('\r', "\n"))
        }
        Ok(text) if !text.contains('\0') => Ok(text),
        other => Err(std::io::Error::new(ErrorKind::InvalidData, encoding_fault(other))),
    }
}

/// The sentence on text in another encoding than UTF-8.
fn encoding_fault(read: Result<String, FromUtf8Error>) -> String {
    const MARKS: [&[u8]; 2] = [b"\xff\xfe", b"\xfe\xff"];
    match read {
        Err(error) if !MARKS.iter().any(|mark| error.as_bytes().starts_with(mark)) => {
            let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
            format!("line {line} is not UTF-8 text; save the file as UTF-8")
        }
        _ => "it is UTF-16 text, as PowerShell writes it, or a binary file; save it as UTF-8".to_owned(),
    }
}

/// Like [`read`], for a file in a directory or below it, after links are resolved.
fn read_below(directory: &Path, path: &Path) -> Result<String, String> {
    let directory = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
    if let (Ok(directory), Ok(found)) = (directory.canonicalize(), path.canonicalize())
        && !found.starts_with(directory)
    {
        return Err(format!(
            "{} is a link that leads out of the manifest's directory",
            visible(&path.to_string_lossy())
        ));
    }
    read(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_in_other_encodings_is_refused_with_the_line_and_a_remedy() {
        let fault = |bytes: &[u8]| text_of(Path::new("m.toml"), bytes.to_vec()).unwrap_err().to_string();
        assert_eq!(fault(b"schema = 1\nname = \"k\xf6ln\"\n"), "line 2 is not UTF-8 text; save the file as UTF-8");
        for utf16 in [&b"\xff\xfes\0c\0"[..], b"s\0c\0h\0"] {
            assert!(fault(utf16).starts_with("it is UTF-16 text"), "{utf16:?}");
        }
        assert_eq!(text_of(Path::new("m.toml"), b"name".to_vec()).unwrap(), "name");
    }

    #[test]
    fn numbers_sort_by_value() {
        let mut names = ["p/fig10", "p/fig2", "p/table1", "a/x"];
        names.sort_by_key(|name| natural(name));
        assert_eq!(names, ["a/x", "p/fig2", "p/fig10", "p/table1"]);
    }
}
