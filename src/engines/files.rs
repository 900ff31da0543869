//! The files that a command names: found when a job is planned, and the same when it runs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The hash that stands for a program or a file that does not exist.
pub const MISSING: &str = "missing";

/// The file that a word of a command names: the program is found as a shell finds it, other words are files if they
/// exist. `first` tells whether the word is the program.
fn file_of(word: &str, is_program: bool, directory: &Path) -> Option<PathBuf> {
    let below = directory.join(word);
    if !is_program {
        return below.is_file().then_some(below);
    }
    if word.contains('/') {
        return Some(below);
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|place| place.join(word)).find(|file| file.is_file());
    Some(found.unwrap_or_else(|| PathBuf::from(word)))
}

/// The hashes of the files that a command names, and of those that it `needs` besides, by their names there.
#[must_use]
pub fn named_files(command: &[String], needs: &[String], directory: &Path) -> BTreeMap<String, String> {
    let of_command =
        command.iter().enumerate().filter_map(|(at, word)| Some((word, file_of(word, at == 0, directory)?)));
    let needed = needs.iter().map(|name| (name, directory.join(name)));
    of_command.chain(needed).map(|(word, file)| (word.clone(), hash_of(&file))).collect()
}

/// The first of some files whose content is not as planned.
#[must_use]
pub fn changed_file<'f>(
    planned: &'f BTreeMap<String, String>,
    command: &[String],
    needs: &[String],
    directory: &Path,
) -> Option<&'f str> {
    let now = named_files(command, needs, directory);
    planned.iter().find(|(name, hash)| now.get(*name) != Some(hash)).map(|(name, _)| name.as_str())
}

fn hash_of(file: &Path) -> String {
    std::fs::read(file).map_or_else(|_| MISSING.to_owned(), |bytes| blake3::hash(&bytes).to_hex().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_and_files_are_known_by_their_contents() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        std::fs::write(at("agent.py"), "one").unwrap();
        std::fs::write(at("net.bin"), "two").unwrap();
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let (command, needs) = (words(&["sh", "agent.py", "--fast"]), words(&["net.bin", "other.bin"]));
        let files = named_files(&command, &needs, directory.path());
        let names: Vec<&str> = files.keys().map(String::as_str).collect();
        assert_eq!(names, ["agent.py", "net.bin", "other.bin", "sh"]);
        assert_eq!((files["other.bin"].as_str(), files["sh"].len(), files["agent.py"].len()), (MISSING, 64, 64));
        assert_eq!(changed_file(&files, &command, &needs, directory.path()), None);
        std::fs::write(at("agent.py"), "three").unwrap();
        assert_eq!(changed_file(&files, &command, &needs, directory.path()), Some("agent.py"));
        let nowhere = named_files(&words(&["no-such-program-anywhere"]), &[], directory.path());
        assert_eq!(nowhere["no-such-program-anywhere"], MISSING);
        assert_eq!(named_files(&words(&["./agent.py"]), &[], directory.path())["./agent.py"].len(), 64);
    }
}
