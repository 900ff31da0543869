//! Golden test: the bytes of small jobs of every kind, game, network, player and guide, and of a night of the nightly
//! suite, are recorded, so no result changes unnoticed.
//!
//! `tests/golden/jobs.toml` lists the jobs. `tests/golden/<device class>.txt` has a line for every file of their
//! results: the job, the file, the first digits of its BLAKE3 hash. `key.json` and `done.json` are excluded, as they
//! identify the job and are no results. After an intended change of results, `GAUNTLET_RECORD=1 cargo test --release
//! --test golden` rewrites the record. The record of `cpu-x86_64-avx2` was written on a processor with AVX-512 by a
//! build without the feature `x86-v4` of `gemm`. This project's kernels gave the same record on their AVX2 and their
//! portable path when that was tried (not with the jobs of chess networks). Jobs without matrix products have the same
//! lines in both records. Eight lines, of trainings of `res-net` and of tensors, were recorded on a processor without
//! AVX-512: `gemm` chooses its blocks by the sizes of the caches, too. The lines of `league`, `tournament`, `hints`,
//! `nodes`, `of-file`, `optimal`, `numbers...` and `heads` in the record of AVX-512 are those of a machine without it.
//!
//! `tests/golden/formats.toml` lists jobs in number formats that have one law for every processor. They have one record
//! for each architecture, `tests/golden/formats-cpu-x86_64.txt`, which holds on every set of instructions.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod workshop;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use gauntlet_games::games::GameSpec;
use gauntlet_nets::nets::NetSpec;
use gauntlet_nets::nets::deep::{DeepSpec, device_class, portable_class};
use gauntlet_plan::manifest::Overrides;
use gauntlet_play::arena::PlaySpec;
use gauntlet_play::learning::TrainSpec;
use gauntlet_play::measure::MeasureSpec;
use gauntlet_play::players::PlayerSpec;
use schemars::{JsonSchema, schema_for};
use serde_json::Value;
use workshop::{Workshop, json, plan_of};

const FORMATS: &str = include_str!("golden/formats.toml");
const MANIFEST: &str = include_str!("golden/jobs.toml");

/// The results file in the data directory that the jobs read.
const RESULTS: &str = include_str!("golden/results.json");
const ONNX: &[u8] = include_bytes!("../crates/gauntlet-nets/tests/onnx/az-13.onnx");
const HOURS: &str = include_str!("golden/hours.csv");

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn record_file(name: &str) -> PathBuf {
    root().join(format!("tests/golden/{name}.txt"))
}

fn digits(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex()[..16].to_owned()
}

/// A workshop with the jobs and their data.
fn workshop() -> Workshop {
    let workshop = Workshop::new();
    workshop.write("jobs.toml", MANIFEST);
    workshop.write("data/results.json", RESULTS);
    workshop.write("data/hours.csv", HOURS);
    std::fs::write(workshop.path("data/az.onnx"), ONNX).unwrap();
    workshop
}

/// A line for every result file of the jobs of a manifest.
fn files(workshop: &Workshop, manifest: &str) -> Vec<String> {
    let plan = json(&workshop.done(&format!("plan {manifest} --data data --json")).stdout);
    let mut lines = Vec::new();
    for job in plan.as_array().unwrap() {
        let [name, directory] = ["job", "directory"].map(|field| job[field].as_str().unwrap());
        let files = workshop.files(&format!("results/jobs/{directory}"), "");
        assert!(!files.is_empty(), "{name} left nothing");
        for (path, bytes) in files {
            let file = path.rsplit('/').next().unwrap();
            if !matches!(file, "key.json" | "done.json") {
                lines.push(format!("{name}: {file} {}", digits(&bytes)));
            }
        }
    }
    lines
}

/// A line for every match of a replayed night.
fn night() -> Vec<String> {
    let workshop = Workshop::new();
    for name in ["experiments/nightly.toml", "results/baselines/nightly.json"] {
        workshop.write(name, &std::fs::read_to_string(root().join(name)).unwrap());
    }
    let ended = workshop.done("regress experiments/nightly.toml --commit golden --seed 7 --json");
    let night = json(&ended.stdout);
    let rounds = |played: &Value| digits(played["rounds"].to_string().as_bytes());
    let line = |played: &Value| format!("nightly: {} {}", played["name"].as_str().unwrap(), rounds(played));
    night["matches"].as_array().unwrap().iter().map(line).collect()
}

fn assert_recorded(name: &str, lines: &[String]) {
    let path = record_file(name);
    if std::env::var_os("GAUNTLET_RECORD").is_some() {
        std::fs::write(&path, lines.join("\n") + "\n").unwrap();
        return;
    }
    let Ok(record) = std::fs::read_to_string(&path) else {
        eprintln!("skipped: there is no record for {name}");
        return;
    };
    let [recorded, found] = [record.lines().collect::<BTreeSet<_>>(), lines.iter().map(String::as_str).collect()];
    let lost: Vec<&str> = recorded.difference(&found).copied().collect();
    let new: Vec<&str> = found.difference(&recorded).copied().collect();
    assert!(lost.is_empty() && new.is_empty(), "on record:\n{}\n\nfound:\n{}", lost.join("\n"), new.join("\n"));
}

/// A workshop in which the jobs ran with the options `how`.
fn ran(how: &str) -> Workshop {
    let workshop = workshop();
    workshop.done(&format!("run jobs.toml --data data --quiet {how}"));
    workshop
}

#[test]
fn every_file_of_every_job_is_the_one_on_record() {
    let workshop = ran("--jobs 2");
    let mut lines = files(&workshop, "jobs.toml");
    let differing = |how| -> Vec<String> {
        files(&ran(how), "jobs.toml").into_iter().filter(|line| !lines.contains(line)).collect()
    };
    for how in ["--jobs 1 --threads-per-job 1", "--jobs 1 --threads-per-job 3"] {
        assert_eq!(differing(how), [""; 0], "{how}");
    }
    lines.extend(night());
    assert_recorded(&device_class(), &lines);
    assert_explained(&workshop);
}

/// The kernels that this machine has, and that it does not take by itself. AMX comes before AVX-512.
fn slower() -> &'static [&'static str] {
    if device_class().ends_with("avx512") { &["avx512", "avx2", "portable"] } else { &["portable"] }
}

/// The jobs in number formats with the best kernels, and with slower ones.
#[test]
fn number_formats_have_one_record_for_all_instructions() {
    let lines = |kernels: &str| {
        let workshop = Workshop::new();
        workshop.write("formats.toml", FORMATS);
        let mut command = workshop.command("run formats.toml --quiet --jobs 2");
        let ended = command.env("GAUNTLET_KERNELS", kernels).output().unwrap();
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
        files(&workshop, "formats.toml")
    };
    let best = lines("");
    for kernels in slower() {
        let differing: Vec<String> = lines(kernels).into_iter().filter(|line| !best.contains(line)).collect();
        assert_eq!(differing, [""; 0], "{kernels}");
    }
    assert_recorded(&format!("formats-{}", portable_class(&device_class())), &best);
}

/// Jobs without networks have one device class on all processors of an architecture: neither this program's kernels nor
/// the instructions of the system's math library change their bytes.
#[test]
fn jobs_without_networks_have_one_record_for_all_instructions() {
    let plan = plan_of(MANIFEST, &Overrides::default()).unwrap();
    let has_networks =
        |stage: &str| plan.configs.iter().any(|config| config.stage == stage && !config.spec.is_without_networks());
    let written = plan.configs.iter().filter(|config| !config.is_part());
    let stages: BTreeSet<&str> = written.map(|config| config.stage.as_str()).collect();
    let stages: Vec<&str> = stages.into_iter().filter(|stage| !has_networks(stage)).collect();
    assert!(stages.len() > 10, "{stages:?}");
    let only: String = stages.iter().map(|stage| format!(" --only stage={stage}")).collect();
    let jobs = format!("jobs.toml{only}");
    let lines = |environment: &[(&str, &str)]| {
        let workshop = workshop();
        let mut command = workshop.command(&format!("run {jobs} --data data --quiet --jobs 2"));
        let ended = command.envs(environment.iter().copied()).output().unwrap();
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
        files(&workshop, &jobs)
    };
    let best = lines(&[]);
    let plain = "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX512F,-AVX512VL,-AVX512BW,-AVX";
    for kernels in slower() {
        let differing: Vec<String> = lines(&[("GAUNTLET_KERNELS", kernels), ("GLIBC_TUNABLES", plain)])
            .into_iter()
            .filter(|line| !best.contains(line))
            .collect();
        assert_eq!(differing, [""; 0], "{kernels}");
    }
    let record = std::fs::read_to_string(record_file(&device_class())).unwrap_or_default();
    for other in ["cpu-x86_64-avx2", "cpu-x86_64-avx512"].map(record_file) {
        let other = std::fs::read_to_string(other).unwrap();
        let differing: Vec<&String> =
            best.iter().filter(|line| record.contains(*line) && !other.contains(*line)).collect();
        assert!(differing.is_empty(), "{differing:?}");
    }
}

/// Asserts that every number of a file is a key in `gauntlet explain`, and that every required key is present.
fn assert_explained(workshop: &Workshop) {
    let topics = json(&workshop.done("explain --all --json").stdout);
    let topics = topics.as_array().unwrap();
    for file in ["result.json", "metrics.jsonl", "games.jsonl"] {
        let parts: Vec<&Value> =
            topics.iter().filter(|topic| topic["topic"].as_str().unwrap().starts_with(file)).collect();
        for (path, bytes) in workshop.files("results/jobs", file) {
            for line in String::from_utf8(bytes).unwrap().lines().take(2) {
                let value = json(line);
                let fits = |part: &&Value| misfits(part["keys"].as_array().unwrap(), "", &value).is_empty();
                assert!(parts.iter().any(fits), "{path}: {line:.500}");
            }
        }
    }
}

/// The unexplained keys below a path, and the missing required ones.
fn misfits(keys: &[Value], prefix: &str, value: &Value) -> Vec<String> {
    let Some(table) = value.as_object() else { return Vec::new() };
    let own = |key: &Value| {
        let path = key["key"].as_str().unwrap().strip_prefix(prefix)?;
        (!path.contains('.')).then(|| path.to_owned())
    };
    let known: Vec<(String, &Value)> = keys.iter().filter_map(|key| Some((own(key)?, key))).collect();
    let lacking = known.iter().filter(|(name, key)| key["required"] == true && !table.contains_key(name));
    let mut found: Vec<String> = lacking.map(|(name, _)| format!("{prefix}{name} is lacking")).collect();
    for (name, value) in table {
        // An entry of a table of names has none of its own.
        let shown = if known.iter().any(|(key, _)| key == name) { name } else { "NAME" };
        let below = |sign: &str| {
            keys.iter().any(|key| key["key"].as_str().unwrap().starts_with(&format!("{prefix}{shown}{sign}.")))
        };
        if known.iter().all(|(key, _)| key != shown) && !below("") {
            found.push(format!("{prefix}{name} is not explained"));
        }
        match value {
            Value::Array(items) if below("[]") => {
                found.extend(items.iter().flat_map(|item| misfits(keys, &format!("{prefix}{shown}[]."), item)));
            }
            value if below("") => found.extend(misfits(keys, &format!("{prefix}{shown}."), value)),
            _ => {}
        }
    }
    found
}

/// The names of a registry's variants.
fn names<T: JsonSchema>() -> Vec<String> {
    let schema = schema_for!(T).to_value();
    let tag = |variant: &Value| variant["required"][0].as_str().unwrap().to_owned();
    schema["oneOf"].as_array().unwrap().iter().map(tag).collect()
}

/// The player that is a program of its own: its moves are not those of this program. `tests/program/engines.rs` compares
/// the bytes of its games.
const NOT_OURS: [&str; 2] = ["engine", "external"];

/// New registry entries must be added to the jobs.
#[test]
fn the_jobs_name_everything_that_is_registered() {
    let nets = [names::<NetSpec>(), names::<DeepSpec>()].concat();
    let jobs = [names::<TrainSpec>(), names::<PlaySpec>(), names::<MeasureSpec>()].concat();
    let registered = [names::<GameSpec>(), names::<PlayerSpec>(), nets, jobs].concat();
    for name in registered.into_iter().filter(|name| !NOT_OURS.contains(&name.as_str())) {
        // As a key: `.hex = `, `.hex.`, `{ hex = `, and no part of `hex-othello`.
        let before = |at: usize| MANIFEST[..at].ends_with(['.', ' ', '{', '"', '\n']);
        let after = |at: usize| MANIFEST[at + name.len()..].starts_with(['.', ' ', '=', ']', '"']);
        let is_named = MANIFEST.match_indices(name.as_str()).any(|(at, _)| before(at) && after(at));
        assert!(is_named, "tests/golden/jobs.toml has no `{name}`");
    }
}
