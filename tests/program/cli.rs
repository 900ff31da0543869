//! Tests of the command line as scripts rely on it: exit codes, output streams, and files.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use crate::workshop::{ALPHA_ZERO, MEASUREMENTS, TRAINING, Workshop, plan_of};
use gauntlet::manifest::Overrides;
use gauntlet::scheduler::Batch;
use gauntlet::store::Store;
use serde_json::Value;

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn a_run_writes_five_files_an_artefact_and_a_page_and_never_twice() {
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
fn a_match_stops_when_its_games_have_decided_a_test() {
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
fn the_number_of_jobs_at_a_time_changes_no_byte() {
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
    let run = workshop.command("run m.toml --jobs 1 --only stage=train --live").spawn().unwrap();
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
    std::process::Command::new("kill").args(["-INT", &run.id().to_string()]).status().unwrap();
    assert_eq!(run.wait_with_output().unwrap().status.code(), Some(130));
    assert!(page().contains("<strong>Partial.</strong>") && !page().contains("http-equiv=\"refresh\""));
    assert_eq!(json(&workshop.done("watch --json").stdout), serde_json::json!([]));
    assert!(!workshop.path("results/runs").exists());
}

#[test]
fn a_recorded_run_is_played_back() {
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
fn where_tasks_run_changes_no_byte_of_the_store() {
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
fn a_task_that_cannot_be_run_here_gets_one_clear_message() {
    let workshop = tasks(MEASUREMENTS);
    let text = fs::read_to_string(workshop.path("0.json")).unwrap();
    let task = json(&text);
    let (device, code) = (task["preimage"]["device"].to_string(), task["preimage"]["code"].to_string());
    let turned: String = code.chars().rev().collect();
    let cases = [
        (text[..200].to_owned(), "is not a task: EOF"),
        ("[]".to_owned(), "is not a task: it has no version"),
        (text.replacen("\"version\": 1", "\"version\": 2", 1), "of version 2, and this program reads version 1"),
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
fn a_device_that_nothing_computes_on_is_refused() {
    let workshop = Workshop::with(TRAINING);
    for (device, message) in [("cuda:0", "built without CUDA"), ("gpu", "write cpu or cuda:N")] {
        let ended = workshop.run(&format!("run m.toml --device {device}"));
        assert_eq!(ended.code, 2);
        assert!(ended.stderr.contains(message), "{ended:?}");
    }
}

#[test]
fn wrong_input_exits_with_2_and_leaves_nothing_behind() {
    let workshop = Workshop::with(&MEASUREMENTS.replace("size = 5", "size = 4").replace("games = 10", "games = -10"));
    workshop.write("torn.toml", "schema = ");
    workshop.write("escape.toml", &MEASUREMENTS.replace("title", "include = [\"../x.toml\"]\ntitle"));
    workshop.write("big.toml", &MEASUREMENTS.replace("seeds = 20", "seeds = 100000"));
    workshop.write("good.toml", MEASUREMENTS);
    for arguments in [
        "run m.toml",
        "plan m.toml",
        "check m.toml",
        "report m.toml",
        "status m.toml",
        "run torn.toml",
        "run escape.toml",
        "run big.toml",
        "run absent.toml",
        "run good.toml --profile smoke",
        "run good.toml --set stages.fitness.seedz=3",
        "run good.toml --set nonsense",
        "run good.toml --seeds 0",
        "run good.toml --only gaem=3",
        "run good.toml --only game.size=77",
        "run good.toml --only seed=1 --only seed=99",
        "run good.toml --jobs 0",
        "run",
        "reproduce",
        "reproduce schaul2010",
        "nonsense",
        "run good.toml --nonsense",
        "gc --only game.size=5",
    ] {
        let ended = workshop.run(arguments);
        assert_eq!(ended.code, 2, "{arguments}: {}", ended.stderr);
        assert!(ended.stdout.is_empty() && !ended.stderr.is_empty(), "{arguments}: {}", ended.stdout);
        let left: Vec<_> = fs::read_dir(workshop.path("")).unwrap().flatten().map(|entry| entry.file_name()).collect();
        assert_eq!(left.len(), 5, "{arguments} left {left:?}");
    }
    assert!(workshop.run("run absent.toml").stderr.contains("there is no manifest `absent.toml`"));
    assert!(workshop.run("plan schaul2009/table11").stderr.contains("did you mean schaul2009/table1?"));
    assert!(workshop.run("run good.toml --set stages.fitness.seedz=3").stderr.contains("did you mean `seeds`?"));
    assert!(workshop.run("run big.toml").stderr.contains("add --yes"));
}

#[test]
fn problems_show_their_lines_and_come_as_json_too() {
    let workshop = Workshop::with(&MEASUREMENTS.replace("size = 5", "size = 4").replace("\"naive\"", "\"navie\""));
    let told = workshop.run("check m.toml").stderr;
    assert!(told.contains("m.toml:6:") && told.contains("go.atari-go = { size = 4 }"), "{told}");
    assert!(told.contains("did you mean `naive`?") && told.contains("error: 2 problems in m.toml"), "{told}");
    assert!(!told.contains('\u{1b}'), "no colours where there is no terminal");
    let found = workshop.run("check m.toml absent.toml --json");
    assert_eq!(found.code, 2);
    let found = json(&found.stdout);
    assert_eq!(
        (found[0]["line"].as_u64(), found[1]["line"].as_u64(), found.as_array().unwrap().len()),
        (Some(6), Some(15), 3)
    );
    assert_eq!(found[2]["file"], "absent.toml");
}

#[test]
fn check_reads_every_profile() {
    let workshop = Workshop::with(&format!("{MEASUREMENTS}\n[profile.smoke]\nstages.fitness.seeds = 0\n"));
    let told = workshop.run("check m.toml");
    assert_eq!(told.code, 2, "{}", told.stdout);
    assert!(told.stderr.contains("0 seeds are outside"), "{}", told.stderr);
    workshop.write("m.toml", &format!("{MEASUREMENTS}\n[profile.smoke]\nstages.fitness.seeds = 2\n"));
    assert_eq!(workshop.done("check m.toml").stdout, "m.toml: ok, 1 exhibit, jobs: 40 at base, 4 at smoke\n");
}

#[test]
fn every_json_is_one_value_and_notes_go_to_stderr() {
    let workshop = Workshop::with(MEASUREMENTS);
    let plan = json(&workshop.done("plan m.toml --json").stdout);
    assert_eq!((plan.as_array().unwrap().len(), plan[0]["state"].as_str()), (40, Some("new")));
    assert_eq!(plan[0]["preimage"]["seed"], 1);
    let sheets = json(&workshop.done("run m.toml --json").stdout);
    assert_eq!(sheets[0]["artefact"], "test/measurements");
    assert_eq!(json(&workshop.done("status m.toml --json").stdout)[0]["cached"], 40);
    assert_eq!(json(&workshop.done("report m.toml --json").stdout).as_array().unwrap().len(), 1);
    assert_eq!(json(&workshop.done("check m.toml --json").stdout), json("[]"));
    assert_eq!(json(&workshop.done("gc --json").stdout), json("[]"), "its manifest is still there");
    let cleared = workshop.done("gc m.toml --json");
    assert_eq!((json(&cleared.stdout), cleared.stderr.as_str()), (json("[]"), "no unwanted results\n"));
    assert!(json(&workshop.done("reproduce --list --json").stdout).as_array().unwrap().len() >= 11);
    assert!(json(&workshop.done("schema").stdout).is_object());
}

#[test]
fn quiet_tells_nothing() {
    let workshop = Workshop::with(MEASUREMENTS);
    let ended = workshop.done("run m.toml --quiet");
    assert_eq!(ended.stderr, "");
    assert!(ended.stdout.contains("index.html") && ended.stdout.contains("| Correlation |"), "results are results");
    assert!(!workshop.done("run m.toml").stderr.contains('\u{1b}'));
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let workshop = Workshop::with(MEASUREMENTS);
    for arguments in
        ["plan m.toml --all", "plan m.toml --json", "schema", "reproduce --list", "run m.toml", "check m.toml"]
    {
        let mut child = workshop.command(arguments).spawn().unwrap();
        drop(child.stdout.take());
        let mut told = String::new();
        child.stderr.take().unwrap().read_to_string(&mut told).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0), "{arguments}: {told}");
        assert!(!told.contains("panicked"), "{arguments}: {told}");
    }
    let mut child = workshop.command("check absent.toml").spawn().unwrap();
    drop(child.stderr.take());
    assert_eq!(child.wait().unwrap().code(), Some(2), "stderr may go away, too");
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

#[test]
fn everything_that_is_committed_runs_at_smoke_size() {
    let workshop = Workshop::new();
    let listed = json(&workshop.done("reproduce --list --json").stdout);
    let names: Vec<&str> = listed.as_array().unwrap().iter().map(|entry| entry["artefact"].as_str().unwrap()).collect();
    for published in
        ["fig2a", "fig2b", "fig2c", "table1", "fig3a", "fig3b", "fig3c", "table2", "fig4a", "fig4b", "fig4c"]
    {
        assert!(names.contains(&format!("schaul2009/{published}").as_str()), "{published}: {names:?}");
    }
    workshop.done("run quickstart tournament --profile smoke");
    workshop.done("reproduce schaul2009 --profile smoke");
    let csvs = workshop.files("reports/schaul2009/smoke", ".csv");
    // At least one for each artefact, and the table of runs.
    assert!(csvs.len() > names.iter().filter(|name| name.starts_with("schaul2009/")).count(), "{csvs:?}");
    assert!(workshop.path("reports/schaul2009/smoke/index.html").is_file());
    workshop.done("reproduce saz2021 --profile smoke");
    let csvs = workshop.files("reports/saz2021/smoke", ".csv");
    // A manifest may show more than one exhibit.
    assert!(csvs.len() >= names.iter().filter(|name| name.starts_with("saz2021/")).count(), "{csvs:?}");
    workshop.done("reproduce gomoku-agz --profile smoke");
    let csvs = workshop.files("reports/gomoku-agz/smoke", ".csv");
    assert!(csvs.len() >= names.iter().filter(|name| name.starts_with("gomoku-agz/")).count(), "{csvs:?}");
    // The artefacts without published results.
    let trained =
        ["fig5-trained", "fig6-trained", "fig7-trained", "time-trained", "games", "params", "layers", "search-rules"];
    let trained = trained.map(|artefact| format!("alphagateau2024/{artefact}")).join(" ");
    workshop.done(&format!("reproduce {trained} --profile smoke"));
    assert!(workshop.path("reports/alphagateau2024/smoke/fig5-trained-claims.csv").is_file());
    workshop.done("reproduce polygames2021 --profile smoke");
    assert!(workshop.path("reports/polygames2021/smoke/table1-parameters.csv").is_file());
    if let Some(data) = crate::workshop::published_results() {
        let run = "reproduce alphagateau2024 --profile smoke --data";
        let output = workshop.command(run).arg(data).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(workshop.path("reports/alphagateau2024/smoke/index.html").is_file());
    }
}

#[test]
fn all_of_a_paper_has_the_profiles_that_some_of_it_has() {
    let workshop = Workshop::new();
    for profile in ["smoke", "laptop", "paper", "code"] {
        let listed = json(&workshop.done(&format!("reproduce gomoku-agz --list --json --profile {profile}")).stdout);
        assert_eq!(listed.as_array().unwrap().len(), 6, "{profile}");
    }
}

#[test]
fn a_report_of_a_part_says_what_is_missing() {
    let workshop = Workshop::with(TRAINING);
    workshop.done("run m.toml --only stage=train");
    let ended = workshop.done("report m.toml");
    assert!(ended.stdout.contains("Nothing has been measured yet (profile base)."), "{}", ended.stdout);
    assert!(ended.stderr.contains("8 of 12 jobs have no result"), "{}", ended.stderr);
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
fn without_its_data_a_manifest_can_be_looked_at_and_not_run() {
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
fn the_contents_of_a_file_belong_to_the_identity_of_its_job() {
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
fn only_and_set_run_a_part_as_custom() {
    let workshop = Workshop::with(MEASUREMENTS);
    let ended = workshop.done("run m.toml --only game.size=5,seed=1 --only seed=2");
    assert!(ended.stderr.contains("3 jobs: 3 new"), "{}", ended.stderr);
    assert!(workshop.path("reports/test/custom/index.html").is_file());
    let ended = workshop.done("run m.toml --set stages.fitness.seeds=3");
    assert!(ended.stderr.contains("6 jobs: 3 new, 3 cached"), "{}", ended.stderr);
    assert!(!workshop.path("reports/test/base").exists());
}

#[test]
fn plan_says_why() {
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

#[test]
fn older_code_makes_stale_jobs_unless_it_is_accepted() {
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

#[test]
fn gc_shows_first_and_removes_nothing_that_a_manifest_wants() {
    let workshop = Workshop::with(MEASUREMENTS);
    workshop.done("reproduce schaul2009/fig4a --profile smoke");
    let wanted = workshop.jobs("measure").len();
    workshop.done("run quickstart --seeds 1 --set stages.train.train.cma-es.settings.generations=2");
    workshop.done("run m.toml --seeds 2");
    let all = workshop.jobs("").len();
    let shown = workshop.done("gc");
    assert!(shown.stderr.contains("add --yes to remove them") && shown.stdout.contains("unwanted result"), "{shown:?}");
    assert_eq!(workshop.jobs("").len(), all, "shown, not removed");
    workshop.done("gc --yes");
    assert_eq!(workshop.jobs("").len(), wanted + 4, "m.toml's jobs are kept, the changed quickstart's are not");
    assert!(workshop.done("reproduce schaul2009/fig4a --profile smoke").stderr.contains("nothing to do"));
}

#[test]
fn gc_leaves_what_was_asked_for_from_elsewhere_and_keeps_a_trash() {
    let workshop = Workshop::with(MEASUREMENTS);
    workshop.done("run m.toml --seeds 2");
    workshop.write("m.toml", &MEASUREMENTS.replace("games = 10", "games = 12"));
    workshop.done("run m.toml --seeds 1");
    let shown = workshop.done("gc");
    assert!(shown.stderr.contains("4 results, ") && shown.stdout.contains("/m.toml"), "who asked: {shown:?}");
    fs::rename(workshop.path("m.toml"), workshop.path("moved.toml")).unwrap();
    let nobody = |arguments: &str, told: &str| {
        let kept = workshop.done(arguments);
        assert!(kept.stderr.contains("no unwanted results") && kept.stderr.contains(told), "{}", kept.stderr);
        assert_eq!(workshop.jobs("").len(), 6);
    };
    nobody("gc --yes", "6 results, ");
    // A store without request notes keeps all its jobs too.
    fs::rename(workshop.path("results/requests"), workshop.path("requests")).unwrap();
    nobody("gc moved.toml --yes", "4 results, ");
    let removed = workshop.done("gc moved.toml --unknown --yes");
    assert!(removed.stderr.contains("removed 4 results, ") && removed.stderr.contains("for a week"), "{removed:?}");
    assert_eq!((workshop.jobs("").len(), workshop.files("results/trash", "done.json").len()), (2, 4));
    // Back from the trash, and then removed from it.
    let day = fs::read_dir(workshop.path("results/trash")).unwrap().next().unwrap().unwrap().path();
    let job = fs::read_dir(&day).unwrap().next().unwrap().unwrap();
    fs::rename(job.path(), workshop.path("results/jobs").join(job.file_name())).unwrap();
    assert_eq!(json(&workshop.done("gc moved.toml --unknown --json").stdout).as_array().unwrap().len(), 1);
    fs::rename(&day, day.with_file_name("2020-01-31")).unwrap();
    assert!(workshop.done("gc moved.toml --yes").stderr.contains("freed "));
    assert!(!workshop.path("results/trash").exists());
}

#[test]
fn gc_clears_what_killed_runs_left() {
    let workshop = Workshop::with(MEASUREMENTS);
    workshop.done("run m.toml --seeds 1");
    let whole = (workshop.files("results/jobs", ""), workshop.files("reports", ""));
    let job = workshop.jobs("").remove(0);
    for litter in [".claim", "checkpoint.bin", ".tmp-1-0123456789abcdef-3"] {
        fs::write(job.join(litter), "rubbish").unwrap();
    }
    let names = ["reports/test/.tmp-77-00ff00ff00ff00ff-1", "results/.tmp-77-00ff00ff00ff00ff-2", "reports/.tmp-mine"];
    names.iter().for_each(|name| workshop.write(name, "rubbish"));
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(7200);
    let aged = |name: &str| fs::File::options().write(true).open(workshop.path(name)).unwrap().set_modified(long_ago);
    names[1..].iter().for_each(|name| aged(name).unwrap());
    let cleared = workshop.done("gc --yes");
    assert!(cleared.stderr.contains("freed 28 B"), "{}", cleared.stderr);
    assert!(workshop.files("results/jobs", "") == whole.0 && workshop.path(names[2]).exists());
    assert!(workshop.path(names[0]).exists(), "a report that is being written is left alone");
    aged(names[0]).unwrap();
    workshop.done("gc --yes");
    fs::remove_file(workshop.path(names[2])).unwrap();
    assert!(workshop.files("reports", "") == whole.1);
}

#[test]
fn gc_keeps_what_manifests_under_experiments_want_and_says_whose_results_go() {
    let workshop = Workshop::with(MEASUREMENTS);
    workshop.write("experiments/mine.toml", &format!("{MEASUREMENTS}\n[profile.laptop]\nstages.fitness.seeds = 2\n"));
    workshop.done("run mine --profile base --only seed=20");
    workshop.done("run m.toml --set stages.fitness.measure.fitness.games=6 --seeds 1 --force");
    let shown = workshop.done("gc");
    assert!(shown.stderr.contains("2 results, "), "{}", shown.stderr);
    let broken = "experiments/broken.toml";
    workshop.write(broken, "schema = 1\nnames = 3\n");
    let told = workshop.done("gc").stderr;
    assert!(told.contains(broken) && told.contains("has problems") && told.contains("2 results, "), "{told}");
    let whole = workshop.read("m.toml");
    workshop.write("m.toml", &format!("{whole}\nbroken = \n"));
    let kept = workshop.done("gc --unknown --older --yes").stderr;
    assert!(kept.contains("no unwanted results") && kept.contains("kept, whose manifests have problems"), "{kept}");
    workshop.write("m.toml", &whole);
    let status = workshop.done("status");
    assert!(!status.stderr.contains("broken"), "it did not run here: {}", status.stderr);
    assert!(status.stdout.contains("\nm.toml  ") && status.stdout.contains("\nmine  "), "{}", status.stdout);
    fs::remove_file(workshop.path(broken)).unwrap();
    let removed = workshop.done("gc --yes");
    assert!(removed.stderr.contains("removed 2 results, "), "{}", removed.stderr);
    assert_eq!(workshop.jobs("").len(), 2, "built-in manifests are known beside those under experiments/");
    assert!(workshop.done("reproduce schaul2009/fig4a --profile smoke --list").stdout.contains("fig4a"));
}

#[test]
fn a_report_says_what_the_command_line_changed_and_which_program_made_it() {
    let workshop = Workshop::with(MEASUREMENTS);
    workshop.done("run m.toml --seeds 3 --set stages.fitness.measure.fitness.games=6 --only game.size=5,seed=1");
    let said = "Changed on the command line: stages.fitness.measure.fitness.games = 6; seeds = 3; \
                only game.size=5,seed=1.";
    for file in ["measurements.md", "index.html"] {
        let text = fs::read_to_string(workshop.path(&format!("reports/test/custom/{file}"))).unwrap();
        assert!(text.contains(said), "{text}");
    }
    workshop.done("run m.toml --seeds 3 --only seed=1 --profile base");
    let text = fs::read_to_string(workshop.path("reports/test/custom/measurements.md")).unwrap();
    assert!(text.contains("Changed on the command line: profile base; seeds = 3; only seed=1."), "{text}");
    workshop.done("report m.toml");
    let page = fs::read_to_string(workshop.path("reports/test/base/index.html")).unwrap();
    assert!(page.contains(env!("GAUNTLET_COMMIT")), "the commit of the program, where there is no checkout");
    assert!(page.contains("as it is written") && !page.contains("Changed on"), "{page}");
}

#[test]
fn a_report_of_nothing_replaces_no_report() {
    let workshop = Workshop::with(MEASUREMENTS);
    workshop.write("other.toml", &MEASUREMENTS.replace("games = 10", "games = 12").replace("test/m", "other/m"));
    workshop.done("run m.toml --seeds 1");
    let before = workshop.files("reports", "");
    let ended = workshop.run("report m.toml --seeds 1 --results elsewhere");
    assert_eq!(ended.code, 2, "{}", ended.stderr);
    assert!(ended.stderr.contains("none of 2 jobs has a result in elsewhere"), "{}", ended.stderr);
    assert!(ended.stderr.contains("`gauntlet run m.toml` makes them"), "{}", ended.stderr);
    assert!(workshop.files("reports", "") == before && !workshop.path("elsewhere").exists());
    let ended = workshop.done("report m.toml other.toml");
    assert!(ended.stderr.contains("other.toml has no result; its report is unchanged"), "{}", ended.stderr);
    assert!(!workshop.path("reports/other").exists());
}

#[test]
fn papers_are_reported_as_they_are_reproduced() {
    let workshop = Workshop::new();
    assert_eq!(workshop.run("report").code, 2, "there are no results");
    workshop.done("reproduce schaul2009/fig4a --profile smoke");
    // One table has the runs of all artefacts.
    let written = workshop.tables();
    for arguments in ["report schaul2009 --profile smoke", "report --profile smoke"] {
        fs::remove_dir_all(workshop.path("reports")).unwrap();
        workshop.done(arguments);
        // Artefacts that share jobs with it have results too.
        let again = workshop.files("reports", ".csv");
        assert!(written.iter().all(|(name, bytes)| again.get(name) == Some(bytes)), "{arguments}: {:?}", again.keys());
    }
}

#[test]
fn a_training_is_not_called_by_what_it_begins_with() {
    let workshop =
        Workshop::with(&ALPHA_ZERO.replace("iterations = 30", "iterations = 3").replace("[2, 30]", "[2, 3]"));
    workshop.done("run m.toml");
    let directory = workshop.jobs("train").remove(0);
    let name = directory.file_name().unwrap().to_str().unwrap().to_owned();
    assert!(!name.contains("untrained"), "{name}");
}

#[test]
fn a_report_is_written_over_by_its_own_manifest_alone() {
    let workshop = Workshop::with(MEASUREMENTS);
    let (one, other) = ("run m.toml --seeds 1", "run other.toml --seeds 1");
    workshop.write("other.toml", MEASUREMENTS);
    workshop.done(one);
    workshop.done(other);
    workshop.write("other.toml", &MEASUREMENTS.replace("games = 10", "games = 12"));
    workshop.done(one);
    let before = workshop.files("reports", "");
    let refused = |arguments: &str| {
        let ended = workshop.run(arguments);
        assert_eq!(ended.code, 2, "{arguments}: {}", ended.stderr);
        let told = ["the report `test/measurements` is that of", "m.toml", "other.toml", "--force"];
        assert!(told.iter().all(|word| ended.stderr.contains(word)), "{arguments}: {}", ended.stderr);
    };
    refused(other);
    refused("run m.toml other.toml --seeds 1 --reports new");
    assert!(workshop.files("reports", "") == before && !workshop.path("new").exists());
    assert_eq!(workshop.jobs("").len(), 2, "nothing ran");
    // An edited manifest, or one with a deleted file, does not block others.
    workshop.write("m.toml", &MEASUREMENTS.replace("games = 10", "games = 14"));
    workshop.done(one);
    workshop.done(&format!("{other} --force"));
    refused("report m.toml --seeds 1");
    fs::remove_file(workshop.path("other.toml")).unwrap();
    workshop.done(one);
    workshop.write("m.toml", &MEASUREMENTS.replace("test/measurements", "test/runs"));
    assert!(workshop.run(one).stderr.contains("the report's table of runs is called `runs`"));
}

#[test]
fn a_page_keeps_the_order_of_its_manifest_and_counts_what_it_shows() {
    let workshop = Workshop::with(&TRAINING.replace("name = \"curves\"", "name = \"zebra\""));
    workshop.done("run m.toml");
    let read = |name: &str| fs::read_to_string(workshop.path(&format!("reports/{name}"))).unwrap();
    let (page, index) = (read("test/base/index.html"), read("index.html").replace("&#x2f;", "/"));
    let place = |text: &str| page.find(text).unwrap_or_else(|| panic!("{text} is missing"));
    assert!(place("Two networks learn: learning curves of train over iterations by agent") < place("id=\"transfer\""));
    assert!(
        place("complete · 4 jobs · 37,200 games")
            < place("Two networks learn: mean results of transfer by agent, board size</h2>")
    );
    assert!(place("complete · 8 jobs · 160 games") > place("id=\"transfer\""));
    assert!(index.contains("test/base/index.html#zebra") && index.contains("test/base/runs.csv"), "{index}");
}

#[test]
fn all_metrics_and_all_runs_come_in_one_table_each() {
    let workshop = Workshop::with(TRAINING);
    assert!(workshop.run("export m.toml all.csv").stderr.contains("none of 4 trainings of m.toml is finished"));
    assert!(workshop.run("compare m.toml m.toml").stderr.contains("none of the 24 jobs of m.toml and m.toml has"));
    workshop.done("run m.toml");
    workshop.done("export m.toml all.csv");
    let table = fs::read_to_string(workshop.path("all.csv")).unwrap();
    assert!(
        table.starts_with("stage,game,agent,opponent,seed,key,step,mean,best,sigma\ntrain,go,mdlstm,naive,1,"),
        "{table}"
    );
    assert_eq!(table.lines().count(), 1 + 4 * 30);
    let misnamed = workshop.run("export m.toml all.cvs");
    assert!(misnamed.code == 2 && misnamed.stderr.contains("did you mean all.csv?"), "{misnamed:?}");
    assert!(!workshop.path("all.cvs").exists());
    workshop.done("export m.toml board");
    assert_eq!(workshop.files("board", "metrics.tfevents").len(), 4);
    workshop.write("n.toml", &format!("{TRAINING}\n[profile.few]\nstages.transfer.measure.fitness.games = 10\n"));
    workshop.done("run n.toml --profile few");
    let compared = json(&workshop.done("compare m.toml n.toml@few --json").stdout);
    let rows = compared.as_array().unwrap();
    assert_eq!((rows.len(), rows[0]["number"].as_str(), rows[0]["shared"].as_u64()), (6, Some("last.mean"), Some(2)));
    assert_eq!((rows[2]["number"].as_str(), rows[2]["shared"].as_u64()), (Some("score"), Some(0)));
    let shown = workshop.done("compare m.toml n.toml@few --of games").stdout;
    assert!(shown.contains("the same runs") && shown.contains("20 (n = 2, all the same)"), "{shown}");
    assert!(workshop.run("compare m.toml n.toml@few --of gmaes").stderr.contains("no result has a number `gmaes`"));
}

#[test]
fn profiles_that_only_some_manifests_have_are_no_mistake() {
    let workshop = Workshop::with(&format!("{MEASUREMENTS}\n[profile.smoke]\nstages.fitness.seeds = 2\n"));
    workshop.write("plain.toml", MEASUREMENTS);
    let planned = |arguments: &str, usual: &str| {
        let output = workshop.command(arguments).env("GAUNTLET_PROFILE", usual).output().unwrap();
        String::from_utf8(output.stdout).unwrap().lines().last().unwrap_or_default().to_owned()
    };
    assert!(planned("plan m.toml", "smoke").starts_with("4 jobs"));
    assert!(planned("plan plain.toml", "smoke").starts_with("40 jobs"));
    assert!(planned("plan m.toml --profile base", "smoke").starts_with("40 jobs"));
    let ended = workshop.run("plan plain.toml --profile smoke");
    assert!(ended.code == 2 && ended.stderr.contains("--profile") && ended.stderr.contains("known: base"), "{ended:?}");
    let listed = json(&workshop.done("reproduce --list --profile code --json").stdout);
    let artefacts: Vec<&str> =
        listed.as_array().unwrap().iter().filter_map(|entry| entry["artefact"].as_str()).collect();
    let papers: BTreeSet<&str> = artefacts.iter().filter_map(|name| Some(name.split_once('/')?.0)).collect();
    assert_eq!(Vec::from_iter(papers), ["alphagateau2024", "gomoku-agz"], "{artefacts:?}");
    assert_eq!(workshop.run("reproduce --list --profile codex").code, 2);
}

#[test]
fn mistakes_of_the_command_line_are_not_blamed_on_the_file() {
    let workshop = Workshop::with(MEASUREMENTS);
    let told = workshop.run("run m.toml --set stages.fitness.seeds=0").stderr;
    assert!(told.contains("error: 1 problem on the command line"), "{told}");
    let told = workshop.run("run m.toml --set profile.smoke.stages.fitness.seeds=3").stderr;
    assert!(
        told.contains("without `profile.NAME.`") && told.contains("error: 1 problem on the command line"),
        "{told}"
    );
    workshop.write("m.toml", &MEASUREMENTS.replace("size = 5", "size = 4"));
    let told = workshop.run("run m.toml --set stages.fitness.seeds=0").stderr;
    assert!(told.contains("error: 2 problems in m.toml and on the command line"), "{told}");
    let told = workshop.run("run experiments/quickstrat.toml").stderr;
    assert!(told.contains("did you mean quickstart?"), "{told}");
    let told = workshop.run("run zzz").stderr;
    assert!(told.contains("quickstart, tournament"), "{told}");
}

#[test]
fn nobody_waits_for_years_or_for_nothing_unasked() {
    let workshop = Workshop::new();
    let ended = workshop.run("reproduce saz2021/table3 --profile paper --jobs 1");
    assert_eq!(ended.code, 2, "{}", ended.stderr);
    assert!(ended.stderr.contains(" years here, on 1 slot") && ended.stderr.contains("--yes"), "{}", ended.stderr);
    assert!(!workshop.path("results").exists());
    for command in ["run", "report"] {
        let ended = workshop.run(&format!("{command} nightly"));
        assert_eq!(ended.code, 2, "{command}: {}", ended.stderr);
        assert!(ended.stderr.contains("`gauntlet regress nightly` plays it"), "{}", ended.stderr);
    }
}

#[test]
fn what_cannot_be_written_is_named_with_the_way_to_another_place() {
    let workshop = Workshop::with(MEASUREMENTS);
    workshop.write("file", "");
    workshop.write("counts.csv", "player_a,player_b,wins_a,draws,losses_a\nalice,bob,12,3,5\n");
    workshop.done("run tournament --profile smoke");
    let games = workshop.jobs("play").into_iter().map(|job| job.join("games.jsonl")).find(|path| path.is_file());
    fs::copy(games.unwrap(), workshop.path("games.jsonl")).unwrap();
    for (arguments, path, flag) in [
        ("run m.toml --seeds 1 --reports file/below", "file/below/test/custom", "--reports"),
        ("rate counts.csv --reports file/below", "file/below/rate", "--reports"),
        ("export games.jsonl file/below/x.pgn", "file/below", "another file"),
    ] {
        let ended = workshop.run(arguments);
        assert_eq!(ended.code, 1, "{arguments}: {}", ended.stderr);
        let (error, hint) = ended.stderr.split_once("hint: ").unwrap();
        assert!(error.contains("is written: cannot create ") && error.contains(path), "{arguments}: {error}");
        assert!(hint.contains(flag) && !hint.contains("--results"), "{arguments}: {hint}");
    }
}

/// A player that beats the random one, and a claim about it.
const CLAIM: &str = r#"schema = 1
name = "test/claim"
title = "Naive against random"

[games]
go.atari-go = { size = 5 }

[agents]
naive.naive = {}
random.random = {}

[stages.test]
seeds = 4
sweep = { opponent = ["random"] }
play.match = { game = "go", agent = "naive", opponent = "random", games = 40 }

[[exhibit]]
show.means = { stage = "test", rows = ["opponent"], columns = ["game"], scale = "outcome" }

[[exhibit.success]]
claim = "Naive beats random"
of = { opponent = "random" }
over.number = 0.5
"#;

#[test]
fn success_decides_the_exit_code_where_it_is_required() {
    let workshop = Workshop::with(CLAIM);
    workshop.done("run m.toml --require-success");
    workshop.write("m.toml", &CLAIM.replace("over.number = 0.5", "over.number = 0.999"));
    workshop.done("run m.toml");
    let ended = workshop.run("run m.toml --require-success");
    assert_eq!(ended.code, 3);
    assert!(ended.stderr.contains("Naive beats random: not met."), "{}", ended.stderr);
    workshop.write("m.toml", MEASUREMENTS);
    let ended = workshop.run("run m.toml --require-success");
    assert_eq!(ended.code, 2);
    assert!(ended.stderr.contains("m.toml has no success criterion"), "{}", ended.stderr);
}

#[test]
fn equivalence_is_judged_and_shown() {
    let claim = CLAIM.replace("over.number = 0.5", "equivalent.margin = 100");
    let claim = claim.replace("agent = \"naive\"", "agent = \"random\"").replace("games = 40", "games = 80");
    let workshop = Workshop::with(&claim);
    workshop.done("run m.toml --require-success");
    let page = fs::read_to_string(workshop.path("reports/test/base/claim.md")).unwrap();
    assert!(page.contains(": met. Equivalent within 100 normalized Elo: difference "), "{page}");
    assert!(page.contains(", the 90 % interval over games, 160 pairs, n = 4. Equal players need 52 pairs"), "{page}");
    let html = fs::read_to_string(workshop.path("reports/test/base/index.html")).unwrap();
    assert!(html.contains("Equivalent within 100 normalized Elo"), "{html}");
    for (margin, exit, verdict) in
        [(2, 3, "Naive beats random: undecided. Equivalence within 2 normalized Elo"), (90, 0, "")]
    {
        workshop.write("m.toml", &claim.replace("margin = 100", &format!("margin = {margin}")));
        let ended = workshop.run("run m.toml --require-success");
        assert!(ended.code == exit && ended.stderr.contains(verdict), "{margin}: {} {}", ended.code, ended.stderr);
    }
    workshop.write("m.toml", &claim.replace("margin = 100", "margin = 2"));
    let checked = workshop.run("check m.toml").stderr;
    assert!(
        checked.contains("caution: the claim `Naive beats random` rests on 160 pairs; equal players need"),
        "{checked}"
    );
}

#[test]
fn a_report_says_whether_a_claim_was_there_before_its_results() {
    let workshop = Workshop::with(CLAIM);
    let said = |command: &str| {
        workshop.done(command);
        fs::read_to_string(workshop.path("reports/test/base/claim.md")).unwrap()
    };
    assert!(said("run m.toml").contains("n = 4. Fixed before its runs."));
    let another = CLAIM.replace("over.number = 0.5", "over.number = 0.6");
    workshop.write("m.toml", &another);
    assert!(said("report m.toml").contains("Written after 4 of its 4 results."), "nobody has run it");
    assert!(said("run m.toml").contains("Written after 4 of its 4 results."));
    // Neither more runs nor unrelated changes alter the record.
    workshop.write("m.toml", &another.replace("seeds = 4", "seeds = 6"));
    assert!(said("run m.toml").contains("n = 6. Written after 4 of its 6 results."));
    workshop.write("m.toml", CLAIM);
    assert!(said("run m.toml").contains("Fixed before its runs."), "as it was");
    workshop.age();
    assert!(said("run m.toml").contains("Fixed before its runs."), "whatever code runs it");
    // For results from elsewhere, nothing is recorded.
    ["requests", "criteria"].iter().for_each(|notes| fs::remove_dir_all(workshop.path("results").join(notes)).unwrap());
    assert!(said("run m.toml").contains("Whether it was fixed before its runs is not known."));
    let page = fs::read_to_string(workshop.path("reports/test/base/index.html")).unwrap();
    assert!(page.contains("Whether it was fixed before its runs is not known.") && !page.contains(", fixed before"));
}

#[test]
fn who_only_asks_leaves_nothing_behind() {
    let workshop = Workshop::with(MEASUREMENTS);
    ["plan m.toml", "plan m.toml --explain", "status m.toml"].iter().for_each(|question| drop(workshop.done(question)));
    assert!(!workshop.path("results").exists());
}

#[test]
fn output_that_cannot_be_written_is_an_error() {
    let Ok(full) = fs::File::options().write(true).open("/dev/full") else {
        eprintln!("skipped: this system has no /dev/full");
        return;
    };
    let workshop = Workshop::with(MEASUREMENTS);
    for arguments in
        ["schema", "check m.toml", "plan m.toml --json", "reproduce --list", "run m.toml", "explain", "--help"]
    {
        let output = workshop.command(arguments).stdout(full.try_clone().unwrap()).output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments}: {told}");
        assert!(told.contains("the results cannot be written to stdout"), "{arguments}: {told}");
    }
    let output = workshop.command("check absent.toml").stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "wrong usage stays wrong usage");
}

#[cfg(unix)]
#[test]
fn manifests_are_regular_files_of_their_directory() {
    let workshop = Workshop::with(MEASUREMENTS);
    workshop.write("secret/passwd", "root:x:0:0\n");
    fs::create_dir(workshop.path("mine")).unwrap();
    std::os::unix::fs::symlink("../secret/passwd", workshop.path("mine/link.toml")).unwrap();
    std::os::unix::fs::symlink("real.toml", workshop.path("mine/near.toml")).unwrap();
    let including = |name: &str| MEASUREMENTS.replacen("title", &format!("include = [\"{name}\"]\ntitle"), 1);
    workshop.write("mine/real.toml", "[labels]\na = \"b\"\n");
    workshop.write("mine/far.toml", &including("link.toml"));
    workshop.write("mine/near-by.toml", &including("near.toml"));
    let pipe = std::process::Command::new("mkfifo").arg(workshop.path("pipe")).status();
    let pipe = pipe.is_ok_and(|status| status.success()).then_some("check pipe");
    for arguments in ["check /dev/zero", "check mine"].into_iter().chain(pipe) {
        let ended = workshop.run(arguments);
        assert!(ended.code == 2 && ended.stderr.contains("it is not a regular file"), "{arguments}: {ended:?}");
    }
    let ended = workshop.run("check mine/far.toml");
    assert!(ended.code == 2 && ended.stderr.contains("leads out of the manifest's directory"), "{ended:?}");
    assert!(!ended.stderr.contains("root:x"), "{}", ended.stderr);
    workshop.done("check mine/near-by.toml");
}

#[test]
fn the_environment_floods_no_machine() {
    let workshop = Workshop::with(MEASUREMENTS);
    for (name, value) in [("RAYON_NUM_THREADS", "99999999999"), ("RUST_MIN_STACK", "99999999999999")] {
        let output = workshop.command("check m.toml").env(name, value).output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{name}: {told}");
        assert!(told.contains(&format!("{name} asks for {value}, more than")), "{told}");
    }
}

#[test]
fn an_empty_variable_is_an_unset_one() {
    let workshop = Workshop::with(MEASUREMENTS);
    for name in ["CLUSTER", "DATA", "RESULTS", "REPORTS", "PROFILE", "ALLOW_ENGINES", "KERNELS"] {
        let output = workshop.command("plan m.toml").env(format!("GAUNTLET_{name}"), "").output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{name}: {told}");
        assert!(String::from_utf8(output.stdout).unwrap().contains("\n40 jobs"), "{name}: {told}");
    }
}

#[test]
fn no_plan_builds_a_large_board() {
    let workshop = Workshop::with(&ALPHA_ZERO.replacen("every = ", "size = 256, every = ", 1));
    let begin = std::time::Instant::now();
    for arguments in
        ["check m.toml", "plan m.toml --all", "plan saz2021/laws --set stages.test.sweep={\"game.size\"=[65]}"]
    {
        workshop.done(arguments);
    }
    // Games on this board would take minutes.
    assert!(begin.elapsed().as_secs() < 40, "{:?}", begin.elapsed());
}

#[test]
fn control_characters_of_a_manifest_stay_out_of_reports_and_terminals() {
    let title = "title = \"a\\u0001b\\u001b[2J\\u202ec\"";
    let line = MEASUREMENTS.lines().find(|line| line.starts_with("title = ")).unwrap();
    let workshop = Workshop::with(&MEASUREMENTS.replace(line, title));
    workshop.done("run m.toml");
    for ending in [".svg", ".csv", ".md", ".tex"] {
        for (name, bytes) in workshop.files("reports", ending) {
            let text = String::from_utf8(bytes).unwrap();
            let hidden = text.chars().find(|c| c.is_control() && !c.is_whitespace() || *c == '\u{202e}');
            assert_eq!(hidden, None, "{name}");
        }
    }
    workshop.write("m.toml", &MEASUREMENTS.replace(line, "title = 3 # \u{1b}[2J\u{7}"));
    let ended = workshop.run("check m.toml");
    assert!(ended.code == 2 && !ended.stderr.contains(['\u{1b}', '\u{7}']), "{:?}", ended.stderr);
}

#[test]
fn a_suite_is_described() {
    let ended = Workshop::new().done("check nightly");
    assert!(ended.stdout.starts_with("nightly: ok, a suite of 7 matches, of "), "{}", ended.stdout);
}

#[test]
fn shells_and_manuals_know_the_commands() {
    let workshop = Workshop::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = workshop.done(&format!("completions {shell}")).stdout;
        assert!(script.contains("reproduce") && script.contains("require-success"), "{shell}: {script}");
    }
    let page = workshop.done("man").stdout;
    assert!(page.contains(".TH gauntlet 1") && page.contains("Exit codes"), "{page}");
    assert!(workshop.done("man play").stdout.contains("gauntlet\\-play"));
    assert_eq!(workshop.run("man plya").code, 2);
}

/// A copy of a directory: its pages with their contents, its other files as empty files.
fn copy_pages(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let (name, place) = (entry.file_name(), to.join(entry.file_name()));
        match entry.path() {
            path if path.is_dir() => copy_pages(&path, &place),
            path if [".md", ".csv", ".json"].iter().any(|ending| name.to_string_lossy().ends_with(ending)) => {
                fs::copy(path, place).unwrap();
            }
            _ => fs::write(place, "").unwrap(),
        }
    }
}

#[test]
fn a_gallery_takes_over_a_report_and_says_how_it_was_made() {
    let workshop = Workshop::new();
    workshop.done("reproduce schaul2009/fig2a --profile smoke");
    workshop.done("gallery gallery --add reports/schaul2009/smoke");
    let page = workshop.read("gallery/schaul2009/smoke/fig2a.md");
    let made = page.lines().last().unwrap();
    assert!(made.starts_with("Made by `gauntlet reproduce schaul2009/fig2a --profile smoke` at commit "), "{made}");
    assert!(made.contains(" jobs, seeds 1") && made.ends_with(" in sum. [Every run](runs/fig2a.csv)."), "{made}");
    let runs = workshop.read("gallery/schaul2009/smoke/runs/fig2a.csv");
    let (heads, all) = (runs.lines().next().unwrap(), workshop.read("reports/schaul2009/smoke/runs.csv"));
    assert!(heads.starts_with("manifest,stage,kind,") && heads.contains(",seed,key,done,"), "{heads}");
    assert!(heads.ends_with(",games,wins,draws,losses,score,fitness"), "{heads}");
    assert_eq!(runs.lines().count(), all.lines().count());
    assert!(!runs.contains(workshop.path("").to_str().unwrap()) && !runs.contains("/jobs/"), "{runs}");
    assert!(page.contains("](fig2a.png)") && workshop.path("gallery/schaul2009/smoke/fig2a.png").is_file());
    let taken = |directory: &str| workshop.read(&format!("{directory}/schaul2009/smoke/fig2a.csv"));
    assert_eq!(taken("gallery"), taken("reports"));
    assert!(workshop.read("gallery/index.html").contains("fig2a.png"));
    let nothing = workshop.run("gallery gallery --add reports/schaul2009");
    assert!(nothing.code == 2 && nothing.stderr.contains("there is no artefact of today's program"), "{nothing:?}");
}

#[test]
fn the_gallery_shows_all_of_its_pictures_with_their_verdicts() {
    let (workshop, gallery) = (Workshop::new(), Path::new(env!("CARGO_MANIFEST_DIR")).join("reports/gallery"));
    copy_pages(&gallery, &workshop.path("gallery"));
    workshop.done("gallery gallery");
    let written = |name: &str| workshop.read(&format!("gallery/{name}"));
    let page = written("index.html").replace("&#x2f;", "/");
    assert!(page.contains("<img src=\"schaul2009/paper/table1.png\"") && page.contains(">≈ 19<"));
    assert!(written("README.md").contains("](saz2021/laptop/table2.md)<br>Table 2."));
    for name in ["index.html", "README.md", "schaul2009/paper/index.html", "saz2021/laptop/index.html"] {
        let committed = fs::read_to_string(gallery.join(name)).unwrap();
        assert!(committed == written(name), "run `gauntlet gallery`: {name} is older than the gallery");
    }
    let nothing = workshop.run("gallery elsewhere");
    assert!(
        nothing.code == 2 && nothing.stderr.contains("there is no <paper>/<profile>/<artefact>.png"),
        "{nothing:?}"
    );
}
