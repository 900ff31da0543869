//! The solvers against plain minimax, against each other, and against published values.

use super::*;
use gauntlet_games::base::{Outcome, Seed};
use gauntlet_games::games::Game;
use std::sync::Arc;

/// Enough for every position here.
const NODES: u64 = 100_000_000;

fn spec(text: &str) -> GameSpec {
    toml::from_str(text).unwrap()
}

/// The position after random actions, without those that end the game.
fn after(game: &Arc<dyn Game>, plies: usize, seed: u64) -> Box<dyn Position> {
    let (mut position, mut rng) = (game.start(), Seed::new(seed).rng());
    for _ in 0..plies {
        let action = position.random_action(&mut rng);
        if position.outcome_after(action).is_none() {
            position.play(action);
        }
    }
    position
}

/// The value for the side to move by minimax without a table. It stops at the best value that there is.
fn minimax(position: &dyn Position) -> i8 {
    let mut most = -1;
    for action in actions(position) {
        most = most.max(minimax_after(position, action));
        if most == 1 {
            break;
        }
    }
    most
}

/// The value of an action for the side to move.
fn minimax_after(position: &dyn Position, action: Action) -> i8 {
    let mut next = position.fork();
    next.play(action);
    match next.outcome() {
        Some(Outcome::Draw) => 0,
        Some(Outcome::Win(winner)) if winner == position.side() => 1,
        Some(Outcome::Win(_)) => -1,
        None if next.side() == position.side() => minimax(&*next),
        None => -minimax(&*next),
    }
}

fn actions(position: &dyn Position) -> Vec<Action> {
    let mut actions = Vec::new();
    position.actions(&mut actions);
    actions
}

/// The value of each action by minimax.
fn plain(position: &dyn Position) -> Vec<(Action, i8)> {
    actions(position).into_iter().map(|action| (action, minimax_after(position, action))).collect()
}

fn values(solver: &mut Solver, position: &dyn Position) -> Vec<(Action, i8)> {
    solver.values(position, &Stop::default()).expect("the budget suffices")
}

/// Named actions with their values from the start.
fn opening(text: &str) -> Vec<(String, i8)> {
    let (spec, stop) = (spec(text), Stop::default());
    let (game, mut solver) = (spec.build(), Solver::new(&spec, 4_000_000_000));
    let found = solver.values(&*game.start(), &stop).expect("the budget suffices");
    found.into_iter().map(|(action, value)| (game.action_name(action), value)).collect()
}

fn value(text: &str) -> i8 {
    opening(text).iter().map(|(_, value)| *value).max().unwrap()
}

/// Games with draws and without, with passes, swaps, captures, histories, several moves in a turn, and described ones.
#[test]
fn values_are_those_of_plain_minimax() {
    for (text, plies, seeds) in [
        ("mnk = { rows = 3, columns = 3, row = 3 }", 1, 5),
        ("mnk = { rows = 3, columns = 4, row = 3 }", 4, 5),
        ("connect-four = { rows = 4, columns = 4 }", 8, 8),
        ("connect-four = { rows = 3, columns = 5, row = 3 }", 6, 8),
        ("connect-four = {}", 32, 12),
        ("connect-four = { rows = 7, columns = 8 }", 54, 12),
        ("connect-four = { rows = 3, columns = 16 }", 44, 12),
        ("othello = { size = 4 }", 3, 5),
        ("othello = { size = 6 }", 25, 8),
        ("hex = { size = 3 }", 2, 5),
        ("hex = { size = 3, swap = true }", 1, 3),
        ("breakthrough = { size = 4 }", 4, 5),
        ("atari-go = { size = 5 }", 17, 12),
        ("gomoku = { size = 5, row = 4 }", 17, 8),
        ("go = { size = 2, move-cap = 8 }", 1, 3),
        ("go = { size = 3, move-cap = 14, superko = \"draw\" }", 8, 5),
        ("ludeme = { name = \"yavalath\" }", 54, 12),
        ("ludeme = { name = \"connect6\" }", 357, 3),
        ("ludeme = { name = \"hex\", options = [\"Board/7x7\"] }", 44, 5),
        ("ludeme = { name = \"breakthrough\", options = [\"Board/6x6\"] }", 70, 5),
    ] {
        let spec = spec(text);
        let (game, mut solver) = (spec.build(), Solver::new(&spec, NODES));
        for seed in 0..seeds {
            let position = after(&game, plies, seed);
            assert_eq!(values(&mut solver, &*position), plain(&*position), "{text} after {plies}, {seed}");
        }
    }
}

#[test]
fn both_solvers_of_connect_four_agree() {
    for (rows, columns, plies) in [(4, 4, 0), (4, 5, 4), (5, 4, 2), (3, 9, 12), (6, 7, 24), (7, 6, 24), (7, 8, 32)] {
        let spec = spec(&format!("connect-four = {{ rows = {rows}, columns = {columns} }}"));
        let (game, mut fast, mut slow) = (spec.build(), Solver::new(&spec, NODES), Solver::of_any_game(NODES));
        for position in (0..6).map(|seed| after(&game, plies, seed)) {
            assert_eq!(values(&mut fast, &*position), values(&mut slow, &*position), "{rows} x {columns}");
        }
    }
    let spec = spec("connect-four = { rows = 4, columns = 5, row = 3 }");
    assert!(matches!(Solver::new(&spec, 1).method, Method::AnyGame(_)), "the fast one knows rows of four");
    let large = spec_of([8, 8]);
    assert!(matches!(Solver::new(&large, 1).method, Method::AnyGame(_)), "the board exceeds a word");
}

fn spec_of([rows, columns]: [usize; 2]) -> GameSpec {
    spec(&format!("connect-four = {{ rows = {rows}, columns = {columns} }}"))
}

/// Tic-tac-toe is a draw. The first side wins Hex (Nash). The second side wins Othello on 4 x 4. Boards of Connect Four with
/// four to five columns and rows are drawn (Tromp).
#[test]
fn small_games_have_their_published_values() {
    assert_eq!(opening("mnk = { rows = 3, columns = 3, row = 3 }").iter().map(|(_, value)| *value).max(), Some(0));
    assert_eq!(value("hex = { size = 3 }"), 1);
    assert_eq!(value("othello = { size = 4 }"), -1);
    for (rows, columns) in [(4, 4), (4, 5), (5, 4), (5, 5)] {
        assert_eq!(value(&format!("connect-four = {{ rows = {rows}, columns = {columns} }}")), 0, "{rows} x {columns}");
    }
    // On 4 x 4, the four hexagons of the short diagonal win.
    let winning = |text: &str| -> Vec<String> {
        opening(text).into_iter().filter(|(_, value)| *value == 1).map(|(name, _)| name).collect()
    };
    assert_eq!(winning("hex = { size = 4 }").len(), 4);
}

/// Allis 1988: the middle column wins, its neighbours draw, and the others lose.
#[test]
#[ignore = "takes minutes"]
fn the_middle_column_wins_connect_four() {
    let found: Vec<i8> = opening("connect-four = {}").into_iter().map(|(_, value)| value).collect();
    assert_eq!(found, [-1, -1, 0, 1, 0, -1, -1]);
}

#[test]
fn a_budget_that_does_not_suffice_gives_no_answer() {
    let spec = spec("othello = { size = 6 }");
    let position = after(&spec.build(), 20, 1);
    let wanted = values(&mut Solver::new(&spec, NODES), &*position);
    let mut solved = 0;
    for nodes in (0..20).map(|power| 1 << power) {
        let found = Solver::new(&spec, nodes).values(&*position, &Stop::default());
        solved += u32::from(found.is_some());
        assert!(found.is_none_or(|found| found == wanted));
    }
    assert!((1..20).contains(&solved), "{solved}");
}

/// The budget suffices or not, whatever was solved before.
#[test]
fn answers_do_not_depend_on_earlier_positions() {
    for text in ["connect-four = {}", "othello = { size = 6 }"] {
        let (spec, nodes) = (spec(text), 3000);
        let (game, mut used) = (spec.build(), Solver::new(&spec, nodes));
        let positions: Vec<_> = (0..30).map(|seed| after(&game, 20, seed)).collect();
        let stop = Stop::default();
        let found: Vec<_> = positions.iter().map(|position| used.values(&**position, &stop)).collect();
        for (position, found) in positions.iter().zip(&found) {
            assert_eq!(Solver::new(&spec, nodes).values(&**position, &stop), *found);
        }
        assert!(found.iter().any(Option::is_none) && found.iter().any(Option::is_some), "{text}");
    }
}

/// Seconds of a position: `cargo test --release --lib seconds -- --ignored --nocapture`.
#[test]
#[ignore = "measures time"]
fn seconds_of_positions() {
    for (text, plies) in [("connect-four = {}", 8), ("connect-four = {}", 12), ("othello = { size = 8 }", 48)] {
        let spec = spec(text);
        let (game, mut solver, mut times) = (spec.build(), Solver::new(&spec, u64::MAX), Vec::new());
        for position in (0..20).map(|seed| after(&game, plies, seed)) {
            let start = std::time::Instant::now();
            values(&mut solver, &*position);
            times.push(start.elapsed().as_secs_f64());
        }
        times.sort_by(f64::total_cmp);
        println!(
            "{text} after {plies} plies: median {:.4} s, mean {:.4} s",
            times[times.len() / 2],
            times.iter().sum::<f64>() / times.len() as f64
        );
    }
}
