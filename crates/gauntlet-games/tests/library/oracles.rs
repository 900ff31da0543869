//! Tests of Othello, Go, Gomoku and the m,n,k-game against play-outs and node counts of other systems.

use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::sync::Arc;

use flate2::read::GzDecoder;
use gauntlet_games::base::{Action, Outcome, Side};
use gauntlet_games::games::{Game, GameSpec, Position, View};
use serde_json::{Value, json};

#[test]
fn othello_agrees_with_openspiel() {
    agrees("othello-8x8", json!({ "othello": { "size": 8 } }), |game, name| game.parse_action(name).unwrap());
}

/// OpenSpiel's Go declares a draw after a repetition, and otherwise forbids only the simple ko.
#[test]
fn go_agrees_with_openspiel() {
    let point = |game: &dyn Game, name: &str| game.parse_action(&name[2..]).unwrap();
    for (file, size, komi) in [("go-5x5-komi0.5", 5, 0.5), ("go-9x9-komi7.5", 9, 7.5), ("go-19x19-komi7.5", 19, 7.5)] {
        agrees(file, json!({ "go": { "size": size, "komi": komi, "superko": "draw" } }), point);
    }
}

#[test]
fn gomoku_agrees_with_openspiel() {
    agrees("gomoku-15x15-openspiel", json!({ "gomoku": { "size": 15 } }), coordinates);
}

#[test]
fn the_mnk_game_agrees_with_openspiel() {
    agrees("mnk-9x9x5", json!({ "mnk": { "rows": 9, "columns": 9, "row": 5 } }), coordinates);
}

#[test]
fn hex_agrees_with_openspiel() {
    agrees("hex-11x11", json!({ "hex": { "size": 11 } }), |game, name| game.parse_action(name).unwrap());
}

/// OpenSpiel's first side begins at the top.
#[test]
fn breakthrough_agrees_with_openspiel() {
    let upside_down = |game: &dyn Game, name: &str| {
        let turn = |letter: char| letter.to_digit(10).map_or(letter.to_string(), |rank| (9 - rank).to_string());
        game.parse_action(&name.trim_end_matches('*').chars().map(turn).collect::<String>()).unwrap()
    };
    let rows = |mut board: Vec<Option<Side>>| {
        board.reverse();
        board.chunks_mut(8).for_each(<[_]>::reverse);
        board
    };
    agrees_as("breakthrough-8x8", json!({ "breakthrough": { "size": 8 } }), upside_down, rows);
}

#[test]
fn hex_and_breakthrough_have_the_known_numbers_of_games() {
    let Some(bytes) = oracle("perft.json") else { return };
    let oracle: Value = serde_json::from_slice(&bytes).unwrap();
    let mut compared = 0;
    for (variant, spec) in [
        ("hex(board_size=3)", json!({ "hex": { "size": 3 } })),
        ("hex(board_size=5)", json!({ "hex": { "size": 5 } })),
        ("breakthrough", json!({ "breakthrough": { "size": 8 } })),
        ("breakthrough(rows=5,columns=5)", json!({ "breakthrough": { "size": 5 } })),
    ] {
        let start = game(spec).start();
        let of_start = |count: &&Value| count["variant"] == variant && count["position"] == "startpos";
        for count in oracle["positions"].as_array().unwrap().iter().filter(of_start) {
            if count["nodes"].as_u64().unwrap() < 1_000_000 {
                let depth = count["depth"].as_u64().unwrap() as usize;
                assert_eq!(perft(&*start, depth), count["nodes"], "{variant} to depth {depth}");
                compared += 1;
            }
        }
    }
    assert!(compared > 20, "only {compared} counts");
}

/// `7,8` and `x(7,8)`: row and column.
fn coordinates(game: &dyn Game, name: &str) -> Action {
    let digits = name.trim_matches(|sign: char| !sign.is_ascii_digit());
    let (row, column) = digits.split_once(',').unwrap();
    let [row, column]: [usize; 2] = [row, column].map(|number| number.parse().unwrap());
    Action::from(row * game.topology().columns() + column)
}

/// Replays every play-out: legal counts at each ply, the end, the result and the final board.
fn agrees(file: &str, spec: Value, read: fn(&dyn Game, &str) -> Action) {
    agrees_as(file, spec, read, |board| board);
}

/// The same, with the printed board converted first.
fn agrees_as(
    file: &str,
    spec: Value,
    read: fn(&dyn Game, &str) -> Action,
    turn: fn(Vec<Option<Side>>) -> Vec<Option<Side>>,
) {
    let Some(bytes) = oracle(&format!("playouts/{file}.jsonl.gz")) else { return };
    let game = game(spec);
    let lines = BufReader::new(GzDecoder::new(&*bytes)).lines().skip(1);
    let mut games = 0;
    for line in lines {
        let line: Value = serde_json::from_str(&line.unwrap()).unwrap();
        games += 1;
        let place = format!("{file}, game {games}");
        let actions: Vec<Action> = texts(&line["moves"]).map(|name| read(&*game, name)).collect();
        let end = replay(&*game, &actions, &line["legal_counts"], &place);
        assert_eq!(end.outcome().unwrap().score(Side::First), line["returns"][0], "{place}");
        assert_eq!(stones(&*end), turn(drawn(line["final"].as_str().unwrap())), "{place}");
    }
    assert!(games >= 20, "{file} is short");
}

fn replay(game: &dyn Game, actions: &[Action], counts: &Value, place: &str) -> Box<dyn Position> {
    let mut position = game.start();
    for (ply, &action) in actions.iter().enumerate() {
        let mut legal = Vec::new();
        position.actions(&mut legal);
        assert_eq!(legal.len() as u64, counts[ply], "{place}, ply {ply}");
        assert!(legal.contains(&action), "{place}, ply {ply}");
        let told = position.outcome_after(action);
        position.play(action);
        assert_eq!(position.outcome(), told, "{place}, ply {ply}");
        assert_eq!(told.is_some(), ply + 1 == actions.len(), "{place}, ply {ply}");
    }
    position
}

/// The side of the stone on each site.
fn stones(position: &dyn Position) -> Vec<Option<Side>> {
    let mut view = View::new();
    position.view(&mut view);
    view.pieces.iter().map(|piece| piece.side()).collect()
}

/// A printed board without its frame: `x` begins, and `b` in Gomoku.
fn drawn(text: &str) -> Vec<Option<Side>> {
    let inside = |row: &&str| row.chars().all(|sign| " 0123456789.+-xXboOw".contains(sign));
    let rows = text.lines().filter(inside).flat_map(str::chars);
    let site = |sign| match sign {
        'x' | 'X' | 'b' => Some(Some(Side::First)),
        'o' | 'O' | 'w' => Some(Some(Side::Second)),
        '.' | '+' | '-' => Some(None),
        _ => None,
    };
    rows.filter_map(site).collect()
}

#[test]
fn othello_has_the_known_numbers_of_games() {
    let Some(bytes) = oracle("perft.json") else { return };
    let oracle: Value = serde_json::from_slice(&bytes).unwrap();
    let counts = oracle["positions"].as_array().unwrap().iter().filter(|count| count["variant"] == "flipello");
    let start = game(json!({ "othello": { "size": 8 } })).start();
    let mut deepest = 0;
    for count in counts.filter(|count| count["position"] == "startpos") {
        let depth = count["depth"].as_u64().unwrap();
        assert_eq!(perft(&*start, depth as usize), count["nodes"], "depth {depth}");
        deepest = deepest.max(depth);
    }
    assert!(deepest >= 5, "the counts end at {deepest}");
}

#[test]
fn othello_has_the_published_numbers_of_games() {
    let start = game(json!({ "othello": { "size": 8 } })).start();
    for (index, nodes) in [4, 12, 56, 244, 1396, 8200, 55092, 390_216].into_iter().enumerate() {
        assert_eq!(perft(&*start, index + 1), nodes, "depth {}", index + 1);
    }
}

/// Number of positions exactly `depth` plies later; passes are plies.
fn perft(position: &dyn Position, depth: usize) -> u64 {
    let mut actions = Vec::new();
    position.actions(&mut actions);
    if depth == 1 {
        return actions.len() as u64;
    }
    let after = |action| {
        let mut next = position.fork();
        next.play(action);
        perft(&*next, depth - 1)
    };
    actions.into_iter().map(after).sum()
}

/// With best play tic-tac-toe is a draw.
#[test]
fn tic_tac_toe_is_a_draw() {
    let start = game(json!({ "mnk": { "rows": 3, "columns": 3, "row": 3 } })).start();
    assert_eq!(solve(&*start), Outcome::Draw);
}

fn solve(position: &dyn Position) -> Outcome {
    if let Some(outcome) = position.outcome() {
        return outcome;
    }
    let mut actions = Vec::new();
    position.actions(&mut actions);
    let after = |action| {
        let mut next = position.fork();
        next.play(action);
        solve(&*next)
    };
    let better =
        |one: &Outcome, other: &Outcome| one.score(position.side()).partial_cmp(&other.score(position.side())).unwrap();
    actions.into_iter().map(after).max_by(better).unwrap()
}

fn game(spec: Value) -> Arc<dyn Game> {
    serde_json::from_value::<GameSpec>(spec).unwrap().build()
}

fn texts(value: &Value) -> impl Iterator<Item = &str> {
    value.as_array().unwrap().iter().map(|text| text.as_str().unwrap())
}

/// The bytes of an oracle's file, if it exists beside the checkout.
fn oracle(file: &str) -> Option<Vec<u8>> {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/oracles")).join(file);
    if !path.exists() {
        eprintln!("skipped: {file} does not lie beside the checkout");
        return None;
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path).unwrap().read_to_end(&mut bytes).unwrap();
    Some(bytes)
}
