//! Large plans: how long they take, and how much memory.
//!
//! `GAUNTLET_LONG_TESTS=1` measures 100,000 jobs and the throughput of two cores; without it, a few of the jobs.

use std::collections::BTreeMap;
use std::fs;
use std::time::{Duration, Instant};

use crate::workshop::{TRAINING, Workshop, is_long};
use gauntlet::manifest::{Overrides, Plan, load};
use gauntlet::store::{FileEntry, JobId, Store};
use rayon::prelude::*;
use serde_json::json;

/// So many jobs: `seeds` times `cells`.
fn manifest(seeds: usize, cells: usize) -> String {
    let values: Vec<String> = (1..=cells / 5).map(|value| (2 * value).to_string()).collect();
    format!(
        r#"schema = 1
name = "test/large"
title = "Many jobs"
[games]
go.gomoku = {{ size = 7 }}
[agents]
naive.naive = {{}}
net.net = {{ network = {{ mdlstm = {{ cells = 3 }} }} }}
[stages.fitness]
seeds = {seeds}
sweep = {{ "game.size" = [5, 7, 9, 11, 13], games = [{}] }}
measure.fitness = {{ game = "go", agent = "net", opponent = "naive", games = 10 }}
[[exhibit]]
[exhibit.show.means]
stage = "fitness"
rows = ["game.size", "games"]
"#,
        values.join(", ")
    )
}

/// Puts a finished job into the store for every job of the manifest, without waiting for the disk.
fn fabricate(workshop: &Workshop, manifest: &str) {
    let shelf: BTreeMap<String, String> = [("m.toml".to_owned(), manifest.to_owned())].into();
    let plan = load(&shelf, "m.toml", &Overrides::default()).and_then(Plan::new).unwrap();
    let store = Store::open(workshop.path("results")).unwrap();
    let result = br#"{"mean":0.0,"scores":"WLWLWLWLWL","games":10}"#;
    let entries = [FileEntry::new("result.json", result)];
    plan.jobs.par_iter().for_each(|job| {
        let config = plan.config(job);
        let id = JobId { kind: config.spec.kind().to_owned(), slug: config.slug.clone(), key: job.key };
        let directory = store.directory(&id);
        fs::create_dir(&directory).unwrap();
        fs::write(directory.join("result.json"), result).unwrap();
        let done = json!({ "version": 1, "key": job.key.hex(), "files": entries });
        fs::write(directory.join("done.json"), serde_json::to_vec(&done).unwrap()).unwrap();
    });
}

/// Time and peak memory (in MB, where the system tells it) of a successful run of the program.
fn measured(workshop: &Workshop, arguments: &str) -> (Duration, u64, String) {
    let begun = Instant::now();
    let output = fs::File::create(workshop.path("stdout.txt")).unwrap();
    let mut child = workshop.command(arguments).stdout(output).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    let code = loop {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
        peak = peak.max(kilobytes.unwrap_or(0) / 1000);
        match child.try_wait().unwrap() {
            Some(status) => break status.code(),
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    };
    assert_eq!(code, Some(0), "{arguments}");
    (begun.elapsed(), peak, fs::read_to_string(workshop.path("stdout.txt")).unwrap())
}

#[test]
fn a_large_plan_is_shown_at_once() {
    let (jobs, times) = if is_long() { (100_000, 3) } else { (5_000, 1) };
    for (what, seeds, cells) in [("many seeds", jobs / 100, 100), ("many cells", 1, jobs)] {
        let text = manifest(seeds, cells);
        let workshop = Workshop::with(&text);
        fabricate(&workshop, &text);
        for arguments in ["plan m.toml", "plan m.toml --json", "plan m.toml --all", "status m.toml"] {
            let runs = (0..times).map(|_| measured(&workshop, arguments));
            let (time, peak, shown) = runs.min_by_key(|(time, _, _)| *time).unwrap();
            eprintln!("{what}, {jobs} jobs: {arguments}: {time:.2?}, {peak} MB");
            // The clock of a busy machine proves little; the memory does.
            assert!(time < Duration::from_secs(30), "{time:?}");
            assert!(peak < 500, "{peak} MB");
            if arguments == "plan m.toml" {
                assert!(shown.ends_with(&format!("{jobs} jobs, 0 to run\n")), "{}", &shown[shown.len() - 100..]);
            }
        }
    }
}

#[test]
fn two_jobs_on_two_cores_are_twice_as_fast() {
    if !is_long() || std::thread::available_parallelism().map_or(1, usize::from) < 2 {
        eprintln!("skipped: set GAUNTLET_LONG_TESTS=1 on an idle machine of two cores");
        return;
    }
    let manifest =
        TRAINING.replace("generations = 30", "generations = 400").replace("[\"mdlstm\", \"conv\"]", "[\"mdlstm\"]");
    let manifest = manifest.replace("seeds = 2", "seeds = 4");
    let seconds = |jobs: usize| {
        let workshop = Workshop::with(&manifest);
        let begun = Instant::now();
        workshop.done(&format!("run m.toml --jobs {jobs} --only stage=train"));
        begun.elapsed().as_secs_f64()
    };
    let ratios: Vec<f64> = (0..3).map(|_| seconds(1) / seconds(2)).collect();
    let best = ratios.iter().copied().fold(0.0, f64::max);
    eprintln!("two jobs at a time have {best:.2} times the throughput of one ({ratios:.2?})");
    assert!(best > 1.5, "{ratios:?}");
}
