//! Sealed files beside reports, which wait for a page: each contains the hash of its content, so that changes by other
//! programs are detected and skipped.

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::app::errors::{REPORT, write as write_file};
use gauntlet_games::base::files::{LARGEST_DATA, read_text};
use gauntlet_games::base::visible;
use gauntlet_run::scheduler::{Listener, RunEvent, content_hash};

/// The text before the hash, and the text between the hash and the content.
const HASH: &str = "{\"blake3\":\"";
const CONTENT: &str = "\",\"content\":";
const END: &str = "}";

/// Writes a file below the directory of all reports with its hash: `{"blake3":"<hash>","content":<content>}`.
///
/// # Errors
/// If it cannot be written.
pub fn write(reports: &Path, path: &Path, content: &impl Serialize) -> anyhow::Result<()> {
    // The content is large: it is serialised once, and its hash is inserted afterwards.
    let mut sealed = [HASH, &content_hash(&[]), CONTENT].concat().into_bytes();
    let begin = sealed.len();
    serde_json::to_writer(&mut sealed, content)?;
    let hash = content_hash(&sealed[begin..]);
    sealed[HASH.len()..HASH.len() + hash.len()].copy_from_slice(hash.as_bytes());
    sealed.extend(END.bytes());
    write_file(reports, path, &sealed, REPORT)
}

/// The files of a directory. A changed file is skipped with a warning, until its artefact is rendered again; a file of
/// another version is skipped without a warning.
pub fn read_all<T: DeserializeOwned>(directory: &Path, listener: &mut dyn Listener) -> Vec<T> {
    read_others(directory, |_| false, listener)
}

/// The same without the files of these names.
pub fn read_others<T: DeserializeOwned>(
    directory: &Path,
    is_left_out: impl Fn(&Path) -> bool,
    listener: &mut dyn Listener,
) -> Vec<T> {
    let mut contents = Vec::new();
    for path in paths(directory).filter(|path| !is_left_out(path)) {
        match content(&path) {
            Some(content) => contents.push(content),
            None => warn(&path, listener),
        }
    }
    contents.iter().filter_map(|content| serde_json::from_str(content).ok()).collect()
}

/// The same without warnings, as those of the page suffice.
pub fn read_intact<T: DeserializeOwned>(directory: &Path) -> Vec<T> {
    paths(directory).filter_map(|path| read(&path)).collect()
}

/// The content of one file, if it is unchanged.
pub fn read<T: DeserializeOwned>(path: &Path) -> Option<T> {
    serde_json::from_str(&content(path)?).ok()
}

/// The files of a directory.
pub fn paths(directory: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|ending| ending == "json"))
}

/// The text of the content of a file, if its hash matches.
fn content(path: &Path) -> Option<String> {
    let sealed = read_text(path, LARGEST_DATA).ok()?;
    let (hash, content) = sealed.strip_prefix(HASH)?.strip_suffix(END)?.split_once(CONTENT)?;
    (content_hash(content.as_bytes()) == hash).then(|| content.to_owned())
}

/// Warns that a file of a report was changed.
pub fn warn(path: &Path, listener: &mut dyn Listener) {
    let shown = visible(&path.to_string_lossy());
    let way = "the page goes without it until `gauntlet report` renders it again";
    listener.event(&RunEvent::Warning(format!("warning: {shown} is not as this program wrote it: {way}")));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_changed_is_left_out() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.json");
        write(directory.path(), &path, &vec![0.1, 1e300, -0.0, 5.0]).unwrap();
        assert_eq!(read_all::<Vec<f64>>(directory.path(), &mut ()), [[0.1, 1e300, -0.0, 5.0]]);
        let text = std::fs::read_to_string(&path).unwrap();
        for changed in [text.replace("0.1", "0.2"), text[..text.len() - 2].to_owned(), String::new(), "[]".to_owned()] {
            std::fs::write(&path, changed).unwrap();
            assert_eq!(read_all::<Vec<f64>>(directory.path(), &mut ()), [[0.0; 0]; 0]);
        }
    }
}
