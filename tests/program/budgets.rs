//! Tests of budgets of searches: time, which depends on the machine, and operations, which do not.

use serde_json::Value;

use crate::workshop::{Workshop, json};

const TIMED: &str = r#"schema = 1
name = "timed"
title = "Equal time"

[agents]
uct.uct = { simulations = { time-ms = 5 } }
minimax.alpha-beta = { time-ms = 5 }

[stages.test.play.match]
game = { othello = { size = 4 } }
agent = "uct"
opponent = "minimax"
games = 2

[stages.league.play.tournament]
game = { othello = { size = 4 } }
players = ["uct", "minimax"]
games = 2

[[exhibit]]
name = "score"
show.crosstable = { stage = "league" }
"#;

#[test]
fn moves_with_a_limit_of_time_are_marked_as_those_of_this_machine() {
    let workshop = Workshop::with(TIMED);
    workshop.done("check m.toml");
    workshop.done("run m.toml");
    let mut limits = Vec::new();
    for (_, bytes) in workshop.files("results/jobs", "result.json") {
        let result: Value = serde_json::from_slice(&bytes).unwrap();
        let (uct, minimax) = match &result["thinking"] {
            Value::Object(players) if players.contains_key("uct") => (&players["uct"], &players["minimax"]),
            players => (&players["UCT 5 ms"], &players["alpha-beta 5 ms"]),
        };
        limits.push((uct["time_ms"].as_u64(), minimax["time_ms"].as_u64(), minimax["moves"].as_u64()));
        assert!(uct["moves"].as_u64() > Some(4) && uct["simulations"].as_u64() > uct["moves"].as_u64(), "{result}");
    }
    assert_eq!(limits, [(Some(5), Some(5), Some(0)); 3], "a match, a meeting and its tournament");
    workshop.done("report m.toml");
    let page = workshop.read("reports/timed/base/score.md");
    assert!(page.contains("uct thought for 5 ms a move and made"), "{page}");
    assert!(
        page.contains("minimax thought for 5 ms a move; ") && page.contains("Such results depend on the machine."),
        "{page}"
    );
    let verified = workshop.run("verify m.toml --all");
    assert!(verified.stderr.contains("3 results left out"), "{}", verified.stderr);
}

const TRAINING: &str = r#"schema = 1
name = "equal"
title = "Equal operations"

[agents.net.guided]
network = { saz = { hidden = 4 } }
search = { simulations = { operations = 5e5 } }

[stages.train.train.alpha-zero]
game = { othello = { size = 4 } }
agent = "net"
settings = { iterations = 1, games = 2, epochs = 1, evaluation = { every = 1, games = 2, opponent = { random = {} } } }
"#;

#[test]
fn a_training_takes_operations_and_refuses_time() {
    let workshop = Workshop::with(TRAINING);
    workshop.done("run m.toml");
    let result = workshop.files("results/jobs", "result.json").into_values().next().unwrap();
    let result: Value = serde_json::from_slice(&result).unwrap();
    let played = &result["curve"][0];
    assert!(played["evaluations"].as_u64() > Some(10), "{played}");
    workshop.done("verify m.toml --all");
    for (budget, reason) in [
        ("{ time-ms = 5 }", "players with `time-ms` play in matches and tournaments"),
        ("{ operations = 5 }", "5e0 operations are fewer than the"),
        ("{ time = 5 }", "time"),
        ("0", "0 simulations: a search takes from 1 to 10000000"),
    ] {
        workshop.write("m.toml", &TRAINING.replace("{ operations = 5e5 }", budget));
        let ended = workshop.ends(2, &["check", "m.toml"]);
        assert!(ended.stderr.contains(reason) && ended.stderr.contains("m.toml"), "{budget}: {}", ended.stderr);
    }
    let sizes = TRAINING
        .replace("agent = \"net\"", "agent = \"net\"\nsizes = [{ size = 4, share = 0.5 }, { size = 6, share = 0.5 }]");
    workshop.write("m.toml", &sizes);
    let ended = workshop.ends(2, &["check", "m.toml"]);
    assert!(ended.stderr.contains("other `operations` on each board size"), "{}", ended.stderr);
    let uct = TIMED.replace("{ time-ms = 5 } }\nminimax", "{ operations = 1e6 } }\nminimax");
    workshop.write("m.toml", &uct);
    let ended = workshop.ends(2, &["check", "m.toml"]);
    assert!(ended.stderr.contains("`operations` are those of a network, and this player has none"), "{}", ended.stderr);
    let found = json(&workshop.done("explain agents.guided --json").stdout).to_string();
    assert!(found.contains("time-ms") && found.contains("operations"), "{found}");
}
