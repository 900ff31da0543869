//! The table of the code that jobs run, embedded in this crate; `src/code.rs` uses it for fingerprints.
//!
//! For every item: the condition of its use, and for each of its parts a hash of the text (as an index among all, in order)
//! and the items, members, variants and packages that it names.

use std::collections::{BTreeMap, BTreeSet};

use crate::items::{Item, Kind};
use crate::modules::{Crate, Import, Modules, Target};
use crate::packages;
use crate::syntax;
use crate::walk::{Fork, Part, SETTINGS, Walked, walk};

/// The enums with variants for games, networks, players, rules and job kinds; and of layers of networks, steps of their
/// inference and number formats, so that a change of one kernel concerns only networks that use it.
const REGISTRIES: [&str; 15] = [
    "GameSpec",
    "NetSpec",
    "DeepSpec",
    "PlayerSpec",
    "Guide",
    "Rule",
    "TrainSpec",
    "PlaySpec",
    "MeasureSpec",
    "JobSpec",
    "Op",
    "Step",
    "LaneStep",
    "NumberFormat",
    "FormatMatrix",
];

/// The table as JSON, from the text of a `Cargo.lock` and the sources of some crates.
pub fn table(lock: &str, crates: &[Crate]) -> String {
    let modules = Modules::read(crates);
    let names: Vec<String> = crates.iter().map(|(name, _)| name.replace('_', "-")).collect();
    let packages = packages::hashes(lock, &names);
    let table = Table::new(&modules, &packages);
    let hashes = table.hashes();
    let known: BTreeSet<&String> = hashes.iter().flatten().collect();
    let known: Vec<&String> = known.into_iter().collect();
    let items: Vec<String> = (0..modules.items.len()).map(|item| table.item(item, &hashes[item], &known)).collect();
    let forks: Vec<String> = table.forks.iter().map(|(registry, place, _)| format!("[{registry:?},{place}]")).collect();
    let packages: Vec<String> = packages.iter().map(|(name, hash)| format!("[{name:?},{hash:?}]")).collect();
    let [forks, packages] = [forks, packages].map(|rows| rows.join(","));
    let items = items.join(",\n");
    let hashes = quoted(known.into_iter().cloned());
    let modules = quoted(modules.all.iter().map(|module| module.path.join("::")));
    // Structs as lists are read in half the time of structs as objects.
    format!("[[\n{items}\n],\n[{modules}],\n[{forks}],\n[{packages}],\n[{hashes}]]\n")
}

struct Table<'a> {
    modules: &'a Modules,
    walked: Vec<Walked>,
    /// The hash of each item's own text, with bare names.
    plain: Vec<String>,
    /// All names of members, in order.
    members: Vec<String>,
    /// The variants of all registries: the enum, the index in it, the name.
    forks: Vec<(String, usize, String)>,
    packages: Vec<String>,
    /// Packages that a module imports without naming them otherwise: for their traits.
    silent: Vec<BTreeSet<String>>,
}

impl<'a> Table<'a> {
    fn new(modules: &'a Modules, packages: &BTreeMap<String, String>) -> Table<'a> {
        let mut walked: Vec<Walked> =
            modules.items.iter().map(|item| walk(modules, item, &[&REGISTRIES[..], &SETTINGS].concat())).collect();
        add_traits(modules, &mut walked);
        let plain = walked.iter().map(|one| hash(&one.text(0, |name, _| name.to_owned()))).collect();
        let member = |item: &Item| match &item.kind {
            Kind::Of(name) => name.clone(),
            _ => None,
        };
        let members: BTreeSet<String> = modules.items.iter().filter_map(member).collect();
        let (members, packages) = (members.into_iter().collect(), packages.keys().cloned().collect());
        let silent = (0..modules.all.len()).map(|module| silent(modules, module)).collect();
        Table { modules, walked, plain, members, forks: forks(modules), packages, silent }
    }

    /// The hash of each part of each item.
    fn hashes(&self) -> Vec<Vec<String>> {
        let meaning = |name: &str, items: &[usize]| {
            let plain: BTreeSet<&str> = items.iter().map(|&item| self.plain[item].as_str()).collect();
            format!("{name}#{}", plain.into_iter().collect::<Vec<_>>().join("+"))
        };
        let of_item = |walked: &Walked| (0..walked.parts.len()).map(|part| hash(&walked.text(part, meaning))).collect();
        self.walked.iter().map(of_item).collect()
    }

    /// The item with the hashes of its parts, as indices among all that are known.
    fn item(&self, at: usize, hashes: &[String], known: &[&String]) -> String {
        let (item, walked) = (&self.modules.items[at], &self.walked[at]);
        let need = match &item.kind {
            Kind::Named(_) => "\"named\"".to_owned(),
            Kind::Of(name) => {
                let of = walked.of.as_ref().map_or("null".to_owned(), list);
                let name = name.as_ref().and_then(|name| self.members.binary_search(name).ok());
                let name = name.map_or("null".to_owned(), |name| name.to_string());
                format!("{{\"member\":[{},{of},{name}]}}", list(&walked.on))
            }
            Kind::Call(_) => {
                let is_type = |&&item: &&usize| self.is_type(item);
                format!("{{\"call\":{}}}", list(&walked.on.iter().filter(is_type).copied().collect()))
            }
        };
        let place = |hash: &String| known.binary_search(&hash).expect("all hashes are known");
        let parts: Vec<String> =
            hashes.iter().enumerate().map(|(part, hash)| self.part(at, part, place(hash))).collect();
        let (module, name, parts) = (item.module, &item.label, parts.join(","));
        format!("[{module},{name:?},{need},[{parts}]]")
    }

    fn is_type(&self, item: usize) -> bool {
        let item = &self.modules.items[item];
        matches!(item.kind, Kind::Named(_)) && !matches!(item.syntax, syn::Item::Macro(_))
    }

    fn part(&self, item: usize, part: usize, hash: usize) -> String {
        let found = &self.walked[item].parts[part];
        let when: Vec<String> = found.when.iter().map(|forks| list(&self.condition(forks))).collect();
        let calls = found.calls.iter().filter_map(|name| self.members.binary_search(name).ok()).collect();
        let mut packages: BTreeSet<&String> = found.packages.iter().collect();
        if !found.calls.is_empty() {
            packages.extend(&self.silent[self.modules.items[item].module]);
        }
        let packages = packages.into_iter().filter_map(|name| self.packages.binary_search(name).ok()).collect();
        let (edges, calls, makes) = (list(&found.edges), list(&calls), list(&self.places(&found.makes)));
        format!("[[{}],{hash},{edges},{calls},{makes},{}]", when.join(","), list(&packages))
    }

    /// As [`Table::places`]; an unknown variant gets an index after the last one, which is never named.
    fn condition(&self, forks: &BTreeSet<Fork>) -> BTreeSet<usize> {
        let known = self.places(forks);
        let unknown = (known.len() < forks.len()).then_some(self.forks.len());
        known.into_iter().chain(unknown).collect()
    }

    /// Indices of variants among all.
    fn places(&self, forks: &BTreeSet<Fork>) -> BTreeSet<usize> {
        // An apparent variant may be a constant or a function.
        let place =
            |(registry, variant): &Fork| self.forks.iter().position(|(of, _, name)| of == registry && name == variant);
        forks.iter().filter_map(place).collect()
    }
}

/// Traits that a part needs for their methods alone, as they are only imported.
fn add_traits(modules: &Modules, walked: &mut [Walked]) {
    let methods = |item: usize| (item, modules.items[item].methods());
    let traits: Vec<Vec<(usize, Vec<String>)>> =
        (0..modules.all.len()).map(|module| modules.traits_in(module).into_iter().map(methods).collect()).collect();
    for (item, walked) in modules.items.iter().zip(walked) {
        for part in &mut walked.parts {
            let Part { calls, edges, .. } = part;
            let is_called = |methods: &[String]| methods.iter().any(|method| calls.contains(method));
            let called = traits[item.module].iter().filter(|(_, methods)| is_called(methods));
            edges.extend(called.map(|(item, _)| *item));
        }
    }
}

/// Every registry's variants, in order, and the structs that decide as variants do, each as its own.
fn forks(modules: &Modules) -> Vec<(String, usize, String)> {
    let mut found = Vec::new();
    for registry in REGISTRIES {
        let is_registry = |item: &&Item| matches!(&item.kind, Kind::Named(name) if name == registry);
        let mut known = modules.items.iter().filter(is_registry).filter_map(|item| match &item.syntax {
            syn::Item::Enum(found) => Some(found),
            _ => None,
        });
        let (Some(one), None) = (known.next(), known.next()) else { panic!("{registry} must be exactly one enum") };
        let variants = one.variants.iter().enumerate();
        found.extend(variants.map(|(at, variant)| (registry.to_owned(), at, variant.ident.to_string())));
    }
    for name in SETTINGS {
        let is_struct = |item: &&Item| matches!(&item.syntax, syn::Item::Struct(found) if found.ident == name);
        assert!(modules.items.iter().filter(is_struct).count() == 1, "{name} must be exactly one struct");
        found.push((name.to_owned(), 0, name.to_owned()));
    }
    found
}

/// The packages from which a module imports names without further use, as it only calls methods of their traits.
fn silent(modules: &Modules, module: usize) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for item in modules.items.iter().filter(|item| item.module == module) {
        syntax::words(quote::ToTokens::to_token_stream(&item.syntax), &mut words);
    }
    let imports = modules.all[module].imports.iter();
    let silent = imports.filter(|import| !import.is_export && !words.contains(&import.name));
    let package = |import: &Import| match modules.resolve(module, &import.path, &[]) {
        Some(Target::Foreign(_)) | None => Some(import.path[0].clone()),
        _ => None,
    };
    silent.filter_map(package).collect()
}

fn hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex()[..32].to_owned()
}

fn quoted(texts: impl Iterator<Item = String>) -> String {
    texts.map(|text| format!("{text:?}")).collect::<Vec<_>>().join(",")
}

fn list(numbers: &BTreeSet<usize>) -> String {
    let numbers: Vec<String> = numbers.iter().map(usize::to_string).collect();
    format!("[{}]", numbers.join(","))
}
