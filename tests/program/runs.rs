//! Tests of runs: files and bytes, tasks and workers, choices of jobs, reasons to run, and recordings.

use std::fs;
use std::sync::Arc;

use crate::workshop::{ALPHA_ZERO, MEASUREMENTS, TRAINING, Workshop, json, plan_of};
use gauntlet_plan::manifest::Overrides;
use gauntlet_run::scheduler::Batch;
use gauntlet_store::Store;

#[test]
fn a_run_writes_five_files_for_each_artefact_and_runs_no_job_twice() {
    let workshop = Workshop::with(TRAINING);
    let ended = workshop.done("run m.toml");
    assert!(ended.stderr.contains("12 jobs: 12 new, 0 cached, 0 stale; about"), "{}", ended.stderr);
    assert!(ended.stdout.contains("index.html") && !ended.stderr.contains("index.html"));
    for artefact in ["curves", "transfer"] {
        for extension in ["csv", "md", "tex", "png", "svg"] {
            assert!(
                workshop.path(&format!("reports/test/base/{artefact}.{extension}")).is_file(),
                "{artefact}.{extension}"
            );
        }
    }
    let page = fs::read_to_string(workshop.path("reports/test/base/index.html")).unwrap();
    assert!(page.contains("Two networks learn"));
    let (csvs, commits) = (workshop.files("reports", ".csv"), workshop.commits());
    let again = workshop.done("run m.toml");
    assert!(again.stderr.contains("all jobs are cached, nothing to do"), "{}", again.stderr);
    assert_eq!((workshop.files("reports", ".csv"), workshop.commits()), (csvs, commits));
}

#[test]
fn a_match_stops_when_its_sequential_test_is_decided() {
    let manifest = r#"schema = 1
name = "test/sequential"
title = "A sequential test"
games.four.connect-four = {}
[agents]
deep.alpha-beta = { depth = 2 }
random.random = {}
[stages.test.play.match]
game = "four"
agent = "deep"
opponent = "random"
games = 400
openings = { random = { plies = 2 } }
sprt = { elo0 = 0.0, elo1 = 50.0 }
[[exhibit]]
show.means = { stage = "test", rows = ["agent"] }
"#;
    let workshop = Workshop::with(manifest);
    workshop.done("run m.toml");
    let result =
        json(&String::from_utf8(workshop.files("results/jobs", "result.json").into_values().next().unwrap()).unwrap());
    assert!(result["sprt"]["decision"] == "accept-h1" && result["games"].as_u64().unwrap() < 200, "{result}");
    let markdown = workshop.read("reports/test/base/sequential.md");
    assert!(markdown.contains("normalized Elo 0 (H0) against 50 (H1) accepted H1 with"), "{markdown}");
    workshop.write("m.toml", &manifest.replace("elo1 = 50.0", "elo1 = -50.0"));
    assert!(workshop.run("check m.toml").stderr.contains("needs elo0 below elo1"));
}

#[test]
fn the_number_of_concurrent_jobs_changes_no_byte() {
    let run = |flags: &str| {
        let workshop = Workshop::with(TRAINING);
        workshop.done(&format!("run m.toml {flags}"));
        (workshop.files("reports", ".csv"), workshop.files("results/jobs", "result.json"))
    };
    let one = run("--jobs 1 --device cpu");
    assert_eq!(one, run("--jobs 2"));
    assert_eq!(one, run("--executor inline"));
    assert_eq!(one, run("--jobs 1 --threads-per-job 3"));
}

/// In another terminal, during a training: its name among the jobs of the run, its progress, its score.
#[test]
fn a_run_can_be_watched() {
    let workshop = Workshop::with(&TRAINING.replace("generations = 30", "generations = 100000"));
    let watched = workshop.done("watch");
    assert!(watched.stdout.starts_with("nothing runs on `results`"), "{}", watched.stdout);
    let run = workshop.command("run m.toml --jobs 1 --only stage=train --live=1").spawn().unwrap();
    let under_way = || json(&workshop.done("watch --json").stdout)[0]["running"][0].clone();
    let running = loop {
        let running = under_way();
        if running["done"].as_u64() > Some(0) && running["metrics"]["mean"].is_f64() {
            break running;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    };
    assert_eq!(running["total"], 100_000);
    let status = json(&workshop.done("status m.toml --json").stdout);
    assert_eq!(status[0]["running"][0]["job"], running["job"]);
    let (status, watch) = (workshop.done("status m.toml").stdout, workshop.done("watch").stdout);
    for text in [&status, &watch] {
        assert!(text.contains("0 of 4 jobs ended") && text.contains(" of 100000 "), "{text}");
        assert!(text.contains("agent=") && text.contains("seed=") && text.contains("mean "), "{text}");
    }
    let page = || fs::read_to_string(workshop.path("reports/test/custom/index.html")).unwrap();
    assert!(
        page().contains("<strong>Partial.</strong> 0 of 4 jobs done at") && page().contains("http-equiv=\"refresh\"")
    );
    while !page().contains(">generation ") {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    std::process::Command::new("kill").args(["-INT", &run.id().to_string()]).status().unwrap();
    assert_eq!(run.wait_with_output().unwrap().status.code(), Some(130));
    assert!(page().contains("<strong>Partial.</strong>") && !page().contains("http-equiv=\"refresh\""));
    assert_eq!(json(&workshop.done("watch --json").stdout), serde_json::json!([]));
    assert!(!workshop.path("results/runs").exists());
}

#[test]
fn a_recording_of_a_run_is_replayed() {
    let workshop = Workshop::with(TRAINING);
    let run = workshop.done("run m.toml --record run.jsonl --only stage=train");
    let replayed = workshop.done("watch --replay run.jsonl --speed 1000000");
    let shown = |stderr: &str| {
        let lines = stderr.lines().filter(|line| !line.contains(" done in "));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let (run, replayed) = (shown(&run.stderr), shown(&replayed.stderr));
    assert!(replayed.iter().any(|line| line.ends_with("4 jobs to run")), "{replayed:?}");
    assert!(replayed.iter().all(|line| run.contains(line)), "{run:?}\n{replayed:?}");
    let refused = workshop.run("watch --replay m.toml");
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("not a recording") && refused.stderr.contains("--record FILE"), "{refused:?}");
    assert_eq!(workshop.run("watch --replay nothing.jsonl").code, 2);
}

#[test]
fn every_executor_writes_the_same_bytes() {
    let run = |manifest: &str, executor: &str| {
        let workshop = Workshop::with(manifest);
        let ended = workshop.done(&format!("run m.toml --jobs 2 --executor {executor}"));
        assert!(!workshop.path("results/runs").exists(), "{executor} clears up");
        assert!(!ended.stderr.contains("WARN"), "{}", ended.stderr);
        (workshop.files("results/jobs", ""), workshop.files("reports", ".csv"), workshop.commits().len())
    };
    let short = ALPHA_ZERO.replace("iterations = 30", "iterations = 3").replace("keep = [2, 30]", "keep = [2, 3]");
    for manifest in [TRAINING, &short] {
        let local = run(manifest, "local");
        assert!(local.0.keys().any(|name| name.ends_with("weights.safetensors")) && !local.1.is_empty());
        for executor in ["inline", "process"] {
            assert!(run(manifest, executor) == local, "{executor}");
        }
    }
}

/// The tasks of a manifest as files, with a directory to run them in.
fn tasks(manifest: &str) -> Workshop {
    let workshop = Workshop::with(manifest);
    let plan = plan_of(manifest, &Overrides::default()).unwrap();
    let batch = Batch::new(vec![Arc::new(plan)], &Store::look(workshop.path("results")).unwrap(), false).unwrap();
    (0..batch.jobs.len()).for_each(|at| batch.task(at).save(&workshop.path(&format!("{at}.json"))).unwrap());
    workshop
}

#[test]
fn a_task_file_is_all_that_a_worker_needs() {
    let workshop = tasks(TRAINING);
    fs::remove_file(workshop.path("m.toml")).unwrap();
    let state = |at: usize| json(&fs::read_to_string(workshop.path(&format!("{at}.state.json"))).unwrap());
    let outcome = |at: usize| state(at)["ended"][0][1].to_string();
    let early = workshop.run("worker 11.json");
    assert_eq!(early.code, 1);
    assert!(early.stderr.contains("is not finished") && outcome(11).contains("is not finished"), "{early:?}");
    for at in 0..12 {
        workshop.done(&format!("worker {at}.json"));
        assert_eq!(outcome(at), "\"done\"");
    }
    assert_eq!((workshop.done("worker 0.json").stderr.as_str(), workshop.commits().len()), ("", 12));
    let whole = Workshop::with(TRAINING);
    whole.done("run m.toml");
    assert!(whole.files("results/jobs", "") == workshop.files("results/jobs", ""));
    // Without `--until-eof`, the end of the input does not stop the worker; with it, the worker stops before the first
    // step.
    let workshop = tasks(TRAINING);
    assert_eq!(workshop.run("worker 0.json --until-eof").code, 130);
    assert!(workshop.run("worker --help").stdout.contains("TASK.json"));
    assert!(!workshop.run("--help").stdout.contains("  worker"), "it is not for people");
}

#[test]
fn a_task_for_another_program_or_device_is_refused() {
    let workshop = tasks(MEASUREMENTS);
    let text = fs::read_to_string(workshop.path("0.json")).unwrap();
    let task = json(&text);
    let (device, code) = (task["key_inputs"]["device"].to_string(), task["key_inputs"]["code"].to_string());
    let turned: String = code.chars().rev().collect();
    let cases = [
        (text[..200].to_owned(), "is not a task: EOF"),
        ("[]".to_owned(), "is not a task: it has no version"),
        (text.replacen("\"version\": 2", "\"version\": 3", 1), "of version 3, and this program reads version 2"),
        (text.replacen("\"name\"", "\"nmae\"", 1), "is not a task: unknown field `nmae`"),
        (text.replacen(&device, "\"cuda-nvidia-h200\"", 1), "for the device class cuda-nvidia-h200, and this is cpu-"),
        (text.replacen(&code, &turned, 1), "was planned by another program"),
        (text.replacen("\"games\": 10", "\"games\": 12", 1), "is not what its key was made from"),
        (text.replacen("\"seed\": 1", "\"seed\": 2", 1), "is not what its key was made from"),
    ];
    for (changed, message) in cases {
        assert_ne!(changed, text, "{message}");
        workshop.write("task.json", &changed);
        let ended = workshop.run("worker task.json");
        assert_eq!((ended.code, ended.stdout.as_str()), (2, ""), "{ended:?}");
        assert!(ended.stderr.contains(message) && ended.stderr.contains("hint: "), "{message}: {}", ended.stderr);
    }
    assert_eq!(workshop.run("worker absent.json").code, 2);
    assert!(!workshop.path("results").exists(), "nothing is left behind");
}

#[test]
fn several_manifests_share_their_jobs() {
    let workshop = Workshop::new();
    let ended = workshop.done("reproduce schaul2009/table2 schaul2009/fig4b --profile smoke");
    // Table 2 trains 27 networks and measures each on 4 sizes; Figure 4(b) needs 9 of them, also on 7x7 and 11x11.
    assert!(ended.stderr.contains("135 jobs: 135 new"), "{}", ended.stderr);
    assert_eq!((workshop.jobs("train").len(), workshop.commits().len()), (27, 135));
    let csvs = workshop.files("reports/schaul2009/smoke", ".csv");
    let names = ["fig4b", "runs", "table2"].map(|name| format!("reports/schaul2009/smoke/{name}.csv"));
    assert_eq!(csvs.keys().cloned().collect::<Vec<_>>(), names);
    let runs = String::from_utf8(csvs[&names[1]].clone()).unwrap();
    let of = |manifest: &str| runs.lines().filter(|line| line.starts_with(manifest)).count();
    // The runs of both manifests; each has its own requests.
    assert_eq!((of("schaul2009/fig4b,"), of("schaul2009/table2,"), runs.lines().count()), (27, 135, 163));
    let alone = workshop.done("reproduce schaul2009/fig4b --profile smoke");
    assert!(alone.stderr.contains("nothing to do"), "{}", alone.stderr);
}

/// One job that reads a file of the data directory.
const LADDER: &str = r#"schema = 1
name = "test/ladder"
title = "Published results"
[data]
"results.json" = "https://example.org/results"
[stages.ladder]
measure.ladder = { results = "results.json" }
[[exhibit]]
[exhibit.show.elo-table]
stage = "ladder"
players = [{ label = "A", player = "a" }]
"#;

#[test]
fn a_manifest_without_its_data_is_checked_and_not_run() {
    let workshop = Workshop::with(LADDER);
    for arguments in ["run m.toml", "report m.toml", "run m.toml --data nowhere"] {
        let ended = workshop.run(arguments);
        assert_eq!((ended.code, ended.stdout.as_str()), (2, ""), "{arguments}: {ended:?}");
        let wanted = ["`results.json`", "https://example.org/results", "--data DIR"];
        assert!(wanted.iter().all(|word| ended.stderr.contains(word)), "{arguments}: {}", ended.stderr);
    }
    assert!(!workshop.path("results").exists() && !workshop.path("reports").exists(), "nothing is left behind");
    for arguments in
        ["check m.toml", "plan m.toml --explain", "status m.toml", "gc m.toml", "reproduce --list", "schema"]
    {
        workshop.done(arguments);
    }
}

#[test]
fn the_contents_of_a_data_file_are_part_of_the_key() {
    let workshop = Workshop::with(LADDER);
    let write = |wins: u32| {
        let text = format!("{{\"results\": {{\"a\": {{\"b\": [{wins}, 5, 5]}}, \"b\": {{\"c\": [9, 1, 3]}}}}}}");
        workshop.write("data/results.json", &text);
    };
    write(7);
    workshop.done("run m.toml --data data");
    assert!(workshop.done("run m.toml --data data").stderr.contains("nothing to do"));
    assert!(workshop.done("report m.toml --data data").stdout.contains("| A |"));
    write(8);
    let explained = workshop.done("plan m.toml --data data --explain").stdout;
    assert!(explained.contains("differs from what was run in inputs.results.json"), "{explained}");
    assert_eq!(json(&workshop.done("status m.toml --data data --json").stdout)[0]["stale"], 0, "other data, other job");
    assert!(workshop.done("run m.toml --data data").stderr.contains("1 new"));
    let jobs = workshop.jobs("measure").len();
    workshop.done("gc m.toml --yes");
    assert_eq!((workshop.jobs("measure").len(), jobs), (2, 2), "without the data nobody knows");
    workshop.done("gc m.toml --data data --yes");
    assert_eq!(workshop.jobs("measure").len(), 1);
}

#[test]
fn only_and_set_make_the_profile_custom() {
    let workshop = Workshop::with(MEASUREMENTS);
    let ended = workshop.done("run m.toml --only game.size=5,seed=1 --only seed=2");
    assert!(ended.stderr.contains("3 jobs: 3 new"), "{}", ended.stderr);
    assert!(workshop.path("reports/test/custom/index.html").is_file());
    let ended = workshop.done("run m.toml --set stages.fitness.seeds=3");
    assert!(ended.stderr.contains("6 jobs: 3 new, 3 cached"), "{}", ended.stderr);
    assert!(!workshop.path("reports/test/base").exists());
}

#[test]
fn plan_explains_why_a_job_runs() {
    let workshop = Workshop::with(MEASUREMENTS);
    let explain = |arguments: &str| workshop.done(&format!("plan m.toml --explain --seeds 1 {arguments}")).stdout;
    assert!(
        explain("")
            .contains("fitness game=go agent=net opponent=naive game.size=5 seed=1: nothing like it was ever run")
    );
    workshop.done("run m.toml --seeds 1");
    assert!(explain("").starts_with("2 jobs, 0 to run"), "{}", explain(""));
    let changed = explain("--set stages.fitness.measure.fitness.games=12");
    assert!(changed.contains("differs from what was run in spec.measure.fitness.games (10 -> 12)"), "{changed}");
    let done = workshop.jobs("measure").remove(0).join("done.json");
    fs::write(done, "{").unwrap();
    assert!(explain("").contains("it is in the store, but damaged"), "{}", explain(""));
}

/// Games, players and their main settings are in the names of jobs.
#[test]
fn plan_explains_differences_in_what_names_a_job() {
    let text = "schema = 1\nname = \"named\"\ntitle = \"t\"\n[games]\no.othello = { size = 4 }\n[agents]\n\
        u.uct = { simulations = 4 }\nr.random = {}\n[stages.test]\nseeds = 2\nplay.match = { game = \"o\", \
        agent = \"u\", opponent = \"r\", games = 2, openings = { random = { plies = 2 } } }\n\
        [[exhibit]]\nshow.means = { stage = \"test\", rows = [\"agent\"] }\n";
    let workshop = Workshop::with(text);
    workshop.done("run m.toml");
    for (setting, field) in [
        ("agents.u.uct.simulations=5", "agent.uct.simulations (4 -> 5)"),
        ("games.o.othello.size=6", "game.othello.size (4 -> 6)"),
    ] {
        let explained = workshop.done(&format!("plan m.toml --explain --set {setting}")).stdout;
        let expected = format!(": differs from what was run in spec.play.match.{field}\n");
        assert_eq!(explained.matches(&expected).count(), 2, "{explained}");
    }
    workshop.write("m.toml", &text.replace("uct = { simulations = 4 }", "greedy = {}"));
    let other = workshop.done("plan m.toml --explain").stdout;
    assert_eq!(other.matches(": nothing like it was ever run\n").count(), 2, "{other}");
}

#[test]
fn results_of_older_code_are_stale_unless_accepted() {
    let workshop = Workshop::with(TRAINING);
    workshop.done("run m.toml");
    // Runs are identified by their keys, which depend on the code.
    let expected = workshop.tables();
    workshop.age();
    assert!(workshop.done("plan m.toml").stdout.contains("12 jobs, 12 to run"));
    assert_eq!(json(&workshop.done("status m.toml --json").stdout)[0]["stale"], 12);
    let accepted = workshop.done("run m.toml --accept-code");
    assert!(accepted.stderr.contains("12 results of older code are taken as they are"), "{}", accepted.stderr);
    assert_eq!(workshop.tables(), expected);
    let page = fs::read_to_string(workshop.path("reports/test/base/curves.md")).unwrap();
    assert!(
        page.contains("4 results were made by older code") || page.contains("12 results were made by older code"),
        "{page}"
    );
    // An edited note is not trusted, nor is a result made from it.
    let note = workshop.jobs("train")[0].join("key.json");
    let own = fs::read_to_string(&note).unwrap();
    fs::write(&note, own.replace("\"generations\": 30", "\"generations\": 31")).unwrap();
    let refused = workshop.done("plan m.toml --accept-code");
    assert!(refused.stderr.contains("was made from something else"), "{}", refused.stderr);
    assert!(refused.stdout.contains("12 jobs, 3 to run"), "{}", refused.stdout);
    fs::write(&note, own).unwrap();
    // A job that reads an accepted training differs from one that reads a new training.
    workshop.jobs("measure").iter().for_each(|job| fs::remove_dir_all(job).unwrap());
    workshop.done("run m.toml --accept-code");
    assert_eq!(json(&workshop.done("status m.toml --json").stdout)[0]["cached"], 0);
    let fresh = workshop.done("run m.toml");
    assert!(fresh.stderr.contains("0 cached") && fresh.stderr.contains("--accept-code"), "{}", fresh.stderr);
    assert_eq!(workshop.tables(), expected);
}
