//! The dependencies between source files, by the names that each uses of the others, and their cycles.
//!
//! The analysis reads words with little grammar. A path is followed to the file that defines its item, through modules
//! and through every `use` on the way; a file with only a re-export is not an end of a path. Items under
//! `#[cfg(test)]` and test-only modules are excluded. Limits:
//!
//! * a method call without the name of the type, and an `impl` of a type outside the file of that type: only paths
//!   that lead to the type count;
//! * names that a macro generates, and code of `include!`;
//! * scopes: names of a function or of an inline module hold for the whole file;
//! * a re-exported name (`pub use`) that the same file uses, if it is a trait and only its methods occur.

use std::collections::{BTreeMap, BTreeSet};

/// A module's path below `crate`.
type Module = Vec<String>;

/// For each file, the files whose items it names, each with one such path.
pub type Edges = BTreeMap<String, BTreeMap<String, String>>;

/// A `use` of one name.
struct Use {
    path: Vec<String>,
    /// Its name here; `*` for a glob.
    name: String,
    /// Whether it may be a re-export only.
    exported: bool,
}

/// The contents of a file.
#[derive(Default)]
struct File {
    name: String,
    module: Module,
    uses: Vec<Use>,
    /// Its items, outside of functions and types.
    items: BTreeSet<String>,
    /// Modules in files of their own.
    children: BTreeSet<String>,
    /// Paths in its code.
    paths: Vec<Vec<String>>,
    words: BTreeSet<String>,
}

/// The edges between these sources: paths below `src` with their texts.
pub fn edges(sources: &BTreeMap<String, String>) -> Edges {
    let (mut files, mut tests) = (BTreeMap::new(), Vec::new());
    for (name, text) in sources.iter().filter(|(name, _)| *name != "main.rs") {
        let module = module_of(name);
        let (code, only_tests) = without_tests(&words(text));
        tests.extend(only_tests.into_iter().map(|child| [&module[..], &[child]].concat()));
        files.insert(module.clone(), File::read(name, module, &code));
    }
    files.retain(|module, _| !tests.iter().any(|test| module.starts_with(test)));
    files.values().map(|file| (file.name.clone(), file.edges(&files))).collect()
}

/// The cycles: files that reach each other, each described by its edges within the cycle.
pub fn circles(edges: &Edges) -> Vec<Vec<String>> {
    let reached: BTreeMap<&str, BTreeSet<&str>> = edges.keys().map(|file| (&**file, reach(edges, file))).collect();
    let mut known: BTreeSet<&str> = BTreeSet::new();
    let mut circles = Vec::new();
    for (file, others) in &reached {
        let circle: BTreeSet<&str> = others.iter().copied().filter(|other| reached[other].contains(file)).collect();
        if !circle.is_empty() && known.insert(file) {
            known.extend(&circle);
            let inner = circle.iter().flat_map(|from| edges[*from].iter().map(move |(to, path)| (*from, to, path)));
            let inner = inner.filter(|(_, to, _)| circle.contains(&***to));
            circles.push(inner.map(|(from, to, path)| format!("{from} -> {to} ({path})")).collect());
        }
    }
    circles
}

/// The files that a file reaches by at least one edge.
fn reach<'a>(edges: &'a Edges, start: &'a str) -> BTreeSet<&'a str> {
    let (mut left, mut known) = (vec![start], BTreeSet::new());
    while let Some(file) = left.pop() {
        let next = edges.get(file).into_iter().flat_map(BTreeMap::keys);
        left.extend(next.map(String::as_str).filter(|next| known.insert(*next)));
    }
    known
}

/// The module of a file.
fn module_of(name: &str) -> Module {
    let path = name.trim_end_matches(".rs");
    let path = path.strip_suffix("/mod").unwrap_or(path);
    path.split('/').filter(|part| *part != "lib").map(str::to_owned).collect()
}

/// The words and signs of a text without comments. Literals are excluded, except those that are paths (`serde` takes
/// paths in strings).
fn words(text: &str) -> Vec<&str> {
    let (mut words, mut rest) = (Vec::new(), text.trim_start());
    while !rest.is_empty() {
        let literal = quoted(rest);
        let length = comment(rest).or(literal).unwrap_or_else(|| word(rest));
        let (word, behind) = rest.split_at(length);
        if literal.is_some() {
            let inner = word.trim_matches('"');
            let is_path = inner.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | ':'));
            if is_path && ["crate::", "super::", "self::"].iter().any(|start| inner.starts_with(start)) {
                words.extend(self::words(inner));
                words.push(";");
            }
        } else if comment(rest).is_none() {
            words.push(word);
        }
        rest = behind.trim_start();
    }
    words
}

/// The length of the comment at the start of a text.
fn comment(text: &str) -> Option<usize> {
    if text.starts_with("//") {
        return Some(text.find('\n').unwrap_or(text.len()));
    }
    let (mut at, mut depth) = (text.starts_with("/*").then_some(2)?, 1);
    while depth > 0 && at < text.len() {
        let (step, change) = match &text.as_bytes()[at..] {
            [b'/', b'*', ..] => (2, 1),
            [b'*', b'/', ..] => (2, -1),
            _ => (1, 0),
        };
        (at, depth) = (at + step, depth + change);
    }
    Some(at)
}

/// The length of the literal in quotes, or of the lifetime, at the start of a text.
fn quoted(text: &str) -> Option<usize> {
    let plain = text.trim_start_matches(['b', 'c']);
    let prefix = text.len() - plain.len();
    if let Some(raw) = plain.strip_prefix('r') {
        let hashes = raw.len() - raw.trim_start_matches('#').len();
        let inner = raw[hashes..].strip_prefix('"').filter(|_| prefix < 2)?;
        let end = format!("\"{}", "#".repeat(hashes));
        return Some(prefix + hashes + 2 + inner.find(&end).map_or(inner.len(), |at| at + end.len()));
    }
    let quote = plain.chars().next().filter(|c| matches!(c, '"' | '\'') && prefix < 2)?;
    let mut letters = plain.char_indices().skip(1).peekable();
    let first = letters.peek().copied()?.1;
    let closes = |(at, _): (usize, char)| plain[at..].chars().nth(1) == Some('\'');
    if quote == '\'' && first != '\\' && !letters.peek().copied().is_some_and(closes) {
        return Some(prefix + 1 + word(&plain[1..]));
    }
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => drop(letters.next()),
            letter if letter == quote => return Some(prefix + at + 1),
            _ => {}
        }
    }
    Some(text.len())
}

/// The length of the word, number or sign at the start of a text.
fn word(text: &str) -> usize {
    let length = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    match length {
        0 if text.starts_with("::") => 2,
        0 => text.chars().next().map_or(0, char::len_utf8),
        length => length,
    }
}

/// The words outside of test-only items, and the test-only modules in other files.
fn without_tests<'a>(words: &[&'a str]) -> (Vec<&'a str>, Vec<String>) {
    const TEST: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
    let (mut code, mut modules, mut rest) = (Vec::new(), Vec::new(), words);
    while let [word, behind @ ..] = rest {
        let Some(item) = rest.strip_prefix(&TEST) else {
            code.push(*word);
            rest = behind;
            continue;
        };
        rest = behind_item(item);
        if let [.., "mod", name, ";"] = item[..item.len() - rest.len()] {
            modules.push(name.to_owned());
        }
    }
    (code, modules)
}

/// The words after the item, field or variant at the start of some words, with or without attributes before it.
fn behind_item<'w, 'a>(words: &'w [&'a str]) -> &'w [&'a str] {
    const ITEMS: [&str; 9] = ["fn", "impl", "struct", "enum", "trait", "type", "const", "static", "mod"];
    let (mut depth, mut is_item) = (0, false);
    for (at, word) in words.iter().enumerate() {
        is_item |= depth == 0 && ITEMS.contains(word);
        match *word {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" if depth == 0 => return &words[at..],
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        // A comma ends a field or a variant; in an item it separates types.
        if depth == 0 && (matches!(*word, "}" | ";") || *word == "," && !is_item) {
            return &words[at + 1..];
        }
    }
    &[]
}

impl File {
    fn read(name: &str, module: Module, code: &[&str]) -> File {
        let mut file = File { name: name.to_owned(), module, ..File::default() };
        // The depths at which inline modules started.
        let (mut inner, mut depth, mut at) = (Vec::new(), 0, 0);
        while at < code.len() {
            let before = at.checked_sub(1).map_or("", |before| code[before]);
            match code[at] {
                "use" if before != "::" => {
                    let mut found = Vec::new();
                    at = read_use(code, at + 1, &[], &mut found);
                    let exported = matches!(before, "pub" | ")");
                    let within = |path| outside(path, inner.len());
                    file.uses.extend(found.into_iter().map(|(path, name)| Use { path: within(path), name, exported }));
                    continue;
                }
                "mod" if code.get(at + 2) == Some(&";") => {
                    file.children.insert(code[at + 1].to_owned());
                    at += 3;
                    continue;
                }
                "mod" if code.get(at + 2) == Some(&"{") => inner.push(depth),
                "{" => depth += 1,
                "}" => {
                    depth -= 1;
                    inner.pop_if(|start| *start == depth);
                }
                _ => {}
            }
            if depth == inner.len() || code[at] == "mod" {
                file.items.extend(item(&code[at..]));
            }
            file.words.insert(code[at].to_owned());
            // A path in `pub(in ...)` does not use its target.
            let is_visibility = before == "in" && at > 1 && code[at - 2] == "(";
            if before != "::" && !is_visibility {
                let path = outside(path(&code[at..]), inner.len());
                file.paths.extend(Some(path).filter(|path| path.len() > 1 && path[0] != "Self"));
            }
            at += 1;
        }
        file
    }

    /// The files whose items this one names, each with such a path.
    fn edges(&self, files: &BTreeMap<Module, File>) -> BTreeMap<String, String> {
        let mut edges = BTreeMap::new();
        let mut add = |path: &[String]| {
            for module in self.resolve(path, files, &mut BTreeSet::new()) {
                if let Some(file) = files.get(&module).filter(|_| module != self.module) {
                    edges.entry(file.name.clone()).or_insert_with(|| path.join("::"));
                }
            }
        };
        for used in &self.uses {
            let is_here = !used.exported || self.words.contains(&used.name);
            // The uses of a module are found by the paths that start with it.
            let is_module = self.absolute(&used.path).is_some_and(|path| files.contains_key(&path));
            if is_here && (used.name == "*" || !is_module) {
                add(&used.path);
            }
        }
        self.paths.iter().for_each(|path| add(path));
        edges
    }

    /// The path below `crate`; `None` for one that starts with another crate or with a name.
    fn absolute(&self, path: &[String]) -> Option<Vec<String>> {
        let rest = |count: usize| path[count..].to_vec();
        match &*path[0] {
            "crate" => Some(rest(1)),
            "self" => Some([self.module.clone(), rest(1)].concat()),
            "super" => {
                let up = path.iter().take_while(|part| *part == "super").count();
                Some([self.module[..self.module.len().checked_sub(up)?].to_vec(), rest(up)].concat())
            }
            child if self.children.contains(child) => Some([&self.module[..], path].concat()),
            _ => None,
        }
    }

    /// The modules whose files define the target of a path: several if a name is a module and an item.
    fn resolve(
        &self,
        path: &[String],
        files: &BTreeMap<Module, File>,
        seen: &mut BTreeSet<(Module, String)>,
    ) -> Vec<Module> {
        let Some(path) = self.absolute(path) else {
            return self.imported(&path[0], &path[1..], files, seen).unwrap_or_default();
        };
        let end = (0..=path.len()).rev().find(|&end| files.contains_key(&path[..end])).unwrap_or(0);
        let Some(file) = files.get(&path[..end]) else { return Vec::new() };
        match path.get(end) {
            Some(name) if !file.items.contains(name) => {
                let found = file.imported(name, &path[end + 1..], files, seen);
                found.unwrap_or_else(|| vec![file.module.clone()])
            }
            _ => vec![file.module.clone()],
        }
    }

    /// The target of an imported name, followed by the rest of a path.
    fn imported(
        &self,
        name: &String,
        rest: &[String],
        files: &BTreeMap<Module, File>,
        seen: &mut BTreeSet<(Module, String)>,
    ) -> Option<Vec<Module>> {
        if self.items.contains(name) || !seen.insert((self.module.clone(), name.clone())) {
            return None;
        }
        let named = self.uses.iter().filter(|used| used.name == *name).map(|used| [&used.path[..], rest].concat());
        let named: Vec<_> = named.collect();
        if !named.is_empty() {
            return Some(named.iter().flat_map(|path| self.resolve(path, files, seen)).collect());
        }
        let globs = self.uses.iter().filter(|used| used.name == "*" && self.absolute(&used.path).is_some());
        let there = |used: &Use| -> Vec<Module> {
            let path = [&used.path[..], std::slice::from_ref(name), rest].concat();
            let found = self.resolve(&path, files, seen);
            found.into_iter().filter(|module| files[module].items.contains(name)).collect()
        };
        Some(globs.flat_map(there).collect()).filter(|found: &Vec<Module>| !found.is_empty())
    }
}

/// Reads one branch of a `use` after `prefix`, and returns the index after it.
fn read_use(code: &[&str], mut at: usize, prefix: &[String], found: &mut Vec<(Vec<String>, String)>) -> usize {
    let mut path = prefix.to_vec();
    loop {
        match code[at] {
            "{" => {
                at += 1;
                while code[at] != "}" {
                    at = read_use(code, at, &path, found);
                    at += usize::from(code[at] == ",");
                }
                return at + 1;
            }
            "*" => {
                found.push((path, "*".to_owned()));
                return at + 1;
            }
            "::" => {
                at += 1;
                continue;
            }
            "self" if !path.is_empty() => {}
            part => path.push(part.to_owned()),
        }
        at += 1;
        match code[at] {
            "::" => at += 1,
            "as" => {
                found.push((path, code[at + 1].to_owned()));
                return at + 2;
            }
            _ => {
                let name = path.last().cloned().unwrap_or_default();
                found.push((path, name));
                return at;
            }
        }
    }
}

/// The path at the start of some words.
fn path(words: &[&str]) -> Vec<String> {
    let is_name = |word: &str| word.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let mut path: Vec<String> = Vec::new();
    let mut rest = words;
    while let [name, behind @ ..] = rest
        && is_name(name)
    {
        path.push((*name).to_owned());
        let Some(behind) = behind.strip_prefix(&["::"]) else { break };
        rest = behind;
    }
    path
}

/// A path in an inline module at depth `depth`, as the file itself would write it.
fn outside(mut path: Vec<String>, depth: usize) -> Vec<String> {
    let up = path.iter().take_while(|part| *part == "super").count().min(depth);
    path.drain(..up);
    if up > 0 && path.first().is_some_and(|part| part != "super") {
        path.insert(0, "self".to_owned());
    }
    path
}

/// The name of the item whose keyword is at the start of some words.
fn item(words: &[&str]) -> Option<String> {
    match words {
        ["fn" | "struct" | "enum" | "trait" | "type" | "const" | "static" | "mod" | "union", name, ..] => {
            Some((*name).to_owned())
        }
        ["macro_rules", "!", name, ..] => Some((*name).to_owned()),
        _ => None,
    }
}

#[test]
fn paths_are_followed_to_the_files_that_define_what_they_name() {
    let sources = [
        ("lib.rs", "pub mod a;\npub mod b;"),
        (
            "a/mod.rs",
            "mod one;\nmod two;\n#[cfg(test)]\nmod laws;\npub use one::One;\npub use two::{Two, deep::{self, Deep}};",
        ),
        ("a/one.rs", "use super::{\n    Two,\n    deep::Deep as Low,\n};\npub struct One(Two, Low);"),
        ("a/two.rs", "pub mod deep;\n#[cfg(test)]\nmod tests {\n    use super::super::One;\n}\npub struct Two;"),
        (
            "a/two/deep.rs",
            "//! crate::a::One\npub(in crate::a) struct Deep; // super::super::One\nfn f() -> &'static str { \"crate::a::One as text\" }",
        ),
        ("a/laws.rs", "use super::One;\nuse crate::b::Late;"),
        (
            "b.rs",
            "#[serde(with = \"crate::a::deep::f\")]\npub struct Late;\nmod inner { use super::Late; fn g() { for _ in crate::a::One::all() {} } }",
        ),
    ];
    let edges = edges(&sources.map(|(name, text)| (name.to_owned(), text.to_owned())).into());
    let of = |file: &str| edges[file].keys().map(String::as_str).collect::<Vec<_>>();
    assert_eq!(of("a/one.rs"), ["a/two.rs", "a/two/deep.rs"]);
    assert_eq!(of("b.rs"), ["a/one.rs", "a/two/deep.rs"]);
    for none in ["lib.rs", "a/mod.rs", "a/two.rs", "a/two/deep.rs"] {
        assert!(of(none).is_empty(), "{none}: {:?}", of(none));
    }
    assert!(!edges.contains_key("a/laws.rs"), "only tests have it");
    assert!(circles(&edges).is_empty());
}

#[test]
fn circles_are_named_by_their_files() {
    let sources = [
        ("a/mod.rs", "mod x;\nmod y;\nmod z;\npub use x::X;\npub use y::Y;\nuse z::Z;\npub fn all() -> Z { z::of() }"),
        ("a/x.rs", "use super::Y;\npub struct X(Y);"),
        ("a/y.rs", "pub struct Y;\nimpl Y { fn x(&self) -> Option<crate::a::X> { None } }"),
        ("a/z.rs", "pub struct Z;\npub fn of() -> Z { super::all() }"),
        ("a/w.rs", "use super::x::X;\nfn w(_: X) {}"),
    ];
    let edges = edges(&sources.map(|(name, text)| (name.to_owned(), text.to_owned())).into());
    let found = circles(&edges);
    assert_eq!(found[0], ["a/mod.rs -> a/z.rs (z::Z)", "a/z.rs -> a/mod.rs (super::all)"]);
    assert_eq!(found[1], ["a/x.rs -> a/y.rs (super::Y)", "a/y.rs -> a/x.rs (crate::a::X)"]);
    assert_eq!(found.len(), 2);
}

#[test]
fn words_are_read_without_comments_and_literals() {
    let text = "a::b/* x /* y */ z */('c', b'\\'', 'l, \"s \\\" s\", r#\"raw \" w\"#, br\"x\") // end\n1..2 r#type";
    assert_eq!(words(text).join(" "), "a :: b ( , , , , , ) 1 . . 2 r # type");
}
