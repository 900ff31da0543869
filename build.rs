//! Build script: embeds the commit of this build, the committed manifests and small trained models, so that an
//! installed binary can reproduce and play without a checkout.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Models larger than this, in bytes, are not embedded.
const LARGEST_MODEL: u64 = 2_000_000;

/// The directory of the committed models.
const MODELS: &str = "results/models";

/// The files of the program. A source package lacks some; to name a missing one would trigger a rebuild each time.
const SOURCES: [&str; 7] = ["src", "crates", "experiments", MODELS, "build.rs", "Cargo.toml", "Cargo.lock"];

fn main() {
    let root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"));
    for place in SOURCES.iter().filter(|place| root.join(place).exists()) {
        println!("cargo::rerun-if-changed={place}");
    }
    println!("cargo::rustc-env=GAUNTLET_COMMIT={}", commit(&root));
    std::fs::write(out.join("experiments.rs"), experiments(&root)).expect("OUT_DIR can be written");
    std::fs::write(out.join("models.rs"), models(&root)).expect("OUT_DIR can be written");
}

/// The commit of this build, with `(changed)` if the program's files differ from it. In a checkout, Git provides
/// it; a package contains a record of its origin.
fn commit(root: &Path) -> String {
    // Within another project's checkout the prefix is not empty: its commit is not this project's.
    if git(root, &["rev-parse", "--show-prefix"]).is_none_or(|prefix| !prefix.is_empty()) {
        return packaged(root).unwrap_or_else(|| "unknown, not built from a checkout".to_owned());
    }
    rerun_with_commits(root);
    let sources = ["status", "--porcelain", "--untracked-files=no", "--"];
    let sources = [&sources[..], &SOURCES].concat();
    match (git(root, &["rev-parse", "--short=12", "HEAD"]), git(root, &sources)) {
        (Some(commit), Some(changes)) if changes.is_empty() => commit,
        (Some(commit), _) => format!("{commit} (changed)"),
        (None, _) => "none yet".to_owned(),
    }
}

/// Rebuilds after a new commit. Only existing files can be watched.
fn rerun_with_commits(root: &Path) {
    let branch = git(root, &["rev-parse", "--symbolic-full-name", "HEAD"]).unwrap_or_default();
    for name in ["HEAD", "logs/HEAD", &branch] {
        let path = git(root, &["rev-parse", "--git-path", name]).map(|path| root.join(path));
        if let Some(path) = path.filter(|path| path.is_file()) {
            println!("cargo::rerun-if-changed={}", path.display());
        }
    }
}

/// The output of git; `None` if it is not installed or fails.
fn git(root: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).current_dir(root).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The commit recorded by `cargo package`.
fn packaged(root: &Path) -> Option<String> {
    let note = std::fs::read_to_string(root.join(".cargo_vcs_info.json")).ok()?;
    let commit: String = note.split("\"sha1\"").nth(1)?.chars().filter(char::is_ascii_hexdigit).take(12).collect();
    (commit.len() == 12).then_some(commit)
}

/// `&[("schaul2009/table1.toml", include_str!(...)), ...]`.
fn experiments(root: &Path) -> String {
    embedded(&root.join("experiments"), "include_str", |file| ends_with(file, "toml"))
}

/// `&[("gomoku-agz/II.safetensors", include_bytes!(...)), ...]`.
fn models(root: &Path) -> String {
    let is_small = |file: &Path| std::fs::metadata(file).is_ok_and(|found| found.len() <= LARGEST_MODEL);
    embedded(&root.join(MODELS), "include_bytes", |file| ends_with(file, "safetensors") && is_small(file))
}

/// Code for a list of the names below `base` of the wanted files, each with its contents.
fn embedded(base: &Path, include: &str, is_wanted: impl Fn(&Path) -> bool) -> String {
    let mut code = String::from("&[");
    for file in files(base).iter().filter(|file| is_wanted(file)) {
        let name = file.strip_prefix(base).expect("it lies below").to_string_lossy().replace('\\', "/");
        write!(code, "({name:?}, {include}!({file:?})),").expect("strings can be written");
    }
    code + "]"
}

fn ends_with(file: &Path, extension: &str) -> bool {
    file.extension().is_some_and(|found| found == extension)
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
