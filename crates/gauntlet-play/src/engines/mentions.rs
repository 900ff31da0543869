//! Files that an engine seems to read and that its settings do not name: its own files mention them.
//!
//! A look at texts is no proof. It finds modules that are imported, files that are opened by a constant name, and programs
//! that a script starts.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::contents::{is_file, walk};
use super::files::Naming;
use gauntlet_games::base::files::read_regular;

/// Most files beside an engine that are looked for.
const MOST: usize = 10_000;
/// Longest file that is searched, in bytes.
const LONGEST: u64 = 8 << 20;
/// Endings of modules, which are imported without them.
const MODULES: [&str; 12] = ["py", "so", "js", "mjs", "cjs", "ts", "lua", "rb", "pl", "pm", "jl", "class"];
/// Words of lines that import modules.
const IMPORTS: [&str; 9] =
    ["import", "from", "require", "import_module", "use", "load", "include", "source", "extends"];
/// Endings of files that no engine reads: texts for people, and those that this program reads.
const OTHERS: [&str; 8] = ["md", "rst", "ipynb", "toml", "lock", "log", "lud", "def"];
/// Directories of this program, and the mark of its results under another name.
const OWN: [&str; 3] = ["results", "reports", "versions"];
const RESULTS: &str = ".gauntlet-results";

/// A file that another one mentions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// The file with the mention, or the settings.
    pub reader: String,
    /// The mentioned file.
    pub file: String,
}

impl Naming<'_> {
    /// The files in and below the working directory that the settings do not name.
    #[must_use]
    pub fn beside(&self, named: &BTreeMap<String, String>) -> Vec<PathBuf> {
        let known: HashSet<PathBuf> = named.keys().filter_map(|name| self.place(name).canonicalize().ok()).collect();
        let is_known =
            |name: &PathBuf| self.directory.join(name).canonicalize().is_ok_and(|place| known.contains(&place));
        let mut beside = files_beside(self.directory);
        beside.retain(|name| !is_known(name) && !self.is_written(&name.to_string_lossy()));
        beside
    }

    /// Those of them that the named files mention, and that these mention.
    #[must_use]
    pub fn unnamed(&self, named: &BTreeMap<String, String>) -> Vec<Mention> {
        let own = named.keys().filter(|name| !self.is_of_machine(name));
        let mut open: Vec<(String, PathBuf)> = own.map(|name| (format!("`{name}`"), self.place(name))).collect();
        let (mut beside, mut found) = (self.beside(named), Vec::new());
        let mut look = |reader: &str, words: &Words<'_>| {
            let files: Vec<PathBuf> = beside.extract_if(.., |name| words.mention(self.directory, name)).collect();
            let mention = |name: &PathBuf| Mention { reader: reader.to_owned(), file: name.display().to_string() };
            found.extend(files.iter().map(mention));
            files
        };
        let mut next = look("the command", &Words::of(self.command.join("\n").as_bytes(), true));
        loop {
            open.extend(next.into_iter().map(|name| (format!("`{}`", name.display()), self.directory.join(name))));
            let Some((reader, place)) = open.pop() else { return found };
            let has_ending = |wanted: &str| place.extension().is_some_and(|ending| ending == wanted);
            let text = if has_ending("py") { without_remarks(&read(&place)) } else { read(&place) };
            next = look(&reader, &Words::of(&text, has_ending("class")));
        }
    }
}

/// The files in and below a directory, without hidden ones and those of this program; only those in it if there are too
/// many.
fn files_beside(directory: &Path) -> Vec<PathBuf> {
    let is_passed = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with('.') || OWN.contains(&&*name) || path.join(RESULTS).exists()
    };
    let is_other = |name: &Path| name.extension().is_some_and(|ending| OTHERS.iter().any(|other| ending == *other));
    let files = walk(directory, MOST, &is_passed).or_else(|| walk(directory, MOST, &|_| true));
    let mut files = files.unwrap_or_default();
    files.retain(|name| !is_other(name) && !is_passed(&directory.join(name)));
    files
}

/// A file as bytes; empty if it is long.
fn read(file: &Path) -> Vec<u8> {
    let is_short = is_file(file) && fs::metadata(file).is_ok_and(|found| found.len() <= LONGEST);
    if is_short { read_regular(file, LONGEST).unwrap_or_default() } else { Vec::new() }
}

/// A Python text without its comments on lines of their own and without its docstrings.
fn without_remarks(text: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(text);
    let code: String = text.split("\"\"\"").step_by(2).collect();
    code.lines()
        .filter(|line| !line.trim_start().starts_with('#'))
        .flat_map(|line| [line, "\n"])
        .collect::<String>()
        .into()
}

/// The words of a file.
struct Words<'t> {
    /// Names as they may be of files.
    names: HashSet<&'t [u8]>,
    /// Names on lines that import something.
    modules: HashSet<&'t [u8]>,
}

impl<'t> Words<'t> {
    fn of(text: &'t [u8], is_compiled: bool) -> Words<'t> {
        let names = text.split(|byte| !is_of_name(*byte)).map(trimmed).filter(|word| word.len() > 1).collect();
        let modules = |line: &'t [u8]| -> Vec<&'t [u8]> { line.split(|byte| !is_of_word(*byte)).collect() };
        let is_import = |words: &Vec<&[u8]>| IMPORTS.iter().any(|import| words.contains(&import.as_bytes()));
        let lines = text.split(|byte| matches!(byte, b'\n' | b';')).map(modules);
        let modules = lines.filter(|words| is_compiled || is_import(words)).flatten().collect();
        Words { names, modules }
    }

    /// Whether a file is mentioned: by its name, as a module, or as a program.
    fn mention(&self, directory: &Path, file: &Path) -> bool {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let (stem, ending) = (name.split('.').next().unwrap_or_default(), file.extension().unwrap_or_default());
        let above = file.parent().and_then(Path::file_name).map(|above| above.to_string_lossy());
        let module = if stem == "__init__" || stem == "__main__" { above.as_deref().unwrap_or(stem) } else { stem };
        let is_module = MODULES.iter().any(|known| ending == *known) && self.modules.contains(module.as_bytes());
        let is_named =
            self.names.contains(name.as_bytes()) && (name.contains('.') || is_program(&directory.join(file)));
        is_named || is_module
    }
}

/// Whether the system can start a file.
fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(file).is_ok_and(|found| found.permissions().mode() & 0o111 != 0)
}

fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

fn is_of_name(byte: u8) -> bool {
    is_of_word(byte) || matches!(byte, b'-' | b'.')
}

/// A word without the full stops around it.
fn trimmed(word: &[u8]) -> &[u8] {
    let start = word.iter().position(|byte| *byte != b'.').unwrap_or(word.len());
    let end = word.iter().rposition(|byte| *byte != b'.').map_or(start, |at| at + 1);
    &word[start..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_read_are_found_in_the_text() {
        let directory = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let place = directory.path().join(name);
            fs::create_dir_all(place.parent().unwrap()).unwrap();
            fs::write(place, text).unwrap();
        };
        let agent = "# See README.md.\nimport json, helper\nopen('data/w.txt')\nfrom lib.deep import it\n";
        write("agent.py", &format!("\"\"\"It plays what other.py learned.\"\"\"\n  # other.py\n{agent}"));
        write("helper.py", "import far\n");
        for name in ["far.py", "data/w.txt", "lib/__init__.py", "lib/deep.py", "other.py", "README.md", "results/w.txt"]
        {
            write(name, "");
        }
        let command = ["python3", "agent.py"].map(str::to_owned);
        let naming = Naming {
            command: &command,
            needs: &[],
            writes: &[],
            texts: vec![],
            search: None,
            directory: directory.path(),
        };
        let mut found: Vec<_> = naming.unnamed(&naming.files()).into_iter().map(|it| (it.file, it.reader)).collect();
        found.sort();
        let wanted = [
            ("data/w.txt", "`agent.py`"),
            ("far.py", "`helper.py`"),
            ("helper.py", "`agent.py`"),
            ("lib/__init__.py", "`agent.py`"),
            ("lib/deep.py", "`agent.py`"),
        ];
        assert_eq!(found, wanted.map(|(file, reader)| (file.to_owned(), reader.to_owned())));
        let needs = ["helper.py", "far.py", "data", "lib"].map(str::to_owned);
        let naming = Naming { needs: &needs, ..naming };
        assert_eq!(naming.unnamed(&naming.files()), []);
        let command = ["python3", "-c", "import other"].map(str::to_owned);
        let naming = Naming { command: &command, ..naming };
        assert_eq!(naming.unnamed(&naming.files())[0].file, "other.py");
    }
}
