//! Tests of exact solutions as jobs: all runs and players share them, a later player needs no new ones, and a kill loses
//! nothing.

use crate::workshop::{Workshop, json};

const OPTIMAL: &str = r#"schema = 1
name = "optimal"
title = "Moves beside exact values"
games.board.othello = { size = 4 }

[agents]
naive.naive = {}
greedy.greedy = {}
random.random = {}

[stages.moves]
seeds = 3
sweep = { agent = ["naive", "greedy"] }
measure.optimal = { game = "board", plies = 5, positions = 30 }

[stages.more]
seeds = 2
measure.optimal = { game = "board", agent = "random", plies = 5, positions = 30 }

[[exhibit]]
name = "moves"
show.means = { stage = "moves", rows = ["agent"], values = ["optimal", "lost"] }
"#;

/// The numbers of all measurements, by player and seed.
fn numbers(workshop: &Workshop) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = workshop
        .jobs("measure-optimal")
        .iter()
        .map(|job| {
            let [key, result] =
                ["key.json", "result.json"].map(|file| std::fs::read_to_string(job.join(file)).unwrap());
            let key = json(&key);
            (format!("{} {}", key["spec"]["measure"]["optimal"]["agent"], key["seed"]), result)
        })
        .collect();
    found.sort();
    found
}

#[test]
fn all_players_and_runs_share_the_solutions_of_a_set() {
    let workshop = Workshop::with(OPTIMAL);
    let plan = workshop.done("plan m.toml").stdout;
    assert!(plan.lines().any(|line| line.contains("moves solutions")), "{plan}");
    workshop.done("run m.toml --jobs 2");
    let solutions = workshop.jobs("measure-solutions");
    assert_eq!((solutions.len(), workshop.jobs("measure-optimal").len()), (1, 8));
    let solved = json(&std::fs::read_to_string(solutions[0].join("result.json")).unwrap());
    let positions = solved["positions"].as_array().unwrap();
    assert_eq!((positions.len(), solved["choice"]["unsolved"].as_u64()), (30, Some(0)));
    let first = numbers(&workshop);
    let sets: Vec<String> = first.iter().map(|(_, result)| json(result)["choice"].to_string()).collect();
    let choice = solved["choice"].to_string();
    assert!(sets.iter().all(|own| *own == choice), "{sets:?} {choice}");
    // Another player of the same set is one more measurement for each of its runs.
    workshop.write("m.toml", &OPTIMAL.replace("[\"naive\", \"greedy\"]", "[\"naive\", \"greedy\", \"random\"]"));
    workshop.done("run m.toml --jobs 2");
    assert_eq!((workshop.jobs("measure-solutions").len(), workshop.jobs("measure-optimal").len()), (1, 9));
    // Nothing depends on the order or on the executor.
    std::fs::remove_dir_all(workshop.path("results")).unwrap();
    workshop.write("m.toml", OPTIMAL);
    workshop.done("run m.toml --executor process --jobs 3 --only stage=more");
    assert_eq!(workshop.jobs("measure-optimal").len(), 2);
    workshop.done("run m.toml --executor process --jobs 3");
    assert_eq!(numbers(&workshop), first);
    let again = workshop.done("verify m.toml --all").stdout;
    assert_eq!(again.lines().filter(|line| line.contains(" same ")).count(), 9, "{again}");
}

/// Given openings are read from beside the manifest, and other ones are another set.
#[test]
fn a_set_can_begin_with_the_openings_of_a_file() {
    let workshop =
        Workshop::with(&OPTIMAL.replace("plies = 5, positions = 30 }", "plies = 4, openings.file = \"book.jsonl\" }"));
    let refused = workshop.ends(2, &["check", "m.toml"]);
    assert!(refused.stderr.contains("book.jsonl"), "{}", refused.stderr);
    let listed = OPTIMAL.replace("positions = 30 }", "positions = 30, openings.list = [\"Z9\"] }");
    workshop.write("m.toml", &listed);
    let refused = workshop.ends(2, &["check", "m.toml"]);
    assert!(refused.stderr.contains("`Z9` is not a legal action"), "{}", refused.stderr);
    workshop.write("m.toml", &listed.replace("Z9", "B1").replace("plies = 5", "plies = 4"));
    workshop.done("run m.toml --only stage=more");
    let solved = json(&std::fs::read_to_string(workshop.jobs("measure-solutions")[0].join("result.json")).unwrap());
    let starts = |position: &serde_json::Value| position["played"].as_str().unwrap().starts_with("B1 ");
    assert!(solved["positions"].as_array().unwrap().iter().all(starts), "{solved}");
}
