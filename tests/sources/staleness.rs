//! Edit this file, and these jobs become stale: a table.
//!
//! A copy of the sources is edited, and the build script (`build/main.rs`) reads it again. A job is stale if a part of a
//! file that counts in its fingerprint has another hash there than in this program, or is gone. That fingerprints cover
//! all that runs is shown by `tests/peers/coverage.py`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use gauntlet::manifest::JobSpec;
use gauntlet::manifest::code::covered;
use rayon::prelude::*;

/// Jobs by name. Each names other games, players, networks and trainers.
const JOBS: [(&str, &str); 9] = [
    (
        "naive-othello",
        r#"{"play":{"match":{"game":{"othello":{"size":6}},"agent":{"naive":{}},"opponent":{"random":{}},"games":2}}}"#,
    ),
    (
        "greedy-go",
        r#"{"play":{"match":{"game":{"go":{"size":5}},"agent":{"greedy":{}},"opponent":{"random":{}},"games":2}}}"#,
    ),
    (
        "uct-gomoku",
        r#"{"play":{"match":{"game":{"gomoku":{"size":7}},"agent":{"uct":{}},"opponent":{"random":{}},"games":2}}}"#,
    ),
    (
        "saz-othello",
        r#"{"play":{"match":{"game":{"othello":{"size":6}},"agent":{"guided":{"network":{"saz":{}},"subgraphs":{}}},"opponent":{"random":{}},"games":2}}}"#,
    ),
    (
        "mlp-pente",
        r#"{"measure":{"fitness":{"game":{"pente":{"size":7}},"agent":{"net":{"network":{"mlp":{"hidden":5}}}},"opponent":{"naive":{}},"games":2}}}"#,
    ),
    ("complexity-go", r#"{"measure":{"complexity":{"game":{"go":{"size":5}}}}}"#),
    ("ladder", r#"{"measure":{"ladder":{"results":"results.json"}}}"#),
    (
        "evolve-atari-go",
        r#"{"train":{"cma-es":{"game":{"atari-go":{"size":5}},"agent":{"net":{"network":{"conv":{"maps":3,"field":3,"planes":1}}}},"opponent":{"naive":{}}}}}"#,
    ),
    (
        "learn-othello",
        r#"{"train":{"alpha-zero":{"game":{"othello":{"size":6}},"agent":{"guided":{"network":{"saz":{}}}}}}}"#,
    ),
];

/// A file below `src`, words in it and what they become, and the jobs that are stale then.
type Row = (&'static str, &'static str, &'static str, &'static [&'static str]);

const ALL: &[&str] = &[
    "naive-othello",
    "greedy-go",
    "uct-gomoku",
    "saz-othello",
    "mlp-pente",
    "complexity-go",
    "ladder",
    "evolve-atari-go",
    "learn-othello",
];
const OTHELLO: &[&str] = &["naive-othello", "saz-othello", "learn-othello"];

const ROWS: &[Row] = &[
    // What only people read.
    ("ratings/sprt.rs", "//!", "//! Another word.\n//!", &[]),
    ("base/seed.rs", "//!", "//! Another word.\n//!", &[]),
    ("search/tree.rs", "pub ", "  pub   ", &[]),
    ("search/tree.rs", "#[cfg(test)]", "#[cfg(test)]\nconst OTHER: u8 = 1;\n#[cfg(test)]", &[]),
    // What no job runs.
    ("ratings/win_matrix.rs", "fn ", "fn other() {}\nfn ", &[]),
    ("costs/work.rs", "const ", "const OTHER: u8 = 1;\nconst ", &[]),
    ("cli/mod.rs", "mod ", "const OTHER: u8 = 1;\nmod ", &[]),
    ("reports/csv.rs", "fn ", "fn other() {}\nfn ", &[]),
    ("store/atomic.rs", "fn ", "fn other() {}\nfn ", &[]),
    ("scheduler/pool.rs", "fn ", "fn other() {}\nfn ", &[]),
    ("manifest/read/load.rs", "fn ", "fn other() {}\nfn ", &[]),
    // What matches run, some of which a sequential test ends.
    ("ratings/sprt.rs", "fn ", "fn other() {}\nfn ", &["naive-othello", "greedy-go", "uct-gomoku", "saz-othello"]),
    // What all jobs run.
    ("base/sink.rs", "pub trait Sink", "const OTHER: u8 = 1;\npub trait Sink", ALL),
    ("scheduler/job.rs", "pub fn execute", "fn other() {}\npub fn execute", ALL),
    // One game, and what some games share.
    ("games/othello/bits.rs", "fn ", "fn other() {}\nfn ", OTHELLO),
    ("games/pente.rs", "fn ", "fn other() {}\nfn ", &["mlp-pente"]),
    ("games/lines.rs", "fn ", "fn other() {}\nfn ", &["uct-gomoku", "mlp-pente"]),
    // A new game and a new player, and a changed arm.
    (
        "games/spec.rs",
        "    /// Go.\n    Go(GoSpec),",
        "    /// Go.\n    Go(GoSpec),\n    /// Shogi.\n    Shogi(GoSpec),",
        &[],
    ),
    (
        "games/spec.rs",
        "GameSpec::Go(spec) =>",
        "GameSpec::Shogi(spec) => Arc::new(spec.build()),\n            GameSpec::Go(spec) =>",
        &[],
    ),
    ("games/mod.rs", "mod atari_go;", "mod atari_go;\nmod size_too;", &[]),
    (
        "games/spec.rs",
        "GameSpec::Othello(spec) => spec.build()",
        "GameSpec::Othello(spec) => spec.build().clone()",
        OTHELLO,
    ),
    // Players, networks, trainers, measurements.
    ("players/greedy.rs", "fn ", "fn other() {}\nfn ", &["greedy-go"]),
    ("players/subgraphs.rs", "fn ", "fn other() {}\nfn ", &["saz-othello", "learn-othello"]),
    ("nets/deep/saz.rs", "fn ", "fn other() {}\nfn ", &["saz-othello", "learn-othello"]),
    ("nets/mlp.rs", "fn ", "fn other() {}\nfn ", &["mlp-pente"]),
    ("learning/optimise.rs", "fn ", "fn other() {}\nfn ", &["learn-othello"]),
    ("learning/cmaes.rs", "fn ", "fn other() {}\nfn ", &["evolve-atari-go"]),
    ("search/tree.rs", "fn ", "fn other() {}\nfn ", &["uct-gomoku", "saz-othello", "learn-othello"]),
    ("measure/complexity.rs", "fn ", "fn other() {}\nfn ", &["complexity-go"]),
    ("measure/ladder.rs", "fn ", "fn other() {}\nfn ", &["ladder"]),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// What the build script reads in a copy of the project: by file the hashes of its parts, by crate that of its packages.
struct Read {
    files: BTreeMap<String, BTreeSet<String>>,
    crates: BTreeMap<String, String>,
}

fn read(place: &Path) -> Read {
    let out = place.join("out");
    fs::create_dir_all(&out).unwrap();
    let mut script = Command::new(env!("GAUNTLET_BUILD_SCRIPT"));
    let done = script.env("CARGO_MANIFEST_DIR", place).env("OUT_DIR", &out).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let code = fs::read_to_string(out.join("code.rs")).unwrap();
    let quoted = |text: &str| text.split('"').nth(1).unwrap().to_owned();
    let hashes = |file: &str| file.split("hash: ").skip(1).map(quoted).collect();
    let files = code.split("File { path: ").skip(1).map(|file| (quoted(file), hashes(file))).collect();
    let crates = code.split("crates: &[(").last().unwrap().split("(").map(|pair| pair.split('"').collect::<Vec<_>>());
    Read { files, crates: crates.map(|pair| (pair[1].to_owned(), pair[3].to_owned())).collect() }
}

/// A copy of what fingerprints are made from.
fn copied() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    copy(&root().join("src"), &place.path().join("src"));
    fs::copy(root().join("Cargo.lock"), place.path().join("Cargo.lock")).unwrap();
    place
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let place = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &place);
        } else {
            fs::copy(entry.path(), place).unwrap();
        }
    }
}

/// The jobs that are stale if the sources and packages are these.
fn stale(now: &Read) -> Vec<&'static str> {
    let is_stale = |text: &str| {
        let covered = covered(&serde_json::from_str::<JobSpec>(text).unwrap());
        let is_there = |file: &str, hash: &str| now.files.get(file).is_some_and(|hashes| hashes.contains(hash));
        !covered.files.iter().all(|(file, hashes)| hashes.iter().all(|hash| is_there(file, hash)))
            || covered.crates.iter().any(|(name, hash)| now.crates[*name] != *hash)
    };
    JOBS.iter().filter(|(_, text)| is_stale(text)).map(|(name, _)| *name).collect()
}

/// The jobs that are stale after an edit of one file.
fn stale_after(file: &str, words: &str, changed: &str) -> Vec<&'static str> {
    let place = copied();
    fs::write(place.path().join("src/games/size_too.rs"), "//! A new file.\n").unwrap();
    let path = place.path().join(file);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{file}: {error}"));
    assert!(text.contains(words), "{file} has no `{words}`");
    fs::write(path, text.replacen(words, changed, 1)).unwrap();
    stale(&read(place.path()))
}

#[test]
fn an_edit_makes_stale_what_runs_it_and_nothing_else() {
    let wrong = |(file, words, changed, expected): &Row| {
        let found = stale_after(&format!("src/{file}"), words, changed);
        (found != *expected).then(|| format!("{file}, {words:?}: stale {found:?}, expected {expected:?}"))
    };
    let wrong: Vec<String> = ROWS.par_iter().filter_map(wrong).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A new version of the progress bar makes no job stale, one of a package that is used those that use it.
#[test]
fn packages_count_where_they_are_used() {
    let stale_with = |package: &str| {
        let version = format!("name = \"{package}\"\nversion = \"");
        stale_after("Cargo.lock", &version, &format!("{version}9"))
    };
    for unused in ["indicatif", "clap", "plotters", "polars", "schemars"] {
        assert_eq!(stale_with(unused), [""; 0], "{unused}");
    }
    assert_eq!(stale_with("serde"), ALL);
    // Players are paired by ratings; ratings and evolution solve linear systems.
    let solving = ["naive-othello", "greedy-go", "uct-gomoku", "saz-othello", "ladder", "evolve-atari-go"];
    assert_eq!(stale_with("nalgebra"), solving);
    // Also what never multiplies matrices can fail with an error of Candle's.
    assert_eq!(stale_with("gemm-f32"), ALL);
}
