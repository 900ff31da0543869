//! Passes the source directory of this crate to the build script of `gauntlet-jobs`.
//!
//! Results of experiments record the code that made them. The build script of `gauntlet-jobs` takes fingerprints of the
//! sources that jobs run. It finds those of this crate in `DEP_GAUNTLET_GAMES_SRC`, in a checkout and in an installed
//! package alike. Cargo passes the variable on because of the key `links` in `Cargo.toml`. No library is linked.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::metadata=src={}/src", std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets it"));
}
