//! Tests of tournaments with opening files and resignation, and of their games in the formats of other programs.

use std::fs;
use std::path::PathBuf;

use crate::workshop::Workshop;
use gauntlet_games::base::{Ending, Record};
use gauntlet_games::formats::records::Records;
use serde_json::Value;

const MANIFEST: &str = r#"
schema = 1
name = "test"
title = "Othello from a book"
[games]
othello.othello = { size = 6 }
[agents]
random.random = {}
greedy.greedy = {}
uct.uct = { simulations = 10 }
[stages.league.play.tournament]
game = "othello"
players = ["random", "greedy", "uct"]
games = 4
openings = { file = "book.epd" }
[[exhibit]]
name = "ratings"
show.ratings = { stage = "league" }
"#;

const EPD: &str = "# two positions of 6x6\n6/6/2ox2/2xo2/6/6 x id \"start\";\n6/2x3/2xx2/2xo2/6/6 o id \"after C2\";\n";

const PGN: &str = "[Event \"?\"]\n[White \"?\"]\n[Black \"?\"]\n[Result \"*\"]\n\n\
    1. d5 {diagonal} c5 (1... e3 2. d2) 2. b4 $1 e5 3. zz *\n\n1. B3 D2 *\n";

/// The games of the tournament.
fn file(workshop: &Workshop) -> PathBuf {
    let mut jobs = workshop.jobs("play");
    jobs.retain(|job| !job.to_str().unwrap().contains("tournament-of-2"));
    let [job] = &jobs[..] else { panic!("one job beside its meetings") };
    job.join("games.jsonl")
}

fn games(workshop: &Workshop) -> Vec<Record> {
    let bytes = fs::read(file(workshop)).unwrap();
    Records::open(&bytes[..]).unwrap().collect::<Result<_, _>>().unwrap()
}

#[test]
fn a_tournament_begins_at_the_positions_of_a_file() {
    let workshop = Workshop::with(MANIFEST);
    workshop.write("book.epd", EPD);
    workshop.done("run m.toml");
    let runs = workshop.read("reports/test/base/runs.csv");
    let heads: Vec<&str> = runs.lines().next().unwrap().split(',').collect();
    assert!(heads.contains(&"games") && !heads.contains(&"wins"), "no player of a tournament is its own: {heads:?}");
    let games = games(&workshop);
    assert_eq!(games.len(), 12);
    for (at, game) in games.iter().enumerate() {
        let start = ["6/6/2ox2/2xo2/6/6 x", "6/2x3/2xx2/2xo2/6/6 o"][at / 2 % 2];
        assert_eq!((game.start.as_deref(), game.opening), (Some(start), 0));
    }
    workshop.write("book.epd", &EPD.replace("6/2x3", "6/2k3"));
    let ended = workshop.run("check m.toml");
    let message = "book.epd, line 3: the position \"6/2k3/2xx2/2xo2/6/6 o\" cannot be set up: 'k' is not a stone";
    assert!(ended.code == 2 && ended.stderr.replace("\n  │ ", " ").contains("book.epd, line 3"), "{ended:?} {message}");
}

#[test]
fn a_tournament_begins_with_the_first_plies_of_games() {
    let file = "{ file = { name = \"games.pgn\", plies = 4 } }";
    let workshop = Workshop::with(&MANIFEST.replace("{ file = \"book.epd\" }", file));
    workshop.write("games.pgn", PGN);
    workshop.done("run m.toml");
    let openings: Vec<usize> = games(&workshop).iter().map(|game| game.opening as usize).collect();
    assert_eq!(openings, [4, 4, 2, 2].repeat(3));
    let limited = |most: u32| MANIFEST.replace("{ file = \"book.epd\" }", &format!("{file}\nmax-plies = {most}"));
    workshop.write("m.toml", &limited(5));
    workshop.done("check m.toml");
    workshop.write("m.toml", &limited(4));
    let ended = workshop.run("check m.toml");
    let told = ended.stderr.replace("\n  │ ", " ");
    assert!(ended.code == 2 && told.contains("games.pgn, opening 1 has 4 plies"), "{ended:?}");
    workshop.write("games.pgn", &PGN.replace("b4", "a1"));
    let ended = workshop.run("check m.toml");
    assert!(ended.code == 2 && ended.stderr.contains("games.pgn, line 6: move 3, a1, is not legal"), "{ended:?}");
}

#[test]
fn resignations_are_told_wherever_results_are() {
    let resign = "games = 20\nresign = { below = -0.3, plies = 2, played-out = 0.5 }";
    let manifest = MANIFEST.replace("games = 4", resign).replace("file = \"book.epd\"", "random = { plies = 4 }");
    let workshop = Workshop::with(&manifest);
    workshop.done("run m.toml");
    let games = games(&workshop);
    let resigned = games.iter().filter(|game| game.ending == Ending::Resigned).count();
    let would_be = games.iter().filter(|game| game.would_resign.is_some()).count();
    assert!(resigned > 0 && would_be > 0, "{resigned} {would_be}");
    let reported = format!("{resigned} games ended by a resignation. In ");
    let markdown = fs::read_to_string(workshop.path("reports/test/base/ratings.md")).unwrap();
    assert!(markdown.contains(&reported) && markdown.contains("never resign"), "{markdown}");

    fs::copy(file(&workshop), workshop.path("games.jsonl")).unwrap();
    let rated = workshop.done("rate games.jsonl");
    assert!(rated.stderr.contains(&reported) && rated.stderr.contains("Clopper and Pearson"), "{}", rated.stderr);
    let rated: Value = serde_json::from_str(&workshop.done("rate games.jsonl --json").stdout).unwrap();
    assert_eq!(rated["resignations"]["would_be"], would_be);

    // The same games, read by another program's format.
    assert!(workshop.done("export games.jsonl games.pgn").stderr.contains("60 games written to games.pgn"));
    let pgn = fs::read_to_string(workshop.path("games.pgn")).unwrap();
    assert_eq!(pgn.matches("[Termination \"resignation\"]").count(), resigned);
    let both = |file: &str| {
        let rated: Value = serde_json::from_str(&workshop.done(&format!("rate {file} --moves --json")).stdout).unwrap();
        // Ratings, errors and scores, determined by the pairs of games.
        let mut players: Vec<String> = rated["players"].as_array().unwrap().iter().map(Value::to_string).collect();
        players.sort();
        (players, rated["distinct_games"].as_u64().unwrap())
    };
    assert!(pgn.contains("[Round \"1.1\"]") && pgn.contains("[Round \"30.2\"]"), "{pgn}");
    assert_eq!(both("games.pgn"), both("games.jsonl"));
    workshop.write("alone.pgn", &pgn.replace(".1\"]", "\"]"));
    assert_ne!(both("alone.pgn").0, both("games.pgn").0, "games without pairs leave other errors");
    let ended = workshop.run("export games.pgn games.sgf");
    assert!(ended.code == 2 && ended.stderr.contains("games.pgn: line 1: "), "{ended:?}");
    let ended = workshop.run("export games.jsonl games.txt");
    assert!(ended.code == 2 && ended.stderr.contains("the name games.txt does not tell"), "{ended:?}");

    // Metrics can be written as events, games cannot.
    workshop.write("metrics.jsonl", "{\"step\":1,\"loss\":0.5}\n{\"step\":2,\"loss\":0.25}\n");
    let ended = workshop.done("export metrics.jsonl metrics.tfevents");
    assert!(ended.stderr.contains("metrics of 2 steps written to metrics.tfevents"), "{ended:?}");
    workshop.done("export metrics.jsonl events.out.tfevents.1");
    let ended = workshop.run("export games.jsonl games.tfevents");
    assert!(ended.code == 2 && ended.stderr.contains("these are games, and games.tfevents holds metrics"), "{ended:?}");
    let ended = workshop.run("export metrics.jsonl metrics.pgn");
    assert!(ended.code == 2 && ended.stderr.contains("these are metrics, and metrics.pgn holds games"), "{ended:?}");
}
