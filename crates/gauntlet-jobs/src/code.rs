//! Code fingerprints: a hash of the source items that a job can reach, fixed at build time.
//!
//! The build script reads the sources of this crate and of those below it as items, without comments, documentation, lints and
//! tests (`build/code.rs`). The closure begins with the function that executes a job (`ROOT`). It includes every item
//! that an included item names: functions, types, traits, constants, macros. A member of an `impl` is included if its
//! type and trait are, and included code calls something by its name. An `impl` of another package's trait is included
//! with its type. A registry does not include all its entries: a variant and its match arms are included only for jobs
//! whose spec names the variant, or if included code constructs it. So a new game invalidates no results of other
//! games, and a change to a game only results of that game. In the same way, a statement `if let Some(Clock { .. }) = …`
//! is included only for jobs with a clock.
//!
//! A fingerprint does not depend on layout: not on names of files, modules and crates, the order of items or
//! visibility. A name stands for the item that it resolves to.
//!
//! Other packages are included if the closure names them and they compute numbers (`build/packages.rs` has the list), with
//! their dependencies of this kind, by their entries in `Cargo.lock`. Deliberately excluded: packages that only describe,
//! format, store and log; the compiler and its settings; names that occur only in a macro's expansion.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{LazyLock, Mutex, OnceLock, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::JobSpec;
use crate::variants::{Variant, variants};
use gauntlet_games::base::Key;

/// The entry point of every job: its module and its name.
const ROOT: (&str, &str) = ("gauntlet_jobs::execute", "execute");

static CODE: LazyLock<Code> = LazyLock::new(|| {
    let table = include_str!(concat!(env!("OUT_DIR"), "/code.json"));
    Code::read(table).expect("the build script writes a table of this form")
});

/// All code that jobs run, as the build script reads it.
#[derive(Debug, Deserialize)]
pub struct Code {
    items: Vec<Item>,
    /// The paths of all modules.
    modules: Vec<String>,
    /// The variants of all registries: the enum's name and the variant's index.
    forks: Vec<(String, u32)>,
    /// Direct dependencies, each with a hash of all packages that it pulls in.
    packages: Vec<(String, String)>,
    /// The hashes of all parts, in order.
    hashes: Vec<String>,
    #[serde(skip)]
    start: OnceLock<(Watchers, Reached)>,
}

#[derive(Debug, Deserialize)]
struct Item {
    /// The index of its module.
    module: usize,
    name: String,
    need: Need,
    parts: Vec<Part>,
}

/// The condition under which an item is included.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Need {
    /// An included item names it.
    Named,
    /// A member of an `impl`. It is included if its type, its trait and a call of its name are. The type: one of its
    /// workspace items, if any. The trait: if it is of this workspace. The call: if the member has a name and the trait
    /// is not of another package.
    Member { on: Vec<usize>, of: Option<Vec<usize>>, name: Option<usize> },
    /// A macro call that defines items: included if one of these items is named, or an item inside the call is
    /// included.
    Call(Vec<usize>),
}

/// A part of an item that is included under one condition.
#[derive(Debug, Deserialize)]
struct Part {
    /// Alternatives; each requires that all of its variants are named. Empty: always included.
    when: Vec<Vec<usize>>,
    /// The index of its hash.
    hash: usize,
    /// The items that it names.
    edges: Vec<usize>,
    /// The member names that it calls.
    calls: Vec<usize>,
    /// The variants that it constructs.
    makes: Vec<usize>,
    /// The packages that it names.
    packages: Vec<usize>,
}

/// The fingerprint of the code that a job runs.
#[must_use]
pub fn fingerprint(spec: &JobSpec) -> Key {
    static KNOWN: LazyLock<Mutex<BTreeMap<BTreeSet<usize>, Key>>> = LazyLock::new(Mutex::default);
    let named = CODE.named(&variants(spec));
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    *known.entry(named).or_insert_with_key(|named| Closure::of(&CODE, named).fingerprint())
}

/// The items and packages that the fingerprint of a job covers.
#[must_use]
pub fn covered(spec: &JobSpec) -> Covered<'static> {
    CODE.covered(spec)
}

/// The fingerprint of all code that jobs run, for reports.
#[must_use]
pub fn program() -> Key {
    Key::of("program", &json!(CODE.hashes))
}

/// The items and packages that the fingerprint of a job covers: items with the hashes of their included parts, packages
/// with the hash of everything that they pull in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Covered<'a> {
    /// By module and name, items and the hashes of their parts.
    pub items: BTreeMap<&'a str, BTreeMap<&'a str, Vec<&'a str>>>,
    /// Packages and their hashes.
    pub packages: BTreeMap<&'a str, &'a str>,
}

impl Covered<'_> {
    /// The fingerprint: a hash of the contents, without the names.
    #[must_use]
    pub fn fingerprint(&self) -> Key {
        let hashes: BTreeSet<&str> = self.items.values().flat_map(BTreeMap::values).flatten().copied().collect();
        fingerprint_of(hashes.into_iter(), &self.packages)
    }
}

/// The key of some hashes, in order, and of packages.
fn fingerprint_of<'a>(hashes: impl Iterator<Item = &'a str>, packages: &BTreeMap<&str, &str>) -> Key {
    Key::of("code", &json!([hashes.collect::<String>(), packages]))
}

impl Code {
    /// Reads the table that the build script wrote.
    ///
    /// # Errors
    /// If the text is not such a table.
    pub fn read(table: &str) -> Result<Code, serde_json::Error> {
        serde_json::from_str(table)
    }

    /// The items and packages that the fingerprint of a job covers in these sources.
    #[must_use]
    pub fn covered(&self, spec: &JobSpec) -> Covered<'_> {
        Closure::of(self, &self.named(&variants(spec))).covered()
    }

    /// The registered variants among those that a spec contains.
    fn named(&self, variants: &BTreeSet<Variant>) -> BTreeSet<usize> {
        let is_named = |(name, at): &(String, u32)| variants.contains(&(name.as_str(), *at));
        self.forks.iter().enumerate().filter(|(_, fork)| is_named(fork)).map(|(place, _)| place).collect()
    }
}

/// The items that may become included after another one: the edges of [`Need`] and of [`Part::when`], inverted.
#[derive(Debug)]
struct Watchers {
    /// By item: the members and macro calls that depend on it.
    of_item: Vec<Vec<usize>>,
    /// By member name: the members of this name.
    of_call: Vec<Vec<usize>>,
    /// By variant: the items with a part that depends on it.
    of_variant: Vec<Vec<usize>>,
}

impl Watchers {
    fn of(code: &Code) -> Watchers {
        let parts = || code.items.iter().flat_map(|item| &item.parts);
        let calls = parts().flat_map(|part| &part.calls).max().map_or(0, |last| last + 1);
        // Edited sources may name variants that no registry has.
        let named = parts().flat_map(|part| part.when.iter().flatten().chain(&part.makes)).max();
        let variants = code.forks.len().max(named.map_or(0, |last| last + 1));
        let mut watchers = Watchers {
            of_item: vec![Vec::new(); code.items.len()],
            of_call: vec![Vec::new(); calls],
            of_variant: vec![Vec::new(); variants],
        };
        for (place, item) in code.items.iter().enumerate() {
            match &item.need {
                Need::Named => {}
                Need::Call(items) => items.iter().for_each(|&on| watchers.of_item[on].push(place)),
                Need::Member { on, of, name } => {
                    on.iter().chain(of.iter().flatten()).for_each(|&on| watchers.of_item[on].push(place));
                    let watched = name.and_then(|name| watchers.of_call.get_mut(name));
                    watched.into_iter().for_each(|watchers| watchers.push(place));
                }
            }
            let variants: BTreeSet<usize> = item.parts.iter().flat_map(|part| &part.when).flatten().copied().collect();
            variants.into_iter().for_each(|variant| watchers.of_variant[variant].push(place));
        }
        watchers
    }
}

/// The items, members and variants that are included.
#[derive(Debug, Clone, Default)]
struct Reached {
    named: BTreeSet<usize>,
    /// Whether each item is included.
    items: Vec<bool>,
    /// Whether each member name is called.
    calls: Vec<bool>,
}

/// The items and packages that a job reaches.
struct Closure<'a> {
    code: &'a Code,
    reached: Reached,
    /// Included items whose parts are not yet followed.
    open: Vec<usize>,
}

impl<'a> Closure<'a> {
    /// The smallest set that contains the root and everything that included parts name, call, construct and implement,
    /// with these variants. It contains that of no variants, which is found once.
    fn of(code: &'a Code, named: &BTreeSet<usize>) -> Closure<'a> {
        let (watchers, common) = code.start.get_or_init(|| {
            let watchers = Watchers::of(code);
            let common = Closure::common(code, &watchers).reached;
            (watchers, common)
        });
        let mut closure = Closure { code, reached: common.clone(), open: Vec::new() };
        named.iter().for_each(|&variant| closure.name(variant, watchers));
        closure.complete(watchers);
        closure
    }

    /// The set of a job without variants.
    fn common(code: &'a Code, watchers: &Watchers) -> Closure<'a> {
        let (items, calls) = (vec![false; code.items.len()], vec![false; watchers.of_call.len()]);
        let reached = Reached { named: BTreeSet::new(), items, calls };
        let mut closure = Closure { code, reached, open: Vec::new() };
        let is_root = |item: &Item| (code.modules[item.module].as_str(), item.name.as_str()) == ROOT;
        let root = code.items.iter().position(is_root);
        closure.take(root.unwrap_or_else(|| panic!("{ROOT:?} is not where this program looks for it")), watchers);
        // Members of types of other packages depend on no item of this workspace.
        (0..code.items.len()).for_each(|item| closure.reconsider(item, watchers));
        closure.complete(watchers);
        closure
    }

    fn complete(&mut self, watchers: &Watchers) {
        while let Some(item) = self.open.pop() {
            self.follow(item, watchers);
        }
    }

    /// Names a variant: parts of included items may now count.
    fn name(&mut self, variant: usize, watchers: &Watchers) {
        if self.reached.named.insert(variant) {
            let with_parts = watchers.of_variant[variant].iter();
            self.open.extend(with_parts.filter(|&&item| self.reached.items[item]));
        }
    }

    /// Includes an item, and the items whose last missing condition it was.
    fn take(&mut self, item: usize, watchers: &Watchers) {
        if !std::mem::replace(&mut self.reached.items[item], true) {
            self.open.push(item);
            watchers.of_item[item].iter().for_each(|&waiting| self.reconsider(waiting, watchers));
        }
    }

    fn reconsider(&mut self, item: usize, watchers: &Watchers) {
        if !self.reached.items[item] && self.needs(&self.code.items[item].need) {
            self.take(item, watchers);
        }
    }

    /// Includes everything that the included parts of an item refer to.
    fn follow(&mut self, item: usize, watchers: &Watchers) {
        let counted: Vec<&Part> = self.parts(item).collect();
        for part in counted {
            part.edges.iter().for_each(|&edge| self.take(edge, watchers));
            for &call in &part.calls {
                if !std::mem::replace(&mut self.reached.calls[call], true) {
                    watchers.of_call[call].iter().for_each(|&member| self.reconsider(member, watchers));
                }
            }
            part.makes.iter().for_each(|&variant| self.name(variant, watchers));
        }
    }

    fn needs(&self, need: &Need) -> bool {
        let has_any = |items: &[usize]| items.iter().any(|&item| self.reached.items[item]);
        match need {
            Need::Named => false,
            Need::Call(items) => has_any(items),
            Need::Member { on, of, name } => {
                let is_foreign = of.as_ref().is_some_and(Vec::is_empty);
                // The name first: most members of a type are never called.
                (is_foreign || name.is_none_or(|name| self.reached.calls.get(name).is_some_and(|called| *called)))
                    && (on.is_empty() || has_any(on))
                    && of.as_ref().is_none_or(|of| of.is_empty() || has_any(of))
            }
        }
    }

    /// The included parts of an item.
    fn parts(&self, item: usize) -> impl Iterator<Item = &'a Part> {
        let counts = |part: &&Part| {
            part.when.is_empty()
                || part.when.iter().any(|forks| forks.iter().all(|fork| self.reached.named.contains(fork)))
        };
        self.code.items[item].parts.iter().filter(counts)
    }

    fn counted(&self) -> impl Iterator<Item = usize> {
        (0..self.reached.items.len()).filter(|&item| self.reached.items[item])
    }

    /// As [`Covered::fingerprint`], without the names of items.
    fn fingerprint(&self) -> Key {
        let parts = || self.counted().flat_map(|item| self.parts(item));
        let mut counted = vec![false; self.code.hashes.len()];
        parts().for_each(|part| counted[part.hash] = true);
        let hashes = self.code.hashes.iter().zip(counted).filter(|(_, counts)| *counts).map(|(hash, _)| hash.as_str());
        let brought: BTreeSet<usize> = parts().flat_map(|part| &part.packages).copied().collect();
        let package = |place: usize| {
            let (name, hash) = &self.code.packages[place];
            (name.as_str(), hash.as_str())
        };
        fingerprint_of(hashes, &brought.into_iter().map(package).collect())
    }

    fn covered(&self) -> Covered<'a> {
        let mut items: BTreeMap<&str, BTreeMap<&str, Vec<&str>>> = BTreeMap::new();
        let mut packages = BTreeMap::new();
        for item in self.counted() {
            let Item { module, name, .. } = &self.code.items[item];
            let hashes = items.entry(&self.code.modules[*module]).or_default().entry(name).or_default();
            for part in self.parts(item) {
                hashes.push(&self.code.hashes[part.hash]);
                let brought = part.packages.iter().map(|&place| &self.code.packages[place]);
                packages.extend(brought.map(|(name, hash)| (name.as_str(), hash.as_str())));
            }
        }
        Covered { items, packages }
    }
}
