//! From a file to a manifest as written: includes, the profile and the command line, laid over each other.

use std::collections::BTreeMap;

use super::source::{Problem, Problems, Sources};
use super::tree::{self, Entry, Node, Table, Value};
use super::written::Written;

/// What the command line changes.
#[derive(Debug, Clone, Default)]
pub struct Overrides {
    /// `--profile`; the default is `laptop` where the manifest has it.
    pub profile: Option<String>,
    /// `--set key=value`, in order.
    pub set: Vec<(String, String)>,
    /// `--seeds`: a count or a list, as TOML.
    pub seeds: Option<String>,
}

impl Overrides {
    /// Whether anything beyond the choice of a profile is changed, which makes the result `custom`.
    #[must_use]
    pub fn custom(&self) -> bool {
        !self.set.is_empty() || self.seeds.is_some()
    }
}

/// The profile used when none is named.
pub const DEFAULT_PROFILE: &str = "laptop";

/// Where manifests and what they include come from.
pub trait Shelf {
    /// The text of a manifest file by its name (relative to the directory of manifests or as typed).
    ///
    /// # Errors
    /// A sentence for people.
    fn text(&self, name: &str) -> Result<String, String>;
}

/// A manifest read with all its texts.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The manifest as written.
    pub written: Written,
    /// The profile it was read at: a name of its own, `custom`, or `base` where it has no profiles.
    pub profile: String,
    /// All texts, for problems found later.
    pub sources: Sources,
}

/// Loads a manifest.
///
/// # Errors
/// Every problem of the file in one go.
pub fn load(shelf: &dyn Shelf, name: &str, overrides: &Overrides) -> Result<Loaded, Problems> {
    let mut sources = Sources::default();
    let mut problems = Vec::new();
    let text =
        shelf.text(name).map_err(|message| Problems::new(Sources::default(), vec![Problem::general(message)]))?;
    let (main, mut found) = tree::parse(&mut sources, name, &text);
    problems.append(&mut found);
    let mut root = with_includes(shelf, name, main, &mut sources, &mut problems);
    let profile = lay_profile(&mut root, overrides, &mut problems);
    lay_command_line(&mut root, overrides, &mut sources, &mut problems);
    super::files::put_in_place(&mut root, &|file| read_include(shelf, name, file), &mut problems);
    let written = Written::read(&root, &mut problems);
    match written {
        Some(written) if problems.is_empty() => Ok(Loaded { written, profile, sources }),
        _ => Err(Problems::new(sources, problems)),
    }
}

/// What the file includes, with the file laid over it. Included files include nothing themselves.
fn with_includes(
    shelf: &dyn Shelf,
    name: &str,
    mut main: Table,
    sources: &mut Sources,
    problems: &mut Vec<Problem>,
) -> Table {
    let mut below = Table::default();
    let Some(include) = main.remove("include") else { return main };
    let Value::List(items) = &include.value else {
        problems.push(Problem::at(include.span, "`include` is a list of file names"));
        return main;
    };
    for item in items {
        let Some(file) = item.text() else {
            problems.push(Problem::at(item.span.clone(), "a file name is a string"));
            continue;
        };
        match read_include(shelf, name, file) {
            Ok((path, text)) => {
                let (table, mut found) = tree::parse(sources, &path, &text);
                problems.append(&mut found);
                below.merge(table);
            }
            Err(message) => problems.push(Problem::at(item.span.clone(), message)),
        }
    }
    below.merge(main);
    below
}

fn read_include(shelf: &dyn Shelf, name: &str, file: &str) -> Result<(String, String), String> {
    if file.split(['/', '\\']).any(|part| part == ".." || part.is_empty()) {
        return Err(format!("`{file}` would leave the manifest's directory"));
    }
    let directory = name.rsplit_once('/').map_or(String::new(), |(directory, _)| format!("{directory}/"));
    let path = format!("{directory}{file}");
    shelf.text(&path).map(|text| (path, text))
}

/// Lays the chosen profile over the root and returns the name that results go under.
fn lay_profile(root: &mut Table, overrides: &Overrides, problems: &mut Vec<Problem>) -> String {
    let profiles = root.get("profile").and_then(Node::table).cloned().unwrap_or_default();
    let known: Vec<&str> = profiles.entries().iter().map(|entry| entry.key.as_str()).collect();
    let wanted = overrides.profile.as_deref().unwrap_or(DEFAULT_PROFILE);
    let name = match profiles.get(wanted) {
        Some(Node { value: Value::Table(changes), .. }) => {
            lay_paths(root, changes);
            wanted.to_owned()
        }
        Some(node) => {
            problems.push(Problem::at(node.span.clone(), format!("profile `{wanted}` is a table")));
            wanted.to_owned()
        }
        None if overrides.profile.is_some() => {
            problems.push(Problem::general(format!("there is no profile `{wanted}`")).nearest(wanted, known));
            wanted.to_owned()
        }
        None => "base".to_owned(),
    };
    if overrides.custom() { "custom".to_owned() } else { name }
}

/// Lays a table over the root; quoted keys with dots are paths like unquoted ones.
fn lay_paths(root: &mut Table, changes: &Table) {
    let mut unquoted = Table::default();
    for entry in changes.entries() {
        match entry.key.split_once('.') {
            Some(_) => root.set(&entry.key, &entry.key_span, entry.node.value.clone()),
            None => unquoted.insert(entry.clone()),
        }
    }
    root.merge(unquoted);
}

fn lay_command_line(root: &mut Table, overrides: &Overrides, sources: &mut Sources, problems: &mut Vec<Problem>) {
    for (key, value) in &overrides.set {
        let text = format!("{key} = {value}");
        let start = sources.add("--set", &text);
        root.set(key, &(start..start + key.len()), tree::parse_value(value));
    }
    let Some(seeds) = &overrides.seeds else { return };
    let start = sources.add("--seeds", seeds);
    let span = start..start + seeds.len();
    let Some(Node { value: Value::Table(stages), .. }) = root.get_mut("stages") else {
        problems.push(Problem::at(span, "there are no stages to give seeds to"));
        return;
    };
    let names: Vec<String> = stages.entries().iter().map(|entry| entry.key.clone()).collect();
    for name in names {
        if let Some(Node { value: Value::Table(stage), .. }) = stages.get_mut(&name)
            && stage.get("from").is_none()
        {
            let node = Node { span: span.clone(), value: tree::parse_value(seeds) };
            stage.insert(Entry { key: "seeds".to_owned(), key_span: span.clone(), node });
        }
    }
}

/// Manifests held in memory, by name: what is embedded in the binary, and what tests use.
impl Shelf for BTreeMap<String, String> {
    fn text(&self, name: &str) -> Result<String, String> {
        self.get(name).cloned().ok_or_else(|| format!("there is no manifest `{name}`"))
    }
}
