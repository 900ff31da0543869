//! The graph of the sources as a table that the program carries: `src/manifest/plan/code.rs` says what becomes of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use crate::graph::{Fork, Graph};
use crate::packages;

/// The enums whose variants are games, networks, players, laws of search and kinds of jobs.
const REGISTRIES: [&str; 7] = ["PlayerSpec", "Guide", "Rule", "TrainSpec", "PlaySpec", "MeasureSpec", "JobSpec"];

/// The code of a `Code { files, forks, crates }`.
pub fn embedded(root: &Path) -> String {
    let graph = Graph::read(&root.join("src"), &REGISTRIES);
    let lock = std::fs::read_to_string(root.join("Cargo.lock")).unwrap_or_default();
    let crates = packages::hashes(&lock, "gauntlet");
    let forks = forks(&graph);
    let table = Table { known: crates.keys().cloned().collect(), graph: &graph, forks: &forks };
    let mut code = String::from("Code { files: &[");
    for file in 0..graph.files.len() {
        code += &table.file(file);
    }
    code += "], forks: &[";
    for (registry, variants) in &forks {
        for index in 0..variants.len() {
            write!(code, "({registry:?}, {index}),").expect("strings can be written");
        }
    }
    write!(code, "], crates: &{:?} }}", crates.into_iter().collect::<Vec<_>>()).expect("strings can be written");
    code
}

/// The hash of a part of a file.
fn hash(graph: &Graph, file: usize, part: usize) -> String {
    blake3::hash(graph.content(file, part).as_bytes()).to_hex()[..32].to_owned()
}

/// Every registry with its variants.
fn forks(graph: &Graph) -> BTreeMap<String, Vec<String>> {
    let forks: BTreeMap<_, _> = graph.files.iter().flat_map(|file| file.registries.iter().cloned()).collect();
    let missing: Vec<_> = REGISTRIES.iter().filter(|name| !forks.contains_key(**name)).collect();
    assert!(missing.is_empty(), "registries that are nowhere: {missing:?}");
    forks
}

struct Table<'a> {
    graph: &'a Graph,
    forks: &'a BTreeMap<String, Vec<String>>,
    known: BTreeSet<String>,
}

impl Table<'_> {
    fn file(&self, file: usize) -> String {
        let parts: String = (0..self.graph.files[file].parts.len()).map(|part| self.part(file, part)).collect();
        let impls: Vec<_> = self.graph.impls(file).into_iter().collect();
        format!("File {{ path: {:?}, parts: &[{parts}], impls: &{impls:?} }},\n", self.graph.files[file].path)
    }

    fn part(&self, file: usize, part: usize) -> String {
        let hash = hash(self.graph, file, part);
        let found = &self.graph.files[file].parts[part];
        let when: String = found.when.iter().map(|forks| format!("&{:?},", self.places(forks))).collect();
        let (edges, makes) = (self.graph.edges(file, part), self.places(&found.makes));
        let place = |name: &String| self.known.iter().position(|known| known == name).expect("it is known");
        let crates: Vec<usize> = self.graph.crates(file, part, &self.known).iter().map(place).collect();
        let edges: Vec<usize> = edges.into_iter().collect();
        format!(
            "Part {{ when: &[{when}], hash: {hash:?}, edges: &{edges:?}, makes: &{makes:?}, crates: &{crates:?} }},"
        )
    }

    /// Variants by their places among all.
    fn places(&self, forks: &BTreeSet<Fork>) -> Vec<usize> {
        let place = |(registry, variant): &Fork| {
            let before = self.forks.range(..registry.clone()).map(|(_, variants)| variants.len()).sum::<usize>();
            // What looks like a variant may be a constant or a function.
            self.forks[registry].iter().position(|known| known == variant).map(|place| before + place)
        };
        forks.iter().filter_map(place).collect()
    }
}
