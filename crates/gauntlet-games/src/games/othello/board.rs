//! Othello on bit boards: all lines of a direction are followed at once.
//!
//! A run starts at the mover's discs and continues over the opponent's. A line that leaves the board sideways wraps
//! around to the far column. For directions with a sideways part, the opponent's discs on both outer columns are
//! therefore masked out: no disc there can be captured in such a direction.

use rand::RngExt as _;

use super::super::kit::key::Mixer;
use super::super::{Piece, SetUpError, State, View};
use super::bits::SquareSet;
use super::discs::{count, discs, middle};
use crate::base::{Action, Outcome, Rng, Side};

/// A position of Othello on a board whose squares fit into `W` words.
#[derive(Debug, Clone, Copy)]
pub struct BitOthello<const W: usize> {
    /// Discs by side.
    discs: [SquareSet<W>; 2],
    /// Legal squares of the side to move.
    places: SquareSet<W>,
    side: Side,
    over: bool,
    last: Option<Action>,
    board: Shape<W>,
}

/// The board's size, all its squares, and those on neither outer column.
#[derive(Debug, Clone, Copy)]
struct Shape<const W: usize> {
    size: usize,
    all: SquareSet<W>,
    inner: SquareSet<W>,
}

impl<const W: usize> BitOthello<W> {
    /// The starting position.
    ///
    /// # Panics
    /// If the board does not fit into the words.
    #[must_use]
    pub fn new(size: usize) -> BitOthello<W> {
        assert!(size * size <= 64 * W && (4..63).contains(&size), "{size}x{size} squares do not fit into {W} words");
        let inner = (0..size * size).filter(|square| !(square % size == 0 || square % size == size - 1));
        let board = Shape { size, all: SquareSet::of(0..size * size), inner: SquareSet::of(inner) };
        BitOthello::with(board, &middle(size), Side::First)
    }

    fn with(board: Shape<W>, discs: &[(usize, Side)], side: Side) -> BitOthello<W> {
        let of = |side| SquareSet::of(discs.iter().filter(|disc| disc.1 == side).map(|disc| disc.0));
        let discs = Side::BOTH.map(of);
        let mut position = BitOthello { discs, places: SquareSet::EMPTY, side, over: false, last: None, board };
        position.find_places();
        position
    }

    /// Computes the legal squares of the side to move, and whether the game is over.
    fn find_places(&mut self) {
        let [own, other] = [self.discs[self.side.index()], self.discs[self.side.opponent().index()]];
        self.places = self.board.places(own, other);
        self.over = self.places.is_empty() && self.board.places(other, own).is_empty();
    }

    fn pass(&self) -> Action {
        Action((self.board.size * self.board.size) as u32)
    }

    /// The discs that the side to move captures with a disc on this square.
    fn taken(&self, square: usize) -> SquareSet<W> {
        self.board.taken(square, self.discs[self.side.index()], self.discs[self.side.opponent().index()])
    }
}

impl<const W: usize> Shape<W> {
    /// The four axes: the length of a step, and the discs among `other` that a line along it may cross.
    #[inline]
    fn axes(&self, other: SquareSet<W>) -> [(usize, SquareSet<W>); 4] {
        let inner = other & self.inner;
        [(1, inner), (self.size - 1, inner), (self.size, other), (self.size + 1, inner)]
    }

    /// The empty squares where a disc of `own` captures some of `other`.
    fn places(&self, own: SquareSet<W>, other: SquareSet<W>) -> SquareSet<W> {
        let mut found = SquareSet::EMPTY;
        for (step, over) in self.axes(other) {
            found |= run(own, over, |bits| bits.up(step)).up(step);
            found |= run(own, over, |bits| bits.down(step)).down(step);
        }
        found & self.all & !(own | other)
    }

    /// The discs of `other` that a disc of `own` on an empty square captures.
    fn taken(&self, square: usize, own: SquareSet<W>, other: SquareSet<W>) -> SquareSet<W> {
        let (placed, mut taken) = (SquareSet::of([square]), SquareSet::EMPTY);
        for (step, over) in self.axes(other) {
            taken |= closed(placed, own, over, |bits| bits.up(step));
            taken |= closed(placed, own, over, |bits| bits.down(step));
        }
        taken
    }
}

/// The squares of `over` that steps from `from` cross without a gap.
#[inline]
fn run<const W: usize>(
    from: SquareSet<W>,
    over: SquareSet<W>,
    step: impl Fn(SquareSet<W>) -> SquareSet<W>,
) -> SquareSet<W> {
    let mut front = step(from) & over;
    let mut all = front;
    while !front.is_empty() {
        front = step(front) & over;
        all |= front;
    }
    all
}

/// The squares that steps from one square cross, if an own disc ends the line.
#[inline]
fn closed<const W: usize>(
    from: SquareSet<W>,
    own: SquareSet<W>,
    over: SquareSet<W>,
    step: impl Fn(SquareSet<W>) -> SquareSet<W>,
) -> SquareSet<W> {
    let line = run(from, over, &step);
    let end = step(line) & own;
    if end.is_empty() { SquareSet::EMPTY } else { line }
}

impl<const W: usize> State for BitOthello<W> {
    fn side(&self) -> Side {
        self.side
    }
    fn actions(&self, into: &mut Vec<Action>) {
        if self.over {
            return;
        }
        if self.places.is_empty() {
            into.push(self.pass());
        }
        into.extend(self.places.iter().map(Action::from));
    }
    fn play(&mut self, action: Action) {
        if action != self.pass() {
            let (taken, placed) = (self.taken(action.index()), SquareSet::of([action.index()]));
            let [own, other] = [self.side.index(), self.side.opponent().index()];
            self.discs[own] |= taken | placed;
            self.discs[other] = self.discs[other] & !taken;
        }
        self.last = Some(action);
        self.side = self.side.opponent();
        self.find_places();
    }
    fn outcome(&self) -> Option<Outcome> {
        self.over.then(|| count(self.discs.map(|discs| discs.len())))
    }
    fn view(&self, view: &mut View) {
        view.side = self.side;
        view.last = self.last;
        view.counts.clear();
        view.scalars.clear();
        view.pieces.clear();
        view.pieces.resize(self.board.size * self.board.size, Piece::EMPTY);
        for side in Side::BOTH {
            self.discs[side.index()].iter().for_each(|square| view.pieces[square] = Piece::stone(side));
        }
    }
    fn key(&self) -> u128 {
        let mut mixer = Mixer::new(self.board.size * self.board.size, self.side, self.over);
        self.discs.iter().flat_map(|discs| discs.0).for_each(|word| mixer.word(word));
        mixer.finish()
    }
    fn has_history(&self) -> bool {
        false
    }
    fn lead(&self, side: Side) -> Option<f64> {
        Some(self.discs[side.index()].len() as f64 - self.discs[side.opponent().index()].len() as f64)
    }
    fn lead_after(&self, action: Action) -> Option<f64> {
        let gained = if action == self.pass() { 0 } else { 1 + 2 * self.taken(action.index()).len() };
        self.lead(self.side).map(|lead| lead + gained as f64)
    }
    fn set_up(&self, pieces: &[Piece], side: Side) -> Result<BitOthello<W>, SetUpError> {
        Ok(BitOthello::with(self.board, &discs(pieces)?, side))
    }
    fn random_action(&self, rng: &mut Rng) -> Action {
        match self.places.len() {
            0 => self.pass(),
            places => Action(self.places.nth(rng.random_range(0..places)) as u32),
        }
    }
}
