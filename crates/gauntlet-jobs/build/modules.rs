//! The modules of some crates of the workspace: their items and imports, and the resolution of paths.
//!
//! Modules are those reachable from a `lib.rs` through `mod`, in files of their own or inline. Re-exports are
//! followed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use proc_macro2::TokenStream;

use crate::items::{Item, Kind};
use crate::syntax;

/// A crate of the workspace: its name in paths, and the directory of its sources.
pub type Crate = (String, PathBuf);

/// The crates with code that jobs run, this one last.
pub const CRATES: [&str; 5] = ["gauntlet-ratings", "gauntlet-games", "gauntlet-nets", "gauntlet-play", "gauntlet-jobs"];

/// The crates with code that jobs run, each with the directory of its sources.
pub fn crates(source: impl Fn(&str) -> PathBuf) -> Vec<Crate> {
    CRATES.iter().map(|name| (name.replace('-', "_"), source(name))).collect()
}

/// One module.
pub struct Module {
    /// Its path, the crate first.
    pub path: Vec<String>,
    /// Its file.
    #[cfg_attr(not(test), expect(dead_code, reason = "for the tests of the sources"))]
    pub file: PathBuf,
    /// The directory of its file, to which `include_str!` is relative.
    pub folder: PathBuf,
    parent: usize,
    children: BTreeMap<String, usize>,
    /// Its items, by name; a name may have several meanings.
    items: BTreeMap<String, Vec<usize>>,
    /// Its imports.
    pub imports: Vec<Import>,
    /// Macro calls in place of items, and the identifiers in each; the items that they define are unknown.
    calls: Vec<(usize, BTreeSet<String>)>,
    /// Its `macro_rules!`, with the identifiers in each.
    macros: BTreeMap<String, BTreeSet<String>>,
}

/// One name of a `use`.
#[derive(Debug, Clone)]
pub struct Import {
    /// The name here; `*` for all names.
    pub name: String,
    /// The imported path.
    pub path: Vec<String>,
    /// Whether it is a re-export: `pub use`.
    pub is_export: bool,
}

/// The target of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A module.
    Module(usize),
    /// Items of one name, and the rest of the path: variants, associated functions.
    Items(String, Vec<usize>, Vec<String>),
    /// An item of another package, with the whole path.
    Foreign(Vec<String>),
}

/// All modules and their items.
#[derive(Default)]
pub struct Modules {
    /// The modules.
    pub all: Vec<Module>,
    /// The items of all modules.
    pub items: Vec<Item>,
    roots: BTreeMap<String, usize>,
}

/// Maximum length of a chain of imports; longer ones are assumed to be cycles.
const DEEPEST: usize = 40;

impl Modules {
    /// Reads the crates.
    ///
    /// # Panics
    /// On sources that are missing or invalid.
    pub fn read(crates: &[Crate]) -> Modules {
        let mut modules = Modules::default();
        for (name, source) in crates {
            let root = modules.add_file(source, "lib.rs", vec![name.clone()], modules.all.len());
            modules.roots.insert(name.clone(), root);
        }
        modules
    }

    fn add_file(&mut self, source: &Path, file: &str, path: Vec<String>, parent: usize) -> usize {
        let place = source.join(file);
        let text = std::fs::read_to_string(&place).unwrap_or_else(|error| panic!("{}: {error}", place.display()));
        let folder = place.parent().unwrap_or(source).to_owned();
        let submodules = match file.rsplit_once('/') {
            _ if file == "lib.rs" => String::new(),
            Some((folder, "mod.rs")) => format!("{folder}/"),
            _ => format!("{}/", file.trim_end_matches(".rs")),
        };
        let content = syntax::file(&text, &place.display().to_string()).items;
        self.add(Origin { source, file: &place, folder, submodules }, content, path, parent)
    }

    fn add(&mut self, origin: Origin<'_>, content: Vec<syn::Item>, path: Vec<String>, parent: usize) -> usize {
        let own = self.all.len();
        let (file, folder) = (origin.file.to_owned(), origin.folder.clone());
        self.all.push(Module {
            path,
            file,
            folder,
            parent,
            children: BTreeMap::new(),
            items: BTreeMap::new(),
            imports: Vec::new(),
            calls: Vec::new(),
            macros: BTreeMap::new(),
        });
        for item in content {
            match item {
                syn::Item::Mod(module) => self.add_module(&origin, own, module),
                syn::Item::Use(found) => self.all[own].imports.extend(imports(&found)),
                other => self.add_item(own, other),
            }
        }
        own
    }

    fn add_module(&mut self, origin: &Origin<'_>, parent: usize, module: syn::ItemMod) {
        let name = module.ident.to_string();
        let path = [&self.all[parent].path[..], std::slice::from_ref(&name)].concat();
        let below = format!("{}{name}", origin.submodules);
        let child = match module.content {
            Some((_, content)) => {
                let folder = origin.folder.join(&name);
                let inner = Origin { folder, submodules: format!("{below}/"), ..*origin };
                self.add(inner, content, path, parent)
            }
            None => {
                let folded = format!("{below}/mod.rs");
                let file = if origin.source.join(&folded).is_file() { folded } else { format!("{below}.rs") };
                self.add_file(origin.source, &file, path, parent)
            }
        };
        self.all[parent].children.insert(name, child);
    }

    fn add_item(&mut self, module: usize, item: syn::Item) {
        for item in Item::all(module, item) {
            let place = self.items.len();
            let own = &mut self.all[module];
            match &item.kind {
                Kind::Named(name) => own.items.entry(name.clone()).or_default().push(place),
                Kind::Call(tokens) => own.calls.push((place, all_words(tokens.clone()))),
                Kind::Of(_) => {}
            }
            if let (Kind::Named(name), syn::Item::Macro(rules)) = (&item.kind, &item.syntax) {
                own.macros.insert(name.clone(), all_words(rules.mac.tokens.clone()));
            }
            self.items.push(item);
        }
    }

    /// The target of a path in a module; `None` for names that the module does not know: generics, the
    /// prelude. `local` are imports of the enclosing function.
    pub fn resolve(&self, module: usize, path: &[String], local: &[Import]) -> Option<Target> {
        let (first, rest) = path.split_first()?;
        if let Some(import) = local.iter().find(|import| import.name == *first) {
            return self.imported(module, import, rest, 0);
        }
        let by_glob = local.iter().filter(|import| import.name == "*");
        let by_glob = by_glob.filter_map(|glob| self.through_glob(module, glob, path, 0)).next();
        by_glob.or_else(|| self.find(module, path, true, 0))
    }

    /// With `strict`, only known names are found; otherwise an unknown name of a module is assumed to be defined by
    /// one of its macro calls.
    fn find(&self, module: usize, path: &[String], strict: bool, depth: usize) -> Option<Target> {
        let (first, rest) = path.split_first()?;
        if depth > DEEPEST {
            return None;
        }
        match first.as_str() {
            "crate" => self.below(self.roots[&self.all[module].path[0]], rest, false, depth),
            "self" => self.below(module, rest, false, depth),
            "super" => self.below(self.all[module].parent, rest, false, depth),
            "std" | "core" | "alloc" => Some(Target::Foreign(path.to_vec())),
            name => match self.roots.get(name) {
                Some(&root) => self.below(root, rest, false, depth),
                None => self.below(module, path, strict, depth),
            },
        }
    }

    /// The meaning of a path within a module.
    fn below(&self, module: usize, path: &[String], strict: bool, depth: usize) -> Option<Target> {
        let Some((name, rest)) = path.split_first() else { return Some(Target::Module(module)) };
        let own = &self.all[module];
        if name == "super" {
            return self.below(own.parent, rest, false, depth);
        }
        let import = own.imports.iter().find(|import| import.name == *name);
        let items = own.items.get(name);
        // A function and its module may share a name: then the end of a path means the function.
        let is_module = !rest.is_empty() || (import.is_none() && items.is_none());
        if let Some(&child) = own.children.get(name).filter(|_| is_module) {
            return self.below(child, rest, false, depth);
        }
        if let Some(items) = items {
            return Some(Target::Items(name.clone(), items.clone(), rest.to_vec()));
        }
        if let Some(import) = import {
            return self.imported(module, import, rest, depth);
        }
        let calls = self.calls_with(module, name);
        if !calls.is_empty() {
            return Some(Target::Items(name.clone(), calls, rest.to_vec()));
        }
        let mut globs = own.imports.iter().filter(|import| import.name == "*");
        let by_glob = globs.find_map(|glob| self.through_glob(module, glob, path, depth));
        by_glob.or_else(|| (!strict).then(|| Target::Items(name.clone(), Vec::new(), rest.to_vec())))
    }

    /// The target of a path through a `use place::*`.
    fn through_glob(&self, module: usize, glob: &Import, path: &[String], depth: usize) -> Option<Target> {
        match self.find(module, &glob.path, false, depth + 1)? {
            Target::Module(place) if place != module && depth < DEEPEST => self.below(place, path, true, depth + 1),
            Target::Items(name, items, rest) if rest.is_empty() => {
                let has_variant = |&item: &usize| self.items[item].has_variant(&path[0]);
                items.iter().any(has_variant).then(|| Target::Items(name, items, path.to_vec()))
            }
            _ => None,
        }
    }

    fn imported(&self, module: usize, import: &Import, rest: &[String], depth: usize) -> Option<Target> {
        let (first, whole) = (&import.path[0], [&import.path[..], rest].concat());
        let own = &self.all[module];
        let is_local = matches!(first.as_str(), "crate" | "self" | "super" | "std" | "core" | "alloc")
            || self.roots.contains_key(first)
            || own.children.contains_key(first)
            || own.items.contains_key(first)
            || own.imports.iter().any(|other| other.name == *first && other.path[0] != *first);
        if is_local { self.find(module, &whole, false, depth + 1) } else { Some(Target::Foreign(whole)) }
    }

    /// The macro calls of a module that may define a name: the name occurs in the call or in the macro.
    fn calls_with(&self, module: usize, name: &str) -> Vec<usize> {
        let own = &self.all[module];
        let in_macro = |call: usize| {
            let called = self.items[call].called().and_then(|path| path.last().cloned());
            called.and_then(|called| own.macros.get(&called)).is_some_and(|words| words.contains(name))
        };
        let defines = |(call, words): &&(usize, BTreeSet<String>)| words.contains(name) || in_macro(*call);
        own.calls.iter().filter(defines).map(|(call, _)| *call).collect()
    }

    /// The traits of this workspace with methods that can be called in a module.
    pub fn traits_in(&self, module: usize) -> BTreeSet<usize> {
        let own = &self.all[module];
        let mut found: BTreeSet<usize> = own.items.values().flatten().copied().collect();
        for import in &own.imports {
            match self.find(module, &import.path, false, 0) {
                Some(Target::Items(_, items, _)) => found.extend(items),
                Some(Target::Module(place)) if import.name == "*" => {
                    found.extend(self.all[place].items.values().flatten());
                }
                _ => {}
            }
        }
        found.retain(|&item| matches!(self.items[item].syntax, syn::Item::Trait(_)));
        found
    }
}

/// The location of a module's submodules.
struct Origin<'a> {
    source: &'a Path,
    file: &'a Path,
    folder: PathBuf,
    submodules: String,
}

fn all_words(tokens: TokenStream) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    syntax::words(tokens, &mut found);
    found
}

/// The names of a `use`, with their paths.
pub fn imports(found: &syn::ItemUse) -> Vec<Import> {
    let is_export = !matches!(found.vis, syn::Visibility::Inherited);
    let mut names = Vec::new();
    collect(&found.tree, &mut Vec::new(), &mut names);
    names.into_iter().map(|(name, path)| Import { name, path, is_export }).collect()
}

fn collect(tree: &syn::UseTree, path: &mut Vec<String>, found: &mut Vec<(String, Vec<String>)>) {
    let longer = |name: &syn::Ident| {
        let own = (name != "self" || path.is_empty()).then(|| name.to_string());
        path.iter().cloned().chain(own).collect::<Vec<_>>()
    };
    match tree {
        syn::UseTree::Path(inner) => {
            let mut longer = longer(&inner.ident);
            collect(&inner.tree, &mut longer, found);
        }
        syn::UseTree::Name(name) => {
            let whole = longer(&name.ident);
            found.push((whole.last().cloned().unwrap_or_default(), whole));
        }
        syn::UseTree::Rename(rename) => found.push((rename.rename.to_string(), longer(&rename.ident))),
        syn::UseTree::Glob(_) => found.push(("*".to_owned(), path.clone())),
        syn::UseTree::Group(group) => group.items.iter().for_each(|tree| collect(tree, path, found)),
    }
}
