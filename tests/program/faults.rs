//! Tests of faults: a kill at any moment, damaged files, a full disk, a second run, an interrupt.
//!
//! `GAUNTLET_LONG_TESTS=1` kills more often and measures at full size.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::workshop::{ALPHA_ZERO, Ended, MEASUREMENTS, TRAINING, Workshop, is_long};
use gauntlet_store::Store;

/// The CSVs of an uninterrupted run.
fn reference(manifest: &str) -> std::collections::BTreeMap<String, Vec<u8>> {
    let workshop = Workshop::with(manifest);
    workshop.done("run m.toml");
    workshop.files("reports", ".csv")
}

/// Waits for a condition, at most a minute.
fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{what}: never");
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn a_run_that_was_killed_at_any_moment_continues_to_the_same_bytes() {
    let expected = reference(TRAINING);
    assert_eq!(expected.len(), 3);
    let workshop = Workshop::with(TRAINING);
    let kills = if is_long() { 50 } else { 12 };
    // The clock decides which operation is hit; these only spread the moments.
    let moments = (0..kills).map(|at| Duration::from_millis(5 + (at * 137) % 400));
    let mut completed = 0;
    for moment in moments {
        let mut child = workshop.command("run m.toml --jobs 2 --quiet").spawn().unwrap();
        std::thread::sleep(moment);
        let is_over = child.try_wait().unwrap().is_some();
        child.kill().unwrap();
        child.wait().unwrap();
        if is_over {
            assert_eq!(workshop.files("reports", ".csv"), expected);
            fs::remove_dir_all(workshop.path("results")).unwrap();
            fs::remove_dir_all(workshop.path("reports")).unwrap();
            completed += 1;
        }
    }
    workshop.done("run m.toml");
    assert_eq!(workshop.files("reports", ".csv"), expected);
    eprintln!("{kills} kills, {completed} runs completed between them");
}

/// Every kill comes a given time after a checkpoint, in milliseconds: in self-play, in steps, or in a gate.
#[test]
fn an_alpha_zero_training_that_was_killed_continues_to_the_same_bytes() {
    let whole = Workshop::with(ALPHA_ZERO);
    let ended = whole.done("run m.toml");
    let time = ended.stderr.lines().find(|line| line.starts_with("test/alpha-zero: train: "));
    assert!(time.is_some_and(|line| line.contains(" s a training, ")), "the time: {}", ended.stderr);
    let of = |workshop: &Workshop| (workshop.files("results/jobs", ""), workshop.files("reports", ".csv"));
    let expected = of(&whole);
    assert!(expected.1.len() == 3 && expected.0.keys().any(|name| name.ends_with("weights-30.safetensors")));
    let (workshop, mut killed) = (Workshop::with(ALPHA_ZERO), 0);
    let moments = [0, 15, 40, 90, 160, 250, 10, 60, 130, 200];
    for moment in moments.into_iter().take(if is_long() { 10 } else { 5 }) {
        let before = workshop.files("results", "checkpoint.bin");
        let mut child = workshop.command("run m.toml --quiet").spawn().unwrap();
        let mut is_over = || child.try_wait().unwrap().is_some();
        wait_for("a checkpoint", || is_over() || workshop.files("results", "checkpoint.bin") != before);
        std::thread::sleep(Duration::from_millis(moment));
        if is_over() {
            break;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        killed += 1;
    }
    assert!(killed > 1 && workshop.commits().len() < 2);
    workshop.done("run m.toml");
    assert!(workshop.commits().iter().any(|line| line.contains("\"resumed\":true")), "{:?}", workshop.commits());
    assert_eq!(of(&workshop), expected);
}

#[test]
fn an_interrupted_run_continues_from_its_checkpoint() {
    let manifest = long_training();
    let workshop = Workshop::with(&manifest);
    let child = workshop.command("run m.toml --jobs 2").spawn().unwrap();
    wait_for("a checkpoint", || !workshop.files("results", "checkpoint.bin").is_empty());
    kill(&["-INT", &child.id().to_string()]);
    let ended = Ended::from(child.wait_with_output().unwrap());
    assert_eq!(ended.code, 130, "{}", ended.stderr);
    assert!(ended.stderr.contains("run the same command again to continue"), "{}", ended.stderr);
    assert!(ended.stdout.is_empty() && !workshop.path("reports").exists());
    let saved = workshop.files("results", "checkpoint.bin");
    assert!(!saved.is_empty());
    let continued = workshop.done("run m.toml");
    assert!(continued.stderr.contains("continue from a checkpoint"), "{}", continued.stderr);
    assert!(workshop.commits().iter().any(|line| line.contains("\"resumed\":true")), "{:?}", workshop.commits());
    assert!(workshop.files("results", "checkpoint.bin").is_empty(), "a finished job keeps no checkpoint");
    assert_eq!(workshop.files("reports", ".csv"), reference(&manifest));
}

#[test]
fn the_checkpoint_of_another_seed_is_not_taken() {
    let manifest = TRAINING.replace("generations = 30", "generations = 120");
    let arguments = "run m.toml --jobs 2 --only stage=train,agent=mdlstm";
    let (whole, workshop) = (Workshop::with(&manifest), Workshop::with(&manifest));
    whole.done(arguments);
    let child = workshop.command(arguments).spawn().unwrap();
    wait_for("two checkpoints", || workshop.files("results", "checkpoint.bin").len() == 2);
    kill(&["-INT", &child.id().to_string()]);
    assert_eq!(Ended::from(child.wait_with_output().unwrap()).code, 130);
    let [one, other] = workshop.jobs("train").try_into().unwrap();
    let swapped = [&one, &other].map(|job: &PathBuf| fs::read(job.join("checkpoint.bin")).unwrap());
    fs::write(one.join("checkpoint.bin"), &swapped[1]).unwrap();
    fs::write(other.join("checkpoint.bin"), &swapped[0]).unwrap();
    let continued = workshop.done(arguments);
    assert!(continued.stderr.contains("its checkpoint is that of another job"), "{}", continued.stderr);
    assert!(workshop.files("results/jobs", "") == whole.files("results/jobs", ""));
}

/// The program under a user with restricted permissions: root becomes the user `nobody`, who gets access to the
/// directory.
fn unprivileged(workshop: &Workshop, arguments: &str) -> std::process::Command {
    let mut command = workshop.command(arguments);
    if Command::new("id").arg("-u").output().unwrap().stdout == b"0\n" {
        assert!(Command::new("chmod").args(["-R", "a+rwX"]).arg(workshop.path("")).status().unwrap().success());
        command.uid(65534);
    }
    command
}

#[test]
fn a_result_that_cannot_be_read_is_no_smaller_number_of_runs() {
    let workshop = Workshop::with(MEASUREMENTS);
    workshop.done("run m.toml --seeds 2");
    let before = workshop.files("reports", ".csv");
    let result = workshop.jobs("measure").remove(0).join("result.json");
    for arguments in ["run m.toml --seeds 2", "report m.toml --seeds 2"] {
        let mut command = unprivileged(&workshop, arguments);
        let readable = fs::metadata(&result).unwrap().permissions();
        fs::set_permissions(&result, fs::Permissions::from_mode(0o000)).unwrap();
        let ended = Ended::from(command.output().unwrap());
        fs::set_permissions(&result, readable).unwrap();
        assert_eq!(ended.code, 1, "{arguments}: {}{}", ended.stdout, ended.stderr);
        assert!(ended.stderr.contains("cannot read") && ended.stderr.contains("make it readable"), "{}", ended.stderr);
    }
    assert_eq!(workshop.files("reports", ".csv"), before);
}

#[test]
fn whoever_plays_or_exports_is_told_of_damage() {
    let workshop = Workshop::with(TRAINING);
    workshop.done("run m.toml --seeds 1");
    let job = workshop.jobs("train").remove(0);
    let name = job.file_name().unwrap().to_str().unwrap().to_owned();
    let (path, key) = (format!("results/jobs/{name}"), name.rsplit('-').next().unwrap().to_owned());
    let models = [format!("{path}/weights.safetensors"), path.clone(), key];
    let play = |model: &str| workshop.run(&format!("play {model} --game atari-go --size 5"));
    models.iter().for_each(|model| assert_eq!(play(model).code, 0, "{model}"));
    // Outside the store, a file has its own checksum.
    workshop.done(&format!("export {} own.safetensors", models[0]));
    assert_eq!(play("own.safetensors").code, 0);
    flip(&workshop.path("own.safetensors"));
    let ended = play("own.safetensors");
    assert!(ended.code == 1 && ended.stderr.contains("is damaged"), "{ended:?}");
    flip(&job.join("weights.safetensors"));
    for model in &models {
        let ended = play(model);
        assert!(ended.code == 1 && ended.stderr.contains("is damaged"), "{model}: {ended:?}");
    }
    let export = format!("export {path}/metrics.jsonl m.tfevents");
    workshop.done(&export);
    flip(&job.join("metrics.jsonl"));
    let ended = workshop.run(&export);
    assert!(ended.code == 1 && ended.stderr.contains("the content of `metrics.jsonl` has changed"), "{ended:?}");
    fs::remove_file(job.join("done.json")).unwrap();
    let unfinished = play(&path);
    assert!(unfinished.code == 2 && unfinished.stderr.contains("is not finished"), "{unfinished:?}");
}

#[test]
fn a_page_shows_nothing_that_was_edited_since_it_was_written() {
    let workshop = Workshop::with(MEASUREMENTS);
    workshop.write("other.toml", &MEASUREMENTS.replace("test/measurements", "test/other"));
    workshop.done("run m.toml --seeds 2");
    workshop.done("run other.toml --seeds 2");
    let page = || fs::read_to_string(workshop.path("reports/test/custom/index.html")).unwrap();
    let render = || workshop.done("report m.toml --seeds 2").stderr;
    assert!(!render().contains("warning") && page().contains("id=\"other\""), "{}", page());
    let (sheet, picture) = ("reports/test/custom/.sheets/other.json", "reports/test/custom/other.svg");
    let own = fs::read_to_string(workshop.path(sheet)).unwrap();
    for (from, to) in [("Random networks", "Trained networks"), ("}}", "}")] {
        assert!(own.contains(from), "{own}");
        workshop.write(sheet, &own.replace(from, to));
        assert!(render().contains("is not as this program wrote it"), "{from}");
        assert!(!page().contains("id=\"other\"") && !page().contains("Trained networks"));
    }
    workshop.write(sheet, &own);
    // The page draws its pictures from the sheets, and reads no picture.
    workshop.write(picture, "<svg>Trained networks</svg>");
    assert!(!render().contains("warning") && page().contains("id=\"other\"") && !page().contains("Trained networks"));
    assert!(!render().contains("warning") && page().contains("id=\"other\""));
}

/// Two trainings that are too long to finish before the interference, and short enough to finish afterwards.
fn long_training() -> String {
    TRAINING.replace("generations = 30", "generations = 400").replace("seeds = 2", "seeds = 1")
}

/// A worker that trains: its process id, and the name of its job.
fn training_worker(workshop: &Workshop) -> (String, String) {
    let mut found = None;
    wait_for("a worker that has saved a checkpoint", || {
        let has_checkpoint = |job: &str| !workshop.files(&format!("results/jobs/{job}"), "checkpoint.bin").is_empty();
        let beats = workshop.files("results/runs", ".state.json");
        found = beats.iter().find_map(|(path, beat)| {
            let job = path.rsplit('/').next()?.strip_suffix(".state.json")?;
            let beat: serde_json::Value = serde_json::from_slice(beat).ok()?;
            (job.starts_with("train") && has_checkpoint(job)).then(|| (beat["process"].to_string(), job.to_owned()))
        });
        found.is_some()
    });
    found.unwrap()
}

fn kill(arguments: &[&str]) {
    assert!(Command::new("kill").args(arguments).status().unwrap().success());
}

#[test]
fn a_killed_worker_fails_its_job_and_nothing_else() {
    let manifest = long_training();
    let workshop = Workshop::with(&manifest);
    let child = workshop.command("run m.toml --jobs 2 --executor process").spawn().unwrap();
    let (process, job) = training_worker(&workshop);
    kill(&["-KILL", &process]);
    let ended = Ended::from(child.wait_with_output().unwrap());
    assert_eq!(ended.code, 1, "{}", ended.stderr);
    let log = ended.stderr.split("its log is ").nth(1).and_then(|rest| rest.split(';').next()).unwrap();
    assert!(ended.stderr.contains("signal: 9") && log.contains(&job), "{}", ended.stderr);
    assert!(workshop.path(log).is_file(), "{log}");
    assert!(ended.stderr.contains("1 job failed, 2 that wait for them were skipped"), "{}", ended.stderr);
    assert_eq!(workshop.commits().len(), 3, "the other training and what is measured of it");
    let continued = workshop.done("run m.toml --executor process");
    assert!(continued.stderr.contains("1 continue from a checkpoint"), "{}", continued.stderr);
    assert!(workshop.commits().iter().any(|line| line.contains("\"resumed\":true")), "{:?}", workshop.commits());
    assert_eq!(workshop.files("reports", ".csv"), reference(&manifest));
    assert!(!workshop.path("results/runs").exists(), "the log went with the next run");
}

/// A signal to the run alone, and one to its whole process group, as a terminal sends it.
#[test]
fn an_interrupt_stops_the_workers_too() {
    let manifest = long_training();
    let expected = reference(&manifest);
    for to_all in [false, true] {
        let workshop = Workshop::with(&manifest);
        let child = workshop.command("run m.toml --jobs 2 --executor process").process_group(0).spawn().unwrap();
        training_worker(&workshop);
        let run = child.id().to_string();
        if to_all {
            kill(&["-INT", "--", &format!("-{run}")])
        } else {
            kill(&["-INT", &run])
        }
        let ended = Ended::from(child.wait_with_output().unwrap());
        assert_eq!(ended.code, 130, "{}", ended.stderr);
        assert!(!ended.stderr.contains("failed"), "{}", ended.stderr);
        assert!(!workshop.files("results", "checkpoint.bin").is_empty());
        assert!(!workshop.path("results/runs").exists(), "nothing of the workers is left");
        workshop.done("run m.toml");
        assert!(workshop.commits().iter().any(|line| line.contains("\"resumed\":true")), "{:?}", workshop.commits());
        assert_eq!(workshop.files("reports", ".csv"), expected);
    }
}

#[test]
fn workers_end_with_the_run_that_started_them() {
    let workshop = Workshop::with(&long_training());
    let mut child = workshop.command("run m.toml --jobs 2 --executor process").spawn().unwrap();
    let (_, job) = training_worker(&workshop);
    child.kill().unwrap();
    child.wait().unwrap();
    let state = || workshop.files("results/runs", &format!("{job}.state.json")).into_values().next();
    let outcome =
        || serde_json::from_slice::<serde_json::Value>(&state()?).ok()?["ended"][0][1].as_str().map(str::to_owned);
    wait_for("an end of the worker", || outcome().is_some());
    assert_eq!(outcome().unwrap(), "interrupted");
}

/// A worker reads its inputs in another process: damaged ones run again all the same.
#[test]
fn workers_find_damage_as_threads_do() {
    let workshop = Workshop::with(TRAINING);
    workshop.done("run m.toml");
    let expected = workshop.files("reports", ".csv");
    workshop.jobs("train").iter().for_each(|job| flip(&job.join("weights.safetensors")));
    workshop.jobs("measure").iter().for_each(|job| fs::remove_file(job.join("done.json")).unwrap());
    let ended = workshop.done("run m.toml --executor process");
    assert!(ended.stderr.contains("is damaged"), "{}", ended.stderr);
    assert_eq!(workshop.files("reports", ".csv"), expected);
}

#[test]
fn clearing_up_waits_for_whoever_runs() {
    let workshop = Workshop::with(MEASUREMENTS);
    workshop.done("run m.toml --seeds 1");
    fs::remove_file(workshop.path("m.toml")).unwrap();
    let lock = Store::open(workshop.path("results")).unwrap().lock().unwrap();
    let mut gc = workshop.command("gc --unknown --yes").spawn().unwrap();
    let mut reported = String::new();
    BufReader::new(gc.stderr.as_mut().unwrap()).read_line(&mut reported).unwrap();
    assert!(reported.contains("waiting for it"), "{reported}");
    assert_eq!(workshop.jobs("").len(), 2);
    drop(lock);
    assert!(gc.wait().unwrap().success());
    assert_eq!(workshop.jobs("").len(), 0);
}

/// Changes one bit in the middle of a file.
fn flip(path: &Path) {
    let mut bytes = fs::read(path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    fs::write(path, bytes).unwrap();
}

fn truncate(path: &Path) {
    let bytes = fs::read(path).unwrap();
    fs::write(path, &bytes[..bytes.len() / 2]).unwrap();
}

#[test]
fn damage_is_noticed_and_mended() {
    let workshop = Workshop::with(TRAINING);
    workshop.done("run m.toml");
    let expected = workshop.files("reports", ".csv");
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
    type Damage = fn(&Path);
    let damages: [(&str, &str, Damage); 6] = [
        ("measure", "result.json", truncate),
        ("measure", "result.json", flip),
        ("train", "result.json", flip),
        ("train", "weights.safetensors", truncate),
        ("measure", "done.json", truncate),
        ("measure", "done.json", flip),
    ];
    for (kind, file, damage) in damages {
        let job = workshop.jobs(kind).remove(0);
        damage(&job.join(file));
        let before = workshop.commits().len();
        let ended = workshop.done("run m.toml");
        assert!(ended.stderr.contains(&name(&job)) && ended.stderr.contains("run again"), "{file}: {}", ended.stderr);
        assert_eq!(workshop.commits().len(), before + 1, "{kind} {file}: one job runs again");
        assert_eq!(workshop.files("reports", ".csv"), expected, "{kind} {file}");
        assert!(workshop.done("run m.toml").stderr.contains("nothing to do"), "{kind} {file} is mended");
    }
}

#[test]
fn damaged_weights_are_noticed_by_the_job_that_reads_them() {
    let workshop = Workshop::with(TRAINING);
    workshop.done("run m.toml");
    let expected = workshop.files("reports", ".csv");
    // The weights of every training are damaged, and every measurement must read them.
    workshop.jobs("train").iter().for_each(|job| flip(&job.join("weights.safetensors")));
    workshop.jobs("measure").iter().for_each(|job| fs::remove_file(job.join("done.json")).unwrap());
    let ended = workshop.done("run m.toml");
    for job in workshop.jobs("train") {
        assert!(ended.stderr.contains(job.file_name().unwrap().to_str().unwrap()), "{}", ended.stderr);
    }
    assert_eq!(workshop.files("reports", ".csv"), expected);
    // A report alone runs nothing, and lists missing results.
    flip(&workshop.jobs("measure")[0].join("result.json"));
    let ended = workshop.done("report m.toml");
    assert!(ended.stderr.contains("1 of 12 jobs have no result"), "{}", ended.stderr);
}

#[test]
fn two_runs_at_once_do_no_job_twice() {
    let workshop = Workshop::with(MEASUREMENTS);
    let children: Vec<_> = (0..3).map(|_| workshop.command("run m.toml --jobs 2").spawn().unwrap()).collect();
    for child in children {
        let ended = Ended::from(child.wait_with_output().unwrap());
        assert_eq!(ended.code, 0, "{}", ended.stderr);
    }
    assert_eq!(workshop.commits().len(), 40);
    assert_eq!(workshop.files("reports", ".csv"), reference(MEASUREMENTS));
}

#[test]
fn a_quiet_run_says_whom_it_waits_for() {
    let workshop = Workshop::with(MEASUREMENTS);
    let store = Store::open(workshop.path("results")).unwrap();
    let held = store.lock().unwrap();
    let mut child = workshop.command("run m.toml --quiet").spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.as_mut().unwrap()).read_line(&mut line).unwrap();
    drop(held);
    let owner = format!("process {} is running on `results` (since 2", std::process::id());
    assert!(line.starts_with(&owner) && line.ends_with(" UTC); waiting for it, Ctrl-C gives up\n"), "{line}");
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// Empties the result of every finished job.
fn empty_results(jobs: &Path) {
    for job in fs::read_dir(jobs).into_iter().flatten().flatten() {
        if job.path().join("done.json").exists() {
            // A job that is just being discarded no longer has one.
            let _ = fs::OpenOptions::new().write(true).truncate(true).open(job.path().join("result.json"));
        }
    }
}

#[test]
fn results_that_are_damaged_again_and_again_are_given_up() {
    // Every round is long enough for the damage to come in time.
    let workshop = Workshop::with(&MEASUREMENTS.replace("games = 10", "games = 1000"));
    let mut child = workshop.command("run m.toml --jobs 1").spawn().unwrap();
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() {
        assert!(begun.elapsed() < Duration::from_secs(60), "the run never gives up");
        empty_results(&workshop.path("results/jobs"));
        std::thread::sleep(Duration::from_millis(2));
    }
    let ended = Ended::from(child.wait_with_output().unwrap());
    assert_eq!(ended.code, 23, "{}", ended.stderr);
    assert!(ended.stderr.contains("damaged as soon as they are written"), "{}", ended.stderr);
    assert!(ended.stdout.is_empty() && !workshop.path("reports").exists());
    workshop.done("run m.toml");
}

#[test]
fn a_full_disk_is_told_and_the_next_run_completes() {
    let workshop = Workshop::with(MEASUREMENTS);
    fs::create_dir(workshop.path("results")).unwrap();
    // A tmpfs visible only to this shell; it grows before the second run.
    let script = "mount -t tmpfs -o size=200k none results || exit 77
        \"$GAUNTLET\" run m.toml 2> first.txt > /dev/null; echo $? >> first.txt
        \"$GAUNTLET\" status m.toml --json > status.json || exit 1
        mount -o remount,size=64m none results || exit 77
        \"$GAUNTLET\" run m.toml 2> second.txt > /dev/null; echo $? >> second.txt";
    let shell = Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "sh", "-c", script])
        .current_dir(workshop.path(""))
        .env("GAUNTLET", env!("CARGO_BIN_EXE_gauntlet"))
        .status();
    if !shell.is_ok_and(|status| status.success()) {
        eprintln!("skipped: no small file system can be mounted here");
        return;
    }
    let read = |name: &str| fs::read_to_string(workshop.path(name)).unwrap();
    let (first, second) = (read("first.txt"), read("second.txt"));
    assert!(first.ends_with("\n1\n"), "{first}");
    assert!(first.contains("the disk is full: free some space and run again"), "{first}");
    assert!(!first.contains("panicked"), "{first}");
    let status: serde_json::Value = serde_json::from_str(&read("status.json")).unwrap();
    let cached = status[0]["cached"].as_u64().unwrap();
    assert!((1..40).contains(&cached), "{status}");
    assert!(second.ends_with("\n0\n") && second.contains(&format!("{cached} cached")), "{second}");
    assert_eq!(workshop.files("reports", ".csv"), reference(MEASUREMENTS));
}
