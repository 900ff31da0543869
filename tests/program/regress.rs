//! Tests of `gauntlet regress` from outside: exit codes, files, replays. The players are real, the boards small.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::workshop::{Ended, Workshop};
use gauntlet_games::base::Seed;
use gauntlet_nets::nets::{Checkpoint, NetSpec, random_weights};
use serde_json::Value;

const SUITE: &str = r#"
schema = 1
name = "small"
title = "A small suite"
[games]
go.atari-go = { size = 5 }
[agents]
naive.naive = {}
tactician.tactician = { epsilon = 0.5 }
yardstick-random.random = {}
yardstick-naive.naive = {}
trained.net = { network = { mdlstm = { cells = 1, forget = "equations" } }, weights = "trained" }
[suite]
delta = 60.0
alpha = 0.05
beta = 0.05
[suite.matches.naive]
game = "go"
agent = "naive"
opponent = "yardstick-random"
[suite.matches.tactician]
game = "go"
agent = "tactician"
opponent = "yardstick-naive"
"#;

/// A workshop with the suite in it, outside of any checkout.
struct Nights(Workshop);

impl Nights {
    fn new() -> Nights {
        let workshop = Workshop::new();
        workshop.write("small.toml", SUITE);
        Nights(workshop)
    }

    /// A workshop with a baseline.
    fn with_baseline() -> Nights {
        let suite_runs = Nights::new();
        let first = suite_runs.regress(&["--commit", "c0", "--update-baseline", "--reason", "first"]);
        assert_eq!(first.code, 0, "{}", first.stderr);
        suite_runs
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path(name)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.0.command_with(&[&["regress", "small.toml", "--quiet"], arguments].concat());
        command.env("GIT_DIR", "nowhere");
        command
    }

    fn regress(&self, arguments: &[&str]) -> Ended {
        Ended::from(self.command(arguments).output().unwrap())
    }

    fn report(&self, profile: &str, file: &str) -> String {
        self.0.read(&format!("reports/small/{profile}/{file}"))
    }

    fn suite_run(&self, profile: &str) -> Value {
        serde_json::from_str(&self.report(profile, "night.json")).unwrap()
    }
}

#[test]
fn without_a_baseline_nothing_is_green() {
    let suite_runs = Nights::new();
    let output = suite_runs.regress(&["--commit", "c1"]);
    assert_eq!(output.code, 4, "{}", output.stderr);
    assert_eq!(suite_runs.suite_run("base")["ruling"], "unmeasured");
    suite_runs.0.write("results/baselines/small.json", "{\"version\": 1");
    // A torn baseline has the reasons of its changes: it is neither ignored nor replaced.
    for more in [&["--commit", "c1"][..], &["--update-baseline", "--reason", "again"]] {
        let torn = suite_runs.regress(more);
        assert!(torn.code == 2 && torn.stderr.contains("small.json is not a baseline"), "{}", torn.stderr);
    }
    assert_eq!(suite_runs.0.read("results/baselines/small.json"), "{\"version\": 1");
}

#[test]
fn uncommitted_changes_are_told() {
    let suite_runs = Nights::with_baseline();
    for arguments in [&["init", "--quiet"][..], &["add", "."], &["commit", "--quiet", "--message", "first"]] {
        suite_runs.0.git(arguments);
    }
    let summary = || {
        let ended = suite_runs.0.command_with(&["regress", "small.toml", "--quiet"]).output().unwrap();
        assert!(ended.status.success(), "{ended:?}");
        suite_runs.report("base", "summary.md")
    };
    // The history of the suite changes in `results`, which is output.
    assert!(!summary().contains("uncommitted") && !summary().contains("uncommitted"));
    suite_runs.0.write("small.toml", &format!("{SUITE}# Another line.\n"));
    assert!(summary().contains(" with uncommitted changes, attempt 1"));
    assert_eq!(suite_runs.suite_run("base")["changed"], true);
}

#[test]
fn no_change_passes_and_a_planted_regression_turns_red() {
    let suite_runs = Nights::with_baseline();
    assert_eq!(suite_runs.regress(&["--commit", "c1"]).code, 0);
    let suite_run = suite_runs.suite_run("base");
    assert_eq!(suite_run["ruling"], "passed");
    assert!(
        suite_run["matches"].as_array().unwrap().iter().all(|found| found["method"] == "counts"),
        "the same players"
    );

    let output = suite_runs.regress(&["--commit", "c1", "--set", "agents.naive={random={}}"]);
    assert_eq!(output.code, 3, "{}", output.stdout);
    let suite_run = suite_runs.suite_run("custom");
    assert_eq!(
        (&suite_run["matches"][0]["name"], &suite_run["matches"][0]["ruling"]),
        (&"naive".into(), &"regressed".into())
    );
    assert_eq!(suite_run["matches"][0]["method"], "head-to-head");
    assert_eq!(suite_run["matches"][0]["rounds"].as_array().unwrap().len(), 2, "it was confirmed");
    assert_eq!(suite_run["matches"][1]["ruling"], "passed");

    for method in ["reference", "counts"] {
        let set = format!("suite.matches.naive.method={method}");
        let output = suite_runs.regress(&["--commit", "c1", "--set", "agents.naive={random={}}", "--set", &set]);
        assert_eq!(output.code, 3, "{method}: {}", output.stdout);
        assert_eq!(suite_runs.suite_run("custom")["matches"][0]["method"], method);
    }
    let history = suite_runs.0.read("results/baselines/small.history.jsonl");
    assert_eq!(history.lines().count(), 1, "other settings are no night");
    assert_eq!(serde_json::from_str::<Value>(&history).unwrap()["profile"], "base");
}

#[test]
fn an_improvement_is_no_failure() {
    let suite_runs = Nights::with_baseline();
    assert_eq!(suite_runs.regress(&["--commit", "c1", "--set", "agents.tactician.epsilon=0.0"]).code, 0);
    assert_eq!(suite_runs.suite_run("custom")["matches"][0]["ruling"], "improved");
}

#[test]
fn between_delta_and_nothing_some_nights_are_inconclusive() {
    let suite_runs = Nights::with_baseline();
    let suite_run = |attempt: u32| {
        let attempt = attempt.to_string();
        let set = ["--set", "agents.tactician.epsilon=0.55", "--only", "match=tactician"];
        suite_runs.regress(&[&["--commit", "c1", "--attempt", &attempt], &set[..]].concat()).code
    };
    let mut codes = Vec::new();
    while !codes.contains(&6) && codes.len() < 12 {
        codes.push(suite_run(codes.len() as u32 + 1));
    }
    assert!(codes.contains(&6) && codes.iter().all(|code| [0, 3, 6].contains(code)), "{codes:?}");
}

#[test]
fn a_player_that_fails_is_no_lost_game() {
    let suite_runs = Nights::with_baseline();
    let before = std::fs::read(suite_runs.path("results/baselines/small.json")).unwrap();
    let trained = ["--commit", "c1", "--set", "suite.matches.naive.agent=trained"];
    let output = suite_runs.regress(&trained);
    assert_eq!(output.code, 1, "{}", output.stdout);
    assert!(suite_runs.report("custom", "junit.xml").contains("<error"), "no failure of a test, but an error");

    let model = ["--set", "suite.matches.naive.model=mine.safetensors"];
    let output = suite_runs.regress(&[&trained[..], &model[..]].concat());
    assert_eq!(output.code, 1);
    assert!(output.stdout.contains("mine.safetensors"), "{}", output.stdout);
    suite_runs.0.write("results/models/mine.safetensors", "no weights");
    assert_eq!(suite_runs.regress(&[&trained[..], &model[..]].concat()).code, 1);
    assert_eq!(std::fs::read(suite_runs.path("results/baselines/small.json")).unwrap(), before);
}

#[test]
fn another_device_class_is_said_everywhere() {
    let suite_runs = Nights::with_baseline();
    let file = suite_runs.path("results/baselines/small.json");
    let mut baseline: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    baseline["device"] = "other-device".into();
    std::fs::write(&file, baseline.to_string()).unwrap();
    let output = suite_runs.regress(&["--commit", "c1"]);
    assert_eq!(output.code, 0, "it decides nothing: {}", output.stdout);
    assert!(output.stderr.contains("warning: The baseline was measured on other-device"), "quiet or not");
    for file in ["night.json", "junit.xml", "summary.md"] {
        assert!(suite_runs.report("base", file).contains("other-device"), "{file}");
    }
    let reason = suite_runs.suite_run("base")["matches"][0]["reason"].to_string();
    assert!(reason.contains("its counts are those of other-device"), "{reason}");
    let played = suite_runs.regress(&["--commit", "c1", "--set", "agents.naive={random={}}", "--only", "match=naive"]);
    assert_eq!(played.code, 3);
    let reason = suite_runs.suite_run("custom")["matches"][0]["reason"].to_string();
    assert!(!reason.contains("other-device"), "both played tonight: {reason}");
    let part = ["--commit", "c1", "--update-baseline", "naive", "--reason", "a part"];
    assert_eq!(suite_runs.regress(&part).code, 2, "no baseline of two device classes");
}

/// Random weights of the suite's network, in the format of a trained model.
fn model(seed: u64) -> Vec<u8> {
    let net: NetSpec = serde_json::from_str(r#"{"mdlstm":{"cells":1,"forget":"equations"}}"#).unwrap();
    let weights = random_weights(net.weight_count(25), 1.0, &Seed::new(seed));
    Checkpoint { net, weights, board: 5, origin: "a test".to_owned() }.to_bytes().unwrap()
}

#[test]
fn a_stored_model_plays_again() {
    let suite_runs = Nights::new();
    let match_of_model = "\n[suite.matches.model]\ngame = \"go\"\nagent = \"trained\"\nopponent = \"yardstick-random\"\n\
                          model = \"tonight.safetensors\"\n";
    suite_runs.0.write("small.toml", &format!("{SUITE}{match_of_model}"));
    std::fs::create_dir_all(suite_runs.path("results/models")).unwrap();
    let tonight = suite_runs.path("results/models/tonight.safetensors");
    std::fs::write(&tonight, model(1)).unwrap();
    assert_eq!(suite_runs.regress(&["--commit", "c0", "--update-baseline", "--reason", "first"]).code, 0);
    let method = || {
        let output = suite_runs.regress(&["--commit", "c1", "--only", "match=model"]);
        assert!([0, 3, 6].contains(&output.code), "{}", output.stdout);
        suite_runs.suite_run("custom")["matches"][0]["method"].as_str().unwrap().to_owned()
    };
    assert_eq!(method(), "counts", "the same weights");
    std::fs::write(&tonight, model(2)).unwrap();
    assert_eq!(method(), "head-to-head", "other weights");
    let stored = std::fs::read_dir(suite_runs.path("results/models")).unwrap().map(|entry| entry.unwrap().path());
    let stored = stored.into_iter().find(|path| *path != tonight).unwrap();
    std::fs::write(stored, b"something else").unwrap();
    assert_eq!(method(), "counts", "the stored weights are not what they were");
}

#[test]
fn a_failed_player_outweighs_a_regression() {
    let suite_runs = Nights::with_baseline();
    let set = ["--set", "agents.naive={random={}}", "--set", "suite.matches.tactician.agent=trained"];
    assert_eq!(suite_runs.regress(&[&["--commit", "c1"], &set[..]].concat()).code, 1);
}

#[test]
fn a_baseline_changes_only_with_a_reason_and_remembers_it() {
    let suite_runs = Nights::with_baseline();
    let file = suite_runs.path("results/baselines/small.json");
    let before = std::fs::read(&file).unwrap();
    for arguments in [
        &["--update-baseline"][..],
        &["--reason", "because"],
        &["--update-baseline", "--reason", " "],
        &["--update-baseline", "--reason", "because", "--set", "agents.naive={random={}}"],
    ] {
        let output = suite_runs.regress(&[&["--commit", "c1"], arguments].concat());
        assert_eq!(output.code, 2, "{arguments:?}: {}", output.stderr);
    }
    suite_runs.regress(&["--commit", "c1"]);
    assert_eq!(std::fs::read(&file).unwrap(), before, "a night does not change it");
    let update = suite_runs.regress(&["--commit", "c2", "--update-baseline", "--reason", "a better world"]);
    assert!(update.code == 0 && update.stdout.contains("every match has a baseline already"), "{}", update.stdout);
    assert_eq!(std::fs::read(&file).unwrap(), before, "nothing was missing, and nothing was named");
    let unknown = ["--commit", "c2", "--update-baseline", "nave", "--reason", "a better world"];
    assert_eq!(suite_runs.regress(&unknown).code, 2);
    let update = suite_runs.regress(&["--commit", "c2", "--update-baseline", "naive", "--reason", "a better world"]);
    assert!(update.code == 0 && update.stderr.contains("naive: no difference to the baseline"), "{}", update.stderr);
    let after: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let before: Value = serde_json::from_slice(&before).unwrap();
    assert_eq!(after["changes"].as_array().unwrap().len(), 2);
    assert_eq!(after["changes"][1]["why"], "a better world");
    assert_eq!(after["matches"]["tactician"], before["matches"]["tactician"], "it was not asked for");
    assert_ne!(after["matches"]["naive"]["pairs"], before["matches"]["naive"]["pairs"], "other seeds, other games");
}

const MORE: &str = "\n[suite.matches.new]\ngame = \"go\"\nagent = \"tactician\"\nopponent = \"yardstick-random\"\n";

/// A match without a baseline neither hides another match's regression nor accepts it.
#[test]
fn a_new_match_hides_no_regression_and_blesses_none() {
    let suite_runs = Nights::with_baseline();
    let worse = SUITE.replace("naive.naive = {}\ntactician", "naive.random = {}\ntactician");
    suite_runs.0.write("small.toml", &format!("{worse}{MORE}"));
    assert_eq!(suite_runs.regress(&["--commit", "c1"]).code, 3, "the new match is not measured");
    assert_eq!(suite_runs.suite_run("base")["ruling"], "regressed");
    let made = suite_runs.regress(&["--commit", "c1", "--update-baseline", "--reason", "a new match"]);
    assert_eq!(made.code, 0, "{}", made.stderr);
    assert_eq!(suite_runs.regress(&["--commit", "c1"]).code, 3, "the regression was not blessed");
    let blessed = suite_runs.regress(&["--commit", "c1", "--update-baseline", "--all", "--reason", "on purpose"]);
    assert!(blessed.stderr.contains("naive: WEAKER than the baseline that it replaces"), "{}", blessed.stderr);
    assert_eq!(suite_runs.regress(&["--commit", "c1"]).code, 0);
}

#[test]
fn a_replay_gives_the_same_bytes_on_any_number_of_cores() {
    let suite_runs = Nights::with_baseline();
    let files = |_: Ended| ["night.json", "junit.xml", "summary.md"].map(|file| suite_runs.report("base", file));
    let first = files(suite_runs.regress(&["--commit", "c1", "--attempt", "3", "--jobs", "1"]));
    let seed = suite_runs.suite_run("base")["seed"].to_string();
    let replay = |jobs| suite_runs.regress(&["--commit", "c1", "--attempt", "3", "--seed", &seed, "--jobs", jobs]);
    assert_eq!(files(replay("1")), first);
    assert_eq!(files(replay("7")), first);
    assert_eq!(suite_runs.0.read("results/baselines/small.history.jsonl").lines().count(), 1);
    let other = files(suite_runs.regress(&["--commit", "c1", "--attempt", "4"]));
    assert_ne!(other, first, "another attempt plays other games");
}

#[test]
fn the_summary_of_a_step_is_appended_to() {
    let suite_runs = Nights::with_baseline();
    suite_runs.0.write("step.md", "before\n");
    let output = suite_runs.command(&["--commit", "c1"]).env("GITHUB_STEP_SUMMARY", "step.md").output().unwrap();
    assert!(output.status.success());
    let text = suite_runs.0.read("step.md");
    assert!(text.starts_with("before\n## small: pass"), "{text}");
}

#[test]
fn wrong_usage_is_told_apart() {
    let suite_runs = Nights::new();
    let ended = suite_runs.regress(&["--update-baseline", "--reason", "none"]);
    let version = concat!("\"commit\": \"v", env!("CARGO_PKG_VERSION"));
    let baseline = suite_runs.0.read("results/baselines/small.json");
    assert!(ended.code == 0 && baseline.contains(version), "no checkout: {ended:?} {baseline}");
    assert_eq!(suite_runs.regress(&["--commit", "c1", "--only", "match=none"]).code, 2);
    suite_runs.0.write("small.toml", SUITE.split("[suite]").next().unwrap());
    assert_eq!(suite_runs.regress(&["--commit", "c1"]).code, 2, "no suite");
}

/// A change of a match's settings needs a new baseline: this test fails on the day of the change.
#[test]
fn the_committed_baseline_is_that_of_the_committed_suite() {
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR"));
    let suite_runs = Nights::new();
    std::fs::create_dir_all(suite_runs.path("results/baselines")).unwrap();
    if std::fs::copy(checkout.join("results/baselines/nightly.json"), suite_runs.path("results/baselines/nightly.json"))
        .is_err()
    {
        eprintln!("skipped: results/baselines/nightly.json is not there");
        return;
    }
    let manifest = checkout.join("experiments/nightly.toml");
    let mut command = Command::new(env!("CARGO_BIN_EXE_gauntlet"));
    command.current_dir(suite_runs.path(".")).arg("regress").arg(manifest);
    let output = command.args(["--commit", "c1", "--profile", "smoke", "--json", "-q"]).output().unwrap();
    let suite_run: Value = serde_json::from_slice(&output.stdout).unwrap();
    for found in suite_run["matches"].as_array().unwrap() {
        assert!(!found["rounds"].as_array().unwrap().is_empty(), "{}", found["reason"]);
    }
}
