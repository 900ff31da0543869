//! Tests of tournaments as the sum of their meetings: they grow, they share meetings, and one broken player costs its own
//! meetings alone.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::engines;
use crate::workshop::{Workshop, json};

const LEAGUE: &str = r#"schema = 1
name = "league"
title = "Three players"

[agents]
random.random = {}
naive.naive = {}
greedy.greedy = {}
uct.uct = { simulations = 4 }

[stages.league]
seeds = 2

[stages.league.play.tournament]
game = { othello = { size = 4 } }
players = ["random", "naive", "greedy"]
games = 6
openings = { random = { plies = 2 } }

[[exhibit]]
name = "ratings"
show.ratings = { stage = "league" }
"#;

fn grown() -> String {
    LEAGUE.replace(r#"["random", "naive", "greedy"]"#, r#"["uct", "greedy", "naive", "random"]"#)
}

/// The counted games of the two players of each meeting of the tournaments of this size: by the names of the players, and the seed.
fn meetings(workshop: &Workshop, players: usize) -> BTreeMap<(BTreeSet<String>, u64), u64> {
    let mut found = BTreeMap::new();
    for (file, bytes) in workshop.files("results/jobs", "result.json") {
        let result: Value = serde_json::from_slice(&bytes).unwrap();
        let names = result["players"].as_array().unwrap();
        if names.len() != players {
            continue;
        }
        let seed = json(&workshop.read(&file.replace("result.json", "key.json")))["seed"].clone();
        for meeting in result["meetings"].as_array().unwrap() {
            let own = [0, 1].map(|at| names[meeting["players"][at].as_u64().unwrap() as usize].as_str().unwrap());
            let of_lower = if own[0] <= own[1] { 0 } else { 4 };
            let counts = meeting["pentanomial"].as_array().unwrap();
            let points = (0..5_u64).map(|at| at.abs_diff(of_lower) * counts[at as usize].as_u64().unwrap()).sum();
            found.insert((own.map(str::to_owned).into(), seed.as_u64().unwrap()), points);
        }
    }
    found
}

#[test]
fn a_tournament_grows_by_the_games_of_its_new_player() {
    let workshop = Workshop::with(LEAGUE);
    let planned = workshop.done("plan m.toml").stdout;
    assert!(planned.contains("league meetings  6 ") && planned.contains("8 jobs, 8 to run"), "{planned}");
    workshop.done("run m.toml --quiet");
    let (before, first) = (workshop.jobs("play"), meetings(&workshop, 3));
    assert_eq!(first, meetings(&workshop, 2), "the tournament has the results of its meetings");
    workshop.write("m.toml", &grown());
    let planned = workshop.done("plan m.toml").stdout;
    assert!(planned.contains("league meetings  12 ") && planned.contains("14 jobs, 8 to run"), "{planned}");
    let explained = workshop.done("plan m.toml --explain").stdout;
    assert_eq!(explained.matches("meeting=").count(), 6, "{explained}");
    assert!(explained.lines().filter(|line| line.contains("meeting=")).all(|line| line.contains("uct")), "{explained}");
    workshop.done("run m.toml --quiet");
    let after: BTreeSet<_> = workshop.jobs("play").into_iter().collect();
    assert!(before.iter().all(|job| after.contains(job)));
    assert_eq!(after.len() - before.len(), 8, "three meetings and a tournament for each seed");
    let whole = meetings(&workshop, 4);
    assert!(whole.len() == 12 && first.iter().all(|(names, points)| whole[names] == *points), "{first:?}, {whole:?}");
    // Reports count each game once.
    let runs = workshop.read("reports/league/base/runs.csv");
    assert_eq!(runs.lines().count(), 1 + 2, "{runs}");
    assert!(workshop.done("export m.toml games.csv").stderr.contains("72 games written"));
    // The records of a tournament beside those of its meetings count twice.
    let records: Vec<String> = workshop.files("results/jobs", "games.jsonl").into_keys().collect();
    let rated = workshop.ends(0, &["rate"].into_iter().chain(records.iter().map(String::as_str)).collect::<Vec<_>>());
    assert!(rated.stderr.contains("has the games of 6 other files"), "{}", rated.stderr);
    // From nothing, and over other workers, it is the same tournament.
    let other = Workshop::with(&grown());
    other.done("run m.toml --quiet --jobs 3 --executor process");
    assert_eq!(meetings(&other, 4), whole);
    assert_eq!(other.files("results/jobs", "games.jsonl").len(), 14);
    let same = |end: &str| {
        let of = |workshop: &Workshop| workshop.files("results/jobs", end);
        of(&other).iter().all(|(file, bytes)| of(&workshop).get(file) == Some(bytes))
    };
    assert!(same("result.json") && same("games.jsonl"));
}

#[test]
fn a_broken_player_costs_its_own_meetings_and_the_rating_names_them() {
    let workshop = Workshop::new();
    let text = engines::manifest(", startup-seconds = 20", "");
    let (head, _) = text.split_once("[stages.engine").unwrap();
    let league = "[stages.league.play.tournament]\ngame = \"o\"\nplayers = [\"mine\", \"naive\", \"random\"]\ngames = 20\n\
                  openings = { random = { plies = 2 } }\n[[exhibit]]\nname = \"ratings\"\nshow.ratings = { stage = \"league\" }\n";
    workshop.write("m.toml", &format!("{head}{league}"));
    workshop.write("mock.sh", "exit 3\n");
    let ended = workshop.ends(1, &["run", "m.toml", "--yes"]);
    assert_eq!(ended.stderr.matches("failed: league meetings").count(), 2, "{}", ended.stderr);
    let page = workshop.read("reports/engines/base/ratings.md");
    assert!(page.contains("The result is partial: it lacks the games of mine – random, mine – naive."), "{page}");
    assert!(page.contains("naive") && page.contains("random"), "{page}");
    let runs = workshop.read("reports/engines/base/runs.csv");
    assert!(runs.lines().nth(1).unwrap().contains("false"), "{runs}");
}
