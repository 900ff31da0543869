//! Tests of panels of opponents in the evaluations of trainings, with an engine among them.

use std::fs;

use serde_json::Value;

use crate::engines::{FIRST, alive, assert_gone};
use crate::workshop::{Workshop, json};

const PANEL: &str = r#"schema = 1
name = "panel"
title = "A panel"

[games]
o.othello = { size = 4 }

[agents]
chance.random = {}
careful.naive = {}
mine.engine = { command = ["sh", "mock.sh", "MARK"], deterministic = true, name = "mine" }

[agents.net.guided]
network = { saz = { hidden = 4 } }
search = { simulations = 4 }

[stages.train.train.alpha-zero]
game = "o"
agent = "net"

[stages.train.train.alpha-zero.settings]
iterations = 4
games = 2
epochs = 1
batch = 8
keep = [2]

[stages.train.train.alpha-zero.settings.evaluation]
every = 2
games = 4
panel = ["chance", "careful", "mine"]
past = [2]

[[exhibit]]
name = "curves"
show.curves = { stage = "train", of = "panel", curves = [], x = "iterations" }

[[exhibit]]
name = "ratings"
show.ratings = { stage = "train" }

[[exhibit]]
name = "scores"
show.crosstable = { stage = "train" }
"#;

fn workshop(manifest: &str) -> (Workshop, String) {
    let workshop = Workshop::new();
    let mark = format!("panel-{}-{:?}", std::process::id(), std::thread::current().id()).replace(['(', ')'], "");
    workshop.write("m.toml", &manifest.replace("MARK", &mark));
    workshop.write("mock.sh", &format!("{FIRST}\nserve\n"));
    (workshop, mark)
}

#[test]
fn a_panel_has_a_curve_for_each_opponent_and_a_joint_rating() {
    let (workshop, mark) = workshop(PANEL);
    assert!(workshop.ends(2, &["run", "m.toml"]).stderr.contains("this starts other programs:"));
    workshop.done("run m.toml --yes");
    assert_gone(&mark);
    assert_eq!(alive(&mark), 0);
    let found = workshop.files("results/jobs", "result.json").into_values().next().unwrap();
    let found: Value = serde_json::from_slice(&found).unwrap();
    let names = ["iteration 2", "chance", "careful", "mine", "iteration 4"];
    assert_eq!(found["panel"]["players"], serde_json::json!(names));
    assert_eq!(found["panel"]["engines"]["mine"]["says"], "first 1");
    let page = workshop.read("reports/panel/base/curves.md");
    for name in ["against chance", "against careful", "against mine", "against iteration 2"] {
        assert!(page.contains(name), "{name}: {page}");
    }
    let rated = workshop.read("reports/panel/base/ratings.md");
    assert!(names.iter().all(|name| rated.contains(name)) && rated.contains("calls itself \"first 1\""), "{rated}");
    workshop.done("export m.toml metrics.csv");
    let metrics = workshop.read("metrics.csv");
    assert!(metrics.lines().next().unwrap().contains("score mine"), "{metrics}");
    // The manifest calls the engine deterministic: a second run gives the same bytes.
    workshop.done("verify m.toml --all --yes");
}

#[test]
fn an_engine_can_be_the_opponent_of_a_training() {
    let alone = PANEL.replace("panel = [\"chance\", \"careful\", \"mine\"]\npast = [2]", "opponent = \"mine\"");
    let (workshop, mark) = workshop(&alone);
    workshop.done("run m.toml --yes");
    assert_gone(&mark);
    let found = workshop.files("results/jobs", "result.json").into_values().next().unwrap();
    let found: Value = serde_json::from_slice(&found).unwrap();
    assert_eq!(found["panel"]["players"], serde_json::json!(["iteration 2", "mine", "iteration 4"]));
    assert_eq!(found["curve"][1]["score"], found["curve"][1]["panel"][0]["score"]);
    // A broken engine fails the training with its own words, and the next run goes on.
    workshop.write("mock.sh", "echo no weights here >&2\nexit 3\n");
    let ended = workshop.ends(1, &["run", "m.toml", "--yes"]);
    assert!(ended.stderr.contains("no weights here"), "{}", ended.stderr);
}

const EVOLUTION: &str = r#"schema = 1
name = "evolution"
title = "Against an engine"

[agents]
small.net = { network = { mdrnn = { units = 2 } } }
mine.engine = { command = ["sh", "mock.sh", "MARK"], name = "mine" }

[stages.train.train.cma-es]
game = { atari-go = { size = 5 } }
agent = "small"
opponent = "mine"
settings = { generations = 2, population = 4, games = 2 }

[[exhibit]]
name = "curves"
show.curves = { stage = "train", curves = [] }
"#;

#[test]
fn an_evolution_plays_against_an_engine() {
    let (workshop, mark) = workshop(EVOLUTION);
    workshop.done("run m.toml --yes");
    assert_gone(&mark);
    let found = workshop.files("results/jobs", "result.json").into_values().next().unwrap();
    let found: Value = serde_json::from_slice(&found).unwrap();
    assert_eq!(found["panel"]["engines"]["mine"]["repeatable"], false, "{found}");
    let page = workshop.read("reports/evolution/base/curves.md");
    assert!(page.contains("mine is an engine") && page.contains("not repeatable bit for bit"), "{page}");
    let verified = workshop.run("verify m.toml --all --yes");
    assert!(verified.stderr.contains("1 result left out"), "{}", verified.stderr);
    fs::remove_file(workshop.path("mock.sh")).unwrap();
    let explained = json(&workshop.done("explain settings.evaluation.panel --json").stdout).to_string();
    assert!(explained.contains("joint rating"), "{explained}");
}
