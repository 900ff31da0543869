//! Tests of all games: the laws, and play-outs of other systems.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::sync::Arc;

use flate2::read::GzDecoder;
use gauntlet_games::base::{Action, Outcome, Seed, Side};
use gauntlet_games::games::{Game, GameSpec, Position, View, conformance};
use serde_json::Value;

#[test]
fn every_example_obeys_the_laws() {
    for spec in GameSpec::examples() {
        conformance::check(&*spec.build(), 10, Seed::new(1)).unwrap();
    }
}

#[test]
fn large_boards_obey_the_laws() {
    for name in ["atari-go", "gomoku", "pente"] {
        conformance::check(&*game(name, 13), 1, Seed::new(2)).unwrap();
        let largest = game(name, 25);
        let outcome = largest.start().rollout(&mut Seed::new(3).rng());
        assert_eq!(largest.start().rollout(&mut Seed::new(3).rng()), outcome, "{name}");
    }
}

#[test]
fn large_boards_with_a_pass_obey_the_laws() {
    for (name, size) in [("othello", 14), ("go", 9)] {
        conformance::check(&*game(name, size), 1, Seed::new(2)).unwrap();
    }
}

#[test]
fn stones_are_counted() {
    for (name, given) in [("atari-go", 0), ("gomoku", 0), ("pente", 1)] {
        let game = game(name, 9);
        let (mut position, mut view, mut rng) = (game.start(), View::new(), Seed::new(4).rng());
        for played in 0.. {
            position.view(&mut view);
            let stones = view.pieces.iter().filter(|piece| !piece.is_empty()).count();
            let pairs: f32 = view.scalars.iter().sum();
            assert_eq!(stones, given + played - 2 * pairs as usize, "{name} after {played}");
            if position.outcome().is_some() {
                break;
            }
            position.play(position.random_action(&mut rng));
        }
    }
}

#[test]
fn atari_go_agrees_with_the_authors_rules() {
    agrees("atari-go");
}

#[test]
fn gomoku_agrees_with_the_authors_rules() {
    agrees("gomoku");
}

#[test]
fn pente_agrees_with_the_authors_rules() {
    agrees("pente");
}

/// Replays the play-outs of one game: four sizes, random and naive play.
fn agrees(name: &str) {
    for policy in ["", "-naive"] {
        for size in [5, 7, 9, 19] {
            let file = format!("{name}{policy}-{size}x{size}.jsonl.gz");
            let Some(lines) = oracle(&file) else { continue };
            let game = game(name, size);
            for (index, line) in lines.iter().enumerate().skip(1) {
                replay(&*game, line, &format!("{file}, game {index}"));
            }
            assert!(lines.len() > 30, "{file} is short");
        }
    }
}

fn game(name: &str, size: u64) -> Arc<dyn Game> {
    let spec: GameSpec = serde_json::from_value(serde_json::json!({ name: { "size": size } })).unwrap();
    spec.build()
}

/// Compares legal counts, winning moves, the winner and the captured pairs.
fn replay(game: &dyn Game, line: &Value, place: &str) {
    let mut position = game.start();
    let moves = numbers(&line["moves"]);
    let mut pairs = Vec::new();
    for (ply, &site) in moves.iter().enumerate() {
        let place = format!("{place}, ply {ply}");
        let (legal, winning) = look(&*position);
        assert_eq!(legal.len() as u64, line["legal_counts"][ply], "{place}");
        assert_eq!(winning, numbers(&line["winning"][ply]), "{place}");
        assert!(legal.contains(&site), "{place}");
        position.play(Action(site as u32));
        let mut view = View::new();
        position.view(&mut view);
        pairs = view.scalars.iter().map(|&pairs| pairs as u64).collect();
        assert_eq!(position.outcome().is_some(), ply + 1 == moves.len(), "{place}");
    }
    let winner = match position.outcome().unwrap() {
        Outcome::Win(Side::First) => 1,
        Outcome::Win(Side::Second) => -1,
        Outcome::Draw => 0,
    };
    assert_eq!(winner, line["winner"], "{place}");
    if let Some(taken) = line.get("pairs_taken") {
        assert_eq!(pairs, numbers(taken), "{place}");
    }
}

/// The legal sites, and those that win at once, by `decisive` and by `outcome_after`.
fn look(position: &dyn Position) -> (Vec<u64>, Vec<u64>) {
    let (mut legal, mut wins, mut losses) = (Vec::new(), Vec::new(), Vec::new());
    position.actions(&mut legal);
    position.decisive(&mut wins, &mut losses);
    let won = Some(Outcome::Win(position.side()));
    let tested: Vec<Action> = legal.iter().copied().filter(|&action| position.outcome_after(action) == won).collect();
    assert_eq!(tested, wins);
    let sites = |actions: Vec<Action>| actions.into_iter().map(|action| u64::from(action.0)).collect();
    (sites(legal), sites(wins))
}

fn numbers(value: &Value) -> Vec<u64> {
    value.as_array().unwrap().iter().map(|number| number.as_u64().unwrap()).collect()
}

/// The lines of a play-out file, if it exists beside the checkout.
fn oracle(file: &str) -> Option<Vec<Value>> {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/oracles/playouts")).join(file);
    if !path.exists() {
        eprintln!("skipped: {file} does not lie beside the checkout");
        return None;
    }
    let lines = BufReader::new(GzDecoder::new(std::fs::File::open(path).unwrap())).lines();
    Some(lines.map(|line| serde_json::from_str(&line.unwrap()).unwrap()).collect())
}
