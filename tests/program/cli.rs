//! Tests of the command line as scripts rely on it: exit codes, output streams, and messages.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read as _;

use crate::workshop::{ALPHA_ZERO, MEASUREMENTS, TRAINING, Workshop, json};

#[test]
fn an_unknown_device_is_refused() {
    let workshop = Workshop::with(TRAINING);
    for (device, message) in [("cuda:0", "built without CUDA"), ("gpu", "write cpu or cuda:N")] {
        let ended = workshop.run(&format!("run m.toml --device {device}"));
        assert_eq!(ended.code, 2);
        assert!(ended.stderr.contains(message), "{ended:?}");
    }
}

#[test]
fn wrong_input_exits_with_2_and_writes_no_file() {
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
fn problems_have_lines_in_text_and_json() {
    let workshop = Workshop::with(&MEASUREMENTS.replace("size = 5", "size = 4").replace("\"naive\"", "\"navie\""));
    let reported = workshop.run("check m.toml").stderr;
    assert!(reported.contains("m.toml:6:") && reported.contains("go.atari-go = { size = 4 }"), "{reported}");
    assert!(
        reported.contains("did you mean `naive`?") && reported.contains("error: 2 problems in m.toml"),
        "{reported}"
    );
    assert!(!reported.contains('\u{1b}'), "no colours where there is no terminal");
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
    let reported = workshop.run("check m.toml");
    assert_eq!(reported.code, 2, "{}", reported.stdout);
    assert!(reported.stderr.contains("0 seeds are outside"), "{}", reported.stderr);
    workshop.write("m.toml", &format!("{MEASUREMENTS}\n[profile.smoke]\nstages.fitness.seeds = 2\n"));
    assert_eq!(workshop.done("check m.toml").stdout, "m.toml: ok, 1 exhibit, jobs: 40 at base, 4 at smoke\n");
}

#[test]
fn each_json_output_is_one_value_and_notes_go_to_stderr() {
    let workshop = Workshop::with(MEASUREMENTS);
    let plan = json(&workshop.done("plan m.toml --json").stdout);
    assert_eq!((plan.as_array().unwrap().len(), plan[0]["state"].as_str()), (40, Some("new")));
    assert_eq!(plan[0]["key_inputs"]["seed"], 1);
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
fn quiet_prints_only_results() {
    let workshop = Workshop::with(MEASUREMENTS);
    let ended = workshop.done("run m.toml --quiet");
    assert_eq!(ended.stderr, "");
    assert!(ended.stdout.contains("index.html") && ended.stdout.contains("| Correlation |"), "results are results");
    assert!(!workshop.done("run m.toml").stderr.contains('\u{1b}'));
}

#[test]
fn a_closed_pipe_is_no_error() {
    let workshop = Workshop::with(MEASUREMENTS);
    for arguments in
        ["plan m.toml --all", "plan m.toml --json", "schema", "reproduce --list", "run m.toml", "check m.toml"]
    {
        let mut child = workshop.command(arguments).spawn().unwrap();
        drop(child.stdout.take());
        let mut reported = String::new();
        child.stderr.take().unwrap().read_to_string(&mut reported).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0), "{arguments}: {reported}");
        assert!(!reported.contains("panicked"), "{arguments}: {reported}");
    }
    let mut child = workshop.command("check absent.toml").spawn().unwrap();
    drop(child.stderr.take());
    assert_eq!(child.wait().unwrap().code(), Some(2), "stderr may go away, too");
}

#[test]
fn a_profile_of_only_some_manifests_is_accepted() {
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
fn mistakes_of_the_command_line_name_no_line_of_the_file() {
    let workshop = Workshop::with(MEASUREMENTS);
    let reported = workshop.run("run m.toml --set stages.fitness.seeds=0").stderr;
    assert!(reported.contains("error: 1 problem on the command line"), "{reported}");
    let reported = workshop.run("run m.toml --set profile.smoke.stages.fitness.seeds=3").stderr;
    assert!(
        reported.contains("without `profile.NAME.`") && reported.contains("error: 1 problem on the command line"),
        "{reported}"
    );
    workshop.write("m.toml", &MEASUREMENTS.replace("size = 5", "size = 4"));
    let reported = workshop.run("run m.toml --set stages.fitness.seeds=0").stderr;
    assert!(reported.contains("error: 2 problems in m.toml and on the command line"), "{reported}");
    let reported = workshop.run("run experiments/quickstrat.toml").stderr;
    assert!(reported.contains("did you mean quickstart?"), "{reported}");
    let reported = workshop.run("run zzz").stderr;
    assert!(reported.contains("quickstart, tournament"), "{reported}");
}

#[test]
fn runs_without_work_or_of_years_are_refused() {
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
fn an_unwritable_directory_is_named_with_the_flag_that_changes_it() {
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

#[test]
fn plan_and_status_write_no_file() {
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
        let reported = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments}: {reported}");
        assert!(reported.contains("the results cannot be written to stdout"), "{arguments}: {reported}");
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
fn extreme_environment_variables_are_limited() {
    let workshop = Workshop::with(MEASUREMENTS);
    for (name, value) in [("RAYON_NUM_THREADS", "99999999999"), ("RUST_MIN_STACK", "99999999999999")] {
        let output = workshop.command("check m.toml").env(name, value).output().unwrap();
        let reported = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{name}: {reported}");
        assert!(reported.contains(&format!("{name} asks for {value}, more than")), "{reported}");
    }
}

#[test]
fn an_empty_variable_is_an_unset_one() {
    let workshop = Workshop::with(MEASUREMENTS);
    for name in ["CLUSTER", "DATA", "RESULTS", "REPORTS", "PROFILE", "ALLOW_ENGINES", "KERNELS"] {
        let output = workshop.command("plan m.toml").env(format!("GAUNTLET_{name}"), "").output().unwrap();
        let reported = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{name}: {reported}");
        assert!(String::from_utf8(output.stdout).unwrap().contains("\n40 jobs"), "{name}: {reported}");
    }
}

#[test]
fn planning_builds_no_large_board() {
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
