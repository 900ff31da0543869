//! Which code a job runs: a hash of the sources that it can reach, fixed when this was built.
//!
//! The build script reads all sources as tokens, without comments, documentation, lints and tests (`build/graph.rs`).
//! Beginning with the function that does a job (`ROOTS`), the closure takes every file that defines what a counted part
//! of another one names, and every file that implements a counted trait for a counted type. Registries do not pull in
//! siblings: what stands in a variant and in its arms counts only for jobs whose spec names the variant, or where counted
//! code makes it. So adding a game makes no other game's job stale, and changing one only those that play it.
//!
//! Of other packages those count that the closure names, with all that they depend on, by their entries in
//! `Cargo.lock`. Left out on purpose: schemars, thiserror and tracing, which describe, word and log; the compiler and its
//! settings; names that only a macro's expansion contains.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{LazyLock, Mutex, PoisonError};

use serde::Serialize;
use serde_json::json;

use super::variants::{Variant, variants};
use crate::manifest::JobSpec;
use gauntlet_games::base::Key;

/// The files where every job begins.
const ROOTS: [&str; 1] = ["scheduler/job.rs"];

static CODE: Code = include!(concat!(env!("OUT_DIR"), "/code.rs"));

/// All sources of this program.
struct Code {
    files: &'static [File],
    /// The variants of all registries: the enum's name and the place in it.
    forks: &'static [(&'static str, u32)],
    /// Direct dependencies, each with a hash of all packages that it brings.
    crates: &'static [(&'static str, &'static str)],
}

/// A source file.
struct File {
    /// Below `src`.
    path: &'static str,
    parts: &'static [Part],
    /// Implementations: the files of trait and type, where they are of this program.
    impls: &'static [(Option<usize>, Option<usize>)],
}

/// A part of a file that counts under one condition.
struct Part {
    /// Alternatives, each of which is that all of these variants are named. Empty: it always counts.
    when: &'static [&'static [usize]],
    hash: &'static str,
    /// The files that it names.
    edges: &'static [usize],
    /// The variants that it makes.
    makes: &'static [usize],
    /// The crates that it names.
    crates: &'static [usize],
}

/// The fingerprint of the code that a job runs.
#[must_use]
pub fn fingerprint(spec: &JobSpec) -> Key {
    static KNOWN: LazyLock<Mutex<BTreeMap<BTreeSet<usize>, Key>>> = LazyLock::new(Mutex::default);
    let named = named(&variants(spec));
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    *known.entry(named).or_insert_with_key(|named| Key::of("code", &json!(Closure::of(named).covered())))
}

/// What the fingerprint of a job covers: by file of `src` the hashes of the parts that count, and by crate the hash of the
/// packages that it brings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Covered {
    /// Files and the hashes of their parts.
    pub files: BTreeMap<&'static str, Vec<&'static str>>,
    /// Crates and their hashes.
    pub crates: BTreeMap<&'static str, &'static str>,
}

/// What the fingerprint of a job covers.
#[must_use]
pub fn covered(spec: &JobSpec) -> Covered {
    Closure::of(&named(&variants(spec))).covered()
}

/// The fingerprint of all sources, for reports.
#[must_use]
pub fn program() -> Key {
    let parts = |file: &'static File| (file.path, file.parts.iter().map(|part| part.hash).collect::<Vec<_>>());
    Key::of("program", &json!(CODE.files.iter().map(parts).collect::<Vec<_>>()))
}

/// The registered variants among those that a spec consists of.
fn named(variants: &BTreeSet<Variant>) -> BTreeSet<usize> {
    let is_named = |fork: &(&'static str, u32)| variants.contains(fork);
    CODE.forks.iter().enumerate().filter(|(_, fork)| is_named(fork)).map(|(place, _)| place).collect()
}

/// What a job reaches.
struct Closure {
    named: BTreeSet<usize>,
    files: BTreeSet<usize>,
}

impl Closure {
    /// The smallest set with the roots that is closed under what counted parts name, make and implement.
    fn of(named: &BTreeSet<usize>) -> Closure {
        let roots = CODE.files.iter().enumerate().filter(|(_, file)| ROOTS.contains(&file.path));
        let mut closure = Closure { named: named.clone(), files: roots.map(|(place, _)| place).collect() };
        while closure.grow() {}
        closure
    }

    /// Whether there was more to take.
    fn grow(&mut self) -> bool {
        let before = (self.named.len(), self.files.len());
        let parts: Vec<&Part> = self.files.iter().flat_map(|&file| self.parts(file)).collect();
        for part in parts {
            self.named.extend(part.makes);
            self.files.extend(part.edges);
        }
        let is_known = |place: Option<usize>| place.is_none_or(|place| self.files.contains(&place));
        let implements = |file: &File| file.impls.iter().any(|&(of, on)| is_known(of) && is_known(on));
        let found: Vec<usize> =
            CODE.files.iter().enumerate().filter(|(_, file)| implements(file)).map(|(at, _)| at).collect();
        self.files.extend(found);
        before != (self.named.len(), self.files.len())
    }

    /// The parts of a file that count.
    fn parts(&self, file: usize) -> impl Iterator<Item = &'static Part> {
        let counts = |part: &&Part| {
            part.when.is_empty() || part.when.iter().any(|forks| forks.iter().all(|fork| self.named.contains(fork)))
        };
        CODE.files[file].parts.iter().filter(counts)
    }

    fn covered(&self) -> Covered {
        let parts = |&file: &usize| {
            let hashes = self.parts(file).map(|part| part.hash).collect();
            (CODE.files[file].path, hashes)
        };
        let crates = self.files.iter().flat_map(|&file| self.parts(file)).flat_map(|part| part.crates);
        let crates = crates.map(|&place| CODE.crates[place]).collect();
        Covered { files: self.files.iter().map(parts).collect(), crates }
    }
}
