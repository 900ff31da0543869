//! Tests of syntax forms that occur in descriptions by other authors: small games and their legal moves.

use super::game::DescribedGame;
use super::spec::LudemeSpec;
use crate::games::{Game, Position};

/// A game for two players on a board, with equipment, a start and rules.
fn game(board: &str, equipment: &str, start: &str, play: &str, end: &str) -> std::sync::Arc<DescribedGame> {
    let start = if start.is_empty() { String::new() } else { format!("(start {{ {start} }})") };
    let facing = "(players { (player N) (player S) })";
    let rules = format!("(rules {start} {play} (end {end}))");
    let text = format!("(game \"Form\" {facing} (equipment {{ {board} {equipment} }}) {rules})");
    LudemeSpec::read("form.lud", &text, &[], &[]).unwrap_or_else(|wrong| panic!("{wrong}")).build()
}

const SQUARE: &str = "(board (square 4))";
const NEVER: &str = "(if (no Pieces Mover) (result Mover Loss))";
const OWN: &str = "(play (forEach Piece))";

/// The names of the legal actions, in alphabetical order.
fn names(game: &DescribedGame, position: &dyn Position) -> Vec<String> {
    let mut actions = Vec::new();
    position.actions(&mut actions);
    let mut names: Vec<String> = actions.into_iter().map(|action| game.action_name(action)).collect();
    names.sort();
    names
}

/// The position after these actions.
fn after(game: &DescribedGame, played: &[&str]) -> Box<dyn Position> {
    let mut position = Game::start(game);
    for name in played {
        assert!(names(game, &*position).iter().any(|known| known == name), "{name}: {:?}", names(game, &*position));
        position.play(game.parse_action(name).unwrap());
    }
    position
}

fn check(game: &DescribedGame, played: &[&str], legal: &[&str]) {
    assert_eq!(names(game, &*after(game, played)), legal, "{played:?}");
}

#[test]
fn consequences_follow_moves_that_are_joined() {
    let man = "(piece \"Man\" Each (or (move Step Forward (to if:(is Empty (to)))) (move Step Rightward (to if:(is Empty (to))))))";
    let again = "(play (forEach Piece (then (if (is In (last To) (sites Row 1)) (moveAgain)))))";
    let game = game(SQUARE, man, "(place \"Man1\" coord:\"A1\") (place \"Man2\" coord:\"D4\")", again, NEVER);
    check(&game, &["A1-A2"], &["A2-A3", "A2-B2"]);
    check(&game, &["A1-B1"], &["D4-C4", "D4-D3"]);
}

#[test]
fn hands_are_filled_at_the_start_and_emptied_by_moves() {
    let equipment = "(hand Each) (piece \"Man\" Each (move Step (to if:(is Empty (to)))))";
    let phases = "phases:{ (phase \"Put\" (play (move (from (handSite Mover)) (to (intersection (sites Row 0) (sites Empty))))) \
        (nextPhase (is Empty (handSite P2)) \"Go\")) (phase \"Go\" (play (forEach Piece))) }";
    let game = game(SQUARE, equipment, "(place \"Man\" \"Hand\" count:1)", phases, NEVER);
    check(&game, &[], &["hand1.1-A1", "hand1.1-B1", "hand1.1-C1", "hand1.1-D1"]);
    check(&game, &["hand1.1-A1"], &["hand2.1-B1", "hand2.1-C1", "hand2.1-D1"]);
    check(&game, &["hand1.1-A1", "hand2.1-C1"], &["A1-A2", "A1-B1", "A1-B2"]);
}

/// A captured man changes into the hand of its captor, who can drop it.
#[test]
fn hands_take_pieces_from_the_board() {
    let capture = "(to if:(is Enemy (who at:(to))) (apply (fromTo (from (to)) (to (handSite Mover)))))";
    let man = format!("(hand Each) (piece \"Man\" Each (move Step Orthogonal {capture}))");
    let play = "(play (or (forEach Piece) (move (from (sites Hand Mover)) (to (sites Empty)))))";
    let start = "(place \"Man1\" coord:\"A1\") (place \"Man2\" coord:\"A2\") (place \"Man2\" coord:\"D4\")";
    let game = game(SQUARE, &man, start, play, NEVER);
    check(&game, &[], &["A1-A2"]);
    // Nothing is within reach of the second player.
    let played = after(&game, &["A1-A2", "pass"]);
    let drops = names(&game, &*played);
    assert!(drops.len() == 14 && drops.iter().all(|name| name.starts_with("hand1.1-")), "{drops:?}");
}

/// In these phases, men move into hands, and the end depends on their number.
#[test]
fn hands_are_counted_with_their_pieces() {
    let man = "(hand Each size:2) (piece \"Man\" Each (move Step Forward (to if:(is Empty (to)))))";
    let play = "(play (move (from (sites Occupied by:Mover)) (to (sites Hand Mover))))";
    let ends = [
        "(if (= 1 (count Pieces P1 in:(sites Hand P1))) (result P1 Win))",
        "(if (is Within \"Man1\" in:(sites Hand P1)) (result P1 Win))",
        "(if (= 2 (count Sites in:(sites Hand P1))) (result P1 Win))",
        "(if (= 1 (count at:(handSite P1))) (result P1 Win))",
        "(if (= 1 (count Pieces P1)) (result P1 Win))",
    ];
    for end in ends {
        let start = "(place \"Man1\" coord:\"A1\") (place \"Man2\" coord:\"D4\")";
        let game = game(SQUARE, man, start, play, end);
        check(&game, &[], &["A1-hand1.1", "A1-hand1.2"]);
        assert!(after(&game, &["A1-hand1.1"]).outcome().is_some(), "{end}");
    }
    // A hand that is cleared is empty.
    let cleared =
        "(play (move (from (sites Occupied by:Mover)) (to (handSite Mover)) (then (remove (handSite Mover)))))";
    let start = "(place \"Man1\" coord:\"A1\") (place \"Man2\" coord:\"D4\")";
    let game = game(SQUARE, man, start, cleared, "(if (no Pieces Mover) (result Mover Loss))");
    assert!(after(&game, &["A1-hand1.1"]).outcome().is_some());
}

#[test]
fn leaps_follow_their_walks() {
    let horse = |words: &str| {
        format!("(piece \"Horse\" Each (move Leap {{ {{ F F R F }} {{ F F L F }} }} {words} (to if:(is Empty (to)))))")
    };
    let start = "(place \"Horse1\" coord:\"B2\") (place \"Horse2\" coord:\"A4\")";
    let all = game(SQUARE, &horse(""), start, OWN, NEVER);
    check(&all, &[], &["B2-C4", "B2-D1", "B2-D3"]);
    let ahead = game(SQUARE, &horse("forward:True"), start, OWN, NEVER);
    check(&ahead, &[], &["B2-C4", "B2-D3"]);
    let straight = game(SQUARE, &horse("forward:True rotations:False"), start, OWN, NEVER);
    check(&straight, &[], &["B2-C4"]);
    check(&straight, &["B2-C4"], &["A4-B2"]);
}

#[test]
fn slides_end_where_their_distance_does() {
    let rook = "(piece \"Rook\" Each (move Slide Orthogonal (between (max 2)) (to if:(is Enemy (who at:(to))) (apply (remove (to))))))";
    let game = game(SQUARE, rook, "(place \"Rook1\" coord:\"A1\") (place \"Rook2\" coord:\"A4\")", OWN, NEVER);
    check(&game, &[], &["A1-A2", "A1-A3", "A1-B1", "A1-C1"]);
    check(&game, &["A1-A2"], &["A4-A2", "A4-A3", "A4-B4", "A4-C4"]);
}

#[test]
fn pieces_face_and_directions_are_those_ahead() {
    let text = "(game \"Form\" (players 2) (equipment { (board (square 4)) (piece \"Man\" P1 N (move Step Forwards (to if:(is Empty (to))))) \
        (piece \"Man\" P2 S (move Step (directions { Leftward Backward }) (to if:(is Empty (to))))) }) \
        (rules (start { (place \"Man1\" coord:\"B2\") (place \"Man2\" coord:\"B1\") }) (play (forEach Piece)) \
        (end (if (no Pieces Next) (result Mover Win)))))";
    let game = LudemeSpec::read("form.lud", text, &[], &[]).unwrap_or_else(|wrong| panic!("{wrong}")).build();
    check(&game, &[], &["B2-A3", "B2-B3", "B2-C3"]);
    check(&game, &["B2-B3"], &["B1-B2", "B1-C1"]);
}

#[test]
fn a_player_who_passed_could_not_move() {
    let man = "(piece \"Man\" Each (move Step Forward (to if:(is Empty (to)))))";
    let start = "(place \"Man1\" coord:\"A3\") (place \"Man2\" coord:\"B3\")";
    let game = game(SQUARE, man, start, OWN, "(if (no Moves Mover) (result Mover Win))");
    let stuck = after(&game, &["A3-A4", "B3-B2"]);
    assert!(stuck.outcome().is_none());
    check(&game, &["A3-A4", "B3-B2"], &["pass"]);
    let over = after(&game, &["A3-A4", "B3-B2", "pass"]);
    assert_eq!(over.outcome(), Some(crate::base::Outcome::Win(crate::base::Side::First)));
}

#[test]
fn questions_name_pieces_and_sets_have_neighbours() {
    let pieces = "(piece \"Stone\" Each) (piece \"Star\" P1)";
    let play = "(play (or (move Add (piece \"Stone\") (to (difference (sites Empty) (sites Around (sites Occupied by:Enemy) Orthogonal)))) \
        (move Remove (sites Occupied by:Enemy))))";
    let end = "(if (is Within (id \"Star\" P1) in:(sites Corners)) (result P2 Win))";
    let game = game("(board (square 2))", pieces, "(place \"Stone2\" coord:\"A1\")", play, end);
    check(&game, &[], &["B2", "xA1"]);
}

#[test]
fn what_is_counted_within_sites_and_who_moves() {
    let play = "(play (if (is Mover (who at:0)) (move Remove (sites Occupied by:Mover)) \
        (move Add (to (sites Empty) if:(< (count Pieces Mover in:(sites Bottom)) 1)))))";
    let game = game("(board (square 2))", "(piece \"Stone\" Each)", "(place \"Stone2\" coord:\"A1\")", play, NEVER);
    check(&game, &[], &["A2", "B1", "B2"]);
    check(&game, &["A2"], &["xA1"]);
}

#[test]
fn the_game_of_the_reference_can_be_played() {
    let entry = &super::schema::ludemes()[0];
    let game = LudemeSpec::read("example", entry.example, &[], &[]).unwrap_or_else(|wrong| panic!("{wrong}")).build();
    assert_eq!(names(&game, &*Game::start(&*game)).len(), 9);
}

/// Actions of several rules between the same sites share a name, and are numbered. Only one of them is legal at a time.
#[test]
fn a_name_without_its_number_is_read_where_one_action_fits() {
    let library = |name: &str| {
        let text = super::library::described(name).unwrap().text;
        LudemeSpec::read(name, text, &[], &[]).unwrap().build()
    };
    for (name, numbered, bare) in [("minishogi", "A2-A3/2", "a2-A3"), ("connect6", "K10", "k10")] {
        let game = library(name);
        let start = Game::start(&*game);
        let read = game.read_move(&*start, bare).unwrap();
        assert_eq!((game.action_name(read).as_str(), game.read_move(&*start, numbered)), (numbered, Some(read)));
        assert_eq!(game.read_move(&*start, &format!("{bare}/9")), None);
    }
    let game = library("connect6");
    let second = after(&game, &["K10"]);
    let read = game.read_move(&*second, "A1").unwrap();
    assert_eq!((game.action_name(read).as_str(), game.read_move(&*second, "K10")), ("A1/2", None));
}
