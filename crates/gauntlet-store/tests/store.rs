//! Tests of the store: committed files are read back or their damage is noticed, and every job is done once.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use gauntlet_store::{
    Claim, Durations, Error, JobId, Key, Leftover, LockError, Planning, ReadError, Removal, Store, StoredState,
    atomic_write,
};
use rayon::prelude::*;
use serde_json::{Value, json};

fn job(seed: usize) -> JobId {
    JobId { kind: "play".into(), slug: format!("pente-7-s{seed}"), key: Key::of("run", &json!({ "seed": seed })) }
}

fn content(seed: usize) -> Vec<(String, Vec<u8>)> {
    vec![("numbers.json".into(), format!("{{\"seed\":{seed}}}").into_bytes()), ("games.bin".into(), vec![9; 300])]
}

/// Does the job unless it is done; returns whether this call did it.
fn do_it(store: &Store, seed: usize) -> bool {
    match store.begin(&job(seed), &json!({ "seed": seed })).unwrap() {
        Claim::Mine(directory) => directory.commit(&content(seed), "pente-7", 100.0).is_ok(),
        Claim::Done(_) | Claim::Busy => false,
    }
}

/// A temporary directory, in memory where possible: the disk is not under test.
fn directory() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

fn store() -> (tempfile::TempDir, Store) {
    let root = directory();
    let store = Store::open(root.path().join("results")).unwrap();
    (root, store)
}

/// Whether a job is done and all its files are intact.
fn is_intact(store: &Store, seed: usize) -> bool {
    let StoredState::Done(inventory) = store.state(&job(seed)).unwrap() else { return false };
    inventory.files.iter().all(|entry| store.read(&job(seed), &entry.name).is_ok())
}

fn is_damaged(result: Result<Vec<u8>, ReadError>) -> bool {
    matches!(result, Err(ReadError::Damaged { .. }))
}

#[test]
fn what_was_committed_is_read_back() {
    let (_root, store) = store();
    assert_eq!(store.state(&job(1)).unwrap(), StoredState::Absent);
    assert!(matches!(store.read(&job(1), "games.bin"), Err(ReadError::NotDone { .. })));
    assert!(do_it(&store, 1) && !do_it(&store, 1));
    let StoredState::Done(inventory) = store.state(&job(1)).unwrap() else { panic!("not done") };
    assert_eq!(inventory.files.iter().map(|entry| entry.size).sum::<u64>(), 310);
    assert_eq!(store.read(&job(1), "games.bin").unwrap(), vec![9; 300]);
    assert!(matches!(store.read(&job(1), "other.bin"), Err(ReadError::NoSuchFile { .. })));
    assert_eq!(store.key_inputs_in::<Value>(&job(1).directory()).unwrap().unwrap(), json!({"seed": 1}));
    assert_eq!(store.directories().unwrap(), [job(1).directory()]);
    assert!(is_intact(&store, 1));
}

#[test]
fn the_same_job_has_the_same_bytes_in_every_tree() {
    let ((_a, first), (_b, second)) = (store(), store());
    assert!(do_it(&first, 1) && do_it(&second, 1));
    for name in ["done.json", "key.json", "numbers.json"] {
        let read = |store: &Store| fs::read(store.directory(&job(1)).join(name)).unwrap();
        assert_eq!(read(&first), read(&second), "{name}");
    }
}

#[test]
fn a_file_of_another_size_is_noticed_when_planning() {
    type Damage = fn(&Path);
    let damages: [(&str, Damage); 6] = [
        ("truncated", |path| fs::write(path.join("games.bin"), [9; 299]).unwrap()),
        ("missing", |path| fs::remove_file(path.join("games.bin")).unwrap()),
        ("torn inventory", |path| fs::write(path.join("done.json"), "{\"version\":1,").unwrap()),
        ("empty inventory", |path| fs::write(path.join("done.json"), "").unwrap()),
        ("of another job", |path| fs::write(path.join("done.json"), other_done()).unwrap()),
        ("of a later version", |path| {
            let text = fs::read_to_string(path.join("done.json")).unwrap();
            fs::write(path.join("done.json"), text.replace("\"version\":1", "\"version\":2")).unwrap();
        }),
    ];
    for (name, damage) in damages {
        let (_root, store) = store();
        do_it(&store, 1);
        damage(&store.directory(&job(1)));
        assert!(matches!(store.state(&job(1)).unwrap(), StoredState::Broken(_)), "{name}");
        assert!(is_damaged(store.read(&job(1), "games.bin")), "{name}");
        assert!(do_it(&store, 1), "{name}: the job runs again");
        assert!(is_intact(&store, 1));
    }
}

/// An unreadable file may be intact: it does not count as damaged, and no file is removed.
#[test]
fn a_file_that_cannot_be_read_is_an_error_and_nothing_is_renamed() {
    type Obstacle = fn(&Path);
    let obstacles: [(&str, Obstacle); 2] = [
        ("a directory", |path| fs::create_dir(path).unwrap()),
        ("a loop of links", |path| std::os::unix::fs::symlink(path, path).unwrap()),
    ];
    for name in ["done.json", "games.bin"] {
        for (what, obstacle) in obstacles {
            let (root, store) = store();
            assert!(do_it(&store, 1));
            let (path, aside) = (store.directory(&job(1)).join(name), root.path().join("aside"));
            fs::rename(&path, &aside).unwrap();
            obstacle(&path);
            let is_told = |error: &Error| error.to_string().starts_with("cannot read ") && !error.hint().is_empty();
            assert!(is_told(&store.state(&job(1)).unwrap_err()), "{name}: {what}");
            assert!(is_told(&store.begin(&job(1), &json!(1)).unwrap_err()), "{name}: {what}");
            let read = store.read_or_discard(&job(1), "games.bin");
            assert!(matches!(read, Err(ReadError::Store(error)) if is_told(&error)), "{name}: {what}");
            assert!(fs::symlink_metadata(&path).is_ok(), "{name}: {what} was moved");
            if fs::remove_file(&path).is_err() {
                fs::remove_dir(&path).unwrap();
            }
            fs::rename(&aside, &path).unwrap();
            assert!(is_intact(&store, 1) && !do_it(&store, 1), "{name}: {what}");
        }
    }
}

#[test]
fn notes_that_cannot_be_read_are_an_error_and_stay() {
    let (_root, store) = store();
    assert!(do_it(&store, 1));
    store.request("/a.toml", "a", &Planning::now(job(1).key, "c0ffee", false), [&job(1)]).unwrap();
    let mut path = fs::read_dir(store.root().join("requests")).unwrap().map(|entry| entry.unwrap().path());
    let path = path.find(|path| path.extension().is_some()).unwrap();
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert!(store.requests().is_err() && store.requesters().is_err());
    fs::create_dir_all(store.root().join("verified/0123456789abcdef.json")).unwrap();
    assert!(store.verified().is_err() && store.forget_verified().is_err());
    assert!(store.root().join("verified/0123456789abcdef.json").exists());
    fs::remove_file(store.directory(&job(1)).join("key.json")).unwrap();
    assert_eq!(store.key_inputs_in::<Value>(&job(1).directory()).unwrap(), None);
    fs::create_dir(store.directory(&job(1)).join("key.json")).unwrap();
    assert!(store.key_inputs_in::<Value>(&job(1).directory()).is_err());
}

#[test]
fn a_store_that_is_only_looked_at_stays_as_it_is() {
    let (_root, store) = store();
    assert!(do_it(&store, 1));
    fs::write(store.directory(&job(1)).join("games.bin"), [8; 300]).unwrap();
    let looked_at = Store::look(store.root()).unwrap();
    assert!(is_damaged(looked_at.read_or_discard(&job(1), "games.bin")));
    looked_at.discard(&job(1), "test").unwrap();
    assert!(matches!(looked_at.state(&job(1)).unwrap(), StoredState::Done(_)));
    assert!(is_damaged(store.read_or_discard(&job(1), "games.bin")));
    assert_eq!(store.state(&job(1)).unwrap(), StoredState::Absent);
}

#[test]
fn the_directory_of_a_job_is_no_link() {
    let (root, store) = store();
    let elsewhere = root.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    ["key.json", "notes.txt"].iter().for_each(|name| fs::write(elsewhere.join(name), "mine").unwrap());
    std::os::unix::fs::symlink(&elsewhere, store.directory(&job(1))).unwrap();
    assert!(matches!(store.begin(&job(1), &json!(1)), Err(Error::Link { .. })));
    assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 2);
}

#[test]
fn clearing_up_takes_what_jobs_have_made_and_nothing_else() {
    let (root, store) = store();
    assert!(do_it(&store, 1));
    let ours = [store.directory(&job(1)), store.trash().join("2020-01-01").join(job(2).directory())];
    fs::create_dir_all(&ours[1]).unwrap();
    fs::write(ours[1].join("key.json"), "{}").unwrap();
    let mine = [
        "jobs/mnist/key.json",
        "jobs/mine-x-0123456789abcdef/notes.txt",
        "trash/2020-01-01/photos/1.jpg",
        "trash/mine/key.json",
        "verified/mine.json",
        "mnist/.tmp-1-2-3",
    ];
    for file in mine {
        let path = store.root().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "mine").unwrap();
    }
    let elsewhere = root.path().join("elsewhere").join(job(3).directory());
    fs::create_dir_all(&elsewhere).unwrap();
    fs::write(elsewhere.join("key.json"), "{}").unwrap();
    std::os::unix::fs::symlink(root.path().join("elsewhere"), store.trash().join("2019-01-01")).unwrap();
    std::os::unix::fs::symlink(&elsewhere, store.directory(&job(3))).unwrap();
    let leftovers = store.unwanted([]).unwrap();
    assert_eq!(leftovers.len(), 1, "{leftovers:?}");
    store.remove(&leftovers, Removal::ForGood).unwrap();
    store.tidy().unwrap();
    store.forget_verified().unwrap();
    store.empty_trash(Removal::ForGood).unwrap();
    assert!(ours.iter().all(|path| !path.exists()));
    assert!(mine.iter().all(|file| store.root().join(file).exists()) && elsewhere.join("key.json").exists());
}

fn other_done() -> Vec<u8> {
    let (_root, store) = store();
    do_it(&store, 2);
    fs::read(store.directory(&job(2)).join("done.json")).unwrap()
}

#[test]
fn a_flipped_bit_is_noticed_when_reading_and_extra_files_do_not_matter() {
    let (_root, store) = store();
    do_it(&store, 1);
    fs::write(store.directory(&job(1)).join("extra.txt"), "x").unwrap();
    assert!(is_intact(&store, 1));
    let mut bytes = vec![9; 300];
    bytes[150] ^= 4;
    fs::write(store.directory(&job(1)).join("games.bin"), bytes).unwrap();
    assert!(matches!(store.state(&job(1)).unwrap(), StoredState::Done(_)), "planning does not hash");
    assert!(is_damaged(store.read(&job(1), "games.bin")));
    assert!(!is_intact(&store, 1));
    assert_eq!(store.proof(&job(1)).unwrap().unwrap_err(), "the content of `games.bin` has changed");
    store.discard(&job(1), "a bit flipped").unwrap();
    store.discard(&job(1), "twice is not an error").unwrap();
    assert_eq!(store.state(&job(1)).unwrap(), StoredState::Absent);
    assert_eq!(store.proof(&job(1)).unwrap().unwrap_err(), "`done.json` is missing");
    assert!(do_it(&store, 1) && do_it(&store, 2));
    assert!(is_intact(&store, 1));
    let proof = |seed: usize| store.proof(&job(seed)).unwrap().unwrap();
    assert!(proof(1) == proof(1) && proof(1) != proof(2));
}

#[test]
fn a_claim_keeps_others_out_until_it_is_given_back() {
    let (_root, store) = store();
    let other = Store::open(store.root()).unwrap();
    let Claim::Mine(mut first) = store.begin(&job(1), &json!(1)).unwrap() else { panic!("not mine") };
    assert!(first.load_checkpoint().unwrap().is_none());
    first.checkpoint(&b"half way".to_vec().into()).unwrap();
    assert!(matches!(other.begin(&job(1), &json!(1)).unwrap(), Claim::Busy));
    drop(first);
    let Claim::Mine(mut second) = other.begin(&job(1), &json!(1)).unwrap() else { panic!("not freed") };
    assert_eq!(second.load_checkpoint().unwrap().unwrap().head, b"half way");
    second.commit(&content(1), "pente-7", 100.0).unwrap();
    assert!(matches!(store.begin(&job(1), &json!(1)).unwrap(), Claim::Done(_)));
    assert_eq!(store.durations(), Durations::default(), "a resumed job took longer than its last attempt");
}

#[test]
fn measured_durations_are_known_to_the_next_process() {
    let (_root, store) = store();
    for seed in 0..3 {
        do_it(&store, seed);
    }
    assert_eq!(Store::open(store.root()).unwrap().readings().len(), 3);
    let line = |seconds: f64, cost: f64| {
        let mut line = json!({ "started": "2026-01-01T00:00:00Z", "kind": "play", "class": "go-9", "resumed": false });
        (line["seconds"], line["cost"], line["job"]) = (json!(seconds), json!(cost), json!("play-go-9"));
        line.to_string()
    };
    // The disk took most of the job of a millisecond.
    let text = format!("{}\n{}\n{{\"started\":\"2026-01-01T00:00", line(60.0, 300.0), line(0.001, 1e-6));
    fs::write(store.root().join("timing/torn.jsonl"), text).unwrap();
    let durations = Store::open(store.root()).unwrap().durations();
    assert_eq!(durations.seconds_per_unit("play", "go-9"), Some(0.2));
}

#[test]
fn a_tree_has_one_holder_at_a_time() {
    let (_root, store) = store();
    let held = store.lock().unwrap();
    let Err(LockError::Held(other)) = store.lock() else { panic!("locked twice") };
    assert_eq!((other.holder.map(|holder| holder.process), other.file), (Some(std::process::id()), None));
    drop(held);
    store.lock().unwrap();
}

#[test]
fn a_root_that_is_no_directory_is_refused() {
    let root = directory();
    fs::write(root.path().join("file"), "").unwrap();
    assert!(matches!(Store::open(root.path().join("file")), Err(Error::NotADirectory { .. })));
    let error = Store::open(root.path().join("file/below")).unwrap_err();
    assert!(error.to_string().contains("file/below"), "{error}");
    fs::create_dir(root.path().join("tree")).unwrap();
    fs::write(root.path().join("tree/jobs"), "").unwrap();
    assert!(matches!(Store::open(root.path().join("tree")), Err(Error::NotADirectory { .. })));
    assert!(matches!(Store::look(root.path().join("tree")), Err(Error::NotADirectory { .. })));
}

#[test]
fn who_only_looks_creates_nothing() {
    let root = directory();
    let store = Store::look(root.path().join("results")).unwrap();
    assert!(store.directories().unwrap().is_empty() && store.unwanted([&job(0)]).unwrap().is_empty());
    assert_eq!((store.state(&job(0)).unwrap(), store.tidy().unwrap()), (StoredState::Absent, 0));
    assert!(store.durations() == Durations::default() && !root.path().join("results").exists());
}

#[test]
fn clearing_up_removes_what_nobody_wants_and_nobody_works_on() {
    let (_root, store) = store();
    (0..4).for_each(|seed| assert!(do_it(&store, seed)));
    let Claim::Mine(busy) = store.begin(&job(4), &json!(4)).unwrap() else { panic!("not mine") };
    let leftovers = store.unwanted([&job(0), &job(1)]).unwrap();
    let names: Vec<&str> = leftovers.iter().map(|leftover| leftover.directory.as_str()).collect();
    assert_eq!(names, [job(2).directory(), job(3).directory()], "somebody works on the other");
    // Another process may begin after the listing.
    let begun = Leftover { directory: job(4).directory(), bytes: 1 };
    let leftovers = [leftovers, vec![begun]].concat();
    let removed = store.remove(&leftovers, Removal::Trash).unwrap();
    assert!(removed.len() == 2 && removed.iter().map(|leftover| leftover.bytes).sum::<u64>() >= 2 * 310);
    assert!([2, 3].iter().all(|&seed| !store.directory(&job(seed)).exists()));
    assert!(store.directory(&job(4)).exists(), "somebody works on it");
    drop(busy);
    store.discard(&job(0), "test").unwrap();
    fs::write(store.directory(&job(1)).join(".tmp-1-0123456789abcdef-3"), "rubbish").unwrap();
    assert!(store.tidy().unwrap() > 7);
    assert_eq!(store.tidy().unwrap(), 0);
    assert!(is_intact(&store, 1));
}

#[test]
fn threads_share_the_jobs_and_do_each_once() {
    let (_root, store) = store();
    let done: usize = std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..4).map(|_| scope.spawn(|| (0..50).filter(|&seed| do_it(&store, seed)).count())).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(done, 50);
    (0..50).for_each(|seed| assert!(is_intact(&store, seed)));
}

/// Not a test of its own: the two tests below start it as separate processes. It does all jobs, and writes one empty
/// file for each that it did.
#[test]
fn child_process() {
    let Some(root) = std::env::var_os("GAUNTLET_TEST_STORE").map(PathBuf::from) else { return };
    let store = Store::open(root.join("results")).unwrap();
    for seed in 0..100 {
        if do_it(&store, seed) {
            fs::write(root.join(format!("{seed}-{}", std::process::id())), "").unwrap();
        }
    }
}

fn child(root: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child_process"])
        .env("GAUNTLET_TEST_STORE", root)
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn processes_share_the_jobs_and_do_each_once() {
    let (root, store) = store();
    let mut children = [child(root.path()), child(root.path()), child(root.path())];
    children.iter_mut().for_each(|child| assert!(child.wait().unwrap().success()));
    assert_eq!(fs::read_dir(root.path()).unwrap().count() - 1, 100);
    (0..100).for_each(|seed| assert!(is_intact(&store, seed)));
}

#[test]
fn a_killed_process_leaves_jobs_absent_or_done() {
    let (root, store) = store();
    for round in 0..20 {
        let mut child = child(root.path());
        std::thread::sleep(Duration::from_millis(2 + 3 * round));
        child.kill().unwrap();
        child.wait().unwrap();
        for seed in 0..100 {
            match store.state(&job(seed)).unwrap() {
                StoredState::Done(_) => assert!(is_intact(&store, seed)),
                StoredState::Absent => {}
                StoredState::Broken(reason) => panic!("{reason}"),
            }
        }
    }
    assert!(child(root.path()).wait().unwrap().success());
    (0..100).for_each(|seed| assert!(is_intact(&store, seed)));
    store.tidy().unwrap();
    let stale = fs::read_dir(store.directory(&job(99))).unwrap().count();
    assert_eq!(stale, 4, "key, inventory and two files");
}

/// A file system of 128 KiB, unmounted when dropped.
struct SmallDisk<'a>(&'a Path);

impl SmallDisk<'_> {
    fn mount(path: &Path) -> Option<SmallDisk<'_>> {
        let output = Command::new("mount").args(["-t", "tmpfs", "-o", "size=128k", "none"]).arg(path).output().ok()?;
        output.status.success().then_some(SmallDisk(path))
    }
}

impl Drop for SmallDisk<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0).status();
    }
}

#[test]
fn a_full_disk_is_said_clearly_and_leaves_a_readable_store() {
    let root = directory();
    let Some(_small) = SmallDisk::mount(root.path()) else {
        eprintln!("skipped: no tmpfs can be mounted here");
        return;
    };
    let store = Store::open(root.path().join("results")).unwrap();
    let error = (0..1000).find_map(|seed| {
        let result = store.begin(&job(seed), &json!(seed)).and_then(|claim| match claim {
            Claim::Mine(directory) => directory.commit(&content(seed), "pente-7", 1.0).map(|_| ()),
            _ => Ok(()),
        });
        result.err().map(|error| (seed, error))
    });
    let (seed, error) = error.expect("128 KiB are full before 1000 jobs");
    assert!(error.hint().contains("disk is full"), "{error}: {}", error.hint());
    (0..seed).for_each(|seed| assert!(is_intact(&store, seed)));
    assert_eq!(store.state(&job(seed)).unwrap(), StoredState::Absent);
    store.remove(&store.unwanted([&job(seed)]).unwrap(), Removal::ForGood).unwrap();
    assert!(do_it(&store, seed), "with space again, the next run completes");
}

#[test]
fn keys_of_large_plans_are_cheap() {
    let mut value = json!({ "game": {"name": "gomoku", "size": 9}, "net": {"mdlstm": {"cells": 3, "biased": false}},
        "learning": {"sigma": 0.5, "generations": 100, "games": 100, "opponent": "naive", "note": "x".repeat(500)},
        "upstream": (0..8).map(|n| Key::of("run", &json!(n)).hex()).collect::<Vec<_>>() });
    assert!(value.to_string().len() > 1000);
    let start = Instant::now();
    let keys: std::collections::HashSet<Key> = (0..20_000)
        .map(|seed| {
            value["seed"] = json!(seed);
            Key::of("run", &value)
        })
        .collect();
    assert_eq!(keys.len(), 20_000);
    let seconds = start.elapsed().as_secs_f64();
    eprintln!("keys: {:.0} ms per 100,000", seconds * 5e3);
    assert!(seconds < 1.0);
}

/// Set `GAUNTLET_TEST_JOBS=100000` for the full measurement.
#[test]
fn looking_up_many_finished_jobs_is_cheap() {
    let (_root, store) = store();
    let n: usize = std::env::var("GAUNTLET_TEST_JOBS").ok().and_then(|n| n.parse().ok()).unwrap_or(5000);
    do_it(&store, 0);
    let template = store.directory(&job(0));
    let key = job(0).key.hex();
    let done = fs::read_to_string(template.join("done.json")).unwrap();
    let jobs: Vec<JobId> = (0..n).map(job).collect();
    for job in &jobs[1..] {
        let directory = store.directory(job);
        fs::create_dir(&directory).unwrap();
        fs::write(directory.join("done.json"), done.replace(&key, &job.key.hex())).unwrap();
        for name in ["numbers.json", "games.bin"] {
            fs::copy(template.join(name), directory.join(name)).unwrap();
        }
    }
    let start = Instant::now();
    let states: Vec<StoredState> = jobs.par_iter().with_min_len(64).map(|job| store.state(job).unwrap()).collect();
    let seconds = start.elapsed().as_secs_f64();
    assert!(states.iter().all(|state| matches!(state, StoredState::Done(_))));
    eprintln!("states: {:.0} ms for {n} jobs of two files", seconds * 1e3);
    assert!(seconds < 1e-4 * n as f64, "{seconds} s");
}

#[test]
fn a_commit_takes_milliseconds() {
    // On the disk.
    let root = tempfile::tempdir().unwrap();
    let store = Store::open(root.path()).unwrap();
    let start = Instant::now();
    (0..50).for_each(|seed| assert!(do_it(&store, seed)));
    eprintln!("commit: {:.2} ms per job of two files", start.elapsed().as_secs_f64() * 1e3 / 50.0);
    let path = store.root().join("probe");
    let start = Instant::now();
    (0..50).for_each(|_| atomic_write(&path, b"probe").unwrap());
    eprintln!("atomic_write: {:.2} ms", start.elapsed().as_secs_f64() * 1e3 / 50.0);
}
