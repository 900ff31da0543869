//! Tests of games from description files: checked, listed, run from a manifest, played.

use std::fs;

use polars::prelude::{CsvReader, SerReader as _};
use serde_json::Value;

use crate::workshop::Workshop;

const FOUR: &str = r#"(game "Four"
    (players 2)
    (equipment { (board (square 5)) (piece "Stone" Each) })
    (rules
        (play (move Add (to (sites Empty))))
        (end (if (is Line 4) (result Mover Win)))
    )
)
"#;

const MATCH: &str = r#"schema = 1
name = "mine/four"
title = "A game of my own"

[games]
four.ludeme = { file = "four.lud" }

[agents]
random.random = {}
uct.uct = { simulations = 40 }

[stages.play]
play.match = { game = "four", agent = "uct", opponent = "random", games = 10 }

[[exhibit]]
name = "score"
show.means = { stage = "play", rows = ["agent"] }
"#;

#[test]
fn a_description_is_checked_alone() {
    let workshop = Workshop::new();
    workshop.write("four.lud", &FOUR.replace("is Line", "is Lyne").replace("Each", "Eech"));
    let bad = workshop.run("check four.lud");
    assert_eq!(bad.code, 2);
    for message in ["four.lud:6:", "`is Lyne`; did you mean `Line`?", "four.lud:3:", "`Eech`"] {
        assert!(bad.stderr.contains(message), "{message}: {}", bad.stderr);
    }
    workshop.write("four.lud", FOUR);
    let good = workshop.done("check four.lud").stdout;
    for fact in ["board: 25 cells", "pieces: Stone1, Stone2", "tensor of a state: 9x5x5", "tensor of actions: 3x5x5"] {
        assert!(good.contains(fact), "{fact}: {good}");
    }
    assert_eq!(workshop.run("check none.lud").code, 2);
}

#[test]
fn games_are_listed_with_their_tensors() {
    let listed = Workshop::new().done("games").stdout;
    for name in ["othello", "chess", "ludeme minishogi", "ludeme yavalath"] {
        assert!(listed.lines().any(|line| line.starts_with(&format!("{name} "))), "{name}: {listed}");
    }
    let yavalath = listed.lines().find(|line| line.starts_with("ludeme yavalath")).unwrap();
    let cells: Vec<&str> = yavalath.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect();
    assert_eq!((cells[1], cells[3], cells[7]), ("61", "10x9x17", "0 %"), "{yavalath}");
    assert!(!listed.lines().any(|line| line.contains(" -")), "every game has numbers: {listed}");
    let listed: serde_json::Value = serde_json::from_str(&Workshop::new().done("games --json").stdout).unwrap();
    let [plies, first] = ["random-plies", "random-first"].map(|fact| {
        let game = listed.as_array().unwrap().iter().find(|game| game["game"] == "ludeme yavalath");
        game.unwrap()[fact].as_f64().unwrap()
    });
    // In 20,000 games of the reference system: 19.6 plies, 47 %.
    assert!((17.0..22.5).contains(&plies) && (0.25..0.7).contains(&first), "{plies} {first}");
}

#[test]
fn a_game_of_ones_own_is_run_from_a_manifest() {
    let workshop = Workshop::with(MATCH);
    workshop.write("four.lud", FOUR);
    workshop.done("run m.toml");
    let results = workshop.files("results/jobs", "result.json");
    let scored = String::from_utf8(results.into_values().next().unwrap()).unwrap();
    let result: serde_json::Value = serde_json::from_str(&scored).unwrap();
    assert!(result["mean"].as_f64().unwrap() > 0.5, "{result}");
    // A comment changes no result, and a rule does.
    workshop.write("four.lud", &format!("// My game.\n{FOUR}"));
    assert!(workshop.done("run m.toml").stderr.contains("1 cached"));
    workshop.write("four.lud", &FOUR.replace("Line 4", "Line 3"));
    let changed = workshop.done("run m.toml").stderr;
    assert!(changed.contains("1 new"), "{changed}");
}

/// The manifests of Table 1 of Soemers et al. train and test it, with one line changed.
#[test]
fn a_game_of_ones_own_takes_the_place_of_a_published_one() {
    let (line, own) = ("squava.ludeme = { name = \"squava\" }", "squava.ludeme = { file = \"four.lud\" }");
    let common = include_str!("../../experiments/polygames2021/common.toml");
    assert!(common.contains(line));
    let workshop = Workshop::new();
    workshop.write("four.lud", FOUR);
    workshop.write("common.toml", &common.replace(line, own));
    workshop.write("table1.toml", include_str!("../../experiments/polygames2021/table1.toml"));
    workshop.done("run table1.toml --profile smoke --only game=squava");
    let results = workshop.files("results/jobs", "result.json").len();
    // The network's size, two trainings, two tests of each, and two floors twice.
    assert_eq!(results, 1 + 2 + 2 * 2 + 2 * 2);
}

/// The code blocks of the tutorial in this language.
fn blocks(language: &str) -> impl Iterator<Item = &'static str> {
    let page = include_str!("../../docs/own-game.md");
    let opening = format!("```{language}\n");
    page.match_indices(&opening)
        .map(|(at, found)| {
            let block = &page[at + found.len()..];
            &block[..block.find("```").unwrap()]
        })
        .collect::<Vec<_>>()
        .into_iter()
}

/// At a small scale: the rules, the manifest and the commands as printed.
#[test]
fn the_tutorial_is_as_it_says() {
    let workshop = Workshop::new();
    workshop.write("span.lud", blocks("text").next().unwrap());
    workshop.write("span.toml", blocks("toml").next().unwrap());
    let [check, run] = blocks("sh").map(|line| line.trim().strip_prefix("gauntlet ").unwrap()).collect::<Vec<_>>()[..]
    else {
        panic!("the tutorial has other commands")
    };
    assert!(workshop.done(check).stdout.contains("board: 25 cells"));
    let settings = "stages.train.train.alpha-zero.settings";
    let smaller = format!("--set stages.train.seeds=1 --set {settings}.iterations=3 --set {settings}.games=20");
    workshop.done(&format!("{run} {smaller}"));
    let results = workshop.files("results/jobs", "result.json").into_values();
    let results: Vec<serde_json::Value> = results.map(|bytes| serde_json::from_slice(&bytes).unwrap()).collect();
    let chance = results.iter().find(|result| result["players"][1] == "random").unwrap();
    assert!(chance["mean"].as_f64().unwrap() > 0.3, "{chance}");
}

const LEAGUE: &str = r#"schema = 1
name = "test/league"
title = "A league and its matches"

[agents]
weak.uct = { simulations = 2 }
strong.uct = { simulations = 6 }
naive.naive = {}

[stages.league]
seeds = 2
play.tournament = { game = { othello = { size = 4 } }, players = ["naive", "weak", "strong"], games = 4, format = "round-robin", openings = { random = { plies = 3 } } }

[stages.size]
sweep = { "game.size" = [4, 6] }
play.match = { game = { othello = { size = 4 } }, agent = "weak", opponent = "strong", games = 2, clock = { seconds = 30 } }

[[exhibit]]
show.ratings = { stage = "league" }
"#;

/// One row for each game, from which the results of the jobs follow.
#[test]
fn the_games_of_a_manifest_are_one_table() {
    let workshop = Workshop::with(LEAGUE);
    let none = workshop.ends(2, &["export", "m.toml", "games.csv"]).stderr;
    assert!(none.contains("none of 4 playing jobs of m.toml is finished"), "{none}");
    workshop.done("run m.toml --quiet");
    assert!(workshop.done("export m.toml games.csv --moves").stderr.contains("28 games written to games.csv"));
    let frame = CsvReader::new(fs::File::open(workshop.path("games.csv")).unwrap()).finish().unwrap();
    let names: Vec<&str> = frame.get_column_names().into_iter().map(|name| name.as_str()).collect();
    assert_eq!(names[0], "stage");
    assert!(["game.size", "agent", "opponent", "seed", "key", "number"].iter().all(|name| names.contains(name)));
    let texts = |name: &str| -> Vec<String> {
        frame.column(name).unwrap().str().unwrap().iter().map(|cell| cell.unwrap_or_default().to_owned()).collect()
    };
    let (keys, first, winner) = (texts("key"), texts("first"), texts("winner"));
    let score: Vec<f64> = frame.column("score").unwrap().f64().unwrap().iter().map(Option::unwrap).collect();
    let plies: Vec<i64> = frame.column("plies").unwrap().i64().unwrap().iter().map(Option::unwrap).collect();
    let (openings, moves) = (texts("opening"), texts("moves"));
    for at in 0..frame.height() {
        assert_eq!(
            score[at],
            [1.0, 0.0, 0.5][["first", "second", "draw"].iter().position(|w| *w == winner[at]).unwrap()]
        );
        let (opening, rest) = (openings[at].split_whitespace().count(), moves[at].split_whitespace().count());
        assert_eq!((opening, opening + rest), (if texts("stage")[at] == "league" { 3 } else { 0 }, plies[at] as usize));
        let settings: Value = serde_json::from_str(&texts("first.settings")[at]).unwrap();
        let simulations = settings["uct"]["simulations"].as_u64();
        let named = match first[at].as_str() {
            "naive" => None,
            "weak" | "UCT 2" => Some(2),
            "strong" | "UCT 6" => Some(6),
            other => panic!("{other}"),
        };
        assert_eq!(simulations, named, "{settings}");
    }
    let with_clock = frame.column("first.seconds").unwrap().f64().unwrap();
    assert_eq!(with_clock.iter().flatten().count(), 4);
    for job in workshop.jobs("play") {
        let result: Value = serde_json::from_slice(&fs::read(job.join("result.json")).unwrap()).unwrap();
        let key = job.file_name().unwrap().to_str().unwrap().rsplit('-').next().unwrap().to_owned();
        let is_of_job = |at: &usize| keys[*at].starts_with(&key) || key.starts_with(&keys[*at]);
        let rows: Vec<usize> = (0..frame.height()).filter(is_of_job).collect();
        // The games of a meeting are those of its tournament.
        let counted =
            if job.to_str().unwrap().contains("tournament-of-2") { Some(0) } else { result["games"].as_u64() };
        assert_eq!(Some(rows.len() as u64), counted, "{key}");
        if let Some(mean) = result["mean"].as_f64() {
            let points = rows.iter().map(|&at| if first[at] == "UCT 2" { score[at] } else { 1.0 - score[at] });
            assert!((2.0 * points.sum::<f64>() / rows.len() as f64 - 1.0 - mean).abs() < 1e-12, "{key}");
        }
    }
    let wrong = workshop.ends(2, &["export", "m.toml", "games.txt", "--games"]).stderr;
    assert!(wrong.contains("games.txt does not tell the format"), "{wrong}");
    let wrong = workshop.ends(2, &["export", "games.jsonl", "games.pgn", "--moves"]).stderr;
    assert!(wrong.contains("games.jsonl is no manifest"), "{wrong}");
}
