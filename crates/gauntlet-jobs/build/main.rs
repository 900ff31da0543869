//! Build script: embeds a table of the code that jobs run, for fingerprints.

mod code;
mod items;
mod modules;
mod packages;
mod syntax;
mod walk;

use std::path::PathBuf;

fn main() {
    let directory = |name: &str| {
        PathBuf::from(std::env::var_os(name).unwrap_or_else(|| panic!("{name}: Cargo sets it for a dependency")))
    };
    let (own, out) = (directory("CARGO_MANIFEST_DIR"), directory("OUT_DIR"));
    // The other crates report the directory of their sources in a variable, in a checkout and in a registry alike.
    let source = |name: &str| match name {
        _ if name == env!("CARGO_PKG_NAME") => own.join("src"),
        _ => directory(&format!("DEP_{}_SRC", name.to_uppercase().replace('-', "_"))),
    };
    let crates = modules::crates(source);
    crates.iter().for_each(|(_, source)| println!("cargo::rerun-if-changed={}", source.display()));
    println!("cargo::rerun-if-changed=build");
    // The versions of all packages of the workspace: a link here, a file in a source package, whose own list is shorter.
    println!("cargo::rerun-if-changed=workspace.lock");
    let lock = std::fs::read_to_string(own.join("workspace.lock")).expect("the list of packages is there");
    std::fs::write(out.join("code.json"), code::table(&lock, &crates)).expect("OUT_DIR can be written");
}
