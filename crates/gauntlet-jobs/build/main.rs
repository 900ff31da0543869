//! Build script: embeds a table of the code that jobs run, for fingerprints.

mod code;
mod items;
mod modules;
mod packages;
mod syntax;
mod walk;

use std::path::{Path, PathBuf};

fn main() {
    let directory = |name: &str| PathBuf::from(std::env::var_os(name).expect("cargo sets it"));
    let (own, out) = (directory("CARGO_MANIFEST_DIR"), directory("OUT_DIR"));
    // The other crates report the directory of their sources in a variable, in a checkout and in a registry alike.
    let source = |name: &str| match name {
        _ if name == env!("CARGO_PKG_NAME") => own.join("src"),
        _ => directory(&format!("DEP_{}_SRC", name.to_uppercase().replace('-', "_"))),
    };
    let crates = modules::crates(source);
    let lock = lock(&own);
    crates.iter().for_each(|(_, source)| println!("cargo::rerun-if-changed={}", source.display()));
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed={}", lock.display());
    let lock = std::fs::read_to_string(&lock).unwrap_or_default();
    std::fs::write(out.join("code.json"), code::table(&lock, &crates)).expect("OUT_DIR can be written");
}

/// The versions of all packages: a source package holds its own list, a checkout one for all crates.
fn lock(own: &Path) -> PathBuf {
    let packaged = own.join("Cargo.lock");
    if packaged.is_file() { packaged } else { own.join("../../Cargo.lock") }
}
