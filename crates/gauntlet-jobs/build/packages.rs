//! The packages of `Cargo.lock` that numbers depend on: those that a crate names, hashed with those that they need.

use std::collections::{BTreeMap, BTreeSet};

/// All packages that compute numbers of jobs: random streams, linear algebra, networks, distributions, kernels of a GPU; and
/// `raw-cpuid`, by whose sizes of caches `gemm` splits its sums. A new version of
/// another package (of `serde`, of the progress bar) makes no job stale. `tests/sources/staleness.rs` finds a new
/// dependency that is neither here nor known to be without numbers.
pub const NUMERIC: [&str; 27] = [
    "blake3",
    "candle-core",
    "candle-kernels",
    "candle-nn",
    "cudarc",
    "float8",
    "gemm",
    "gemm-c32",
    "gemm-c64",
    "gemm-common",
    "gemm-f16",
    "gemm-f32",
    "gemm-f64",
    "half",
    "libm",
    "matrixmultiply",
    "nalgebra",
    "num-complex",
    "num-traits",
    "pulp",
    "rand",
    "rand_core",
    "rand_distr",
    "rand_xoshiro",
    "raw-cpuid",
    "simba",
    "statrs",
];

/// The numeric dependencies of some packages, by their names in code, each with a hash of its version and of all
/// numeric packages that it needs.
pub fn hashes(lock: &str, own: &[String]) -> BTreeMap<String, String> {
    let packages = packages(lock);
    let name = |id: &str| id.split(' ').next().unwrap_or_default().to_owned();
    let direct = packages.iter().filter(|(id, _)| own.contains(&name(id))).flat_map(|(_, found)| &found.needs);
    let names: BTreeSet<String> = direct.map(|id| name(id)).collect();
    let wanted = names.into_iter().filter(|name| NUMERIC.contains(&name.as_str()));
    wanted.map(|name| (name.replace('-', "_"), hash(&packages, &name))).collect()
}

#[derive(Default)]
struct Package {
    /// Version, source and checksum.
    what: String,
    needs: Vec<String>,
}

/// Packages by `name version`.
fn packages(lock: &str) -> BTreeMap<String, Package> {
    let mut packages = BTreeMap::new();
    for block in lock.split("[[package]]").skip(1) {
        let value = |key: &str| {
            let line = block.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = "));
            line.unwrap_or_default().trim_matches('"').to_owned()
        };
        let needs = block.lines().filter_map(|line| line.strip_prefix(" \"")?.strip_suffix("\","));
        let needs = needs.map(str::to_owned).collect();
        let what = format!("{} {}", value("source"), value("checksum"));
        packages.insert(format!("{} {}", value("name"), value("version")), Package { what, needs });
    }
    packages
}

fn hash(packages: &BTreeMap<String, Package>, name: &str) -> String {
    let mut open = vec![name.to_owned()];
    let mut known: BTreeSet<&str> = BTreeSet::new();
    while let Some(id) = open.pop() {
        // A dependency names its version only if there are several.
        let prefix = if id.contains(' ') { id.clone() } else { format!("{id} ") };
        for (id, package) in packages.iter().filter(|(id, _)| id.starts_with(&prefix)) {
            if known.insert(id) {
                open.extend(package.needs.iter().map(|need| need.splitn(3, ' ').take(2).collect::<Vec<_>>().join(" ")));
            }
        }
    }
    let mut hasher = blake3::Hasher::new();
    for id in known.into_iter().filter(|id| NUMERIC.iter().any(|name| id.split(' ').next() == Some(name))) {
        hasher.update(id.as_bytes()).update(packages[id].what.as_bytes()).update(b"\n");
    }
    hasher.finalize().to_hex()[..32].to_owned()
}
