//! Tests of FEN and chess moves against other programs.

use std::sync::Arc;

use gauntlet_games::base::{Action, Seed};
use gauntlet_games::games::{Game, GameSpec};
use proptest::prelude::*;
use serde_json::json;

fn chess(settings: serde_json::Value) -> Arc<dyn Game> {
    serde_json::from_value::<GameSpec>(json!({ "chess": settings })).unwrap().build()
}

/// The en passant square in the FEN after this move.
fn passant(game: &dyn Game, fen: &str, played: &str) -> String {
    let mut position = game.read_position(fen).unwrap();
    let action = game.read_move(&*position, played).unwrap();
    position.play(action);
    let written = game.write_position(&*position).unwrap();
    written.split(' ').nth(3).unwrap().to_owned()
}

/// The expected squares are those of python-chess after the double step.
#[test]
fn a_capture_in_passing_is_written_where_it_is_legal() {
    let cases = [
        // No adjacent pawn.
        ("1n4nk/1bp3p1/r2ppp2/p3P2p/P1BK2P1/1P1Q4/3q3P/RNBR4 b - - 0 1", "c5", "-"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "e4", "-"),
        // An adjacent pawn that may capture.
        ("4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1", "e4", "e3"),
        ("4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1", "d5", "d6"),
        // It is pinned along its file, along its row with the pawn that it would capture, and along a diagonal that
        // it leaves.
        ("3k4/8/8/8/3p4/8/4P3/3RK3 w - - 0 1", "e4", "-"),
        ("8/8/8/8/k2p3R/8/4P3/4K3 w - - 0 1", "e4", "-"),
        ("7k/8/8/8/3p4/8/4P1K1/B7 w - - 0 1", "e4", "-"),
        // It stays on the diagonal.
        ("8/k7/8/8/3p4/8/4P1K1/6B1 w - - 0 1", "e4", "e3"),
        // The double step uncovers a check that capturing the pawn does not end.
        ("K7/8/8/8/5p2/8/R3P2k/8 w - - 0 1", "e4", "-"),
        // Capturing the pawn ends the check that it gives.
        ("8/8/8/2k5/2p5/8/1P6/4K3 w - - 0 1", "b4", "b3"),
    ];
    let game = chess(json!({}));
    for (fen, played, square) in cases {
        assert_eq!(passant(&*game, fen, played), square, "{fen} {played}");
    }
}

/// If every double step counts for repetition, the notation has to distinguish these positions, too.
#[test]
fn every_double_step_is_written_where_each_counts() {
    let game = chess(json!({ "passant-key": "always" }));
    assert_eq!(passant(&*game, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "e4"), "e3");
}

/// No game reaches a position whose side to move could take a king.
#[test]
fn a_position_with_the_waiting_king_in_check_is_refused() {
    let cases = [
        (8, "4k3/8/8/8/8/8/4r3/4K2R b - - 0 1", false),
        (8, "4k3/8/8/8/8/8/4r3/4K2R w - - 0 1", true),
        (8, "rnbqkbnr/ppppp1pp/8/5p1Q/4P3/8/PPPP1PPP/RNB1KBNR w KQkq - 1 2", false),
        (8, "rnbqkbnr/ppppp1pp/8/5p1Q/4P3/8/PPPP1PPP/RNB1KBNR b KQkq - 1 2", true),
        (8, "8/8/8/3kK3/8/8/8/8 w - - 0 1", false),
        (5, "k4/Q4/5/5/4K w - - 0 1", false),
        (5, "k4/Q4/5/5/4K b - - 0 1", true),
    ];
    for (size, fen, accepted) in cases {
        let pgx = chess(json!({ "size": size, "passant-key": "always" }));
        assert!(pgx.read_position(fen).is_ok(), "{fen} under the rules of pgx");
        let game = chess(json!({ "size": size }));
        let read = game.read_position(fen);
        assert_eq!(read.is_ok(), accepted, "{fen}");
        read.err().into_iter().for_each(|error| assert!(game.reason(error).ends_with("not to move is in check")));
    }
}

/// A pawn cannot be on its last row. On its first row it is refused in chess 8x8; on 5x5, pgx plays such positions.
#[test]
fn pawns_on_outer_rows_are_refused_where_they_cannot_be() {
    let cases = [
        (8, "4k2P/8/8/8/8/8/8/4K3 w - - 0 1", false),
        (8, "4k3/8/8/8/8/8/8/p3K3 w - - 0 1", false),
        (8, "4k3/8/8/8/8/8/8/P3K3 w - - 0 1", false),
        (8, "p3k3/8/8/8/8/8/8/4K3 w - - 0 1", false),
        (8, "4k3/P7/8/8/8/8/p7/4K3 w - - 0 1", true),
        (5, "k3P/5/5/5/4K w - - 0 1", false),
        (5, "k4/5/5/5/p3K w - - 0 1", false),
        (5, "kp3/5/5/5/3PK w - - 0 1", true),
    ];
    for (size, fen, accepted) in cases {
        let game = chess(json!({ "size": size }));
        assert_eq!(game.read_position(fen).is_ok(), accepted, "{fen}");
    }
}

#[test]
fn both_manners_are_read_as_one_position() {
    let game = chess(json!({}));
    let [one, other] = ["c6", "-"].map(|square| {
        let fen = format!("1n4nk/1b2b1p1/r2ppp2/p1p1P2p/P1BK2P1/1P1Q4/3q3P/RNBR4 w - {square} 0 2");
        game.read_position(&fen).unwrap()
    });
    assert_eq!(one.key(), other.key());
    assert_eq!(game.write_position(&*one), game.write_position(&*other));
    let mut legal = [Vec::new(), Vec::new()];
    one.actions(&mut legal[0]);
    other.actions(&mut legal[1]);
    assert_eq!(legal[0], legal[1]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    /// A position that is written and read has the same moves and, apart from its history, the same future.
    #[test]
    fn what_is_written_is_read_back(seed: u64, plies in 0..120_usize, always: bool) {
        let key = if always { "always" } else { "legal" };
        let game = chess(json!({ "passant-key": key, "repetitions": 0 }));
        let (mut position, mut rng) = (game.start(), Seed::new(seed).rng());
        for _ in 0..plies {
            if position.outcome().is_some() {
                break;
            }
            let action = position.random_action(&mut rng);
            position.play(action);
        }
        let fen = game.write_position(&*position).unwrap();
        let again = game.read_position(&fen).unwrap();
        prop_assert_eq!(game.write_position(&*again), Some(fen));
        prop_assert_eq!(again.key(), position.key());
        let legal = |position: &dyn gauntlet_games::games::Position| {
            let mut legal: Vec<Action> = Vec::new();
            position.actions(&mut legal);
            legal
        };
        prop_assert_eq!(legal(&*again), legal(&*position));
    }

    #[test]
    fn no_text_makes_the_readers_panic(text in "[pnbrqkPNBRQK1-8/ wa-h=x+#0O-]{0,60}|\\PC{0,20}") {
        let game = chess(json!({}));
        let _ = game.read_position(&text);
        let _ = game.read_move(&*game.start(), &text);
        let _ = game.read_position(&format!("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR {text}"));
    }
}
