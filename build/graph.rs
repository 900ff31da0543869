//! The graph of the sources: for every file what it contains, as tokens, and which other files that names.
//!
//! It is what fingerprints of jobs are made from (`src/manifest`, "code"), and what the architecture test looks for
//! circles in. Files are those that `src/lib.rs` reaches through `mod`. Comments, documentation, formatting, lints and
//! items under `#[cfg(test)]` are left out. An edge leads from a file to the one that defines a name that it uses;
//! re-exports are followed, and do not count themselves.
//!
//! A *registry* is an enum whose variants are games, networks, players or kinds of jobs. What stands in a variant of it, and in
//! an arm of a `match` whose pattern names the variant, is a part of its own: it counts where the variant is named.
//!
//! A name that a module does not show, as a macro defines it, is taken to be that module's; paths in the text of a
//! literal (`deserialize_with = "a::b"`) are paths. Not seen: names that only a macro's expansion contains, and methods that
//! are called through a `Deref`. Modules within a file are refused.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::tokens::{self, Import, Part, Parts};

/// A variant of a registry: `("GameSpec", "Othello")`.
pub type Fork = (String, String);

/// One source file.
#[derive(Debug)]
pub struct File {
    /// Path below `src`, with slashes.
    pub path: String,
    /// Its module, below the crate.
    module: Vec<String>,
    /// Its modules in other files.
    children: BTreeMap<String, usize>,
    /// What it defines.
    items: BTreeSet<String>,
    imports: Vec<Import>,
    impls: Vec<(Option<Vec<String>>, Vec<String>)>,
    /// The variants of each registry that it defines, in order.
    pub registries: Vec<(String, Vec<String>)>,
    /// The parts, the one that always counts first.
    pub parts: Vec<Part>,
}

/// Where a path leads.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    /// A module, by its file.
    Module(usize),
    /// What a file defines.
    Item(usize, String),
    /// Another crate, with the whole path.
    Foreign(Vec<String>),
}

/// An `impl` of a trait for a type of which at least one stands in another file: files of this crate.
pub type Impl = (Option<usize>, Option<usize>);

/// All sources.
#[derive(Debug)]
pub struct Graph {
    /// The files; the first is `lib.rs`.
    pub files: Vec<File>,
}

impl Graph {
    /// Reads the crate below `src`.
    ///
    /// # Panics
    /// On sources that are no Rust, or have modules within files.
    pub fn read(src: &Path, registries: &[&str]) -> Graph {
        let mut graph = Graph { files: Vec::new() };
        graph.add(src, "lib.rs", Vec::new(), registries);
        graph
    }

    fn add(&mut self, src: &Path, path: &str, module: Vec<String>, registries: &[&str]) -> usize {
        let text = std::fs::read_to_string(src.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
        let Parts { parts, modules, items, imports, registries: own, impls } = tokens::read(&text, path, registries);
        let index = self.files.len();
        let children = BTreeMap::new();
        let (path_of, module_of) = (path.to_owned(), module.clone());
        let file = File { path: path_of, module: module_of, children, items, imports, impls, registries: own, parts };
        self.files.push(file);
        let directory = match path.rsplit_once('/') {
            _ if path == "lib.rs" => String::new(),
            Some((directory, "mod.rs")) => format!("{directory}/"),
            _ => format!("{}/", path.trim_end_matches(".rs")),
        };
        for name in modules {
            let folded = format!("{directory}{name}/mod.rs");
            let child = if src.join(&folded).is_file() { folded } else { format!("{directory}{name}.rs") };
            let place = self.add(src, &child, [module.clone(), vec![name.clone()]].concat(), registries);
            self.files[index].children.insert(name, place);
        }
        index
    }

    /// Where a path that stands in a file leads; nothing for what is in no scope of its own (generics, locals).
    pub fn resolve(&self, file: usize, path: &[String]) -> Option<Target> {
        self.find(file, path, true, 0)
    }

    /// `strict` asks for names that are known; otherwise a name that a module does not show is taken for one that a macro
    /// defines there.
    fn find(&self, file: usize, path: &[String], strict: bool, depth: usize) -> Option<Target> {
        let (first, rest) = path.split_first()?;
        if depth > 40 {
            return None;
        }
        match first.as_str() {
            "crate" => self.below(0, rest, false, depth),
            "self" => self.below(file, rest, false, depth),
            "super" => self.below(self.parent(file), rest, false, depth),
            "std" | "core" | "alloc" => Some(Target::Foreign(path.to_vec())),
            _ => self.below(file, path, strict, depth),
        }
    }

    fn parent(&self, file: usize) -> usize {
        let module = &self.files[file].module;
        let parent = module.split_last().map_or(&[][..], |(_, parent)| parent);
        self.files.iter().position(|file| file.module == parent).unwrap_or(0)
    }

    /// What a path means within a module.
    fn below(&self, module: usize, path: &[String], strict: bool, depth: usize) -> Option<Target> {
        let Some((name, rest)) = path.split_first() else { return Some(Target::Module(module)) };
        if name == "super" {
            return self.below(self.parent(module), rest, false, depth);
        }
        let file = &self.files[module];
        let import = file.imports.iter().find(|import| import.name == *name);
        let is_item = file.items.contains(name);
        // A function and its module may have one name: then the end of a path means the function.
        if let Some(&child) = file.children.get(name).filter(|_| !rest.is_empty() || (import.is_none() && !is_item)) {
            return self.below(child, rest, false, depth);
        }
        if is_item {
            return Some(Target::Item(module, name.clone()));
        }
        if let Some(import) = import {
            return self.imported(module, import, rest, depth);
        }
        let globs = file.imports.iter().filter(|import| import.name == "*");
        let mut globs = globs.filter_map(|glob| self.find(module, &glob.path, false, depth + 1));
        let by_glob = globs.find_map(|target| match target {
            Target::Module(place) if place != module && depth < 40 => self.below(place, path, true, depth + 1),
            _ => None,
        });
        by_glob.or_else(|| (!strict).then(|| Target::Item(module, name.clone())))
    }

    fn imported(&self, module: usize, import: &Import, rest: &[String], depth: usize) -> Option<Target> {
        let (first, whole) = (&import.path[0], [&import.path[..], rest].concat());
        let file = &self.files[module];
        let is_local = matches!(first.as_str(), "crate" | "self" | "super" | "std" | "core" | "alloc")
            || file.children.contains_key(first)
            || file.items.contains(first)
            || file.imports.iter().any(|other| other.name == *first && other.path[0] != *first);
        if is_local { self.find(module, &whole, false, depth + 1) } else { Some(Target::Foreign(whole)) }
    }

    /// What a part of a file names: by the name in its text where that is imported.
    pub fn targets(&self, file: usize, part: usize) -> BTreeSet<(String, Target)> {
        let names = &self.files[file].parts[part].names;
        let mut found: BTreeSet<(String, Target)> = BTreeSet::new();
        found.extend(names.iter().filter_map(|path| Some((path.join("::"), self.resolve(file, path)?))));
        if part == 0 {
            found.extend(self.only_in_text(file));
        }
        found
    }

    /// Imports that no part names: what they are for stands in a literal, or in a macro.
    fn only_in_text(&self, file: usize) -> Vec<(String, Target)> {
        let File { imports, parts, .. } = &self.files[file];
        let is_named = |name: &str| parts.iter().any(|part| part.names.iter().any(|path| path[0] == name));
        let silent = imports.iter().filter(|import| !import.is_export && !is_named(&import.name));
        silent.filter_map(|import| Some((import.name.clone(), self.resolve(file, &import.path)?))).collect()
    }

    /// The files that a part of a file names, without itself.
    pub fn edges(&self, file: usize, part: usize) -> BTreeSet<usize> {
        let place = |(_, target)| match target {
            Target::Item(place, _) => Some(place),
            _ => None,
        };
        self.targets(file, part).into_iter().filter_map(place).filter(|&place| place != file).collect()
    }

    /// The implementations in a file whose trait or type another file defines.
    pub fn impls(&self, file: usize) -> BTreeSet<Impl> {
        let place = |path: &Vec<String>| match self.resolve(file, path) {
            Some(Target::Item(place, _)) => Some(place),
            _ => None,
        };
        let pair = |(of, on): &(Option<Vec<String>>, Vec<String>)| (of.as_ref().and_then(place), place(on));
        let both = self.files[file].impls.iter().map(pair);
        both.filter(|(of, on)| *on != Some(file) && (of.is_some() || on.is_some())).collect()
    }

    /// The other crates that a part of a file names.
    pub fn crates(&self, file: usize, part: usize, known: &BTreeSet<String>) -> BTreeSet<String> {
        let foreign = |(_, target)| match target {
            Target::Foreign(path) => path.into_iter().next(),
            _ => None,
        };
        let imported = self.targets(file, part).into_iter().filter_map(foreign);
        let inline =
            self.files[file].parts[part].names.iter().filter(|path| path.len() > 1).map(|path| path[0].clone());
        imported.chain(inline).filter(|name| known.contains(name)).collect()
    }

    /// What the text of a part is hashed with: its tokens, and what its imported names mean.
    pub fn content(&self, file: usize, part: usize) -> String {
        let mut content = self.files[file].parts[part].text.clone();
        for (name, target) in self.targets(file, part) {
            let meaning = match target {
                Target::Module(place) => self.files[place].path.clone(),
                Target::Item(place, _) if place == file => continue,
                Target::Item(place, item) => format!("{} {item}", self.files[place].path),
                Target::Foreign(path) => path.join("::"),
            };
            content += &format!("\n{name} = {meaning}");
        }
        content
    }
}
