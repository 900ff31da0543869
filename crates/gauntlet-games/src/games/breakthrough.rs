//! Breakthrough: pawns step ahead, straight or diagonally, and capture diagonally; the first side on the far row
//! wins.
//!
//! Dan Troyka, 2000. Each side begins with two full rows, or one on boards with fewer than six, as in OpenSpiel; the
//! first side moves up from the bottom. A side without pawns has lost. An action is a pair of squares, numbered by
//! departure and then by arrival, over both sides.

use std::sync::Arc;

use rand::RngExt as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::kit::key::Mixer;
use super::kit::notation;
use super::kit::set_up::stones;
use super::{BreakthroughSize, Game, Layout, Piece, Position, SetUpError, State, Step, Topology, View};
use crate::base::{Action, Chessman, Figure, Outcome, Rng, Side};

/// A bit set of squares: site `row * size + column`, row 0 at the top.
type SquareMask = u128;

/// Settings of Breakthrough.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BreakthroughSpec {
    /// Squares along one side of the board, 4 to 11. Default: 8.
    #[serde(default)]
    pub size: BreakthroughSize,
}

impl BreakthroughSpec {
    /// The game with these settings.
    #[must_use]
    pub fn build(&self) -> BreakthroughGame {
        let size = self.size.get();
        let board = Arc::new(BoardTables::new(size));
        let (start, topology) = (Breakthrough::new(Arc::clone(&board)), Topology::square(size));
        let topology = topology.with_layout(Layout::Checkered);
        BreakthroughGame { start, turned: topology.upside_down(), topology, board }
    }
}

/// The masks of a board, and its moves by number.
#[derive(Debug)]
struct BoardTables {
    size: usize,
    left: SquareMask,
    right: SquareMask,
    /// The goal row, by side.
    goal: [SquareMask; 2],
    /// Departure and arrival, by action.
    moves: Vec<[u8; 2]>,
    /// The action, by side, departure and column of arrival (left, same, right).
    numbers: [Vec<[u16; 3]>; 2],
}

impl BoardTables {
    fn new(size: usize) -> BoardTables {
        let row = |row: usize| ((1 << size) - 1) << (size * row);
        let column = |column: usize| (0..size).map(|row| 1 << (size * row + column)).sum();
        let (mut moves, mut numbers) = (Vec::new(), [Vec::new(), Vec::new()]);
        for from in 0..size * size {
            // Squares ahead of the first side come before those ahead of the second.
            for side in Side::BOTH {
                numbers[side.index()].push([0, 1, 2].map(|turn| {
                    let number = moves.len() as u16;
                    moves.extend(arrival(size, side, from, turn).map(|to| [from as u8, to as u8]));
                    number
                }));
            }
        }
        BoardTables { size, left: column(0), right: column(size - 1), goal: [row(0), row(size - 1)], moves, numbers }
    }
}

/// The square ahead to the left (0), straight on (1) or to the right (2), as seen from the bottom.
fn arrival(size: usize, side: Side, from: usize, turn: usize) -> Option<usize> {
    let column = (from % size + turn).checked_sub(1).filter(|&column| column < size)?;
    let row = match side {
        Side::First => (from / size).checked_sub(1)?,
        Side::Second => Some(from / size + 1).filter(|&row| row < size)?,
    };
    Some(row * size + column)
}

/// A position of Breakthrough. Its `lead` counts pawns.
#[derive(Debug, Clone)]
pub struct Breakthrough {
    board: Arc<BoardTables>,
    pawns: [SquareMask; 2],
    side: Side,
    outcome: Option<Outcome>,
    last: Option<Action>,
}

impl Breakthrough {
    fn new(board: Arc<BoardTables>) -> Breakthrough {
        let rows = if board.size < 6 { 1 } else { 2 };
        let full: SquareMask = (1 << (rows * board.size)) - 1;
        let pawns = [full << (board.size * (board.size - rows)), full];
        Breakthrough { board, pawns, side: Side::First, outcome: None, last: None }
    }

    /// The squares that pawns of the side to move reach to the left, straight on and to the right.
    #[inline]
    fn reached(&self) -> [SquareMask; 3] {
        let BoardTables { size, left, right, .. } = *self.board;
        let own = self.pawns[self.side.index()];
        let empty = !(self.pawns[0] | self.pawns[1]);
        let whole = ((1 << (size * size - 1)) - 1) << 1 | 1;
        let reached = match self.side {
            Side::First => [(own & !left) >> (size + 1), own >> size, (own & !right) >> (size - 1)],
            Side::Second => [(own & !left) << (size - 1), own << size, (own & !right) << (size + 1)],
        };
        [reached[0] & !own & whole, reached[1] & empty & whole, reached[2] & !own & whole]
    }

    /// The departure of a move to `to`.
    #[inline]
    fn departure(&self, to: usize, turn: usize) -> usize {
        let row = if self.side == Side::First { to + self.board.size } else { to - self.board.size };
        row + 1 - turn
    }

    #[inline]
    fn number(&self, to: usize, turn: usize) -> Action {
        let from = self.departure(to, turn);
        Action(u32::from(self.board.numbers[self.side.index()][from][turn]))
    }

    /// The outcome after a side has moved to `to`.
    #[inline]
    fn ending(&self, side: Side, to: SquareMask, others: SquareMask) -> Option<Outcome> {
        (to & self.board.goal[side.index()] != 0 || others == 0).then_some(Outcome::Win(side))
    }
}

impl State for Breakthrough {
    fn side(&self) -> Side {
        self.side
    }
    fn actions(&self, into: &mut Vec<Action>) {
        if self.outcome.is_some() {
            return;
        }
        let reached = self.reached();
        for from in each(self.pawns[self.side.index()]) {
            for (turn, reached) in reached.iter().enumerate() {
                let to = arrival(self.board.size, self.side, from, turn);
                if to.is_some_and(|to| reached >> to & 1 == 1) {
                    into.push(Action(u32::from(self.board.numbers[self.side.index()][from][turn])));
                }
            }
        }
    }
    #[inline]
    fn play(&mut self, action: Action) {
        let [from, to] = self.board.moves[action.index()].map(|square| 1 << square);
        let (us, them) = (self.side.index(), self.side.opponent().index());
        self.pawns[us] ^= from | to;
        self.pawns[them] &= !to;
        self.outcome = self.ending(self.side, to, self.pawns[them]);
        self.side = self.side.opponent();
        self.last = Some(action);
    }
    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }
    fn outcome_after(&self, action: Action) -> Option<Outcome> {
        let to = 1 << self.board.moves[action.index()][1];
        self.ending(self.side, to, self.pawns[self.side.opponent().index()] & !to)
    }
    fn view(&self, view: &mut View) {
        view.side = self.side;
        view.last = self.last;
        view.pieces.clear();
        view.pieces.resize(self.board.size * self.board.size, Piece::EMPTY);
        for side in Side::BOTH {
            each(self.pawns[side.index()]).for_each(|site| view.pieces[site] = Piece::stone(side));
        }
        view.counts.clear();
        view.scalars.clear();
    }
    fn key(&self) -> u128 {
        let mut mixer = Mixer::new(self.board.size * self.board.size, self.side, self.outcome.is_some());
        for pawns in self.pawns {
            mixer.word(pawns as u64);
            mixer.word((pawns >> 64) as u64);
        }
        mixer.finish()
    }
    fn has_history(&self) -> bool {
        false
    }
    fn lead(&self, side: Side) -> Option<f64> {
        let count = |side: Side| f64::from(self.pawns[side.index()].count_ones());
        Some(count(side) - count(side.opponent()))
    }
    fn set_up(&self, pieces: &[Piece], side: Side) -> Result<Breakthrough, SetUpError> {
        let mut pawns = [0; 2];
        for stone in stones(pieces) {
            let (site, owner) = stone?;
            pawns[owner.index()] |= 1 << site;
        }
        let mut position = Breakthrough { pawns, side, outcome: None, last: None, ..self.clone() };
        let won = |side: Side| position.ending(side, pawns[side.index()], pawns[side.opponent().index()]);
        position.outcome = match Side::BOTH.map(won) {
            [Some(_), Some(_)] => return Err(SetUpError::BothWon),
            [first, second] => first.or(second),
        };
        Ok(position)
    }
    #[inline]
    fn random_action(&self, rng: &mut Rng) -> Action {
        let reached = self.reached();
        let counts = reached.map(SquareMask::count_ones);
        let mut at = rng.random_range(0..counts[0] + counts[1] + counts[2]);
        let mut turn = 0;
        while at >= counts[turn] {
            at -= counts[turn];
            turn += 1;
        }
        self.number(nth(reached[turn], at), turn)
    }
}

/// The sites of a set, ascending.
#[inline]
fn each(mut squares: SquareMask) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let site = (squares != 0).then(|| squares.trailing_zeros())?;
        squares &= squares - 1;
        Some(site as usize)
    })
}

/// The element with `nth` smaller ones.
#[inline]
fn nth(squares: SquareMask, nth: u32) -> usize {
    let (low, high) = (squares as u64, (squares >> 64) as u64);
    let (mut word, mut left, base) = match nth.checked_sub(low.count_ones()) {
        None => (low, nth, 0),
        Some(left) => (high, left, 64),
    };
    while left > 0 {
        word &= word - 1;
        left -= 1;
    }
    base + word.trailing_zeros() as usize
}

/// Breakthrough on a board of one size.
#[derive(Debug, Clone)]
pub struct BreakthroughGame {
    start: Breakthrough,
    topology: Topology,
    turned: Vec<u32>,
    board: Arc<BoardTables>,
}

impl Game for BreakthroughGame {
    fn name(&self) -> String {
        format!("breakthrough {0}x{0}", self.board.size)
    }
    fn start(&self) -> Box<dyn Position> {
        self.start.fork()
    }
    fn topology(&self) -> &Topology {
        &self.topology
    }
    fn action_count(&self) -> usize {
        self.board.moves.len()
    }
    fn action_name(&self, action: Action) -> String {
        self.board.moves[action.index()].map(|square| self.site_name(usize::from(square))).concat()
    }
    fn parse_action(&self, name: &str) -> Option<Action> {
        let second = name.char_indices().skip(1).find(|(_, letter)| letter.is_ascii_alphabetic())?.0;
        let site = |text: &str| {
            let (number, column) = notation::parse(notation::CHESS, text)?;
            let inside = number <= self.board.size && column < self.board.size;
            inside.then(|| (self.board.size - number) * self.board.size + column)
        };
        let wanted = [site(&name[..second])? as u8, site(&name[second..])? as u8];
        self.board.moves.iter().position(|joined| *joined == wanted).map(Action::from)
    }
    fn site_name(&self, site: usize) -> String {
        notation::name(notation::CHESS, self.board.size - site / self.board.size, site % self.board.size)
    }
    fn step(&self, action: Action) -> Step {
        let [from, to] = self.board.moves[action.index()].map(usize::from);
        Step::movement(from, to)
    }
    fn turned(&self) -> Option<&[u32]> {
        Some(&self.turned)
    }
    fn figure(&self, _piece: Piece) -> Figure {
        Figure::Chess(Chessman::Pawn)
    }
    fn set_up(&self, pieces: &[Piece], side: Side) -> Result<Box<dyn Position>, SetUpError> {
        let sites = self.topology.sites();
        if pieces.len() != sites {
            return Err(SetUpError::Sites { given: pieces.len(), sites });
        }
        Ok(Box::new(self.start.set_up(pieces, side)?))
    }
}
