//! Tests of staleness: a table of edits with the jobs that become stale, and a table of moves that make no job stale.
//!
//! The tests edit a copy of the sources, and the build script of `gauntlet-jobs` reads it again. A job is stale
//! if its fingerprint by those sources differs from that of this program. `tests/peers/coverage.py` shows that
//! fingerprints cover all code that runs.

use std::fs;
use std::path::{Path, PathBuf};

use gauntlet_jobs::JobSpec;
use gauntlet_jobs::code::{Code, fingerprint};
use rayon::prelude::*;

use crate::{code, modules, packages};

/// Jobs by name. Each names different games, players, networks and trainers.
const JOBS: [(&str, &str); 10] = [
    (
        "naive-othello",
        r#"{"play":{"match":{"game":{"othello":{"size":6}},"agent":{"naive":{}},"opponent":{"random":{}},"games":2}}}"#,
    ),
    (
        "timed-chess",
        r#"{"play":{"match":{"game":{"chess":{}},"agent":{"random":{}},"opponent":{"random":{}},"games":2,"clock":{"seconds":1}}}}"#,
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

/// A file, a text in it and its replacement, and the jobs that become stale.
type Row = (&'static str, &'static str, &'static str, &'static [&'static str]);

const ALL: &[&str] = &[
    "naive-othello",
    "timed-chess",
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
const MATCHES: &[&str] = &["naive-othello", "timed-chess", "greedy-go", "uct-gomoku", "saz-othello"];
/// What plays many games at once.
const COHORTS: &[&str] = &[
    "naive-othello",
    "timed-chess",
    "greedy-go",
    "uct-gomoku",
    "saz-othello",
    "mlp-pente",
    "evolve-atari-go",
    "learn-othello",
];
const SEARCHES: &[&str] = &["uct-gomoku", "saz-othello", "learn-othello"];
const SAZ: &[&str] = &["saz-othello", "learn-othello"];

const GAMES: &str = "crates/gauntlet-games/src/games";
const BASE: &str = "crates/gauntlet-games/src/base";
const NETS: &str = "crates/gauntlet-nets/src/nets";
const JOBS_CRATE: &str = "crates/gauntlet-jobs/src";
const PLAY: &str = "crates/gauntlet-play/src";
const RATINGS: &str = "crates/gauntlet-ratings/src";

/// The directory, the file in it, and the effect of an edit.
const ROWS: &[(&str, &[Row])] = &[
    // Comments, and attributes that do not change a function.
    (RATINGS, &[("sprt.rs", "//!", "//! Another word.\n//!", &[]), ("sprt.rs", "\nfn ", "\n#[inline]\nfn ", &[])]),
    (BASE, &[("seed.rs", "//!", "//! Another word.\n//!", &[])]),
    (
        PLAY,
        &[
            ("search/tree.rs", "pub ", "  pub   ", &[]),
            ("search/tree.rs", "#[cfg(test)]", "#[cfg(test)]\nconst OTHER: u8 = 1;\n#[cfg(test)]", &[]),
        ],
    ),
    // Code that no job runs.
    (
        RATINGS,
        &[
            ("win_matrix.rs", "fn ", "fn other() {}\nfn ", &[]),
            ("outcomes.rs", "fn multiplier", "fn other() {}\nfn multiplier", &[]),
        ],
    ),
    // Matches pair players by ratings, and never compute the errors of many.
    (RATINGS, &[("group_covariance.rs", "const DEVIATION: f64 = 2e-2", "const DEVIATION: f64 = 3e-2", &["ladder"])]),
    (JOBS_CRATE, &[("code.rs", "fn ", "fn other() {}\nfn ", &[]), ("variants.rs", "fn ", "fn other() {}\nfn ", &[])]),
    (
        PLAY,
        &[
            ("search/tree.rs", "impl Tree {", "impl Tree {\nfn other_than_any(&self) {}\n", &[]),
            // The name of a job's directory does not affect its result.
            ("learning/evolution.rs", "fn slug(&self) -> String {", "fn slug(&self) -> String {\nlet other = 1;", &[]),
        ],
    ),
    // Code that matches run, some of which a sequential test ends.
    (RATINGS, &[("outcomes.rs", "lowest >= 0.0 ||", "lowest > 0.0 ||", MATCHES)]),
    // Code that all jobs run.
    (BASE, &[("sink.rs", "pub trait Sink", "pub trait Sink: Send", ALL)]),
    (JOBS_CRATE, &[("execute.rs", "Given { seed,", "Given { seed: seed + 1,", ALL)]),
    // One game, and code that some games share.
    (
        GAMES,
        &[
            ("othello/bits.rs", ">> (64 - by)", ">> (63 - by)", OTHELLO),
            (
                "othello/board.rs",
                "use super::bits::SquareSet",
                "use crate::games::ludemes::machine::bits::Bits as SquareSet",
                OTHELLO,
            ),
            ("pente.rs", "const PAIRS: usize = 5", "const PAIRS: usize = 6", &["mlp-pente"]),
            ("kit/lines.rs", "1 => length - 1 - at", "1 => length - at", &["uct-gomoku", "mlp-pente"]),
        ],
    ),
    // A new game, a changed arm, a trait of another package for a used type.
    (
        GAMES,
        &[
            // At the end: this program knows the variants by their places.
            ("spec.rs", "    Ludeme(LudemeSpec),", "    Ludeme(LudemeSpec),\n    /// Shogi.\n    Shogi(GoSpec),", &[]),
            (
                "spec.rs",
                "GameSpec::Go(spec) =>",
                "GameSpec::Shogi(spec) => Arc::new(spec.build()),\n            GameSpec::Go(spec) =>",
                &[],
            ),
            ("mod.rs", "mod atari_go;", "mod atari_go;\nmod size_too;", &[]),
            (
                "spec.rs",
                "GameSpec::Othello(spec) => spec.build()",
                "GameSpec::Othello(spec) => spec.build().clone()",
                OTHELLO,
            ),
            ("pente.rs", "const ROW", "impl Drop for Pente { fn drop(&mut self) {} }\nconst ROW", &["mlp-pente"]),
        ],
    ),
    // A rule of games with a clock.
    (
        PLAY,
        &[
            ("arena/flag.rs", "other.knights == 0", "other.knights == 1", &["timed-chess"]),
            (
                "arena/tournament.rs",
                "if let Some(Clock { .. }) = self.terms.clock {",
                "if let Some(Clock { .. }) = self.terms.clock {\nlet other = 1;",
                &["timed-chess"],
            ),
            ("arena/clock.rs", "match left.checked_sub", "match left.saturating_sub", COHORTS),
        ],
    ),
    // Players, networks, trainers, measurements.
    (
        NETS,
        &[
            ("deep/bind/graphs.rs", "const NODES: usize = 256", "const NODES: usize = 128", SAZ),
            // A hint under a condition, alone and beside what is none.
            (
                "kernels/vector.rs",
                "#[inline(always)]\n    fn splat",
                "#[cfg_attr(unix, inline, cold)]\n    fn splat",
                &[],
            ),
            (
                "mlp.rs",
                "#[derive(Debug, Clone, Copy",
                "#[cfg_attr(unix, inline, derive(Default))]\n#[derive(Debug, Clone, Copy",
                &["mlp-pente"],
            ),
            // Kernels of other layers, and of other number formats.
            ("kernels/winograd.rs", "[1.0 / 2.0, 0.0, 0.0]", "[1.0 / 3.0, 0.0, 0.0]", &[]),
            ("deep/ops/convolution.rs", "const TOGETHER: usize = 192", "const TOGETHER: usize = 96", &[]),
            ("kernels/int8.rs", "const CHUNK: usize = 1 << 16", "const CHUNK: usize = 1 << 15", &[]),
            ("kernels/bf16.rs", "const CHUNK: usize = 1 << 12", "const CHUNK: usize = 1 << 11", &[]),
            ("mlp.rs", "2 * sites * units", "3 * sites * units", &["mlp-pente"]),
        ],
    ),
    (
        PLAY,
        &[
            ("players/greedy.rs", "=> self.actions[0]", "=> self.actions[1]", &["greedy-go"]),
            // No built-in player depends on the processes and protocols of engines.
            ("engines/uci.rs", "CENTIPAWNS: f64 = 400.0", "CENTIPAWNS: f64 = 300.0", &[]),
            ("engines/process.rs", "const WAITING: usize = 64", "const WAITING: usize = 32", &[]),
            ("players/engine/spec.rs", "    30.0\n", "    20.0\n", &[]),
            ("serving/clock.rs", "fn ", "fn other() {}\nfn ", &[]),
            ("players/subgraphs.rs", "(key >> 64)", "(key >> 63)", SAZ),
            ("learning/optimise.rs", "if losses.total().is_finite()", "if losses.total() > 0.0", &["learn-othello"]),
            ("learning/cmaes.rs", "SHORTEST_AXIS: f64 = 1e-7", "SHORTEST_AXIS: f64 = 1e-6", &["evolve-atari-go"]),
            ("search/tree.rs", "self.played.push(action);", "self.played.insert(0, action);", SEARCHES),
            ("measure/complexity.rs", "(sites as f64).powi(3)", "(sites as f64).powi(2)", &["complexity-go"]),
            (
                "measure/ladder.rs",
                "let mut results = GameResults::default();",
                "let mut results = GameResults::new();",
                &["ladder"],
            ),
        ],
    ),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A copy of all inputs of fingerprints.
struct Project {
    place: tempfile::TempDir,
}

impl Project {
    fn new() -> Project {
        let project = Project { place: tempfile::tempdir().unwrap() };
        copy(&root().join("crates"), &project.path("crates"));
        fs::copy(root().join("Cargo.lock"), project.path("Cargo.lock")).unwrap();
        project
    }

    fn path(&self, file: &str) -> PathBuf {
        self.place.path().join(file)
    }

    fn read(&self, file: &str) -> String {
        fs::read_to_string(self.path(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
    }

    fn write(&self, file: &str, text: &str) {
        fs::create_dir_all(self.path(file).parent().unwrap()).unwrap();
        fs::write(self.path(file), text).unwrap();
    }

    /// Replaces a text in a file, wherever it occurs, at least once.
    fn replace(&self, file: &str, words: &str, changed: &str) {
        let text = self.read(file);
        assert!(text.contains(words), "{file} has no `{words}`");
        self.write(file, &text.replace(words, changed));
    }

    fn rename(&self, from: &str, to: &str) {
        fs::create_dir_all(self.path(to).parent().unwrap()).unwrap();
        fs::rename(self.path(from), self.path(to)).unwrap();
    }

    /// Removes an item from a file: from the line with this text to the closing brace of the same indentation.
    fn take(&self, file: &str, words: &str) -> String {
        let text = self.read(file);
        let start = text.find(words).unwrap_or_else(|| panic!("{file} has no `{words}`"));
        let start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let indentation: String = text[start..].chars().take_while(|c| *c == ' ').collect();
        let end = format!("\n{indentation}}}\n");
        let end = start + text[start..].find(&end).unwrap() + end.len();
        self.write(file, &(text[..start].to_owned() + &text[end..]));
        text[start..end].to_owned()
    }

    /// All Rust files below a directory.
    fn files(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(folder)).unwrap().map(|entry| entry.unwrap().path());
        let file = |path: PathBuf| {
            let name = format!("{folder}/{}", path.file_name().unwrap().to_str().unwrap());
            if path.is_dir() { self.files(&name) } else { vec![name] }
        };
        entries.flat_map(file).filter(|name| name.ends_with(".rs")).collect()
    }

    /// The table of its code, as the build script makes it.
    fn code(&self) -> Code {
        let crates = modules::crates(|name| self.path(&format!("crates/{name}/src")));
        Code::read(&code::table(&self.read("Cargo.lock"), &crates)).unwrap()
    }

    /// The jobs that are stale with its sources and packages.
    fn stale(&self) -> Vec<&'static str> {
        let code = self.code();
        let is_stale = |text: &str| {
            let spec: JobSpec = serde_json::from_str(text).unwrap();
            code.covered(&spec).fingerprint() != fingerprint(&spec)
        };
        JOBS.iter().filter(|(_, text)| is_stale(text)).map(|(name, _)| *name).collect()
    }
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

/// An edit: a file, a text in it and its replacement.
type Edit<'a> = (String, &'a str, &'a str);

/// The jobs that are stale after some edits, each of a text's first place.
fn stale_after(edits: &[Edit<'_>]) -> Vec<&'static str> {
    let project = Project::new();
    project.write(&format!("{GAMES}/size_too.rs"), "//! A new file.\n");
    for (file, words, changed) in edits {
        let text = project.read(file);
        assert!(text.contains(words), "{file} has no `{words}`");
        project.write(file, &text.replacen(words, changed, 1));
    }
    project.stale()
}

/// Edits by the groups that are made at once, as one reading of all sources takes seconds: the jobs of a group's edits
/// differ, so that each job that becomes stale has one cause.
fn groups<'a>(edits: &[(Edit<'a>, &'a [&'a str])]) -> Vec<Vec<(Edit<'a>, &'a [&'a str])>> {
    let mut groups: Vec<Vec<(Edit, &[&str])>> = Vec::new();
    for (edit, jobs) in edits {
        let is_apart = |group: &&mut Vec<(Edit, &[&str])>| {
            group.iter().all(|(other, stale)| other.0 != edit.0 && !jobs.iter().any(|job| stale.contains(job)))
        };
        match groups.iter_mut().find(is_apart) {
            Some(group) => group.push((edit.clone(), jobs)),
            None => groups.push(vec![(edit.clone(), jobs)]),
        }
    }
    groups
}

/// The edits with other stale jobs than expected; after a difference each edit of a group is made alone.
fn wrong(group: &[(Edit<'_>, &[&str])]) -> Vec<String> {
    let edits: Vec<Edit> = group.iter().map(|(edit, _)| edit.clone()).collect();
    let found = stale_after(&edits);
    let is_expected = |job: &str| group.iter().any(|(_, jobs)| jobs.contains(&job));
    if JOBS.iter().all(|(job, _)| found.contains(job) == is_expected(job)) {
        return Vec::new();
    }
    match group {
        [((file, words, _), jobs)] => vec![format!("{file}, {words:?}: stale {found:?}, expected {jobs:?}")],
        _ => group.iter().flat_map(|one| wrong(std::slice::from_ref(one))).collect(),
    }
}

#[test]
fn an_edit_makes_stale_what_runs_it_and_nothing_else() {
    let rows = ROWS.iter().flat_map(|(folder, rows)| rows.iter().map(move |row| (*folder, row)));
    let edit = |(folder, (file, words, changed, jobs)): (&str, &'static Row)| {
        ((format!("{folder}/{file}"), *words, *changed), *jobs)
    };
    let (harmless, others): (Vec<_>, Vec<_>) = rows.map(edit).partition(|(_, jobs)| jobs.is_empty());
    let groups: Vec<_> = groups(&others).into_iter().chain([harmless]).collect();
    let wrong: Vec<String> = groups.par_iter().flat_map_iter(|group| wrong(group)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A move of code that changes no function, and its implementation in a copy.
type Move = (&'static str, fn(&Project));

/// Groups of moves that do not meet; each group is made in one copy.
const MOVES: &[&[Move]] = &[
    &[
        ("nothing is changed", |_| {}),
        ("a file and its module are renamed", |project| {
            project.rename(&format!("{GAMES}/othello/bits.rs"), &format!("{GAMES}/othello/squares.rs"));
            project.replace(&format!("{GAMES}/othello/mod.rs"), "mod bits;", "mod squares;");
            project.replace(&format!("{GAMES}/othello/board.rs"), "bits::SquareSet", "squares::SquareSet");
        }),
        ("a room is renamed", |project| {
            project.rename(&format!("{PLAY}/measure"), &format!("{PLAY}/measurements"));
            project.replace(&format!("{PLAY}/lib.rs"), "pub mod measure;", "pub mod measurements;");
            for file in project.files(JOBS_CRATE) {
                let text = project.read(&file).replace("gauntlet_play::measure::", "gauntlet_play::measurements::");
                project.write(&file, &text);
            }
        }),
        ("a function moves to a file of its own", |project| {
            let outcomes = format!("{RATINGS}/outcomes.rs");
            let moved = project.take(&outcomes, "fn multiplier");
            project.write(&format!("{RATINGS}/root.rs"), &format!("//! A root.\n\npub(crate) {moved}"));
            project.replace(&format!("{RATINGS}/lib.rs"), "mod sandwich;", "mod root;\nmod sandwich;");
            project.replace(&outcomes, "let x = multiplier(", "let x = crate::root::multiplier(");
        }),
        ("a method moves to another block of its type", |project| {
            let moved = project.take(&format!("{PLAY}/search/tree.rs"), "pub fn clear");
            project.replace(
                &format!("{PLAY}/search/tree.rs"),
                "impl Tree {\n",
                &format!("impl Tree {{\n{moved}}}\n\nimpl Tree {{\n"),
            );
        }),
        ("two files become one", |project| {
            let text = project
                .read(&format!("{PLAY}/learning/cmaes/parameters.rs"))
                .replace("//!", "//")
                .replace("use serde::{Deserialize, Serialize};", "");
            fs::remove_file(project.path(&format!("{PLAY}/learning/cmaes/parameters.rs"))).unwrap();
            project.replace(&format!("{PLAY}/learning/cmaes.rs"), "mod parameters;", "");
            project.replace(
                &format!("{PLAY}/learning/cmaes.rs"),
                "pub use parameters::{Parameters, default_population};",
                "",
            );
            let text = project.read(&format!("{PLAY}/learning/cmaes.rs")) + &text;
            project.write(&format!("{PLAY}/learning/cmaes.rs"), &text);
        }),
        ("a module stands within a file", |project| {
            let file = format!("{GAMES}/kit/lines.rs");
            let text =
                project.read(&file).replace("//!", "//").replace("use super::Piece;", "use super::super::Piece;");
            project.write(
                &file,
                &format!("mod inner {{\n{}\n}}\npub(crate) use inner::*;\n", text.replace("pub(crate)", "pub")),
            );
        }),
        ("names are written in full", |project| {
            let pente = format!("{GAMES}/pente.rs");
            project.replace(&pente, "use super::kit::lines::{GridRays, opposite};\n", "");
            project.replace(&pente, "GridRays", "super::kit::lines::GridRays");
            project.replace(&pente, "opposite(", "crate::games::kit::lines::opposite(");
        }),
        ("a name is imported as another one", |project| {
            let gomoku = format!("{GAMES}/gomoku.rs");
            project.replace(&gomoku, "GridRays", "Lines");
            project.replace(&gomoku, "use super::kit::lines::Lines;", "use super::kit::lines::GridRays as Lines;");
        }),
    ],
    &[
        ("a folder's own file stands beside it", |project| {
            project.rename(&format!("{PLAY}/measure/mod.rs"), &format!("{PLAY}/measure.rs"));
        }),
        ("a module moves to another room", |project| {
            project.rename(&format!("{GAMES}/kit/lines.rs"), &format!("{BASE}/lines.rs"));
            project.replace(&format!("{GAMES}/kit/mod.rs"), "pub(crate) mod lines;", "");
            project.replace(&format!("{BASE}/mod.rs"), "mod key;", "mod key;\npub mod lines;");
            project.replace(&format!("{BASE}/lines.rs"), "use super::Piece;", "use crate::games::Piece;");
            project.replace(&format!("{BASE}/lines.rs"), "pub(crate)", "pub");
            for game in ["pente", "gomoku", "connect_four"] {
                project.replace(&format!("{GAMES}/{game}.rs"), "super::kit::lines::", "crate::base::lines::");
            }
        }),
        ("a module moves to another crate", |project| {
            project.rename(&format!("{PLAY}/learning/cmaes.rs"), &format!("{RATINGS}/cmaes.rs"));
            project.rename(&format!("{PLAY}/learning/cmaes"), &format!("{RATINGS}/cmaes"));
            project.replace(&format!("{PLAY}/learning/mod.rs"), "mod cmaes;", "");
            project.replace(&format!("{PLAY}/learning/mod.rs"), "pub use cmaes::", "pub use gauntlet_ratings::cmaes::");
            project.replace(&format!("{RATINGS}/lib.rs"), "pub mod compare;", "pub mod cmaes;\npub mod compare;");
        }),
        ("items change their order", |project| {
            let outcomes = format!("{RATINGS}/outcomes.rs");
            let moved = project.take(&outcomes, "fn multiplier");
            project.replace(&outcomes, "fn tilted", &format!("{moved}\nfn tilted"));
            let moved = project.take(&format!("{PLAY}/search/tree.rs"), "pub fn clear");
            project.replace(&format!("{PLAY}/search/tree.rs"), "impl Tree {\n", &format!("impl Tree {{\n{moved}"));
        }),
        ("tests and words go", |project| {
            for file in project.files("crates/gauntlet-ratings/src") {
                let text = project.read(&file);
                let code = text.split("#[cfg(test)]\nmod tests").next().unwrap().lines();
                let code: Vec<&str> = code.filter(|line| !line.trim_start().starts_with("//")).collect();
                project.write(&file, &code.join("\n"));
            }
        }),
    ],
    &[
        ("names are imported from another place", |project| {
            project.replace(&format!("{GAMES}/kit/lines.rs"), "use super::Piece;", "use super::view::Piece;");
            project.replace(
                &format!("{PLAY}/search/tree.rs"),
                "use gauntlet_games::base::{",
                "use super::vocabulary::{",
            );
            project.write(&format!("{PLAY}/search/vocabulary.rs"), "//! Words.\npub use gauntlet_games::base::*;\n");
            project.replace(&format!("{PLAY}/search/mod.rs"), "mod tree;", "mod tree;\nmod vocabulary;");
        }),
        ("more can be seen", |project| {
            for file in ["crates/gauntlet-games/src", NETS, PLAY].iter().flat_map(|folder| project.files(folder)) {
                let text = project.read(&file).replace("pub(super)", "pub").replace("pub(crate)", "pub");
                project.write(&file, &text);
            }
        }),
    ],
];

/// Names of files, modules and crates, the order of items, visibility and ways to import are not part of a key.
#[test]
fn a_move_makes_nothing_stale() {
    let stale_after = |moves: &[Move]| {
        let project = Project::new();
        moves.iter().for_each(|(_, make)| make(&project));
        project.stale()
    };
    // After a difference each move of a group is made alone.
    let wrong = |group: &&[Move]| match stale_after(group)[..] {
        [] => Vec::new(),
        _ => group.iter().map(|one| (one.0, stale_after(std::slice::from_ref(one)))).collect(),
    };
    let wrong: Vec<(&str, Vec<&str>)> = MOVES.par_iter().flat_map_iter(wrong).collect();
    assert!(wrong.is_empty(), "moves and the jobs that become stale: {wrong:#?}");
}

/// A new version of the progress bar makes no job stale; a new version of a used package makes its users stale.
#[test]
fn packages_count_where_they_are_used() {
    let stale_with = |packages: &[&str]| {
        let versions: Vec<String> =
            packages.iter().map(|package| format!("name = \"{package}\"\nversion = \"")).collect();
        let changed: Vec<String> = versions.iter().map(|version| format!("{version}9")).collect();
        let edits = versions.iter().zip(&changed);
        stale_after(&edits.map(|(from, to)| ("Cargo.lock".to_owned(), &**from, &**to)).collect::<Vec<Edit>>())
    };
    assert_eq!(stale_with(&["indicatif", "clap", "plotters", "polars", "schemars", "serde", "serde_json"]), [""; 0]);
    assert_eq!(stale_with(&["rand_xoshiro"]), ALL);
    // Players are paired by ratings; ratings and evolution solve linear systems. The result of a training may hold the
    // standing of a panel.
    assert_eq!(stale_with(&["nalgebra"]), [MATCHES, &["ladder", "evolve-atari-go", "learn-othello"]].concat());
    // Even a job that never multiplies matrices can fail with an error of Candle's.
    for package in ["gemm-f32", "raw-cpuid", "candle-kernels"] {
        assert_eq!(stale_with(&[package]), ALL, "{package}");
    }
}

/// Direct dependencies of the crates whose code jobs run that compute no numbers: they read, write, describe and start.
const WITHOUT_NUMBERS: [&str; 18] = [
    "anstream",
    "anyhow",
    "chardetng",
    "ctrlc",
    "encoding_rs",
    "libc",
    "nix",
    "prost",
    "rayon",
    "rustix",
    "safetensors",
    "schemars",
    "serde",
    "serde_json",
    "tempfile",
    "thiserror",
    "tracing",
    "unicode-normalization",
];

/// A new dependency belongs to one of two lists, and every name of a list is in use.
#[test]
fn every_package_is_known_to_compute_numbers_or_not() {
    let lock: toml::Table = fs::read_to_string(root().join("Cargo.lock")).unwrap().parse().unwrap();
    let locked: Vec<&str> =
        lock["package"].as_array().unwrap().iter().map(|package| package["name"].as_str().unwrap()).collect();
    let unknown = packages::NUMERIC.iter().chain(&WITHOUT_NUMBERS).copied().filter(|name| !locked.contains(name));
    assert_eq!(unknown.collect::<Vec<_>>(), [""; 0], "Cargo.lock does not have them");
    let mut missing = Vec::new();
    for name in modules::CRATES {
        let manifest = fs::read_to_string(root().join("crates").join(name).join("Cargo.toml")).unwrap();
        let manifest: toml::Table = manifest.parse().unwrap();
        let tables = manifest.get("target").and_then(toml::Value::as_table).into_iter().flat_map(toml::Table::values);
        let tables = tables.filter_map(|target| target.get("dependencies")).chain(manifest.get("dependencies"));
        let names = tables.filter_map(toml::Value::as_table).flat_map(toml::Table::keys).cloned();
        missing.extend(names.filter(|name| {
            let is_known = packages::NUMERIC.contains(&name.as_str()) || WITHOUT_NUMBERS.contains(&name.as_str());
            !is_known && !modules::CRATES.contains(&name.as_str())
        }));
    }
    assert_eq!(missing, [""; 0], "say in build/packages.rs or here whether they compute numbers");
}
