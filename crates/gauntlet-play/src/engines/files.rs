//! The files that the settings of an engine name, in any form: found when a job is planned, and the same when it runs.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::contents::{files_below, hash_of, is_file, is_of_system};
use super::names::names_in;
use super::sealed::{HOME, is_outside, is_sealed, kept_name};

/// The settings of an engine that can name files.
#[derive(Debug, Clone)]
pub struct Naming<'a> {
    /// The program and its arguments.
    pub command: &'a [String],
    /// Names of files.
    pub needs: &'a [String],
    /// Names of files that it writes, which are left out.
    pub writes: &'a [String],
    /// All texts of options and environment.
    pub texts: Vec<&'a str>,
    /// The directories of programs; none for those of this process.
    pub search: Option<&'a str>,
    /// The working directory.
    pub directory: &'a Path,
}

/// All texts of an option.
fn texts_of<'v>(key: &'v str, value: &'v Value, texts: &mut Vec<&'v str>) {
    texts.push(key);
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(items) => items.iter().for_each(|item| texts_of("", item, texts)),
        Value::Object(entries) => entries.iter().for_each(|(key, value)| texts_of(key, value, texts)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

impl<'a> Naming<'a> {
    /// The settings of a program without `needs` and `writes`.
    #[must_use]
    pub fn new(
        command: &'a [String],
        environment: &'a BTreeMap<String, String>,
        options: &'a Map<String, Value>,
        directory: &'a Path,
    ) -> Naming<'a> {
        let mut texts: Vec<&str> = environment.values().map(String::as_str).collect();
        options.iter().for_each(|(key, value)| texts_of(key, value, &mut texts));
        let search = environment.get("PATH").map(String::as_str);
        Naming { command, needs: &[], writes: &[], texts, search, directory }
    }
}

impl Naming<'_> {
    /// The hashes of all files that the settings name, by these names. A directory stands for the files below it.
    #[must_use]
    pub fn files(&self) -> BTreeMap<String, String> {
        let mut files = BTreeMap::new();
        if let Some((program, _)) = self.command.split_first() {
            files.insert(program.clone(), hash_of(&self.program(program)));
        }
        for name in self.needs {
            match self.place(name).is_dir() {
                true => self.add(name, &mut files),
                false => drop(files.insert(name.clone(), hash_of(&self.place(name)))),
            }
        }
        for text in self.command.iter().skip(1).map(String::as_str).chain(self.texts.iter().copied()) {
            names_in(text, |name| self.is_named(name)).into_iter().for_each(|at| self.add(&text[at], &mut files));
        }
        self.modules().iter().for_each(|name| self.add(name, &mut files));
        files
    }

    /// The first planned file whose content is another one now.
    #[must_use]
    pub fn changed<'f>(&self, planned: &'f BTreeMap<String, String>) -> Option<&'f str> {
        let now = self.files();
        planned.iter().find(|(name, hash)| now.get(*name) != Some(hash)).map(|(name, _)| name.as_str())
    }

    /// Named directories with too many files: these are not part of a job.
    #[must_use]
    pub fn too_large(&self) -> Vec<&str> {
        let texts = self.command.iter().skip(1).map(String::as_str).chain(self.texts.iter().copied());
        let is_large = |name: &str| self.is_directory(name) && files_below(&self.place(name)).is_none();
        texts.flat_map(|text| names_in(text, is_large).into_iter().map(|at| &text[at])).collect()
    }

    /// Whether the program is one of the machine, such as an interpreter: it is no file of the agent, and is not kept.
    #[must_use]
    pub fn is_of_machine(&self, name: &str) -> bool {
        let is_program = self.command.first().is_some_and(|program| program == name);
        is_program && (!name.contains('/') || is_outside(name) && self.is_installed(&self.original(name)))
    }

    /// Whether a program is in a place for programs, or a link as those of virtual environments.
    fn is_installed(&self, program: &Path) -> bool {
        let is_beside = |place: PathBuf| program.parent() == Some(&place);
        program.is_symlink() || is_of_system(program) || std::env::split_paths(&self.search()).any(is_beside)
    }

    /// The program as a shell finds it.
    fn program(&self, word: &str) -> PathBuf {
        if self.is_of_machine(word) && word.contains('/') {
            return self.original(word);
        }
        if word.contains('/') {
            return self.place(word);
        }
        let found = std::env::split_paths(&self.search()).map(|place| place.join(word)).find(|file| file.is_file());
        found.unwrap_or_else(|| PathBuf::from(word))
    }

    fn search(&self) -> OsString {
        self.search.map(OsString::from).or_else(|| std::env::var_os("PATH")).unwrap_or_default()
    }

    /// The place of a named file; in a sealed directory that of its kept copy.
    #[must_use]
    pub fn place(&self, name: &str) -> PathBuf {
        if is_sealed(self.directory) { self.directory.join(kept_name(name)) } else { self.original(name) }
    }

    /// The place of a named file, kept or not.
    fn original(&self, name: &str) -> PathBuf {
        match (name.strip_prefix(HOME), std::env::home_dir()) {
            (Some(name), Some(home)) => home.join(name),
            _ => self.directory.join(name),
        }
    }

    /// Whether a part of a text names files. A file that exists, but is not kept in a sealed directory, is named too.
    fn is_named(&self, name: &str) -> bool {
        let is = |place: &Path| is_file(place) || self.is_directory_at(place) && files_below(place).is_some();
        !name.is_empty() && (is(&self.place(name)) || is_outside(name) && is(&self.original(name)))
    }

    /// Whether a part of a text names a directory that is not of the machine.
    fn is_directory(&self, name: &str) -> bool {
        !name.is_empty() && self.is_directory_at(&self.place(name))
    }

    /// The working directory and those above it, and those of the machine, have other files than those of an agent.
    fn is_directory_at(&self, place: &Path) -> bool {
        let Some(place) = place.is_dir().then(|| place.canonicalize().ok()).flatten() else { return false };
        let working = self.directory.canonicalize().unwrap_or_default();
        let is_common = || [std::env::home_dir().unwrap_or_default(), std::env::temp_dir()].contains(&place);
        let is_own = place.starts_with(&working) && place != working;
        is_own || !working.starts_with(&place) && !is_of_system(&place) && !is_common()
    }

    /// Files of Python's modules that `-m` names.
    fn modules(&self) -> Vec<String> {
        let pairs = self.command.windows(2).filter(|pair| pair[0] == "-m");
        let forms = |module: String| [format!("{module}.py"), module];
        pairs.flat_map(|pair| forms(pair[1].replace('.', "/"))).filter(|name| self.is_named(name)).collect()
    }

    /// Adds a file, or the files of a directory.
    fn add(&self, name: &str, files: &mut BTreeMap<String, String>) {
        let kept = self.place(name);
        let known = if kept.exists() { kept } else { self.original(name) };
        let below = if known.is_dir() { files_below(&known).unwrap_or_default() } else { vec![PathBuf::new()] };
        for file in below {
            let name = match file.as_os_str().is_empty() {
                true => name.to_owned(),
                false => format!("{}/{}", name.trim_end_matches('/'), file.display()),
            };
            if !self.is_written(&name) {
                let hash = hash_of(&self.place(&name));
                files.insert(name, hash);
            }
        }
    }

    /// Whether the engine writes a file, or the directory that it is in.
    #[must_use]
    pub fn is_written(&self, name: &str) -> bool {
        let name = self.original(name);
        self.writes.iter().any(|written| plain(&name).starts_with(plain(&self.original(written))))
    }
}

/// A path without parts that do nothing.
fn plain(path: &Path) -> PathBuf {
    path.components().collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::engines::contents::MISSING;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    fn naming<'a>(command: &'a [String], texts: &[&'a str], directory: &'a Path) -> Naming<'a> {
        Naming { command, needs: &[], writes: &[], texts: texts.to_vec(), search: None, directory }
    }

    #[test]
    fn programs_and_files_are_known_by_their_contents() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        fs::write(at("agent.py"), "one").unwrap();
        fs::write(at("net.bin"), "two").unwrap();
        let (command, needs) = (words(&["sh", "agent.py", "--fast"]), words(&["net.bin", "other.bin"]));
        let naming = Naming { needs: &needs, ..naming(&command, &[], directory.path()) };
        let files = naming.files();
        let names: Vec<&str> = files.keys().map(String::as_str).collect();
        assert_eq!(names, ["agent.py", "net.bin", "other.bin", "sh"]);
        assert_eq!((files["other.bin"].as_str(), files["sh"].len(), files["agent.py"].len()), (MISSING, 64, 64));
        assert_eq!(naming.changed(&files), None);
        fs::write(at("agent.py"), "three").unwrap();
        assert_eq!(naming.changed(&files), Some("agent.py"));
        let of = |command: &[&str]| super::tests::naming(&words(command), &[], directory.path()).files();
        assert_eq!(of(&["no-such-program-anywhere"])["no-such-program-anywhere"], MISSING);
        assert_eq!(of(&["./agent.py"])["./agent.py"].len(), 64);
    }

    #[test]
    fn every_form_of_a_name_counts() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        for name in ["w.txt", "lib/a.py", "lib/deep/b.py", "lib/__pycache__/a.pyc", "pkg/__main__.py", "run.log"] {
            fs::create_dir_all(at(name).parent().unwrap()).unwrap();
            fs::write(at(name), name).unwrap();
        }
        let names = |command: &[&str], texts: &[&str]| {
            let command = words(&[&["sh"], command].concat());
            let mut naming = naming(&command, texts, directory.path());
            let writes = words(&["./run.log"]);
            naming.writes = &writes;
            naming.files().into_keys().filter(|name| name != "sh").collect::<Vec<_>>()
        };
        let full = at("w.txt").display().to_string();
        for command in ["w.txt", "--weights=w.txt", "-ww.txt", "-c", "cat <w.txt", "{\"net\":\"w.txt\"}"] {
            assert_eq!(names(&[command], &["w.txt"]), ["w.txt"], "{command}");
        }
        assert_eq!(names(&[&format!("--weights={full}")], &[]), [full.as_str()]);
        assert_eq!(names(&[], &["lib:/usr/lib:."]), ["lib/a.py", "lib/deep/b.py"]);
        assert_eq!(names(&["-m", "pkg"], &[]), ["pkg/__main__.py"]);
        assert_eq!(names(&["--log=run.log"], &["/proc/cpuinfo", "/dev/zero", "..", "/"]), [""; 0]);
    }
}
