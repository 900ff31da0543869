//! Tests of described games against the same games in Rust: legal actions and outcomes along random games.

use rand::RngExt as _;

use super::library::LIBRARY;
use super::spec::LudemeSpec;
use crate::base::{Action, Seed};
use crate::games::kit::conformance;
use crate::games::{Game, GameSpec, Position};

/// Minimum number of compared positions.
const POSITIONS: usize = 10_000;

fn described(name: &str) -> std::sync::Arc<super::game::DescribedGame> {
    let text = super::library::described(name).unwrap().text;
    LudemeSpec::read(name, text, &[], &[]).unwrap().build()
}

/// An action without its number: origin and destination, as sites of the Rust game.
type Seen = (Option<u32>, Option<u32>);

/// The legal actions with their sites, sorted by their sites.
fn seen(game: &dyn Game, position: &dyn Position, site: &dyn Fn(u32) -> u32) -> Vec<(Seen, Action)> {
    let mut actions = Vec::new();
    position.actions(&mut actions);
    let of = |action: &Action| {
        let step = game.step(*action);
        ((step.from.map(site), step.to.map(site)), *action)
    };
    let mut all: Vec<(Seen, Action)> = actions.iter().map(of).collect();
    all.sort_unstable();
    all
}

/// Plays random games of both until one of them is over.
fn compare(name: &str, native: &str, site: impl Fn(u32) -> u32) {
    let (ours, theirs) = (described(name), serde_json::from_str::<GameSpec>(native).unwrap().build());
    let (mut rng, mut compared) = (Seed::new(11).rng(), 0);
    while compared < POSITIONS {
        let (mut our, mut their) = (Game::start(&*ours), theirs.start());
        while their.outcome().is_none() {
            let legal = seen(&*ours, &*our, &site);
            let expected = seen(&*theirs, &*their, &|site| site);
            let strip = |list: &[(Seen, Action)]| list.iter().map(|(seen, _)| *seen).collect::<Vec<_>>();
            assert_eq!(strip(&legal), strip(&expected), "{name}");
            assert_eq!(our.side(), their.side(), "{name}");
            let drawn = rng.random_range(0..legal.len());
            our.play(legal[drawn].1);
            their.play(expected[drawn].1);
            compared += 1;
        }
        // One version declares a draw at once for a full board, the other after two passes; a side without pawns
        // passes.
        if our.outcome().is_some() {
            assert_eq!(our.outcome(), their.outcome(), "{name}");
        }
    }
}

#[test]
fn described_hex_plays_as_native_hex() {
    let board = described("hex");
    let graph = &board.program().graph;
    let site = |site: u32| {
        let [column, row] = graph.column_and_row(site as usize);
        u32::from(column) * 11 + 10 - u32::from(row)
    };
    compare("hex", r#"{"hex":{"size":11,"swap":true}}"#, site);
}

#[test]
fn breakthrough_is_breakthrough() {
    compare("breakthrough", r#"{"breakthrough":{"size":8}}"#, |site| (7 - site / 8) * 8 + site % 8);
}

#[test]
fn gomoku_is_gomoku() {
    compare("gomoku", r#"{"gomoku":{"size":15,"exact":true}}"#, |site| site);
}

#[test]
fn every_described_game_keeps_the_laws() {
    for game in LIBRARY {
        let built = described(game.name);
        assert_eq!(built.name(), format!("ludeme {}", game.name));
        conformance::check(&*built, 1, Seed::new(5)).unwrap_or_else(|broken| panic!("{broken}"));
    }
}
