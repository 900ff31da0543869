//! The dependencies between source files, by the items that each names of the others, and their cycles.
//!
//! The build script's reading of the sources resolves every path to the items that it means, through all imports and
//! re-exports. Test code is excluded. Not seen are calls of methods without the name of the type or trait, and names that
//! only a macro generates.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::modules::{Crate, Modules};
use crate::walk::walk;

/// For each file, the files whose items it names, each with one such item and the item that names it. Files are named by
/// their paths below the root.
pub type Edges = BTreeMap<String, BTreeMap<String, String>>;

/// The edges between the files of some crates.
pub fn edges(root: &Path, crates: &[Crate]) -> Edges {
    let modules = Modules::read(crates);
    let file = |item: usize| {
        let file = &modules.all[modules.items[item].module].file;
        file.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/")
    };
    let mut edges = Edges::new();
    for (at, item) in modules.items.iter().enumerate() {
        let own = edges.entry(file(at)).or_default();
        for named in walk(&modules, item, &[]).parts.into_iter().flat_map(|part| part.edges) {
            if file(named) != file(at) {
                own.entry(file(named))
                    .or_insert_with(|| format!("{} names {}", item.label, modules.items[named].label));
            }
        }
    }
    edges
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
            let inner = circle.iter().flat_map(|from| edges[*from].iter().map(move |(to, names)| (*from, to, names)));
            let inner = inner.filter(|(_, to, _)| circle.contains(&***to));
            circles.push(inner.map(|(from, to, names)| format!("{from} -> {to} ({names})")).collect());
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

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// The edges between some files of a crate: paths below its `src`, with their texts.
    fn edges_of(sources: &[(&str, &str)]) -> Edges {
        let place = tempfile::tempdir().unwrap();
        for (name, text) in sources {
            let file = place.path().join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        edges(place.path(), &[("own".to_owned(), place.path().to_owned())])
    }

    #[test]
    fn paths_are_followed_to_the_files_that_define_what_they_name() {
        let edges = edges_of(&[
            ("lib.rs", "pub mod a;\npub mod b;"),
            (
                "a/mod.rs",
                "mod one;\nmod two;\n#[cfg(test)]\nmod laws;\npub use one::One;\npub use two::{Two, deep::{self, Deep}};",
            ),
            ("a/one.rs", "use super::{\n    Two,\n    deep::Deep as Low,\n};\npub struct One(Two, Low);"),
            ("a/two.rs", "pub mod deep;\n#[cfg(test)]\nmod tests {\n    use super::super::One;\n}\npub struct Two;"),
            (
                "a/two/deep.rs",
                "//! crate::a::One\npub(in crate::a) struct Deep; // super::super::One\nfn f() -> &'static str { \"crate::a::One\" }",
            ),
            ("a/laws.rs", "use super::One;\nuse crate::b::Late;"),
            (
                "b.rs",
                "#[serde(with = \"crate::a::deep::f\")]\npub struct Late;\nmod inner { use super::Late; fn g() { for _ in crate::a::One::all() {} } }",
            ),
        ]);
        let of = |file: &str| edges[file].keys().map(String::as_str).collect::<Vec<_>>();
        assert_eq!(of("a/one.rs"), ["a/two.rs", "a/two/deep.rs"]);
        assert_eq!(of("b.rs"), ["a/one.rs", "a/two/deep.rs"]);
        assert!(of("a/two.rs").is_empty() && of("a/two/deep.rs").is_empty());
        assert!(!edges.contains_key("a/laws.rs"), "only tests have it");
        assert!(circles(&edges).is_empty());
    }

    #[test]
    fn circles_are_named_by_their_files() {
        let edges = edges_of(&[
            ("lib.rs", "mod a;"),
            (
                "a/mod.rs",
                "mod w;\nmod x;\nmod y;\nmod z;\npub use x::X;\npub use y::Y;\nuse z::Z;\npub fn all() -> Z { z::of() }",
            ),
            ("a/x.rs", "use super::Y;\npub struct X(Y);"),
            ("a/y.rs", "pub struct Y;\nimpl Y { fn x(&self) -> Option<crate::a::X> { None } }"),
            ("a/z.rs", "pub struct Z;\npub fn of() -> Z { super::all() }"),
            ("a/w.rs", "use super::x::X;\nfn w(_: X) {}"),
        ]);
        let found = circles(&edges);
        assert_eq!(found[0], ["a/mod.rs -> a/z.rs (all names Z)", "a/z.rs -> a/mod.rs (of names all)"]);
        assert_eq!(found[1], ["a/x.rs -> a/y.rs (X names Y)", "a/y.rs -> a/x.rs (Y::x names X)"]);
        assert_eq!(found.len(), 2);
    }

    /// Paths go through re-exports of a module, and of the module above it.
    #[test]
    fn a_circle_through_a_re_export_is_found() {
        let edges = edges_of(&[
            ("lib.rs", "mod a;\npub use a::*;"),
            ("a/mod.rs", "mod x;\nmod y;\npub use x::{self, X};\npub use y::Y as Z;"),
            ("a/x.rs", "pub struct X(crate::Z);"),
            ("a/y.rs", "use crate::a::*;\npub struct Y(Box<x::X>);"),
        ]);
        assert_eq!(circles(&edges), [["a/x.rs -> a/y.rs (X names Y)", "a/y.rs -> a/x.rs (Y names X)"]]);
    }
}
