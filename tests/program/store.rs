//! Tests of file ownership and unreadable files: the program changes only its own files.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::workshop::{ALPHA_ZERO, MEASUREMENTS, TRAINING, Workshop};
use gauntlet_plan::manifest::plan::identity::KeyInputs;
use gauntlet_store::{Claim, JobId, Store};
use serde_json::json;

const MARK: &str = "results/.gauntlet-results";

/// All names below the results with their contents, without the clock readings.
fn everything(workshop: &Workshop) -> BTreeMap<String, Vec<u8>> {
    workshop.files("results", "")
}

#[test]
fn directories_of_others_are_refused_and_left_alone() {
    let workshop = Workshop::with(MEASUREMENTS);
    workshop.write("results/runs/mnist/ckpt/weights.json", "mine");
    let ended = workshop.ends(2, &["run", "m.toml", "--seeds", "1"]);
    assert!(
        ended.stderr.contains("results holds `runs`") && ended.stderr.contains(".gauntlet-results"),
        "{}",
        ended.stderr
    );
    workshop.ends(2, &["run", "m.toml", "--seeds", "1", "--results", "."]);
    workshop.ends(2, &["gc", "--yes"]);
    assert_eq!(everything(&workshop).len(), 1);
    // The remedy that the message names.
    workshop.write(MARK, "");
    workshop.write("results/runs/1-0123456789abcdef-0/x.log", "of a run that died");
    workshop.done("run m.toml --seeds 1");
    workshop.done("gc --yes --unknown --for-good");
    assert_eq!(workshop.read("results/runs/mnist/ckpt/weights.json"), "mine");
    assert!(!workshop.path("results/runs/1-0123456789abcdef-0").exists());
}

#[test]
fn results_of_an_older_version_are_adopted() {
    let workshop = Workshop::with(MEASUREMENTS);
    workshop.done("run m.toml --seeds 1");
    fs::remove_file(workshop.path(MARK)).unwrap();
    workshop.write("results/notes.txt", "mine");
    workshop.done("run m.toml --seeds 2");
    assert!(workshop.path(MARK).is_file() && workshop.path("results/notes.txt").is_file());
}

#[test]
fn the_timing_journal_names_the_commit_of_the_program() {
    let workshop = Workshop::with(MEASUREMENTS);
    workshop.done("run m.toml --seeds 1");
    workshop.done("run m.toml --seeds 2 --executor process");
    let lines: Vec<String> = workshop
        .files("results/timing", ".jsonl")
        .into_values()
        .flat_map(|bytes| String::from_utf8(bytes).unwrap().lines().map(str::to_owned).collect::<Vec<_>>())
        .collect();
    let named = format!("\"commit\":\"{}\"", env!("GAUNTLET_COMMIT"));
    assert!(lines.len() > 2 && lines.iter().all(|line| line.contains(&named)), "{lines:?}");
}

#[test]
fn exports_and_recordings_replace_no_other_files() {
    let workshop = Workshop::with(TRAINING);
    workshop.done("run m.toml --seeds 1 --jobs 1");
    let weights = workshop.jobs("train")[0].join("weights.safetensors");
    let (before, name) = (fs::read(&weights).unwrap(), weights.to_string_lossy().into_owned());
    let ended = workshop.ends(2, &["export", &name, &name]);
    assert!(ended.stderr.contains("would be a file of the job in this directory"), "{}", ended.stderr);
    assert_eq!(fs::read(&weights).unwrap(), before);
    let manifest = workshop.read("m.toml");
    let ended = workshop.ends(1, &["run", "m.toml", "--seeds", "1", "--record", "m.toml"]);
    assert!(ended.stderr.contains("it exists, and is no recording of a run"), "{}", ended.stderr);
    assert_eq!(workshop.read("m.toml"), manifest);
    for _ in 0..2 {
        workshop.done("run m.toml --seeds 1 --record run.jsonl");
    }
}

/// Without the inputs beside a result, nothing says how it was made.
#[test]
fn a_result_without_its_inputs_is_damaged_for_verify() {
    let workshop = Workshop::with(MEASUREMENTS);
    workshop.done("run m.toml --seeds 1");
    fs::remove_file(workshop.jobs("measure")[0].join("key.json")).unwrap();
    let ended = workshop.ends(5, &["verify", "m.toml", "--seeds", "1", "--all"]);
    assert!(format!("{ended:?}").contains("key.json is missing, or is not that of this job"), "{ended:?}");
}

/// Replaces a file by an unreadable one, and restores it.
struct Obstacle {
    path: PathBuf,
    aside: PathBuf,
}

impl Obstacle {
    fn new(path: &Path, aside: PathBuf, is_loop: bool) -> Obstacle {
        fs::rename(path, &aside).unwrap();
        if is_loop {
            symlink(path, path).unwrap()
        } else {
            fs::create_dir(path).unwrap()
        }
        Obstacle { path: path.to_path_buf(), aside }
    }

    fn remove(self) {
        fs::remove_file(&self.path).or_else(|_| fs::remove_dir(&self.path)).unwrap();
        fs::rename(self.aside, self.path).unwrap();
    }
}

#[test]
fn what_cannot_be_read_is_an_error_and_no_damage() {
    let workshop = Workshop::with(TRAINING);
    workshop.done("run m.toml");
    let before = (everything(&workshop), workshop.files("reports", ""));
    for (kind, file) in
        [("train", "done.json"), ("measure", "done.json"), ("measure", "result.json"), ("train", "weights.safetensors")]
    {
        for is_loop in [false, true] {
            let obstacle = Obstacle::new(&workshop.jobs(kind)[0].join(file), workshop.path("aside"), is_loop);
            for command in ["run", "report", "plan", "status"] {
                let ended = workshop.ends(1, &[command, "m.toml"]);
                assert!(
                    ended.stderr.contains("cannot read ") && ended.stderr.contains(file),
                    "{command}: {}",
                    ended.stderr
                );
            }
            obstacle.remove();
            assert!(everything(&workshop) == before.0, "{kind} {file}: something was changed");
        }
    }
    assert!(workshop.files("reports", "") == before.1);
    assert!(workshop.done("run m.toml").stderr.contains("nothing to do"));
}

#[test]
fn a_report_never_changes_the_store() {
    let workshop = Workshop::with(MEASUREMENTS);
    workshop.done("run m.toml --seeds 2");
    let expected = workshop.tables();
    let result = workshop.jobs("measure")[0].join("result.json");
    let damaged = fs::read_to_string(&result).unwrap().replace('{', "[");
    fs::write(&result, damaged).unwrap();
    let before = everything(&workshop);
    let ended = workshop.done("report m.toml --seeds 2");
    assert!(
        ended.stderr.contains("is damaged: ") && ended.stderr.contains("1 of 4 jobs have no result"),
        "{}",
        ended.stderr
    );
    assert!(everything(&workshop) == before);
    workshop.done("run m.toml --seeds 2");
    assert_eq!(workshop.tables(), expected);
}

/// A checkpoint with a valid hash whose content is not a state of the job, for example of another version.
#[test]
fn a_job_starts_over_where_its_checkpoint_cannot_be_continued() {
    for manifest in [TRAINING, ALPHA_ZERO] {
        let workshop = Workshop::with(manifest);
        workshop.done("run m.toml --seeds 1");
        let expected = workshop.tables();
        let job = workshop.jobs("train").remove(0);
        let KeyInputs { key, .. } = serde_json::from_slice(&fs::read(job.join("key.json")).unwrap()).unwrap();
        fs::remove_file(job.join("done.json")).unwrap();
        let name = job.file_name().unwrap().to_str().unwrap().to_owned();
        let slug = name.strip_prefix("train-").unwrap().rsplit_once('-').unwrap().0.to_owned();
        let store = Store::open(workshop.path("results")).unwrap();
        let id = JobId { kind: "train".to_owned(), slug, key };
        let Claim::Mine(directory) = store.begin(&id, &json!({})).unwrap() else { panic!("not mine") };
        directory.checkpoint(&b"no state".to_vec().into()).unwrap();
        drop(directory);
        let ended = workshop.done("run m.toml --seeds 1");
        assert!(ended.stderr.contains("starts over: its checkpoint cannot be continued"), "{}", ended.stderr);
        assert!(workshop.tables() == expected && !job.join("checkpoint.bin").exists());
    }
}

/// A process that died on another machine, and one of this machine from before its boot.
#[test]
fn whoever_is_waited_for_is_named_with_the_way_out() {
    let workshop = Workshop::with(MEASUREMENTS);
    workshop.done("run m.toml --seeds 1");
    let owner = r#"{"process":7,"since":"2026-01-01T00:00:00Z","host":"n7","machine":"another","mark":"x"}"#;
    workshop.write("results/.owner.json", owner);
    let child = workshop.command("run m.toml --seeds 2 --quiet").spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_secs(2));
    fs::remove_file(workshop.path("results/.owner.json")).unwrap();
    let ended = crate::workshop::Ended::from(child.wait_with_output().unwrap());
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let reported = &ended.stderr;
    for words in ["process 7 on n7 is running on `results`", "180 s", "remove results/.owner.json"] {
        assert!(reported.contains(words), "{reported}");
    }
}

#[test]
fn jobs_that_no_machine_can_hold_are_refused_with_both_numbers() {
    let environments = ALPHA_ZERO.replace("games = 12\n", "plies = { environments = 1000000000, each = 1 }\n");
    let window = "plies = { environments = 1000, each = 4000000000 }\nwindow.frames = 1000000000\n";
    let window = ALPHA_ZERO.replace("games = 12\nhistory = 3\n", window);
    for manifest in [environments, window] {
        let workshop = Workshop::with(&manifest);
        for command in ["check", "run"] {
            let reported = workshop.ends(2, &[command, "m.toml"]).stderr;
            let is_told =
                reported.contains("takes at least ") && reported.contains(" GB of memory, and this machine has ");
            assert!(is_told && reported.contains("hint: ask for fewer environments"), "{reported}");
        }
        assert!(!workshop.path("results").exists());
        let ended = workshop.ends(0, &["check", "m.toml", "--executor", "slurm"]);
        assert!(ended.stdout.contains("m.toml: ok"), "what a cluster has is not known: {}", ended.stderr);
    }
}
