//! `gauntlet regress` from outside: exit codes, files, replays. The players are real, the boards small.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::{Path, PathBuf};
use std::process::Output;

use assert_cmd::Command;
use gauntlet::base::Seed;
use gauntlet::nets::{Checkpoint, NetSpec, random_weights};
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

/// A directory with the suite in it, outside of any checkout.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Place {
        // In memory where possible: the gate is tested, not the disk.
        let place = Place(tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap());
        std::fs::write(place.path("small.toml"), SUITE).unwrap();
        place
    }

    /// A place where a baseline was made.
    fn with_baseline() -> Place {
        let place = Place::new();
        let output = place.regress(&["--commit", "c0", "--update-baseline", "--reason", "first"]);
        assert_eq!(code(&output), 0, "{}", text(&output.stderr));
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gauntlet"));
        for variable in ["GITHUB_RUN_ATTEMPT", "GITHUB_STEP_SUMMARY", "GITHUB_ACTOR"] {
            command.env_remove(variable);
        }
        command.env("GIT_DIR", "nowhere").current_dir(self.0.path());
        command.args(["regress", "small.toml", "--quiet"]).args(arguments);
        command
    }

    fn regress(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    fn report(&self, profile: &str, file: &str) -> Vec<u8> {
        std::fs::read(self.path("reports/small").join(profile).join(file)).unwrap()
    }

    fn night(&self, profile: &str) -> Value {
        serde_json::from_slice(&self.report(profile, "night.json")).unwrap()
    }
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn without_a_baseline_nothing_is_green() {
    let place = Place::new();
    let output = place.regress(&["--commit", "c1"]);
    assert_eq!(code(&output), 4, "{}", text(&output.stderr));
    assert_eq!(place.night("base")["ruling"], "unmeasured");
    std::fs::create_dir_all(place.path("results/baselines")).unwrap();
    std::fs::write(place.path("results/baselines/small.json"), "{\"version\": 1").unwrap();
    assert_eq!(code(&place.regress(&["--commit", "c1"])), 4, "a torn baseline is none");
}

#[test]
fn no_change_passes_and_a_planted_regression_turns_red() {
    let place = Place::with_baseline();
    assert_eq!(code(&place.regress(&["--commit", "c1"])), 0);
    let night = place.night("base");
    assert_eq!(night["ruling"], "passed");
    assert!(night["matches"].as_array().unwrap().iter().all(|found| found["method"] == "counts"), "the same players");

    let output = place.regress(&["--commit", "c1", "--set", "agents.naive={random={}}"]);
    assert_eq!(code(&output), 3, "{}", text(&output.stdout));
    let night = place.night("custom");
    assert_eq!((&night["matches"][0]["name"], &night["matches"][0]["ruling"]), (&"naive".into(), &"regressed".into()));
    assert_eq!(night["matches"][0]["method"], "head-to-head");
    assert_eq!(night["matches"][0]["rounds"].as_array().unwrap().len(), 2, "it was confirmed");
    assert_eq!(night["matches"][1]["ruling"], "passed");

    for method in ["reference", "counts"] {
        let set = format!("suite.matches.naive.method={method}");
        let output = place.regress(&["--commit", "c1", "--set", "agents.naive={random={}}", "--set", &set]);
        assert_eq!(code(&output), 3, "{method}: {}", text(&output.stdout));
        assert_eq!(place.night("custom")["matches"][0]["method"], method);
    }
    let history = text(&std::fs::read(place.path("results/baselines/small.history.jsonl")).unwrap());
    assert_eq!(history.lines().count(), 1, "other settings are no night");
    assert_eq!(serde_json::from_str::<Value>(&history).unwrap()["profile"], "base");
}

#[test]
fn an_improvement_is_no_failure() {
    let place = Place::with_baseline();
    assert_eq!(code(&place.regress(&["--commit", "c1", "--set", "agents.tactician.epsilon=0.0"])), 0);
    assert_eq!(place.night("custom")["matches"][0]["ruling"], "improved");
}

#[test]
fn between_delta_and_nothing_some_nights_are_inconclusive() {
    let place = Place::with_baseline();
    let night = |attempt: u32| {
        let attempt = attempt.to_string();
        let set = ["--set", "agents.tactician.epsilon=0.55", "--only", "match=tactician"];
        code(&place.regress(&[&["--commit", "c1", "--attempt", &attempt], &set[..]].concat()))
    };
    let mut codes = Vec::new();
    while !codes.contains(&6) && codes.len() < 12 {
        codes.push(night(codes.len() as u32 + 1));
    }
    assert!(codes.contains(&6) && codes.iter().all(|code| [0, 3, 6].contains(code)), "{codes:?}");
}

#[test]
fn a_player_that_fails_is_no_lost_game() {
    let place = Place::with_baseline();
    let before = std::fs::read(place.path("results/baselines/small.json")).unwrap();
    let trained = ["--commit", "c1", "--set", "suite.matches.naive.agent=trained"];
    let output = place.regress(&trained);
    assert_eq!(code(&output), 1, "{}", text(&output.stdout));
    assert!(text(&place.report("custom", "junit.xml")).contains("<error"), "no failure of a test, but an error");

    let model = ["--set", "suite.matches.naive.model=mine.safetensors"];
    let output = place.regress(&[&trained[..], &model[..]].concat());
    assert_eq!(code(&output), 1);
    assert!(text(&output.stdout).contains("mine.safetensors"), "{}", text(&output.stdout));
    std::fs::create_dir_all(place.path("results/models")).unwrap();
    std::fs::write(place.path("results/models/mine.safetensors"), b"no weights").unwrap();
    assert_eq!(code(&place.regress(&[&trained[..], &model[..]].concat())), 1);
    assert_eq!(std::fs::read(place.path("results/baselines/small.json")).unwrap(), before);
}

#[test]
fn another_device_class_is_said_everywhere() {
    let place = Place::with_baseline();
    let file = place.path("results/baselines/small.json");
    let mut baseline: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    baseline["device"] = "other-device".into();
    std::fs::write(&file, baseline.to_string()).unwrap();
    let output = place.regress(&["--commit", "c1"]);
    assert_eq!(code(&output), 0, "it decides nothing: {}", text(&output.stdout));
    assert!(text(&output.stderr).contains("warning: The baseline was measured on other-device"), "quiet or not");
    for file in ["night.json", "junit.xml", "summary.md"] {
        assert!(text(&place.report("base", file)).contains("other-device"), "{file}");
    }
    let reason = place.night("base")["matches"][0]["reason"].to_string();
    assert!(reason.contains("its counts are those of other-device"), "{reason}");
    let played = place.regress(&["--commit", "c1", "--set", "agents.naive={random={}}", "--only", "match=naive"]);
    assert_eq!(code(&played), 3);
    let reason = place.night("custom")["matches"][0]["reason"].to_string();
    assert!(!reason.contains("other-device"), "both played tonight: {reason}");
    let part = ["--commit", "c1", "--update-baseline", "--reason", "a part", "--only", "match=naive"];
    assert_eq!(code(&place.regress(&part)), 2, "no baseline of two device classes");
}

/// Random weights of the suite's network, as a trained model is stored.
fn model(seed: u64) -> Vec<u8> {
    let net: NetSpec = serde_json::from_str(r#"{"mdlstm":{"cells":1,"forget":"equations"}}"#).unwrap();
    let weights = random_weights(net.weight_count(25), &Seed::new(seed));
    Checkpoint { net, weights, board: 5, origin: "a test".to_owned() }.to_bytes().unwrap()
}

#[test]
fn a_stored_model_plays_again() {
    let place = Place::new();
    let match_of_model = "\n[suite.matches.model]\ngame = \"go\"\nagent = \"trained\"\nopponent = \"yardstick-random\"\n\
                          model = \"tonight.safetensors\"\n";
    std::fs::write(place.path("small.toml"), format!("{SUITE}{match_of_model}")).unwrap();
    std::fs::create_dir_all(place.path("results/models")).unwrap();
    let tonight = place.path("results/models/tonight.safetensors");
    std::fs::write(&tonight, model(1)).unwrap();
    assert_eq!(code(&place.regress(&["--commit", "c0", "--update-baseline", "--reason", "first"])), 0);
    let method = || {
        let output = place.regress(&["--commit", "c1", "--only", "match=model"]);
        assert!([0, 3, 6].contains(&code(&output)), "{}", text(&output.stdout));
        place.night("custom")["matches"][0]["method"].as_str().unwrap().to_owned()
    };
    assert_eq!(method(), "counts", "the same weights");
    std::fs::write(&tonight, model(2)).unwrap();
    assert_eq!(method(), "head-to-head", "other weights");
    let stored = std::fs::read_dir(place.path("results/models")).unwrap().map(|entry| entry.unwrap().path());
    let stored = stored.into_iter().find(|path| *path != tonight).unwrap();
    std::fs::write(stored, b"something else").unwrap();
    assert_eq!(method(), "counts", "the stored weights are not what they were");
}

#[test]
fn a_failed_player_outweighs_a_regression() {
    let place = Place::with_baseline();
    let set = ["--set", "agents.naive={random={}}", "--set", "suite.matches.tactician.agent=trained"];
    assert_eq!(code(&place.regress(&[&["--commit", "c1"], &set[..]].concat())), 1);
}

#[test]
fn a_baseline_changes_only_with_a_reason_and_remembers_it() {
    let place = Place::with_baseline();
    let file = place.path("results/baselines/small.json");
    let before = std::fs::read(&file).unwrap();
    for arguments in [
        &["--update-baseline"][..],
        &["--reason", "because"],
        &["--update-baseline", "--reason", " "],
        &["--update-baseline", "--reason", "because", "--set", "agents.naive={random={}}"],
    ] {
        let output = place.regress(&[&["--commit", "c1"], arguments].concat());
        assert_eq!(code(&output), 2, "{arguments:?}: {}", text(&output.stderr));
    }
    place.regress(&["--commit", "c1"]);
    assert_eq!(std::fs::read(&file).unwrap(), before, "a night does not change it");
    let update = ["--commit", "c2", "--update-baseline", "--reason", "a better world", "--only", "match=naive"];
    assert_eq!(code(&place.regress(&update)), 0);
    let after: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let before: Value = serde_json::from_slice(&before).unwrap();
    assert_eq!(after["changes"].as_array().unwrap().len(), 2);
    assert_eq!(after["changes"][1]["why"], "a better world");
    assert_eq!(after["matches"]["tactician"], before["matches"]["tactician"], "it was not asked for");
    assert_ne!(after["matches"]["naive"]["pairs"], before["matches"]["naive"]["pairs"], "other seeds, other games");
}

#[test]
fn a_replay_gives_the_same_bytes_on_any_number_of_cores() {
    let place = Place::with_baseline();
    let files = |_: Output| ["night.json", "junit.xml", "summary.md"].map(|file| place.report("base", file));
    let first = files(place.regress(&["--commit", "c1", "--attempt", "3", "--jobs", "1"]));
    let seed = place.night("base")["seed"].to_string();
    let replay = |jobs| place.regress(&["--commit", "c1", "--attempt", "3", "--seed", &seed, "--jobs", jobs]);
    assert_eq!(files(replay("1")), first);
    assert_eq!(files(replay("7")), first);
    assert_eq!(
        std::fs::read(place.path("results/baselines/small.history.jsonl"))
            .unwrap()
            .iter()
            .filter(|&&b| b == b'\n')
            .count(),
        1
    );
    let other = files(place.regress(&["--commit", "c1", "--attempt", "4"]));
    assert_ne!(other, first, "another attempt plays other games");
}

#[test]
fn the_summary_of_a_step_is_appended_to() {
    let place = Place::with_baseline();
    let file = place.path("step.md");
    std::fs::write(&file, "before\n").unwrap();
    let output = place.command(&["--commit", "c1"]).env("GITHUB_STEP_SUMMARY", &file).output().unwrap();
    assert_eq!(code(&output), 0);
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.starts_with("before\n## small: pass"), "{text}");
}

#[test]
fn wrong_usage_is_told_apart() {
    let place = Place::new();
    let output = place.regress(&["--update-baseline", "--reason", "none"]);
    let told = text(&output.stderr);
    assert!(code(&output) == 0 && told.contains("the version stands for the commit"), "no checkout: {told}");
    assert_eq!(code(&place.regress(&["--commit", "c1", "--only", "match=none"])), 2);
    std::fs::write(place.path("small.toml"), SUITE.split("[suite]").next().unwrap()).unwrap();
    assert_eq!(code(&place.regress(&["--commit", "c1"])), 2, "no suite");
}

/// A change of a match's settings needs a new baseline: this test says so on the day of the change.
#[test]
fn the_committed_baseline_is_that_of_the_committed_suite() {
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR"));
    let place = Place::new();
    std::fs::create_dir_all(place.path("results/baselines")).unwrap();
    if std::fs::copy(checkout.join("results/baselines/nightly.json"), place.path("results/baselines/nightly.json"))
        .is_err()
    {
        eprintln!("skipped: results/baselines/nightly.json is not there");
        return;
    }
    let manifest = checkout.join("experiments/nightly.toml");
    let mut command = Command::new(env!("CARGO_BIN_EXE_gauntlet"));
    command.current_dir(place.path(".")).arg("regress").arg(manifest);
    let output = command.args(["--commit", "c1", "--profile", "smoke", "--json", "-q"]).output().unwrap();
    let night: Value = serde_json::from_slice(&output.stdout).unwrap();
    for found in night["matches"].as_array().unwrap() {
        assert!(!found["rounds"].as_array().unwrap().is_empty(), "{}", found["reason"]);
    }
}
