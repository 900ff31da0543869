//! Test of licences: `.deny.toml` allows the licence of every package that the program or its tests are built from.
//!
//! It works offline, as all built packages are downloaded. Without Cargo the test is skipped with a message.

use std::collections::BTreeSet;
use std::process::Command;

/// The allowed licences.
fn allowed() -> BTreeSet<String> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/.deny.toml");
    let table: toml::Table = std::fs::read_to_string(path).unwrap().parse().unwrap();
    let list = table["licenses"]["allow"].as_array().unwrap();
    list.iter().map(|licence| licence.as_str().unwrap().to_owned()).collect()
}

/// Whether a licence expression can be satisfied: `MIT OR Apache-2.0`, `(MIT OR Zlib) AND Unicode-3.0`, `MIT/Apache-2.0`.
fn is_allowed(expression: &str, allowed: &BTreeSet<String>) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let mut words = spaced.split_whitespace().peekable();
    let verdict = either(&mut words, allowed);
    verdict && words.next().is_none()
}

type Words<'a> = std::iter::Peekable<std::str::SplitWhitespace<'a>>;

fn either(words: &mut Words<'_>, allowed: &BTreeSet<String>) -> bool {
    let mut verdict = both(words, allowed);
    while words.next_if_eq(&"OR").is_some() {
        verdict |= both(words, allowed);
    }
    verdict
}

fn both(words: &mut Words<'_>, allowed: &BTreeSet<String>) -> bool {
    let mut verdict = one(words, allowed);
    while words.next_if_eq(&"AND").is_some() {
        verdict &= one(words, allowed);
    }
    verdict
}

fn one(words: &mut Words<'_>, allowed: &BTreeSet<String>) -> bool {
    if words.next_if_eq(&"(").is_some() {
        let verdict = either(words, allowed);
        return words.next() == Some(")") && verdict;
    }
    let Some(name) = words.next() else { return false };
    match words.next_if_eq(&"WITH") {
        None => allowed.contains(name),
        Some(_) => words.next().is_some_and(|exception| allowed.contains(&format!("{name} WITH {exception}"))),
    }
}

#[test]
fn every_package_has_an_allowed_licence() {
    check(".");
}

#[test]
fn every_package_of_the_native_module_has_an_allowed_licence() {
    check("python/native");
}

/// Checks the packages of a workspace.
fn check(folder: &str) {
    let cargo = std::env::var_os("CARGO").unwrap_or("cargo".into());
    let arguments = ["tree", "--offline", "--locked", "--prefix", "none", "--format", "{l}|{p}"];
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let output = Command::new(cargo).args(arguments).current_dir(folder).output();
    let Some(output) = output.ok().filter(|output| output.status.success()) else {
        eprintln!("skipped: cargo cannot list the packages here");
        return;
    };
    let text = String::from_utf8(output.stdout).unwrap();
    let packages: BTreeSet<(&str, &str)> = text.lines().filter_map(|line| line.split_once('|')).collect();
    assert!(packages.len() > 100, "cargo names only {} packages", packages.len());
    let allowed = allowed();
    let refused: Vec<_> = packages.iter().filter(|(licence, _)| !is_allowed(licence, &allowed)).collect();
    assert!(refused.is_empty(), "licences that .deny.toml does not allow: {refused:#?}");
}

#[test]
fn expressions_are_read_as_they_are_meant() {
    let allowed: BTreeSet<String> = ["MIT", "Zlib", "Apache-2.0 WITH LLVM-exception"].map(str::to_owned).into();
    for yes in ["MIT", "GPL-3.0 OR MIT", "MIT/GPL-3.0", "(GPL-3.0 OR MIT) AND Zlib", "Apache-2.0 WITH LLVM-exception"] {
        assert!(is_allowed(yes, &allowed), "{yes}");
    }
    for no in ["", "GPL-3.0", "MIT AND GPL-3.0", "MIT AND (GPL-3.0 OR Apache-2.0)", "Apache-2.0", "MIT Zlib", "(MIT"] {
        assert!(!is_allowed(no, &allowed), "{no}");
    }
}
