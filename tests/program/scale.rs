//! Tests of large plans: running time and memory.
//!
//! `GAUNTLET_LONG_TESTS=1` measures 100,000 jobs and the throughput of two cores; without it, a few of the jobs.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::workshop::{TRAINING, Workshop, is_long};
use gauntlet_nets::nets::deep::device_class;
use gauntlet_plan::manifest::{Overrides, Plan, load};
use gauntlet_store::{FileEntry, JobId, Key, Store};
use rayon::prelude::*;
use serde_json::json;

/// A manifest with `seeds` times `cells` jobs.
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

/// Puts a finished job into the store for every job of the manifest, without flushing to the disk.
fn fabricate(workshop: &Workshop, manifest: &str) {
    let source: BTreeMap<String, String> = [("m.toml".to_owned(), manifest.to_owned())].into();
    let plan =
        load(&source, "m.toml", &Overrides::default()).and_then(|loaded| Plan::new(loaded, &device_class())).unwrap();
    let store = Store::open(workshop.path("results")).unwrap();
    plan.jobs.par_iter().for_each(|job| {
        let config = plan.config(job);
        let id = JobId { kind: config.spec.kind().to_owned(), slug: config.slug.clone(), key: job.key };
        finish(&store.directory(&id), &job.key);
    });
}

/// Puts the files of a finished job into its directory.
fn finish(directory: &Path, key: &Key) {
    let result = br#"{"mean":0.0,"scores":"WLWLWLWLWL","plies":90,"distinct":10}"#;
    let entries = [FileEntry::new("result.json", result)];
    fs::create_dir(directory).unwrap();
    fs::write(directory.join("result.json"), result).unwrap();
    let done = json!({ "version": 1, "key": key.hex(), "files": entries });
    fs::write(directory.join("done.json"), serde_json::to_vec(&done).unwrap()).unwrap();
}

/// Time and peak memory (in MB, if the system reports it) of a successful run of the program.
fn measured(workshop: &Workshop, arguments: &str) -> (Duration, u64, String) {
    let begun = Instant::now();
    let output = fs::File::create(workshop.path("stdout.txt")).unwrap();
    let mut child = workshop.command(arguments).stdout(output).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    let code = loop {
        peak = peak_of(&status).unwrap_or(0).max(peak);
        match child.try_wait().unwrap() {
            Some(status) => break status.code(),
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    };
    assert_eq!(code, Some(0), "{arguments}");
    (begun.elapsed(), peak, fs::read_to_string(workshop.path("stdout.txt")).unwrap())
}

/// Peak memory in MB from the status of a process, if the system reports it.
fn peak_of(status: &str) -> Option<u64> {
    let text = fs::read_to_string(status).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().trim_end_matches(" kB").parse::<u64>().ok()? / 1000)
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

/// Simulated nodes that only write results: every task of every submission is done right after its submission. Returns
/// the maximum number of entries in a directory of the submissions.
fn be_the_nodes(workshop: &Workshop, manifest: &str, is_over: &AtomicBool) -> usize {
    let source: BTreeMap<String, String> = [("m.toml".to_owned(), manifest.to_owned())].into();
    let plan =
        load(&source, "m.toml", &Overrides::default()).and_then(|loaded| Plan::new(loaded, &device_class())).unwrap();
    let of_job = |job: &gauntlet_plan::manifest::PlanJob| {
        let config = plan.config(job);
        let id = JobId { kind: config.spec.kind().to_owned(), slug: config.slug.clone(), key: job.key };
        (id.directory(), job.key)
    };
    let keys: BTreeMap<String, Key> = plan.jobs.iter().map(of_job).collect();
    let (cluster, jobs, mut most) = (workshop.path("results/cluster"), workshop.path("results/jobs"), 0);
    while !is_over.load(Ordering::Relaxed) {
        for job in fs::read_dir(workshop.path("slurm/jobs")).into_iter().flatten().flatten() {
            let (name, finished) = (job.path().join("name"), job.path().join("finished"));
            let Ok(name) = fs::read_to_string(name) else { continue };
            let submission = cluster.join(name.trim());
            if finished.exists() || !submission.is_dir() {
                continue;
            }
            let entries = |directory: &Path| fs::read_dir(directory).into_iter().flatten().count();
            most = most.max(entries(&cluster)).max(entries(&submission)).max(entries(&submission.join("state")));
            let text = fs::read_to_string(submission.join("submission.json")).unwrap();
            let written: serde_json::Value = serde_json::from_str(&text).unwrap();
            let packs = written["packs"].as_array().unwrap().iter();
            let directories = packs.flat_map(|pack| pack["jobs"].as_array().unwrap());
            let directories: Vec<&str> = directories.map(|job| job["directory"].as_str().unwrap()).collect();
            directories.par_iter().for_each(|directory| finish(&jobs.join(directory), &keys[*directory]));
            fs::write(finished, "").unwrap();
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    most
}

/// Time and peak memory of a run until its submissions are gone, without waiting for the report.
fn until_followed(workshop: &Workshop, mut command: Command) -> (Duration, u64) {
    let begun = Instant::now();
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::inherit()).spawn().unwrap();
    let (status, mut peak, mut was_there) = (format!("/proc/{}/status", child.id()), 0, false);
    loop {
        peak = peak_of(&status).unwrap_or(0).max(peak);
        let is_there = workshop.path("results/cluster").exists();
        if (was_there && !is_there) || child.try_wait().unwrap().is_some() {
            break;
        }
        was_there |= is_there;
        std::thread::sleep(Duration::from_millis(2));
    }
    let time = begun.elapsed();
    let _ = child.kill();
    child.wait().unwrap();
    (time, peak)
}

#[test]
fn a_cluster_is_fed_and_followed_in_minutes() {
    let jobs = if is_long() { 100_000 } else { 2_000 };
    let text = format!("{}[cluster]\npack = 0\n", manifest(jobs / 100, 100));
    let workshop = Workshop::with(&text);
    fs::create_dir_all(workshop.path("slurm/jobs")).unwrap();
    fs::write(workshop.path("slurm/bulk"), "").unwrap();
    let fakes = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/slurm/fake");
    let mut command = workshop.command("run m.toml --executor slurm --yes");
    command.env("PATH", format!("{}:{}", fakes.display(), std::env::var("PATH").unwrap()));
    command.env("FAKE_SLURM", workshop.path("slurm"));
    if !is_long() {
        command.env("GAUNTLET_CLUSTER_PACE", "0.01");
    }
    let is_over = AtomicBool::new(false);
    let (most, (time, peak)) = std::thread::scope(|scope| {
        let nodes = scope.spawn(|| be_the_nodes(&workshop, &text, &is_over));
        let measured = until_followed(&workshop, command);
        is_over.store(true, Ordering::Relaxed);
        (nodes.join().unwrap(), measured)
    });
    let log = fs::read_to_string(workshop.path("slurm/log")).unwrap();
    let calls = |program: &str| log.lines().filter(|line| line.starts_with(program)).count();
    eprintln!(
        "{jobs} array tasks: {time:.2?}, {peak} MB, {} submissions, {} questions",
        calls("sbatch"),
        calls("squeue")
    );
    assert_eq!(calls("sbatch"), jobs / 1000);
    assert!(!is_long() || calls("squeue") as u64 <= time.as_secs() / 30 + 1);
    assert!(time < Duration::from_secs(600) && peak < 1000 && most <= 10_000, "{time:?}, {peak} MB, {most} entries");
    assert!(!workshop.path("results/cluster").exists());
    assert_eq!(fs::read_dir(workshop.path("results/jobs")).unwrap().count(), jobs);
}
