//! Networks of other programs: they play, learn, resume and fail as engines do. They need `python3`.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::engines::assert_gone;
use crate::workshop::{Workshop, json};

/// A training of a linear network in Python, and its games against the player that takes any legal action.
const LEARNS: &str = r#"schema = 1
name = "networks"
title = "A network in Python"
games.board.othello = { size = 4 }
agents.chance.random = {}

[agents.net.guided]
network = { external = { command = ["python3", "linear.py", "MARK"], settings = { width = 3 }, timeout-seconds = 2 } }
search = { simulations = 6 }

[stages.training.train.alpha-zero]
game = "board"
agent = "net"

[stages.training.train.alpha-zero.settings]
iterations = 3
games = 6
steps = 4
batch = 8
adam = { rate = 0.05 }
keep = [1]
evaluation = { every = 1, games = 4, opponent = "chance", past = [1] }

[stages.match]
from = "training"
play.match = { opponent = "chance", games = 4 }

[[exhibit]]
name = "curve"
show.curves = { stage = "training", curves = ["agent"], of = "skill" }
"#;

/// A directory with the manifest and the network, whose processes have a mark of their own; `None` without Python.
fn workshop(change: impl Fn(&str) -> String) -> Option<(Workshop, String)> {
    if Command::new("python3").arg("--version").output().is_err() {
        eprintln!("skipped: python3 is missing");
        return None;
    }
    let mark = format!("mark-{}-{:?}", std::process::id(), std::thread::current().id()).replace(['(', ')'], "");
    let workshop = Workshop::with(&change(LEARNS).replace("MARK", &mark));
    workshop.write("linear.py", include_str!("networks/linear.py"));
    Some((workshop, mark))
}

fn with_fault(fault: &str) -> impl Fn(&str) -> String {
    let fault = format!("\"MARK\", \"{fault}\"");
    move |manifest: &str| manifest.replace("\"MARK\"", &fault)
}

fn deterministic(manifest: &str) -> String {
    manifest.replace("timeout-seconds = 2", "timeout-seconds = 20, deterministic = true")
}

fn result(workshop: &Workshop) -> Value {
    json(&std::fs::read_to_string(workshop.jobs("train").remove(0).join("result.json")).unwrap())
}

#[test]
fn a_network_of_python_learns_and_plays() {
    let Some((workshop, mark)) = workshop(str::to_owned) else { return };
    let refused = workshop.ends(2, &["run", "m.toml"]);
    assert!(refused.stderr.contains("python3 linear.py"), "{}", refused.stderr);
    assert!(
        workshop.run("check m.toml").code == 0 && !workshop.path("results/jobs").exists(),
        "a check starts nothing"
    );
    workshop.done("run m.toml --allow-engines");
    assert_gone(&mark);
    let trained = result(&workshop);
    assert_eq!(trained["program"], serde_json::json!({ "says": "linear, python 3", "repeatable": false }));
    let curve = trained["curve"].as_array().unwrap();
    assert_eq!(curve.len(), 3);
    for (at, entry) in curve.iter().enumerate() {
        assert!(entry["metrics"]["speed"].as_f64().unwrap() > 0.0 && entry["policy_loss"].as_f64().unwrap() > 0.0);
        assert_eq!((entry["steps"].as_u64(), entry["games"].as_u64()), (Some(4), Some(6 * (at as u64 + 1))));
        // Two operations for each weight of 16 sites, 17 logits with the pass, and the value.
        assert!(entry["compute"].as_u64().unwrap() >= entry["evaluations"].as_u64().unwrap() * 2 * 16 * 18);
    }
    let first = |name: &str| curve[0][name].as_f64().unwrap();
    assert!(curve[2]["policy_loss"].as_f64().unwrap() < first("policy_loss"), "{curve:?}");
    assert_eq!(trained["panel"]["players"].as_array().unwrap().len(), 3, "{trained}");
    let lines = std::fs::read_to_string(workshop.jobs("train").remove(0).join("metrics.jsonl")).unwrap();
    assert!(lines.lines().all(|line| json(line)["speed"].is_f64()), "{lines}");
    let played = std::fs::read_to_string(workshop.jobs("play").remove(0).join("result.json")).unwrap();
    assert_eq!(json(&played)["engines"]["linear.py 6"]["says"], "linear, python 3");
    let page = workshop.read("reports/networks/base/curve.md");
    assert!(
        page.contains("The network is computed by a program of its own, which calls it \"linear, python 3\""),
        "{page}"
    );
    let explained =
        workshop.done(&format!("explain {}", workshop.jobs("train")[0].join("weights.safetensors").display()));
    assert!(explained.stdout.contains("state") && explained.stdout.contains("external"), "{}", explained.stdout);
    assert!(workshop.done("run m.toml --allow-engines").stderr.contains("nothing to do"));
    // Other contents of its file are another network.
    workshop.write("linear.py", &format!("# Changed.\n{}", include_str!("networks/linear.py")));
    workshop.done("run m.toml --allow-engines");
    assert_eq!(workshop.jobs("train").len(), 2);
}

/// Several processes share the evaluations: the bytes are those of one, and each process has its number.
#[test]
fn instances_change_no_byte() {
    let Some((one, _)) = workshop(deterministic) else { return };
    one.done("run m.toml --allow-engines --threads-per-job 3");
    let Some((three, mark)) =
        workshop(|manifest| deterministic(manifest).replace("deterministic", "instances = 3, deterministic"))
    else {
        return;
    };
    three.write("linear.py", &include_str!("networks/linear.py").replacen(
        "import ",
        "import os, sys\nopen(f'numbers.log', 'a').write(os.environ['GAUNTLET_INSTANCE'] + ' ' + str(os.getpid()) + '\\n')\nimport ",
        1,
    ));
    three.done("run m.toml --allow-engines --threads-per-job 3");
    assert_gone(&mark);
    let numbers = three.read("numbers.log");
    let of = |number: &str| numbers.lines().filter(|line| line.starts_with(number)).count();
    // The training and the match have all three; the check takes the last one, past networks the first one.
    assert!(of("0") >= 3 && [of("1"), of("2")] == [2, 3], "{numbers}");
    let curve = |workshop: &Workshop| result(workshop)["curve"].clone();
    assert_eq!(curve(&one), curve(&three));
    let plays = |workshop: &Workshop| {
        let text = std::fs::read_to_string(workshop.jobs("play").remove(0).join("result.json")).unwrap();
        json(&text)["scores"].clone()
    };
    assert_eq!(plays(&one), plays(&three));
    let weights = |workshop: &Workshop| {
        let files = workshop.files("results/jobs", "weights.safetensors").into_values();
        files.map(|bytes| without_mark(&String::from_utf8_lossy(&bytes))).collect::<Vec<_>>()
    };
    assert!(weights(&one) == weights(&three) && weights(&one).len() == 1, "the weights differ");
    // An instance with answers of its own is not deterministic.
    three.write(
        "linear.py",
        &include_str!("networks/linear.py").replacen(
            "math.tanh(product(self.weights[-1], row))",
            "math.tanh(product(self.weights[-1], row)) + int(os.environ['GAUNTLET_INSTANCE']) / 8",
            1,
        ),
    );
    let broken = three.ends(1, &["run", "m.toml", "--allow-engines"]).stderr;
    assert!(broken.contains("gives other answers in another of its `instances`"), "{broken}");
}

/// A deterministic network that is killed in any iteration ends with the same bytes, whatever the threads.
#[test]
fn a_training_that_was_killed_ends_with_the_same_bytes() {
    let Some((whole, _)) = workshop(deterministic) else { return };
    whole.done("run m.toml --allow-engines --threads-per-job 2");
    assert_eq!(result(&whole)["program"]["repeatable"], true);
    let Some((killed, mark)) = workshop(deterministic) else { return };
    for pause in [700, 1100, 1500, 1900] {
        let mut child = killed.command("run m.toml --allow-engines").stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(pause));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    killed.done("run m.toml --allow-engines");
    assert_gone(&mark);
    for name in ["weights.safetensors", "weights-1.safetensors", "result.json", "metrics.jsonl", "games.jsonl"] {
        let (one, other) = (whole.files("results/jobs", name), killed.files("results/jobs", name));
        assert!(!one.is_empty() && one.len() == other.len(), "{name}");
        // The mark is a part of the key and of the command in the weights.
        let plain = |files: std::collections::BTreeMap<String, Vec<u8>>| {
            let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
            let mut texts: Vec<String> = files.into_values().map(text).collect();
            texts.iter_mut().for_each(|text| *text = without_mark(text));
            texts.sort();
            texts
        };
        assert_eq!(plain(one), plain(other), "{name}");
    }
}

/// The versions of libraries are in no key: a training does not go on with others.
#[test]
fn a_training_goes_on_with_the_versions_that_it_began_with() {
    let Some((workshop, _)) = workshop(|manifest| manifest.replace("iterations = 3", "iterations = 12")) else {
        return;
    };
    let run = |python: &str| {
        let mut command = workshop.command("run m.toml --allow-engines --only stage=training");
        command.env("LINEAR_PYTHON", python);
        command
    };
    let mut child = run("3.11").stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    while workshop.files("results/jobs", "checkpoint.bin").is_empty() {
        assert!(begun.elapsed() < Duration::from_secs(60), "no checkpoint");
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let refused = run("3.12").output().unwrap();
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    let reason = "calls itself \"linear, python 3.12\", and this training began with \"linear, python 3.11\"";
    assert!(refused.status.code() == Some(1) && said.contains(reason), "{said}");
    assert!(run("3.11").output().unwrap().status.success());
    assert_eq!(result(&workshop)["program"]["says"], "linear, python 3.11");
}

fn without_mark(text: &str) -> String {
    let parts = text.split("mark-").enumerate();
    let rest = |(at, part): (usize, &str)| match at {
        0 => part.to_owned(),
        _ => part.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '-').to_owned(),
    };
    parts.map(rest).collect()
}

/// Faults of the network, and the message of the job.
const FAULTS: [(&str, &str); 14] = [
    ("protocol", "speaks version 2 of the protocol: version 1 is supported"),
    ("nan", "answered with NaN in row 6 of `logits`"),
    ("fewer", "answered with `values` of the type F32 and the shape [6]: it has to be F32 of the shape [7]"),
    ("old", "answered with the weights of version 1: the current version is 0"),
    ("late", "did not answer `evaluate` within 2 s"),
    (
        "crash",
        "exited (exit status: 7) before it answered `learn`\n  its last lines on standard error:\n    the memory of the card is full",
    ),
    ("explodes", "the loss exploded after 0 steps of iteration 1"),
    ("stays", "gave its weights the version 0 after a step, not 1"),
    ("refuses", "stopped at `load`: these bytes are not mine"),
    ("prints", "wrote a line that is no message"),
    ("huge", "announced blocks of more than 1 GiB"),
    ("torn", "ended within a message, after 0 of 400 bytes"),
    ("missing", "there is no file `linear.py`"),
    ("uncounted", "declares no `operations` of an evaluation, and the training has a budget of `compute`"),
];

#[test]
fn a_broken_network_fails_its_job_with_the_reason() {
    for (fault, reason) in FAULTS {
        let budgeted = |manifest: &str| with_fault(fault)(manifest).replace("steps = 4", "steps = 4\ncompute = 1.0");
        let budget = if fault == "uncounted" { workshop(budgeted) } else { workshop(with_fault(fault)) };
        let Some((workshop, mark)) = budget else { return };
        let code = if fault == "missing" { 2 } else { 1 };
        if fault == "missing" {
            std::fs::remove_file(workshop.path("linear.py")).unwrap();
        }
        let ended = workshop.run("run m.toml --allow-engines --only stage=training");
        assert_eq!(ended.code, code, "{fault}: {}", ended.stderr);
        assert!(ended.stderr.contains(reason), "{fault}: {}", ended.stderr);
        assert_gone(&mark);
    }
}

/// A network that is declared deterministic and is not is found before the first game.
#[test]
fn determinism_is_checked() {
    for (fault, reason) in [
        ("batch", "gives other answers to a position in another batch: it is not `deterministic`"),
        ("renamed", "in a second process: it is not `deterministic`, and the training could not be resumed"),
        ("unseeded", "learns something else in a second process: it is not `deterministic`"),
        ("forgets", "goes on in another way from the bytes that it saved: it is not `deterministic`"),
    ] {
        let change = |manifest: &str| deterministic(&with_fault(fault)(manifest));
        let Some((workshop, _)) = workshop(change) else { return };
        let ended = workshop.run("run m.toml --allow-engines --only stage=training");
        assert!(ended.code == 1 && ended.stderr.contains(reason), "{fault}: {}", ended.stderr);
    }
    let Some((workshop, _)) = workshop(with_fault("batch")) else { return };
    workshop.done("run m.toml --allow-engines --only stage=training");
    assert_eq!(result(&workshop)["program"]["says"], "linear, python 3, answers depend on the batch");
}

#[test]
fn mistakes_are_found_before_a_program_starts() {
    for (change, reason) in [
        (("search = {", "numbers = \"int8\"\nsearch = {"), "its program has number formats of its own"),
        (("batch = 8", "batch = 8\nnumbers = \"bf16\""), "the steps are those of the network's program"),
        (("batch = 8", "batch = 8\nprocessor-seconds = 9"), "`processor-seconds` does not count those of"),
        (("search = {", "init = \"glorot\"\nsearch = {"), "its program draws the weights"),
        (("adam = { rate = 0.05 }", "adam = { rate = 0.05, clip = 1.0 }"), "gets the rate alone"),
        (
            (
                "[stages.match]",
                "[stages.size]\nmeasure.network = { game = \"board\", agent = \"net\" }\n[stages.match]",
            ),
            "are not counted",
        ),
        (("settings = { width = 3 }", "instances = 0"), "0"),
        (("[\"python3\", \"linear.py\", \"MARK\"]", "[]"), "it needs a command"),
        (("settings = { width = 3 }", "wait = 3"), "unknown"),
        (("search = { simulations = 6 }", "search = { simulations = { operations = 1e6 } }"), "not counted"),
    ] {
        let Some((workshop, _)) = workshop(|manifest| manifest.replace(change.0, change.1)) else { return };
        let refused = workshop.ends(2, &["check", "m.toml"]);
        assert!(refused.stderr.contains(reason), "{reason}: {}", refused.stderr);
    }
}
