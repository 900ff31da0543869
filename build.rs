//! Embeds what identifies this build: a hash of the sources of every room and of the lock file, and the
//! committed manifests, so that an installed binary can reproduce without a checkout.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

fn main() {
    let root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"));
    println!("cargo::rerun-if-changed=src");
    println!("cargo::rerun-if-changed=experiments");
    println!("cargo::rerun-if-changed=Cargo.lock");
    println!("cargo::rerun-if-changed=build.rs");
    std::fs::write(out.join("rooms.rs"), rooms(&root)).expect("OUT_DIR can be written");
    std::fs::write(out.join("experiments.rs"), experiments(&root)).expect("OUT_DIR can be written");
}

/// `&[("base", "<hash>"), ...]` over the rooms and the lock file.
fn rooms(root: &Path) -> String {
    let mut rooms: Vec<(String, Vec<PathBuf>)> = vec![("Cargo.lock".into(), vec![root.join("Cargo.lock")])];
    for directory in sorted(&root.join("src")).into_iter().filter(|path| path.is_dir()) {
        let name = directory.file_name().expect("it has one").to_string_lossy().into_owned();
        rooms.push((name, files(&directory)));
    }
    let mut code = String::from("&[");
    for (name, files) in rooms {
        let mut hasher = blake3::Hasher::new();
        for file in files {
            let content = std::fs::read(&file).unwrap_or_default();
            let name = file.strip_prefix(root).expect("it lies below").to_string_lossy().replace('\\', "/");
            hasher.update(&(name.len() as u64).to_le_bytes()).update(name.as_bytes());
            hasher.update(&(content.len() as u64).to_le_bytes()).update(&content);
        }
        write!(code, "({name:?}, \"{}\"),", hasher.finalize().to_hex()).expect("strings can be written");
    }
    code + "]"
}

/// `&[("schaul2009/table1.toml", include_str!(...)), ...]`.
fn experiments(root: &Path) -> String {
    let base = root.join("experiments");
    let mut code = String::from("&[");
    for file in files(&base).iter().filter(|file| file.extension().is_some_and(|ext| ext == "toml")) {
        let name = file.strip_prefix(&base).expect("it lies below").to_string_lossy().replace('\\', "/");
        write!(code, "({name:?}, include_str!({file:?})),").expect("strings can be written");
    }
    code + "]"
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let nested = |path: PathBuf| if path.is_dir() { files(&path) } else { vec![path] };
    sorted(directory).into_iter().flat_map(nested).collect()
}

fn sorted(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).map(|entries| entries.flatten().map(|entry| entry.path()).collect());
    let mut paths: Vec<PathBuf> = entries.unwrap_or_default();
    paths.sort();
    paths
}
