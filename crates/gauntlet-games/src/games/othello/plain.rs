//! Othello step by step, on boards of any size: slow, but simple enough to serve as a reference.

use super::super::{Piece, SetUpError, State, View};
use super::discs::{count, discs, middle};
use crate::base::{Action, Outcome, Side};

/// Steps of (row, column).
const DIRECTIONS: [(isize, isize); 8] = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)];

/// A position of Othello, one piece to a square.
#[derive(Debug, Clone)]
pub struct PlainOthello {
    size: usize,
    pieces: Vec<Piece>,
    side: Side,
    last: Option<Action>,
    /// Whether the side to move can place a disc.
    places: bool,
    over: bool,
}

impl PlainOthello {
    /// The starting position.
    #[must_use]
    pub fn new(size: usize) -> PlainOthello {
        PlainOthello::with(size, &middle(size), Side::First)
    }

    fn with(size: usize, discs: &[(usize, Side)], side: Side) -> PlainOthello {
        let mut pieces = vec![Piece::EMPTY; size * size];
        discs.iter().for_each(|&(square, side)| pieces[square] = Piece::stone(side));
        let mut position = PlainOthello { size, pieces, side, last: None, places: false, over: false };
        position.look();
        position
    }

    /// Computes whether the side to move can place a disc, and whether the game is over.
    fn look(&mut self) {
        self.places = self.can_place(self.side);
        self.over = !self.places && !self.can_place(self.side.opponent());
    }

    fn can_place(&self, side: Side) -> bool {
        (0..self.pieces.len()).any(|square| self.takes(square, side))
    }

    /// Whether a disc of `side` on this square captures any.
    fn takes(&self, square: usize, side: Side) -> bool {
        self.pieces[square].is_empty()
            && DIRECTIONS.iter().any(|&direction| self.line(square, side, direction).is_some())
    }

    /// Number of the opponent's discs between this square and the next disc of `side`, at least 1.
    fn line(&self, square: usize, side: Side, direction: (isize, isize)) -> Option<usize> {
        let other = Piece::stone(side.opponent());
        let length = (1..).take_while(|&far| self.at(square, direction, far) == Some(other)).count();
        let end = self.at(square, direction, length + 1);
        (length > 0 && end == Some(Piece::stone(side))).then_some(length)
    }

    fn at(&self, square: usize, direction: (isize, isize), far: usize) -> Option<Piece> {
        self.square(square, direction, far).map(|square| self.pieces[square])
    }

    fn square(&self, from: usize, (down, right): (isize, isize), far: usize) -> Option<usize> {
        let row = (from / self.size).checked_add_signed(down * far as isize)?;
        let column = (from % self.size).checked_add_signed(right * far as isize)?;
        (row < self.size && column < self.size).then_some(row * self.size + column)
    }

    fn place(&mut self, square: usize) {
        for direction in DIRECTIONS {
            for far in 1..=self.line(square, self.side, direction).unwrap_or(0) {
                let taken = self.square(square, direction, far).expect("a line lies on the board");
                self.pieces[taken] = Piece::stone(self.side);
            }
        }
        self.pieces[square] = Piece::stone(self.side);
    }

    /// Discs by side.
    fn discs(&self) -> [usize; 2] {
        Side::BOTH.map(|side| self.pieces.iter().filter(|&&piece| piece == Piece::stone(side)).count())
    }
}

impl State for PlainOthello {
    fn side(&self) -> Side {
        self.side
    }
    fn actions(&self, into: &mut Vec<Action>) {
        if self.places {
            let squares = 0..self.pieces.len();
            into.extend(squares.filter(|&square| self.takes(square, self.side)).map(Action::from));
        } else if !self.over {
            into.push(Action::from(self.pieces.len()));
        }
    }
    fn play(&mut self, action: Action) {
        if action.index() != self.pieces.len() {
            self.place(action.index());
        }
        self.last = Some(action);
        self.side = self.side.opponent();
        self.look();
    }
    fn outcome(&self) -> Option<Outcome> {
        self.over.then(|| count(self.discs()))
    }
    fn view(&self, view: &mut View) {
        view.side = self.side;
        view.last = self.last;
        view.counts.clear();
        view.scalars.clear();
        view.pieces.clear();
        view.pieces.extend_from_slice(&self.pieces);
    }
    fn lead(&self, side: Side) -> Option<f64> {
        let discs = self.discs();
        Some(discs[side.index()] as f64 - discs[side.opponent().index()] as f64)
    }
    fn set_up(&self, pieces: &[Piece], side: Side) -> Result<PlainOthello, SetUpError> {
        Ok(PlainOthello::with(self.size, &discs(pieces)?, side))
    }
}
