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

const SCALES: &str = r#"
[stages.table]
seeds = 3
play.tournament = { game = "board", players = ["naive", "greedy", "random"], games = 8, openings = { random = { plies = 2 } } }

[[exhibit]]
name = "alone"
show.means = { stage = "more", rows = ["agent"], values = ["optimal", "lost"] }
[[exhibit.success]]
claim = "Random moves keep the value more often than never"
of = { agent = "random" }
over.number = 0.01

[[exhibit]]
name = "ratings"
show.ratings = { stage = "table", anchor = "random", by-run = true }

[[exhibit]]
name = "scales"
show.scales = { ratings = "table", optimal = ["moves", "more"], anchor = "random", by-run = true }

[[exhibit]]
name = "by-games"
show.scales = { ratings = "table", optimal = "moves", anchor = "random" }
"#;

/// The rows of a CSV, by column.
fn table(workshop: &Workshop, name: &str) -> Vec<std::collections::HashMap<String, String>> {
    let text = workshop.read(&format!("reports/optimal/base/{name}.csv"));
    let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    let head = lines.next().unwrap();
    lines.map(|line| head.iter().cloned().zip(line).collect()).collect()
}

/// Players that do not learn have errors over positions, in tables and criteria; two scales show the numbers of others.
#[test]
fn errors_of_players_that_do_not_learn_are_over_positions() {
    let workshop = Workshop::with(&format!("{OPTIMAL}{SCALES}"));
    workshop.done("run m.toml --jobs 2");
    let shares = |agent: &str| -> Vec<[f64; 2]> {
        let own = numbers(&workshop)
            .into_iter()
            .filter(|(name, _)| name.starts_with(&format!("{{\"{agent}\"")))
            .map(|(_, result)| json(&result));
        own.map(|result| ["share", "share-error"].map(|key| result[key].as_f64().unwrap())).collect()
    };
    let number = |row: &std::collections::HashMap<String, String>, column: &str| row[column].parse::<f64>().unwrap();
    let of_random = shares("random");
    let mean = |at: usize| of_random.iter().map(|own| own[at]).sum::<f64>() / 2.0;
    let alone = table(&workshop, "alone");
    let optimal = &alone[0];
    assert_eq!(
        (&*optimal["metric"], &*optimal["error_kind"]),
        ("share of optimal moves", "standard-error-over-positions")
    );
    assert!((number(optimal, "value") - mean(0)).abs() < 1e-9 && (number(optimal, "error") - mean(1)).abs() < 1e-9);
    // Wilson's interval of the effective number of positions, by hand.
    let (p, se, z) = (mean(0), mean(1), 1.959_963_985);
    let n = p * (1.0 - p) / (se * se);
    let middle = (p + z * z / (2.0 * n)) / (1.0 + z * z / n);
    let half = z / (1.0 + z * z / n) * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
    let [low, high] = ["interval_low", "interval_high"].map(|column| number(optimal, column));
    assert!(
        (low - (middle - half)).abs() < 1e-6 && (high - (middle + half)).abs() < 1e-6,
        "{low} {high} {middle} {half}"
    );
    let claim = alone.iter().find(|row| row["metric"] == "gain").unwrap();
    assert_eq!((&*claim["error_kind"], &*claim["verdict"]), ("standard-error-over-positions", "met"), "{claim:?}");
    assert!((number(claim, "error") - se).abs() < 1e-9);
    let ends = ["interval_low", "interval_high"].map(|column| number(claim, column) + 0.01);
    assert!((ends[0] - low).abs() < 1e-9 && (ends[1] - high).abs() < 1e-9, "the interval of the table: {claim:?}");
    let page = workshop.read("reports/optimal/base/alone.md");
    assert!(page.contains("one standard error over positions. Nothing was trained."), "{page}");
    assert!(
        page.contains("± is one standard error over positions.") && page.contains("interval over positions"),
        "{page}"
    );
    let (ratings, scales) = (table(&workshop, "ratings"), table(&workshop, "scales"));
    for player in ["naive", "greedy", "random"] {
        let of = |rows: &[std::collections::HashMap<String, String>], column: &str| {
            rows.iter().find(|row| row["row"] == player && row["column"] == column).unwrap().clone()
        };
        let (one, other) = (of(&ratings, "Elo"), of(&scales, "Elo"));
        assert_eq!((&one["value"], &one["error"]), (&other["value"], &other["error"]));
        let share = number(&of(&scales, "Optimal moves in %"), "value");
        let own = shares(player);
        let mean = own.iter().map(|own| own[0]).sum::<f64>() / own.len() as f64;
        assert!((share - 100.0 * mean).abs() < 1e-9, "{player}: {share} {mean}");
    }
    let page = workshop.read("reports/optimal/base/by-games.md");
    assert!(page.contains("| random | 0") && page.contains("over games where (games) says so"), "{page}");
}

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
