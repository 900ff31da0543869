//! Trainings by other programs: their files, their players, their continuation and their faults. They need `python3`.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::engines::assert_gone;
use crate::workshop::{Workshop, json};

/// A training in Python, and games of an engine with its files.
const TRAINS: &str = r#"schema = 1
name = "trainers"
title = "A trainer in Python"
games.board.othello = { size = 4 }
agents.chance.random = {}

[agents.theirs.engine]
command = ["python3", "play.py", "MARK", "{artefacts}"]
options = { place = "{artefacts}" }
deterministic = true

[stages.training]
seeds = 2

[stages.training.train.external]
game = "board"
command = ["python3", "train.py", "MARK"]
settings = { pause = 0.0 }
silence-seconds = 60
megabytes = 1

[stages.match]
from = { agent = "training" }
play.match = { agent = "theirs", opponent = "chance", games = 4 }

[stages.moves]
from = { agent = "training" }
measure.optimal = { agent = "theirs", plies = 6, positions = 20 }

[[exhibit]]
name = "moves"
show.means = { stage = "moves", rows = ["agent"], values = ["optimal"] }

[[exhibit]]
name = "scores"
show.means = { stage = "match", rows = ["agent"] }
"#;

/// A directory with the manifest, the trainer and the engine, whose processes have a mark of their own; `None` without
/// Python.
fn workshop(change: impl Fn(&str) -> String) -> Option<(Workshop, String)> {
    if Command::new("python3").arg("--version").output().is_err() {
        eprintln!("skipped: python3 is missing");
        return None;
    }
    let mark = format!("mark-{}-{:?}", std::process::id(), std::thread::current().id()).replace(['(', ')'], "");
    let workshop = Workshop::with(&change(TRAINS).replace("MARK", &mark));
    workshop.write("train.py", include_str!("trainers/train.py"));
    workshop.write("play.py", include_str!("trainers/play.py"));
    Some((workshop, mark))
}

fn with_fault(manifest: &str, fault: &str) -> String {
    manifest.replace("\"train.py\", \"MARK\"", &format!("\"train.py\", \"MARK\", \"{fault}\""))
}

#[test]
fn an_engine_plays_with_the_files_of_a_trainer() {
    let Some((workshop, mark)) = workshop(str::to_owned) else { return };
    let refused = workshop.ends(2, &["run", "m.toml"]);
    for command in ["python3 train.py", "python3 play.py"] {
        assert!(refused.stderr.contains(command), "{}", refused.stderr);
    }
    assert!(workshop.run("check m.toml").code == 0 && !workshop.path("results/jobs").exists());
    workshop.done("run m.toml --allow-engines");
    assert_gone(&mark);
    let (trained, played) = (workshop.jobs("train"), workshop.jobs("play"));
    assert_eq!((trained.len(), played.len()), (2, 2));
    for (training, games) in trained.iter().zip(&played) {
        let read = |place: &std::path::Path| json(&std::fs::read_to_string(place).unwrap());
        let result = read(&training.join("result.json"));
        assert_eq!(result["program"], serde_json::json!({ "says": "counter, python 3", "repeatable": false }));
        assert_eq!((result["games"].as_u64(), result["effort"]["games"].as_u64()), (Some(20), Some(20)));
        let seconds = result["effort"]["seconds"].as_f64().unwrap();
        let processor = result["effort"]["processor_seconds"].as_f64().unwrap();
        assert!(0.0 < processor && processor < 2.0 * seconds && seconds < 60.0, "{seconds} {processor}");
        let curve = result["curve"].as_array().unwrap();
        assert_eq!((curve.len(), &curve[3]), (20, &serde_json::json!({ "loss": 0.25 })));
        let lines = std::fs::read_to_string(training.join("metrics.jsonl")).unwrap();
        assert_eq!(lines.lines().nth(1), Some("{\"step\":2,\"loss\":0.5}"));
        let says = &read(&games.join("result.json"))["engines"]["play.py"]["says"];
        let bytes = std::fs::read(training.join("weights.safetensors")).unwrap();
        let files = String::from_utf8_lossy(&bytes);
        let total = files.split("{\"total\": ").nth(1).and_then(|rest| rest.split('}').next()).unwrap();
        assert!(files.contains("train.py on othello 4x4, seed "), "{files}");
        assert!(played_with(&played, total), "{says} {total}");
    }
    let page = workshop.read("reports/trainers/base/scores.md");
    assert!(page.contains("play.py") && page.contains("is an engine, a program of its own"), "{page}");
    let page = workshop.read("reports/trainers/base/moves.md");
    assert!(page.contains("are those of a program of its own. It gave the same moves"), "{page}");
    assert_eq!(workshop.jobs("measure-optimal").len(), 2);
    workshop.done("export m.toml metrics.csv");
    assert!(workshop.read("metrics.csv").lines().next().unwrap().contains("loss"), "{}", workshop.read("metrics.csv"));
    // Its player has a key of its own: another engine plays with the same files.
    workshop.write("play.py", &format!("# Changed.\n{}", include_str!("trainers/play.py")));
    workshop.done("run m.toml --allow-engines");
    assert_eq!((workshop.jobs("train").len(), workshop.jobs("play").len()), (2, 4));
    // Other contents of a trainer's file are another training.
    workshop.write("train.py", &format!("# Changed.\n{}", include_str!("trainers/train.py")));
    workshop.done("run m.toml --allow-engines");
    assert_eq!(workshop.jobs("train").len(), 4);
}

/// Whether a match was played with the files that have this total.
fn played_with(played: &[std::path::PathBuf], total: &str) -> bool {
    let says = |place: &std::path::PathBuf| {
        json(&std::fs::read_to_string(place.join("result.json")).unwrap())["engines"]["play.py"]["says"].clone()
    };
    played.iter().any(|place| says(place).as_str() == Some(&format!("player {total}")))
}

/// A deterministic trainer that is killed at any time ends with the same bytes.
#[test]
fn a_trainer_that_was_killed_continues_from_its_checkpoint() {
    let slow = |manifest: &str| manifest.replace("pause = 0.0 }", "pause = 0.1 }\ndeterministic = true");
    let Some((whole, _)) = workshop(slow) else { return };
    whole.done("run m.toml --allow-engines --only stage=training");
    let Some((killed, mark)) = workshop(slow) else { return };
    std::fs::create_dir_all(killed.path("tmp")).unwrap();
    let places = || -> Vec<std::path::PathBuf> {
        let all = std::fs::read_dir(killed.path("tmp")).unwrap().flatten();
        all.map(|entry| entry.path()).collect()
    };
    for pause in [900, 1300, 700] {
        let mut run = killed.command("run m.toml --allow-engines");
        let mut child = run.env("TMPDIR", killed.path("tmp")).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(pause));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    // The guards remove the directories of the killed program.
    let begin = Instant::now();
    while !places().is_empty() {
        assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", places());
        std::thread::sleep(Duration::from_millis(50));
    }
    killed.done("run m.toml --allow-engines --only stage=training");
    assert_gone(&mark);
    for name in ["weights.safetensors", "result.json", "metrics.jsonl"] {
        let contents = |workshop: &Workshop| {
            let mut all: Vec<Vec<u8>> = workshop.files("results/jobs", name).into_values().collect();
            all.sort();
            all
        };
        let (one, other) = (contents(&whole), contents(&killed));
        assert!(one.len() == 2 && one == other, "{name}");
    }
}

/// The memory of a trainer is that of all its processes.
#[test]
fn the_most_memory_of_a_trainer_is_reported() {
    let shown = r#"
[[exhibit]]
name = "memory"
show.means = { stage = "training", rows = ["game"], values = ["memory"] }
"#;
    let hungry = |manifest: &str| with_fault(manifest, "hungry").replace("seeds = 2", "seeds = 1") + shown;
    let Some((workshop, _)) = workshop(hungry) else { return };
    workshop.done("run m.toml --allow-engines");
    if !cfg!(target_os = "linux") {
        return;
    }
    let result = json(&std::fs::read_to_string(workshop.jobs("train")[0].join("result.json")).unwrap());
    let memory = result["effort"]["memory"].as_f64().unwrap();
    assert!((200e6..300e6).contains(&memory), "{memory}");
    let table = workshop.read("reports/trainers/base/memory.csv");
    assert!(table.contains("10^6 bytes of memory") && table.contains(&format!("{}", memory / 1e6)), "{table}");
    let page = workshop.read("reports/trainers/base/memory.md");
    assert!(page.contains(&format!("at most {:.0} MB of memory on average", memory / 1e6)), "{page}");
}

/// Live viewers have the metrics of a trainer that works.
#[test]
fn metrics_are_there_while_a_trainer_works() {
    let slow = |manifest: &str| manifest.replace("pause = 0.0", "pause = 0.2");
    let Some((workshop, _)) = workshop(slow) else { return };
    let run = "run m.toml --allow-engines --only stage=training --jobs 1";
    let mut child = workshop.command(run).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let begin = Instant::now();
    let lines = loop {
        assert!(begin.elapsed() < Duration::from_secs(60), "no metrics of an unfinished training");
        let begun = if workshop.path("results/jobs").exists() { workshop.jobs("train") } else { Vec::new() };
        let unfinished = begun.into_iter().filter(|job| !job.join("done.json").exists());
        let found = unfinished.filter_map(|job| std::fs::read_to_string(job.join("metrics.jsonl")).ok()).next();
        if let Some(lines) = found {
            break lines;
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    assert!(lines.starts_with("{\"step\":1,\"loss\":1.0}\n") && lines.lines().count() < 20, "{lines}");
    assert!(child.wait().unwrap().success());
}

/// A stage can start from the files of another trainer.
#[test]
fn a_trainer_starts_from_the_files_of_another() {
    let more = |manifest: &str| {
        let second = "[stages.more]\nfrom = \"training\"\ntrain.external = { command = [\"python3\", \"train.py\", \"MARK\"] }\n";
        manifest.replace(
            "[stages.match]\nfrom = { agent = \"training\" }",
            &format!("{second}\n[stages.match]\nfrom = {{ agent = \"more\" }}"),
        )
    };
    let Some((workshop, _)) = workshop(more) else { return };
    workshop.done("run m.toml --allow-engines");
    assert_eq!((workshop.jobs("train").len(), workshop.jobs("play").len()), (4, 2));
}

/// Faults of the trainer, a change of the manifest, and the message of the job.
const FAULTS: [(&str, &str, &str); 21] = [
    ("nothing", "", "ended without a file in its directory"),
    ("crash", "", "ended with exit status: 1\n  its last lines on standard error:\n    the memory of the card is full"),
    ("signal", "", "ended with signal: 6"),
    ("silent", "", "wrote no line for 1 s"),
    ("binary", "", "wrote bytes that are no text"),
    ("nan", "", "JSON has no NaN and no infinity: write null"),
    ("step", "", "names a metric `step`"),
    ("score", "", "names a metric `score`, the name of a result of games"),
    ("unknown", "", "unknown field `dance`"),
    ("uncountable", "budget = { games = 20 }", "stopped: this trainer does not count games"),
    ("outside", "", "names a bad checkpoint: `../state.json` is not below its directory"),
    ("absent", "", "names a bad checkpoint: `none.json` in its directory: No such file"),
    ("link", "", "`linked` in its directory is a link or a device"),
    ("large", "", "left files that cannot be kept: its directory has 20971"),
    ("link-itself", "", "left files that cannot be kept: its directory is a link"),
    ("reserved", "", "its directory has a file `__metadata__`: the format of results keeps this name"),
    ("falling", "budget = { games = 20 }", "counted 1 games after 9: counts are those of the whole training so far"),
    ("overrun", "budget = { games = 20 }", "has a budget of 20 games, and took 60"),
    ("uncounted", "budget = { games = 20 }", "has a budget of 20 games, and did not count them"),
    ("uncounted", "budget = { evaluations = 1e3 }", "has a budget of 1000 evaluations, and did not count them"),
    ("missing", "", "there is no file `train.py`"),
];

#[test]
fn a_broken_trainer_fails_its_job_with_the_reason() {
    for (fault, setting, reason) in FAULTS {
        let change = |manifest: &str| {
            let silence = if fault == "silent" { "silence-seconds = 1" } else { "silence-seconds = 60" };
            let manifest = with_fault(manifest, fault).replace("silence-seconds = 60", silence);
            manifest.replace("megabytes = 1\n", &format!("megabytes = 1\n{setting}\n"))
        };
        let Some((workshop, mark)) = workshop(change) else { return };
        if fault == "missing" {
            std::fs::remove_file(workshop.path("train.py")).unwrap();
        }
        let ended = workshop.run("run m.toml --allow-engines --only stage=training");
        assert_eq!(ended.code, if fault == "missing" { 2 } else { 1 }, "{fault}: {}", ended.stderr);
        assert!(ended.stderr.contains(reason), "{fault}: {}", ended.stderr);
        assert_gone(&mark);
    }
}

/// A trainer that works until its budget of processor time is spent.
const WORKS: &str = r#"
import sys
sys.path.insert(0, sys.argv[1])
from gauntlet_trainer import Training

training = Training("works")
assert training.timed and training.processor_seconds >= 0
while not training.over():
    sum(range(10000))
training.metrics(spent=training.processor_seconds)
(training.directory / "weights").write_text("files")
"#;

#[test]
fn a_trainer_can_have_a_budget_of_processor_time() {
    let module = concat!(env!("CARGO_MANIFEST_DIR"), "/experiments/engines");
    let command = format!("command = [\"python3\", \"works.py\", \"{module}\"]");
    let change = |manifest: &str| {
        let manifest = manifest.replace("command = [\"python3\", \"train.py\", \"MARK\"]", &command);
        manifest.replace("megabytes = 1", "budget = { processor-seconds = 0.5 }").replace("seeds = 2", "seeds = 1")
    };
    let Some((workshop, _)) = workshop(change) else { return };
    workshop.write("works.py", WORKS);
    workshop.done("run m.toml --allow-engines --only stage=training");
    let result = json(&std::fs::read_to_string(workshop.jobs("train")[0].join("result.json")).unwrap());
    let spent = result["effort"]["processor_seconds"].as_f64().unwrap();
    // The system counts in hundredths of a second, which it rounds down.
    let told = result["curve"][0]["spent"].as_f64().unwrap();
    assert!((0.45..3.0).contains(&spent) && told < spent + 0.05, "{told} {spent}");
}

/// A process that a trainer leaves behind ends with it, and the training counts.
#[test]
fn nothing_of_a_trainer_is_left_behind() {
    let Some((workshop, mark)) = workshop(|manifest| with_fault(manifest, "child")) else { return };
    workshop.done("run m.toml --allow-engines --only stage=training");
    assert_gone(&mark);
}

#[test]
fn mistakes_are_found_before_a_trainer_starts() {
    for (change, reason) in [
        (("command = [\"python3\", \"train.py\", \"MARK\"]", "command = []"), "needs a command"),
        (("megabytes = 1", "budget = { seconds = 1, games = 2 }"), "a budget has one unit"),
        (("megabytes = 1", "budget = { seconds = 1, processor-seconds = 1 }"), "a budget has one unit"),
        (("megabytes = 1", "budget = { hours = 2 }"), "unknown key `hours`"),
        (("megabytes = 1", "agent = \"theirs\""), "unknown key `agent`"),
        (("agent = \"theirs\", opponent", "agent = \"chance\", opponent"), "takes no files of stage `training`"),
        (
            ("play.match = { agent", "play.match = { game = { othello = { size = 6 } }, agent"),
            "are of a training in othello 4x4, and it plays othello 6x6",
        ),
        (
            ("{ agent = \"training\" }", "{ agent = { stage = \"training\", iteration = 2 } }"),
            "does not keep iteration 2",
        ),
        (
            ("from = { agent = \"training\" }\nplay", "from = \"training\"\nplay"),
            "no player takes the files of stage `training`",
        ),
        (
            (
                "opponent = \"chance\", games",
                "opponent = { engine = { command = [\"sh\"], weights = \"random\" } }, games",
            ),
            "draws no weights",
        ),
    ] {
        let Some((workshop, _)) = workshop(|manifest| manifest.replace(change.0, change.1)) else { return };
        let refused = workshop.ends(2, &["check", "m.toml"]);
        assert!(refused.stderr.contains(reason), "{reason}: {}", refused.stderr);
    }
}
