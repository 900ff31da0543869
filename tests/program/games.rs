//! Tests of games from description files: checked, listed, run from a manifest, played.

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
