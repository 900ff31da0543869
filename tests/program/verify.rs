//! Tests of verification: results of older code are run again and compared; equal ones are accepted, others run again.

use std::fs;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::workshop::{ALPHA_ZERO, MEASUREMENTS, TRAINING, Workshop, json};

/// The rows of a verification.
fn rows(stdout: &str) -> Vec<Value> {
    json(stdout).as_array().unwrap().clone()
}

/// Changes a file of a finished job consistently with its inventory.
fn forge(job: &Path, name: &str, change: impl Fn(&str) -> String) {
    let text = fs::read_to_string(job.join(name)).unwrap();
    let changed = change(&text);
    assert_ne!(changed, text, "{name} stays as it was");
    fs::write(job.join(name), &changed).unwrap();
    let mut done = json(&fs::read_to_string(job.join("done.json")).unwrap());
    let files = done["files"].as_array_mut().unwrap();
    let entry = files.iter_mut().find(|entry| entry["name"] == name).unwrap();
    entry["size"] = json!(changed.len());
    entry["blake3"] = json!(blake3::hash(changed.as_bytes()).to_hex().to_string());
    fs::write(job.join("done.json"), format!("{done}\n")).unwrap();
}

#[test]
fn results_of_older_code_that_come_out_the_same_are_taken() {
    let workshop = Workshop::with(TRAINING);
    workshop.done("run m.toml");
    let expected = workshop.tables();
    workshop.age();
    assert_eq!(json(&workshop.done("status m.toml --json").stdout)[0]["stale"], 12);
    // At least one of every group: 2 kinds of trainings and 4 of measurements.
    let sampled = rows(&workshop.done("verify m.toml --sample 1 --json").stdout);
    assert_eq!(sampled.len(), 6, "{sampled:?}");
    assert!(sampled.iter().all(|row| row["outcome"] == "same" && row["iterations"].is_null()), "{sampled:?}");
    assert!(!workshop.path("results/verifying").exists() && workshop.files("results/verified", ".json").len() == 6);
    let ran = workshop.done("run m.toml");
    assert!(ran.stderr.contains("12 results of older code are verified, and taken"), "{}", ran.stderr);
    assert!(ran.stderr.contains("nothing to do"), "{}", ran.stderr);
    assert_eq!(workshop.tables(), expected);
    let status = json(&workshop.done("status m.toml --json").stdout);
    assert_eq!(
        (&status[0]["stale"], &status[0]["verified"], &status[0]["cached"]),
        (&json!(0), &json!(12), &json!(12))
    );
    assert!(workshop.done("plan m.toml --all").stdout.contains(" verified "));
    let explained = workshop.done("plan m.toml --explain").stdout;
    assert!(
        explained.contains("verified: 2 jobs of code ") && explained.contains("1 job came out the same"),
        "{explained}"
    );
    for page in ["curves.md", "transfer.md", "index.html"] {
        let text = workshop.read(&format!("reports/test/base/{page}"));
        assert!(text.contains("6 of its 12 jobs run again by") && text.contains(": the same bytes."), "{page}: {text}");
    }
    workshop.ends(0, &["gallery", "--add", "reports/test/base", "gallery", "--changed-tree", "a test"]);
    let made = workshop.read("gallery/test/base/curves.md");
    assert!(made.contains("; 6 of its 12 jobs run again by"), "{made}");
    // A second run with more jobs does not repeat recorded ones.
    let more = workshop.done("verify m.toml");
    assert!(more.stderr.contains("6 to run again and 6 on record"), "{}", more.stderr);
    let all = workshop.done("verify m.toml --all");
    assert!(all.stderr.contains("0 to run again and 12 on record"), "{}", all.stderr);
}

#[test]
fn a_changed_number_is_found_and_its_group_runs_again() {
    let workshop = Workshop::with(MEASUREMENTS);
    workshop.done("run m.toml --seeds 3");
    workshop.age();
    let six = workshop.jobs("measure").into_iter().find(|job| is_on(job, 6)).unwrap();
    forge(&six, "result.json", |text| text.replacen(":", ":1", 1));
    let ended = workshop.ends(3, &["verify", "m.toml", "--seeds", "3"]);
    assert!(ended.stdout.contains("differs: result.json, byte "), "{}", ended.stdout);
    assert!(ended.stderr.contains("1 with other bytes: `gauntlet run` makes all of them again"), "{}", ended.stderr);
    assert!(ended.stderr.contains("3 of 3 results ran again: the same bytes; all are taken"), "{}", ended.stderr);
    // The difference stays on record, whatever a later sample draws.
    for seed in ["seed=1", "seed=2", "seed=3"] {
        let command = ["verify", "m.toml", "--seeds", "3", "--only", seed, "--sample", "1"];
        let again = workshop.ends(3, &command).stderr;
        assert!(!again.contains("1 of 3 results ran again: the same bytes; all are taken"), "{again}");
    }
    let explained = workshop.done("plan m.toml --seeds 3 --explain").stdout;
    assert!(explained.contains("of this code came out differently: result.json, byte "), "{explained}");
    let ran = workshop.done("run m.toml --seeds 3");
    assert!(ran.stderr.contains("6 jobs: 0 new, 3 cached, 3 stale"), "{}", ran.stderr);
    assert!(workshop.done("run m.toml --seeds 3").stderr.contains("nothing to do"));
    // With the original number, and without the notes, both groups are verified.
    fs::remove_dir_all(&six).unwrap();
    fs::remove_dir_all(workshop.path("results/verified")).unwrap();
    workshop.done("verify m.toml --seeds 3");
}

/// Whether a job was played on a board of this size.
fn is_on(job: &Path, size: u32) -> bool {
    fs::read_to_string(job.join("key.json")).unwrap().contains(&format!("\"size\": {size}"))
}

#[test]
fn a_training_is_compared_by_its_first_iterations() {
    let workshop = Workshop::with(ALPHA_ZERO);
    workshop.done("run m.toml --jobs 1");
    workshop.age();
    // A third of the duration in the journal.
    let seconds = 3000.0;
    slow_down(&workshop, seconds);
    let minutes = format!("{}", seconds / 60.0 / 3.0);
    let verify = ["verify", "m.toml", "--jobs", "1", "--minutes", &minutes];
    let row = rows(&workshop.ends(0, &[&verify[..], &["--json"]].concat()).stdout).remove(0);
    assert_eq!((&row["outcome"], &row["iterations"]), (&json!("same"), &json!(10)), "{row}");
    assert!(workshop.done("plan m.toml").stdout.contains("1 job, 0 to run"));
    let job = workshop.jobs("train").remove(0);
    fs::remove_dir_all(workshop.path("results/verified")).unwrap();
    forge(&job, "metrics.jsonl", |text| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.iter_mut().skip(6).for_each(|line| *line = line.replacen("\"examples\":", "\"examples\":1", 1));
        lines.join("\n") + "\n"
    });
    let ended = workshop.ends(3, &verify);
    assert!(
        ended.stdout.contains("10 of 30 iterations") && ended.stdout.contains("metrics.jsonl, iteration 7"),
        "{ended:?}"
    );
    assert!(workshop.done("plan m.toml").stdout.contains("1 job, 1 to run"));
    // A shorter prefix does not reach it.
    fs::remove_dir_all(workshop.path("results/verified")).unwrap();
    let short = format!("{}", seconds / 60.0 / 6.0);
    workshop.ends(0, &["verify", "m.toml", "--jobs", "1", "--minutes", &short]);
}

/// Sets the durations of the trainings in the journals.
fn slow_down(workshop: &Workshop, seconds: f64) {
    for (path, bytes) in workshop.files("results/timing", ".jsonl") {
        let line = |text: &str| {
            let mut line = json(text);
            line["seconds"] = json!(seconds);
            format!("{line}\n")
        };
        workshop.write(&path, &String::from_utf8(bytes).unwrap().lines().map(line).collect::<String>());
    }
}

#[test]
fn a_course_that_depends_on_its_end_is_not_cut() {
    let text = ALPHA_ZERO.replace("iterations = 30\n", "iterations = 30\nrates = { cosine = { last = 1e-4 } }\n");
    let workshop = Workshop::with(&text);
    assert_ne!(text, ALPHA_ZERO);
    workshop.done("run m.toml --jobs 1");
    workshop.age();
    slow_down(&workshop, 3000.0);
    let ended = workshop.ends(4, &["verify", "m.toml", "--jobs", "1", "--minutes", "1"]);
    assert!(ended.stdout.contains("skipped: its learning rates depend on its length"), "{}", ended.stdout);
    workshop.done("verify m.toml --jobs 1 --sample 1");
}

#[test]
fn what_is_killed_halfway_goes_on() {
    let text = ALPHA_ZERO.replace("iterations = 30", "iterations = 60").replace("[2, 30]", "[2, 60]");
    let workshop = Workshop::with(&text.replace("seeds = 1", "seeds = 2"));
    workshop.done("run m.toml");
    workshop.age();
    let mut child = workshop.command("verify m.toml --all --jobs 1").spawn().unwrap();
    let begun = Instant::now();
    let is_begun = || workshop.files("results/verifying/jobs", "checkpoint.bin").len() == 1;
    let is_known = || workshop.files("results/verified", ".json").len() == 1;
    while !(is_known() && is_begun()) && begun.elapsed() < Duration::from_secs(300) {
        assert!(child.try_wait().unwrap().is_none(), "it is over before it was killed");
        sleep(Duration::from_millis(10));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let ended = workshop.done("verify m.toml --all --jobs 1");
    assert!(ended.stderr.contains("1 to run again (1 begun before) and 1 on record"), "{}", ended.stderr);
    assert_eq!(ended.stdout.matches(" same ").count(), 2, "{}", ended.stdout);
    assert!(!workshop.path("results/verifying").exists());
}

#[test]
fn nothing_to_compare_is_told() {
    let workshop = Workshop::with(MEASUREMENTS);
    let empty = workshop.ends(4, &["verify", "m.toml"]);
    assert!(empty.stderr.contains("there is no result in results"), "{}", empty.stderr);
    assert!(!workshop.path("results").exists());
    workshop.done("run m.toml --seeds 1");
    let own = workshop.ends(4, &["verify", "m.toml", "--seeds", "1"]);
    assert!(
        own.stderr.contains("2 results made by today's code on a processor like this one left out"),
        "{}",
        own.stderr
    );
    let all = workshop.done("verify m.toml --seeds 1 --all");
    assert_eq!(all.stdout.matches(" same ").count(), 2, "{}", all.stdout);
    // Imported results, whose machine is unknown.
    fs::remove_dir_all(workshop.path("results/timing")).unwrap();
    fs::remove_dir_all(workshop.path("results/verified")).unwrap();
    workshop.done("verify m.toml --seeds 1");
    let unknown = workshop.ends(2, &["verify", "no/such"]);
    assert!(unknown.stderr.contains("there is no manifest `no/such`"), "{}", unknown.stderr);
    workshop.ends(2, &["verify", "m.toml", "--minutes", "0"]);
    workshop.ends(2, &["verify", "m.toml", "--executor", "process"]);
}

#[test]
fn engines_need_consent_only_if_they_play() {
    let workshop = Workshop::new();
    // Some manifests that come with the program have engines; no job of theirs is here.
    let nothing = workshop.ends(4, &["verify"]);
    assert!(nothing.stderr.contains("there is no result in results"), "{}", nothing.stderr);
    let manifest = "schema = 1\nname = \"test\"\ntitle = \"t\"\n[games]\ngo.atari-go = { size = 5 }\n[agents]\n\
        naive.naive = {}\nother.engine = { command = [\"sh\"], protocol = \"json\" }\nrandom.random = {}\n\
        [stages.match]\nsweep = { agent = [\"naive\", \"other\"] }\n\
        play.match = { game = \"go\", agent = \"naive\", opponent = \"random\", games = 2 }\n\
        [[exhibit]]\nshow.means = { stage = \"match\", rows = [\"agent\"] }\n";
    workshop.write("m.toml", manifest);
    assert!(workshop.ends(2, &["run", "m.toml"]).stderr.contains("this starts other programs"));
    workshop.done("run m.toml --only agent=naive");
}

#[test]
fn gc_keeps_results_of_older_code_until_todays_code_has_them() {
    let workshop = Workshop::with(TRAINING);
    workshop.done("run m.toml --seeds 1");
    workshop.age();
    workshop.done("verify m.toml --seeds 1");
    let all = workshop.jobs("").len();
    let kept = workshop.done("gc m.toml --seeds 1 --yes");
    assert!(kept.stderr.contains("no unwanted results") && kept.stderr.contains("of older code"), "{}", kept.stderr);
    assert_eq!(workshop.jobs("").len(), all);
    assert!(workshop.done("run m.toml --seeds 1").stderr.contains("nothing to do"));
    // Results of another device class stay, too.
    let other = workshop.done("gc m.toml --seeds 1 --device-class cuda-sm90-f32").stderr;
    assert!(other.contains("no unwanted results"), "{other}");
    let named = workshop.done("gc m.toml --seeds 1 --older --json");
    assert_eq!(json(&named.stdout).as_array().unwrap().len(), all);
    // Once today's code has made them, the older ones go.
    fs::remove_dir_all(workshop.path("results/verified")).unwrap();
    assert!(workshop.done("run m.toml --seeds 1").stderr.contains(&format!("{all} jobs to run")));
    let removed = workshop.done("gc m.toml --seeds 1 --yes");
    assert!(removed.stderr.contains(&format!("removed {all} results")), "{}", removed.stderr);
    assert!(workshop.done("run m.toml --seeds 1").stderr.contains("nothing to do"));
}

#[test]
fn a_record_that_cannot_be_read_counts_as_absent() {
    let workshop = Workshop::with(MEASUREMENTS);
    workshop.done("run m.toml --seeds 1");
    workshop.age();
    workshop.done("verify m.toml --seeds 1");
    assert!(workshop.done("plan m.toml --seeds 1").stdout.contains("2 jobs, 0 to run"));
    let mut records = workshop.files("results/verified", ".json").into_keys();
    let (torn, newer) = (records.next().unwrap(), records.next().unwrap());
    workshop.write(&torn, "{\"version\":1,");
    workshop.write(&newer, &workshop.read(&newer).replace("\"version\":1", "\"version\":2"));
    let planned = workshop.done("plan m.toml --seeds 1");
    assert!(planned.stdout.contains("2 jobs, 2 to run"), "{}", planned.stdout);
    assert_eq!(planned.stderr.matches("counts as absent").count(), 2, "{}", planned.stderr);
    workshop.done("gc m.toml --seeds 1 --yes");
    assert!(workshop.files("results/verified", ".json").is_empty());
}

#[test]
fn a_gallery_is_checked_without_its_results() {
    let workshop = Workshop::with(TRAINING);
    workshop.done("run m.toml --seeds 1 --set stages.train.train.cma-es.settings.generations=5");
    workshop.ends(0, &["gallery", "--add", "reports/test/custom", "gallery", "--changed-tree", "a test"]);
    fs::remove_dir_all(workshop.path("results")).unwrap();
    let same = workshop.done("verify --gallery gallery");
    assert!(same.stderr.contains("6 published runs in 1 table: 6 to make again, 6 jobs with"), "{}", same.stderr);
    assert_eq!(same.stdout.matches(" same ").count(), 6, "{}", same.stdout);
    assert!(!workshop.path("results").exists(), "it needs none");
    // One run of each of the two stages, and the training that the second depends on.
    let few = rows(&workshop.done("verify --gallery gallery --sample 2 --json").stdout);
    assert!(few.len() == 2 && few[0]["table"] == "test/custom/runs/training.csv", "{few:?}");
    let table = "gallery/test/custom/runs/training.csv";
    let text = workshop.read(table);
    let (_, last) = text.trim_end().rsplit_once('\n').unwrap();
    let changed = last.rsplit_once(',').map(|(rest, number)| format!("{rest},9{number}")).unwrap();
    workshop.write(table, &text.replace(last, &changed));
    let differs = workshop.ends(3, &["verify", "--gallery", "gallery"]);
    let reported = last.rsplit_once(',').unwrap().1;
    assert!(differs.stdout.contains(&format!(" is {reported} and not 9{reported}")), "{}", differs.stdout);
    assert!(differs.stderr.contains("1 of 6 runs came out differently"), "{}", differs.stderr);
    // A row without numbers, and a row that was taken away.
    let done = last.find(",true,").unwrap() + ",true".len();
    let emptied = last[..done].to_owned() + &",".repeat(last[done..].matches(',').count());
    workshop.write(table, &text.replace(last, &emptied));
    let differs = workshop.ends(3, &["verify", "--gallery", "gallery"]);
    assert!(differs.stdout.contains("no number of it is published"), "{}", differs.stdout);
    workshop.write(table, &text.replace(&format!("{last}\n"), ""));
    let lacks = workshop.done("verify --gallery gallery");
    assert!(lacks.stderr.contains("training.csv: 1 run of the manifest not published"), "{}", lacks.stderr);
    // A row that the manifest no longer has, a file that is not a table, and a manifest that was not requested.
    workshop.write(table, &text.replace("conv", "other"));
    let fewer = workshop.done("verify --gallery gallery");
    assert!(fewer.stderr.contains("3 runs left out, which the manifest does not have any more"), "{}", fewer.stderr);
    assert!(
        workshop.ends(4, &["verify", "--gallery", "gallery", "saz2021"]).stderr.contains("nothing could be compared")
    );
    workshop.write(table, "a,b\n1,2\n");
    assert!(workshop.ends(4, &["verify", "--gallery", "gallery"]).stderr.contains("it is not a table of runs"));
    fs::remove_dir_all(workshop.path("gallery/test/custom/runs")).unwrap();
    let none = workshop.ends(2, &["verify", "--gallery", "gallery"]);
    assert!(none.stderr.contains("there is no <paper>/<profile>/runs/*.csv in gallery"), "{}", none.stderr);
}

/// Of 40 published runs, 8 are altered. Every draw of 10 runs finds its share of them, and the bound holds 8.
#[test]
fn an_audit_bounds_the_altered_share() {
    let workshop = Workshop::with(MEASUREMENTS);
    workshop.done("run m.toml --seeds 40");
    let report = workshop.files("reports", "runs.csv").into_keys().next().unwrap();
    let report = report.strip_suffix("/runs.csv").unwrap().to_owned();
    workshop.ends(0, &["gallery", "--add", &report, "gallery", "--changed-tree", "a test"]);
    let table = workshop.files("gallery", ".csv").into_keys().find(|name| name.contains("/runs/")).unwrap();
    let text = workshop.read(&table);
    let runs = text.lines().count() - 1;
    let altered: Vec<String> = text
        .lines()
        .enumerate()
        .map(|(at, line)| if at % 5 == 1 { format!("{line}1") } else { line.to_owned() })
        .collect();
    workshop.write(&table, &(altered.join("\n") + "\n"));
    let wrong = altered.iter().zip(text.lines()).filter(|(one, other)| one != other).count();
    let mut held = 0;
    for seed in 1..=8 {
        let ended = workshop.run(&format!("verify --gallery gallery --sample 11 --seed {seed}"));
        let line =
            ended.stderr.lines().find(|line| line.starts_with("runs under 1 s")).unwrap_or_else(|| panic!("{ended:?}"));
        assert!(line.contains(&format!("of {runs} drawn by seed {seed}, ")), "{line}");
        let share = line.split_once("fewer than ").unwrap().1.split_once(" %").unwrap().0.parse::<f64>().unwrap();
        held += usize::from(share * runs as f64 / 100.0 > wrong as f64);
        // A draw with altered runs among them ends like any difference.
        let same = line.split_once(", ").unwrap().1.contains("10 the same");
        assert!(ended.code == 3 || same, "{ended:?}");
    }
    assert!(held >= 6, "each bound holds with 95 %: {held} of 8");
    assert!(workshop.run("verify --gallery gallery").code == 3, "all are made again");
}

#[test]
fn damage_is_told_and_nothing_is_changed() {
    let workshop = Workshop::with(MEASUREMENTS);
    workshop.done("run m.toml --seeds 2");
    let jobs = workshop.jobs("measure");
    let text = fs::read_to_string(jobs[0].join("result.json")).unwrap();
    for (damaged, reason) in [
        (text.replacen('0', "1", 1), "the content of `result.json` has changed"),
        (text[..10].to_owned(), "`result.json` has 10 bytes instead of"),
    ] {
        assert_ne!(damaged, text);
        fs::write(jobs[0].join("result.json"), &damaged).unwrap();
        let before = workshop.files("results/jobs", "");
        for command in ["verify m.toml --seeds 2 --all", "verify m.toml --seeds 2 --sample 4"] {
            let arguments: Vec<&str> = command.split(' ').collect();
            let ended = workshop.ends(5, &arguments);
            assert!(ended.stdout.contains(&format!("damaged: {reason}")) || ended.stdout.contains(reason), "{ended:?}");
            assert_eq!(ended.stdout.matches(" same ").count(), 3, "{}", ended.stdout);
            assert!(
                ended.stderr.contains("1 result damaged: remove the directories, and `gauntlet run` makes them again"),
                "{}",
                ended.stderr
            );
            assert_eq!(workshop.files("results/jobs", ""), before, "{command}");
        }
        let rows = rows(&workshop.ends(5, &["verify", "m.toml", "--seeds", "2", "--all", "--json"]).stdout);
        assert_eq!(rows.iter().filter(|row| row["outcome"] == "damaged").count(), 1, "{rows:?}");
    }
    // Damage outweighs a difference.
    forge(&jobs[1], "result.json", |text| text.replacen("plies\":", "plies\":1", 1));
    fs::remove_dir_all(workshop.path("results/verified")).unwrap();
    workshop.ends(5, &["verify", "m.toml", "--seeds", "2", "--all"]);
    workshop.done("run m.toml --seeds 2");
    workshop.ends(3, &["verify", "m.toml", "--seeds", "2", "--all"]);
}

/// Neither a record nor the exclusion of today's code says anything about bytes that have changed since.
#[test]
fn changed_bytes_are_found_in_results_on_record_and_in_those_left_out() {
    let workshop = Workshop::with(MEASUREMENTS);
    workshop.done("run m.toml --seeds 2");
    let usual = ["verify", "m.toml", "--seeds", "2"];
    let all = ["verify", "m.toml", "--seeds", "2", "--all"];
    assert!(workshop.ends(4, &usual).stderr.contains("there is nothing to verify"));
    let are_on_record = |number: usize| {
        let ended = workshop.ends(0, &all);
        let known = if number > 0 { format!(" and {number} on record") } else { String::new() };
        let expected = format!("{} to run again{known};", 4 - number);
        assert!(ended.stderr.contains(&expected), "{}", ended.stderr);
        assert_eq!(ended.stdout.matches(" same ").count(), 4, "{}", ended.stdout);
    };
    are_on_record(0);
    are_on_record(4);
    let job = &workshop.jobs("measure").remove(0);
    let files = ["result.json", "done.json"].map(|name| (job.join(name), fs::read_to_string(job.join(name)).unwrap()));
    let restore = || files.iter().for_each(|(path, text)| fs::write(path, text).unwrap());
    fs::write(&files[0].0, files[0].1.replacen('0', "1", 1)).unwrap();
    for command in [&usual[..], &all[..]] {
        let ended = workshop.ends(5, command);
        let reported = "damaged: the content of `result.json` has changed";
        assert_eq!(ended.stdout.matches(reported).count(), 1, "{command:?}: {}", ended.stdout);
    }
    restore();
    are_on_record(4);
    // The files fit their inventory, which is not the one on record.
    forge(job, "result.json", |text| text.replacen(":", ":1", 1));
    let ended = workshop.ends(3, &all);
    assert!(ended.stderr.contains("1 to run again and 3 on record"), "{}", ended.stderr);
    restore();
    are_on_record(3);
    // Older programs noted no proof.
    for (name, note) in workshop.files("results/verified", ".json") {
        let mut note = json(&String::from_utf8(note).unwrap());
        assert!(note.as_object_mut().unwrap().remove("proof").is_some(), "{note}");
        workshop.write(&name, &note.to_string());
    }
    are_on_record(0);
    are_on_record(4);
}

#[test]
fn a_sample_runs_results_of_todays_code_and_jobs_on_record_again() {
    let workshop = Workshop::with(MEASUREMENTS);
    workshop.done("run m.toml --seeds 3");
    let expected = workshop.files("results/jobs", "");
    for _ in 0..2 {
        let ended = workshop.done("verify m.toml --seeds 3 --sample 4");
        let reported = &ended.stderr;
        assert!(reported.contains("6 results in ") && reported.contains(": 4 to run again;"), "{reported}");
        assert_eq!(ended.stdout.matches(" same ").count(), 4, "{}", ended.stdout);
    }
    assert_eq!(workshop.files("results/jobs", ""), expected);
}
