//! One source file as tokens: its parts, its imports and what it defines.

use std::collections::BTreeSet;
use std::mem::take;

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

use crate::graph::Fork;
use crate::trees::{
    angle_end, attribute, clean, has_bar, inner, is_arrow, is_assignment, is_braces, is_item_border, is_path_mark,
    is_punct, is_word, marks, path_at, split_guard, type_path, word,
};

/// What a file consists of.
#[derive(Debug, Default)]
pub struct Parts {
    /// The parts, the one that always counts first.
    pub parts: Vec<Part>,
    /// Names of its modules in other files.
    pub modules: Vec<String>,
    /// Names of what it defines.
    pub items: BTreeSet<String>,
    /// What it imports.
    pub imports: Vec<Import>,
    /// The variants of each registry that it defines, in order.
    pub registries: Vec<(String, Vec<String>)>,
    /// Its implementations: paths of trait and type.
    pub impls: Vec<(Option<Vec<String>>, Vec<String>)>,
}

/// A part of a file that counts under one condition.
#[derive(Debug, Default)]
pub struct Part {
    /// Alternatives, each of which is that all of these variants are named. Empty: it always counts.
    pub when: Vec<BTreeSet<Fork>>,
    /// Its tokens.
    pub text: String,
    /// The paths in it.
    pub names: BTreeSet<Vec<String>>,
    /// The variants of registries that it makes.
    pub makes: BTreeSet<Fork>,
}

/// One name of a `use`.
#[derive(Debug, Clone)]
pub struct Import {
    /// What it is called here; `*` for all names.
    pub name: String,
    /// Where it comes from.
    pub path: Vec<String>,
    /// Whether others can see it: `pub use`.
    pub is_export: bool,
}

/// Reads a file.
///
/// # Panics
/// On a text that is no Rust, or has a module within.
pub fn read(text: &str, path: &str, registries: &[&str]) -> Parts {
    let stream: TokenStream = text.parse().unwrap_or_else(|error| panic!("{path}: {error}"));
    let mut reader = Reader { path, registries, found: Parts::default(), own: None };
    reader.found.parts.push(Part::default());
    let trees = clean(stream);
    reader.items(&trees);
    reader.walk(&trees, 0, false);
    reader.found
}

/// The path that a literal holds: `"super::share"`, as attributes of serde do.
fn quoted_path(literal: &str) -> Option<Vec<String>> {
    let path: Vec<String> = literal.strip_prefix('"')?.strip_suffix('"')?.split("::").map(str::to_owned).collect();
    let is_name = |name: &String| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    (path.len() > 1 && path.iter().all(is_name)).then_some(path)
}

struct Reader<'a> {
    path: &'a str,
    registries: &'a [&'a str],
    found: Parts,
    /// The registry whose `impl` is read.
    own: Option<String>,
}

impl Reader<'_> {
    /// What the file defines.
    fn items(&mut self, trees: &[TokenTree]) {
        const KINDS: [&str; 9] = ["struct", "enum", "trait", "fn", "const", "static", "type", "union", "macro_rules"];
        for at in 0..trees.len() {
            if word(Some(&trees[at])).is_some_and(|kind| KINDS.contains(&kind.as_str())) {
                let name = word(trees.get(at + 1)).or_else(|| word(trees.get(at + 2)));
                self.found.items.extend(name);
            }
        }
    }

    /// Reads tokens into a part; in a pattern nothing is made.
    fn walk(&mut self, trees: &[TokenTree], part: usize, is_pattern: bool) {
        let mut at = 0;
        while at < trees.len() {
            at = match &trees[at] {
                TokenTree::Ident(name) => self.ident(&name.to_string(), trees, at, part, is_pattern),
                TokenTree::Group(group) => {
                    self.group(group, part, is_pattern);
                    at + 1
                }
                other => {
                    let text = other.to_string();
                    self.put(part, &text);
                    self.found.parts[part].names.extend(quoted_path(&text));
                    at + 1
                }
            };
        }
    }

    fn put(&mut self, part: usize, token: &str) {
        let text = &mut self.found.parts[part].text;
        text.push_str(token);
        text.push(' ');
    }

    fn group(&mut self, group: &Group, part: usize, is_pattern: bool) {
        let (open, close) = marks(group);
        self.put(part, open);
        let mut trees = inner(group);
        // Formatting adds and removes the last comma; that of a tuple of one means something.
        let commas = trees.iter().filter(|tree| is_punct(tree, ',')).count();
        if trees.last().is_some_and(|tree| is_punct(tree, ',')) && (commas > 1 || open != "(") {
            trees.pop();
        }
        self.walk(&trees, part, is_pattern);
        self.put(part, close);
    }

    /// One word and what belongs to it; where to go on.
    fn ident(&mut self, name: &str, trees: &[TokenTree], at: usize, part: usize, is_pattern: bool) -> usize {
        let special = match name {
            "pub" | "use" | "mod" => self.declaration(trees, at),
            "enum" => self.registry(trees, at),
            "impl" => self.implementation(trees, at, part),
            "match" if !is_pattern => self.decision(trees, at, part),
            "let" => Some(self.binding(trees, at, part)),
            "matches" => self.question(trees, at, part, is_pattern),
            _ => None,
        };
        special.unwrap_or_else(|| self.path(trees, at, part, is_pattern))
    }

    /// `enum Registry { ... }`.
    fn registry(&mut self, trees: &[TokenTree], at: usize) -> Option<usize> {
        let registry = word(trees.get(at + 1)).filter(|name| self.registries.contains(&name.as_str()))?;
        let Some(TokenTree::Group(body)) = trees.get(at + 2) else { return None };
        self.variants(&registry, &inner(body));
        Some(at + 3)
    }

    /// `match value { ... }`.
    fn decision(&mut self, trees: &[TokenTree], at: usize, part: usize) -> Option<usize> {
        let end = at + trees[at..].iter().position(is_braces)?;
        let TokenTree::Group(arms) = &trees[end] else { return None };
        self.put(part, "match");
        self.walk(&trees[at + 1..end], part, false);
        self.arms(&inner(arms), part);
        Some(end + 1)
    }

    /// `let pattern`.
    fn binding(&mut self, trees: &[TokenTree], at: usize, part: usize) -> usize {
        let end = (at + 1..trees.len()).find(|&end| is_assignment(trees, end)).unwrap_or(trees.len());
        self.put(part, "let");
        self.walk(&trees[at + 1..end], part, true);
        end
    }

    /// `matches!(value, pattern)`.
    fn question(&mut self, trees: &[TokenTree], at: usize, part: usize, is_pattern: bool) -> Option<usize> {
        let is_macro = trees.get(at + 1).is_some_and(|tree| is_punct(tree, '!'));
        let Some(TokenTree::Group(group)) = trees.get(at + 2).filter(|_| is_macro) else { return None };
        let asked = inner(group);
        let comma = asked.iter().position(|tree| is_punct(tree, ',')).unwrap_or(asked.len());
        self.put(part, "matches!");
        self.walk(&asked[..comma], part, is_pattern);
        self.walk(&asked[comma..], part, true);
        Some(at + 3)
    }

    fn path(&mut self, trees: &[TokenTree], at: usize, part: usize, is_pattern: bool) -> usize {
        let (path, end) = path_at(trees, at);
        // A field or a method is no name of the file.
        let is_member = at > 0 && is_punct(&trees[at - 1], '.') && !(at > 1 && is_punct(&trees[at - 2], '.'));
        self.put(part, &path.join(" :: "));
        let is_keyword = path.len() == 1 && ["self", "Self", "super", "crate"].contains(&path[0].as_str());
        if !is_member && !is_keyword {
            let fork = self.fork(&path);
            let part = &mut self.found.parts[part];
            part.makes.extend(fork.filter(|_| !is_pattern));
            part.names.insert(path);
        }
        end
    }

    /// The variant of a registry that a path ends with.
    fn fork(&self, path: &[String]) -> Option<Fork> {
        let [.., registry, variant] = path else { return None };
        let own = if registry == "Self" { self.own.as_ref()? } else { registry };
        let is_variant = variant.starts_with(char::is_uppercase);
        (is_variant && self.registries.contains(&own.as_str())).then(|| (own.clone(), variant.clone()))
    }

    /// Imports and modules are no part of any text.
    fn declaration(&mut self, trees: &[TokenTree], at: usize) -> Option<usize> {
        let is_export = is_word(&trees[at], "pub");
        let seen =
            matches!(trees.get(at + 1), Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis);
        let start = if is_export { at + 1 + usize::from(seen) } else { at };
        let end = start + trees[start..].iter().position(|tree| is_punct(tree, ';'))?;
        match word(trees.get(start))?.as_str() {
            "use" => {
                let mut found = Vec::new();
                imports(&trees[start + 1..end], &mut Vec::new(), &mut found);
                let imports = found.into_iter().map(|(name, path)| Import { name, path, is_export });
                self.found.imports.extend(imports);
                Some(end + 1)
            }
            "mod" => {
                assert!(end == start + 2, "{}: a module within a file", self.path);
                self.found.modules.extend(word(trees.get(start + 1)));
                Some(end + 1)
            }
            _ => None,
        }
    }

    /// Each variant is a part.
    fn variants(&mut self, registry: &str, body: &[TokenTree]) {
        self.put(0, registry);
        let mut names = Vec::new();
        for variant in body.split(|tree| is_punct(tree, ',')).filter(|variant| !variant.is_empty()) {
            let mut at = 0;
            while let Some((_, next)) = attribute(variant, at) {
                at = next;
            }
            let name = word(variant.get(at)).unwrap_or_else(|| panic!("{}: a variant of {registry}", self.path));
            let part = self.part(vec![[(registry.to_owned(), name.clone())].into()]);
            self.walk(variant, part, true);
            names.push(name);
        }
        self.found.registries.push((registry.to_owned(), names));
    }

    fn part(&mut self, when: Vec<BTreeSet<Fork>>) -> usize {
        let known = self.found.parts.iter().position(|part| part.when == when);
        known.unwrap_or_else(|| {
            self.found.parts.push(Part { when, ..Part::default() });
            self.found.parts.len() - 1
        })
    }

    /// Arms whose pattern names variants of registries are parts, unless they stand in one already.
    fn arms(&mut self, trees: &[TokenTree], part: usize) {
        let mut at = 0;
        while at < trees.len() {
            let Some(arrow) = (at..trees.len()).find(|&arrow| is_arrow(trees, arrow)) else {
                return self.walk(&trees[at..], part, false);
            };
            let body = arrow + 2;
            let end = match trees.get(body) {
                Some(tree) if is_braces(tree) => body + 1,
                _ => (body..trees.len()).find(|&end| is_punct(&trees[end], ',')).unwrap_or(trees.len()),
            };
            let (pattern, guard) = split_guard(&trees[at..arrow]);
            let when = self.condition(pattern);
            let own = if part == 0 && !when.is_empty() { self.part(when) } else { part };
            self.walk(pattern, own, true);
            self.walk(guard, own, false);
            self.put(own, "=>");
            self.walk(&trees[body..end], own, false);
            at = end + usize::from(trees.get(end).is_some_and(|tree| is_punct(tree, ',')));
        }
    }

    /// Under which variants a pattern fits; empty if it may fit under any.
    fn condition(&self, pattern: &[TokenTree]) -> Vec<BTreeSet<Fork>> {
        let alternatives = pattern.split(|tree| is_punct(tree, '|'));
        let when: Vec<BTreeSet<Fork>> = alternatives
            .map(|alternative| {
                let mut forks = BTreeSet::new();
                self.forks(alternative, &mut forks);
                forks
            })
            .collect();
        // Alternatives within brackets are not told apart.
        let is_flat = !pattern.iter().any(|tree| matches!(tree, TokenTree::Group(group) if has_bar(group)));
        if is_flat && when.iter().all(|forks| !forks.is_empty()) { when } else { Vec::new() }
    }

    fn forks(&self, trees: &[TokenTree], found: &mut BTreeSet<Fork>) {
        let mut at = 0;
        while at < trees.len() {
            match &trees[at] {
                TokenTree::Group(group) => self.forks(&inner(group), found),
                TokenTree::Ident(_) => {
                    let (path, end) = path_at(trees, at);
                    found.extend(self.fork(&path));
                    at = end;
                    continue;
                }
                _ => {}
            }
            at += 1;
        }
    }

    /// `impl<...> Trait for Type where ... { ... }`; nothing for `impl Trait` in a type.
    fn implementation(&mut self, trees: &[TokenTree], at: usize, part: usize) -> Option<usize> {
        if part != 0 || at > 0 && !(is_braces(&trees[at - 1]) || is_item_border(&trees[at - 1])) {
            return None;
        }
        let body = at + trees[at..].iter().position(is_braces)?;
        let mut head = &trees[at + 1..body];
        if head.first().is_some_and(|tree| is_punct(tree, '<')) {
            head = &head[angle_end(head)..];
        }
        let head = head.split(|tree| is_word(tree, "where")).next()?;
        // `for<'a>` belongs to a bound.
        let is_for = |place: &usize| {
            is_word(&head[*place], "for") && !head.get(place + 1).is_some_and(|tree| is_punct(tree, '<'))
        };
        let (of, on) = match (0..head.len()).find(is_for) {
            Some(place) => (Some(type_path(&head[..place])), type_path(&head[place + 1..])),
            None => (None, type_path(head)),
        };
        let outer = take(&mut self.own);
        self.own = on.last().filter(|name| self.registries.contains(&name.as_str())).cloned();
        self.found.impls.push((of, on));
        self.put(part, "impl");
        self.walk(&trees[at + 1..=body], part, false);
        self.own = outer;
        Some(body + 1)
    }
}

/// The names of a `use` with their paths.
fn imports(trees: &[TokenTree], path: &mut Vec<String>, found: &mut Vec<(String, Vec<String>)>) {
    for one in trees.split(|tree| is_punct(tree, ',')).filter(|one| !one.is_empty()) {
        let (own, length) = (one, path.len());
        let mut at = if is_path_mark(own, 0) { 2 } else { 0 };
        while at < own.len() {
            match &own[at] {
                TokenTree::Ident(name) if name == "as" => {
                    let alias = word(own.get(at + 1)).unwrap_or_default();
                    found.pop();
                    found.push((alias, path.clone()));
                    break;
                }
                TokenTree::Ident(name) => {
                    let name = name.to_string();
                    if name != "self" || path.is_empty() {
                        path.push(name);
                    }
                    if !is_path_mark(own, at + 1) {
                        found.push((path.last().cloned().unwrap_or_default(), path.clone()));
                    }
                }
                TokenTree::Group(group) => imports(&inner(group), path, found),
                TokenTree::Punct(mark) if mark.as_char() == '*' => found.push(("*".to_owned(), path.clone())),
                _ => {}
            }
            at += 1;
        }
        path.truncate(length);
    }
}
