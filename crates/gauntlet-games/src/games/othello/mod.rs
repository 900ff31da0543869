//! Othello on n x n: a disc captures all opposing discs in line between it and another own disc; most discs win.
//!
//! A side that cannot capture passes (action n * n, legal only then). The game ends when neither side can capture;
//! equal counts are a draw. The first side is black and begins. Its discs start on the north-east and the south-west
//! of the four middle squares, rows and columns `n / 2 - 1` and `n / 2` rounded down: on an odd board, which has no
//! such middle, the four are one step to the upper left. Rows are numbered from the top, as in Othello notation. The
//! lead is the difference of discs. Any discs can be set up, and the middle may be empty.
//!
//! Two boards implement the rules: [`BitOthello`] in as many words as needed for the bits of boards up to 20 x 20,
//! and [`PlainOthello`], step by step, on boards up to 350 x 350 and as the oracle in tests.

mod bits;
mod board;
mod discs;
mod plain;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Game, GridGame, OthelloSize, State};
pub use board::BitOthello;
pub use plain::PlainOthello;

/// Settings of Othello.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OthelloSpec {
    /// Squares along one side of the board, 4 to 350.
    pub size: OthelloSize,
}

impl OthelloSpec {
    /// The game with these settings.
    #[must_use]
    pub fn build(&self) -> Arc<dyn Game> {
        match self.size.get() {
            size @ ..=8 => game(size, BitOthello::<1>::new(size)),
            size @ ..=11 => game(size, BitOthello::<2>::new(size)),
            size @ ..=13 => game(size, BitOthello::<3>::new(size)),
            size @ ..=16 => game(size, BitOthello::<4>::new(size)),
            size @ ..=17 => game(size, BitOthello::<5>::new(size)),
            size @ ..=19 => game(size, BitOthello::<6>::new(size)),
            size @ ..=20 => game(size, BitOthello::<7>::new(size)),
            size => game(size, PlainOthello::new(size)),
        }
    }
}

fn game<S: State>(size: usize, start: S) -> Arc<dyn Game> {
    Arc::new(
        GridGame::new(format!("othello {size}x{size}"), [size, size], start)
            .with_pass()
            .with_rows_from_top()
            .with_cells(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{Action, Outcome, Seed, Side};
    use crate::games::{Piece, Position, SetUpError, View};

    fn build(size: i64) -> Arc<dyn Game> {
        OthelloSpec { size: OthelloSize::new(size).unwrap() }.build()
    }

    fn names(game: &dyn Game, position: &dyn Position) -> Vec<String> {
        let mut actions = Vec::new();
        position.actions(&mut actions);
        actions.into_iter().map(|action| game.action_name(action)).collect()
    }

    /// A position drawn with `x` for the first side, `o` for the second and `.`, row by row.
    fn drawn(game: &dyn Game, rows: &str, side: Side) -> Box<dyn Position> {
        let piece = |drawn| match drawn {
            'x' => Piece::stone(Side::First),
            'o' => Piece::stone(Side::Second),
            _ => Piece::EMPTY,
        };
        let pieces: Vec<Piece> = rows.chars().filter(|drawn| !drawn.is_whitespace()).map(piece).collect();
        game.set_up(&pieces, side).unwrap()
    }

    #[test]
    fn black_begins_with_the_four_known_squares() {
        let game = build(8);
        assert_eq!(names(&*game, &*game.start()), ["D3", "C4", "F5", "E6"]);
        let odd = build(5);
        assert_eq!(names(&*odd, &*odd.start()), ["B1", "A2", "D3", "C4"]);
    }

    #[test]
    fn a_side_passes_exactly_when_it_takes_nothing() {
        let game = build(4);
        let mut position = drawn(&*game, "xo.. .... .... .xo.", Side::Second);
        assert_eq!(names(&*game, &*position), ["A4"]);
        position = drawn(&*game, "xo.. .... .... ....", Side::Second);
        assert_eq!(names(&*game, &*position), ["pass"]);
        position.play(Action(16));
        assert_eq!((position.side(), names(&*game, &*position)), (Side::First, vec!["C1".to_owned()]));
        position.play(Action(2));
        assert_eq!(position.outcome(), Some(Outcome::Win(Side::First)));
        assert_eq!(position.lead(Side::Second), Some(-3.0));
    }

    #[test]
    fn as_many_discs_for_each_is_a_draw() {
        let game = build(4);
        let full = "xxxx xxxx oooo oooo";
        assert_eq!(drawn(&*game, full, Side::First).outcome(), Some(Outcome::Draw));
        // Neither side can capture, though there are empty squares.
        assert_eq!(drawn(&*game, "x... .... .... ...o", Side::First).outcome(), Some(Outcome::Draw));
        assert_eq!(drawn(&*game, "x... .... .... .ooo", Side::First).outcome(), Some(Outcome::Win(Side::Second)));
    }

    #[test]
    fn lines_end_at_the_border() {
        // Squares of neighbouring rows with consecutive indices do not form a line.
        let game = build(4);
        assert_eq!(names(&*game, &*drawn(&*game, "..xo o... .... oo.x", Side::First)), ["pass"]);
        assert_eq!(names(&*game, &*drawn(&*game, "..xo o... .... ....", Side::First)), ["pass"]);
    }

    #[test]
    fn what_cannot_stand_on_the_board_is_refused() {
        let game = build(6);
        assert_eq!(game.set_up(&[], Side::First).err(), Some(SetUpError::Sites { given: 0, sites: 36 }));
        let mut pieces = vec![Piece::EMPTY; 36];
        pieces[7] = Piece::new(Side::First, 3);
        assert_eq!(game.set_up(&pieces, Side::First).err(), Some(SetUpError::Piece { site: 7 }));
    }

    #[test]
    fn the_largest_board_can_be_set_up_and_played_on() {
        let game = build(350);
        let (mut position, mut view) = (game.start(), View::new());
        assert_eq!(game.action_count(), 350 * 350 + 1);
        for _ in 0..3 {
            position.play(position.random_action(&mut Seed::new(1).rng()));
        }
        position.view(&mut view);
        let again = game.set_up(&view.pieces, view.side).unwrap();
        assert_eq!(names(&*game, &*again), names(&*game, &*position));
        assert_eq!(again.key(), position.key());
    }

    /// Plays the same random games on bits and on the plain board.
    fn compare<const W: usize>(size: usize, games: u64) {
        for index in 0..games {
            let mut rng = Seed::new(size as u64).child("game", index).rng();
            let (mut bits, mut plain) = (BitOthello::<W>::new(size), PlainOthello::new(size));
            let (mut seen, mut known) = (View::new(), View::new());
            loop {
                State::view(&bits, &mut seen);
                State::view(&plain, &mut known);
                assert_eq!(seen, known);
                assert_eq!(State::outcome(&bits), State::outcome(&plain));
                let (mut fast, mut slow) = (Vec::new(), Vec::new());
                State::actions(&bits, &mut fast);
                State::actions(&plain, &mut slow);
                assert_eq!(fast, slow);
                if fast.is_empty() {
                    break;
                }
                let action = State::random_action(&bits, &mut rng);
                State::play(&mut bits, action);
                State::play(&mut plain, action);
            }
        }
    }

    #[test]
    fn bits_know_the_plain_rules_on_every_size() {
        (4..=8).for_each(|size| compare::<1>(size, 20));
        (9..=11).for_each(|size| compare::<2>(size, 4));
        (12..=13).for_each(|size| compare::<3>(size, 3));
        (14..=16).for_each(|size| compare::<4>(size, 2));
        compare::<5>(17, 2);
        (18..=19).for_each(|size| compare::<6>(size, 2));
        compare::<7>(20, 2);
    }
}
