//! The solver for Connect Four, on bit boards of one word.
//!
//! J. Tromp ("John's Connect Four Playground", 1993) and P. Pons ("Solving Connect Four") describe the technique: a column
//! is a run of bits with an empty one on top, so that shifts find rows of four; the search asks with null windows; it
//! tries only actions that do not lose at once, and first those that leave the most threats, the middle first among
//! equals. A side that can no longer complete four does not win.

use super::budget::{Aborted, NodeBudget};
use super::table::{Name, TranspositionTable};
use gauntlet_games::games::{Position, View};

/// The most columns of a board: one with three rows fits 16 times into a word.
const COLUMNS: usize = 16;

/// A board of one size.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    rows: u32,
    columns: u32,
    /// The lowest square of each column.
    floor: u64,
    /// All squares.
    full: u64,
}

/// The discs of the side to move, and those of both sides.
#[derive(Debug, Clone, Copy)]
struct Discs {
    own: u64,
    all: u64,
}

impl Shape {
    /// A board, if its columns fit into a word, each with an empty square on top.
    pub fn new([rows, columns]: [usize; 2]) -> Option<Shape> {
        if (rows + 1) * columns > 64 {
            return None;
        }
        let (rows, columns) = (rows as u32, columns as u32);
        let floor = (0..columns).fold(0, |floor, column| floor | 1 << (column * (rows + 1)));
        Some(Shape { rows, columns, floor, full: floor * ((1 << rows) - 1) })
    }

    /// The discs of a position of the game, whose sites begin at the top.
    fn discs(&self, position: &dyn Position) -> Discs {
        let (mut view, mut discs) = (View::new(), Discs { own: 0, all: 0 });
        position.view(&mut view);
        for (site, piece) in view.pieces.iter().enumerate().filter(|(_, piece)| !piece.is_empty()) {
            let (row, column) = (site as u32 / self.columns, site as u32 % self.columns);
            let square = 1 << (column * (self.rows + 1) + self.rows - 1 - row);
            discs.all |= square;
            discs.own |= if piece.side() == Some(view.side) { square } else { 0 };
        }
        discs
    }

    /// The steps along which rows lie: upwards, both diagonals, and sideways.
    #[inline]
    fn steps(&self) -> [u32; 4] {
        [1, self.rows, self.rows + 1, self.rows + 2]
    }

    /// The free squares that complete four of these discs.
    #[inline]
    fn completing(&self, discs: u64, all: u64) -> u64 {
        let mut found = 0;
        for step in self.steps() {
            let (up, down) = (discs << step & discs << (2 * step), discs >> step & discs >> (2 * step));
            found |= up & (discs << (3 * step) | discs >> step) | down & (discs >> (3 * step) | discs << step);
        }
        found & self.full & !all
    }

    /// Whether there are four in a row among these squares.
    #[inline]
    fn has_four(&self, squares: u64) -> bool {
        self.steps().into_iter().any(|step| {
            let pairs = squares & squares >> step;
            pairs & pairs >> (2 * step) != 0
        })
    }

    /// The squares on which the next discs come to rest.
    #[inline]
    fn landing(&self, all: u64) -> u64 {
        (all + self.floor) & self.full
    }

    /// The actions after which the other side does not win at once. The side to move has no action that wins.
    #[inline]
    fn safe(&self, discs: Discs) -> u64 {
        let (threats, landing) = (self.completing(discs.own ^ discs.all, discs.all), self.landing(discs.all));
        let forced = landing & threats;
        let choice = match forced.count_ones() {
            0 => landing,
            1 => forced,
            _ => 0,
        };
        choice & !(threats >> 1)
    }
}

/// A solver of positions on one board.
pub(super) struct ConnectFour {
    shape: Shape,
    table: TranspositionTable,
    /// The squares of each column, the middle first.
    columns: Vec<u64>,
}

impl ConnectFour {
    /// A solver with this table.
    pub fn new(shape: Shape, table: TranspositionTable) -> ConnectFour {
        let mut columns: Vec<u32> = (0..shape.columns).collect();
        columns.sort_by_key(|column| (2 * column + 1).abs_diff(shape.columns));
        let squares = |column: u32| ((1 << shape.rows) - 1) << (column * (shape.rows + 1));
        ConnectFour { shape, table, columns: columns.into_iter().map(squares).collect() }
    }

    /// Forgets all earlier positions.
    pub fn clear(&mut self) {
        self.table.clear();
    }

    /// The value of a position that is not over, for its side to move.
    pub fn value(&mut self, position: &dyn Position, budget: &mut NodeBudget<'_>) -> Result<i8, Aborted> {
        let discs = self.shape.discs(position);
        if self.shape.completing(discs.own, discs.all) & self.shape.landing(discs.all) != 0 {
            return Ok(1);
        }
        match self.search(discs, 1, budget)? {
            0 => self.search(discs, 0, budget),
            value => Ok(value),
        }
    }

    /// A bound of the value of a position without an action that wins at once: a lower one if the value is at least
    /// `least`, else an upper one.
    fn search(&mut self, discs: Discs, least: i8, budget: &mut NodeBudget<'_>) -> Result<i8, Aborted> {
        budget.spend()?;
        let safe = self.shape.safe(discs);
        if let Some(value) = self.plain(discs, safe, least) {
            return Ok(value);
        }
        let name = name(discs);
        let mut known = self.table.get(name);
        if let Some(answer) = known.answer(least) {
            return Ok(answer);
        }
        let (moves, count) = self.ordered(discs, safe);
        let mut most = -1;
        for &(_, square) in &moves[..count] {
            let next = Discs { own: discs.own ^ discs.all, all: discs.all | square };
            most = most.max(-self.search(next, 1 - least, budget)?);
            if most >= least {
                break;
            }
        }
        known.learn(least, most);
        self.table.put(name, known);
        Ok(most)
    }

    /// The answer for a position if it needs no search.
    #[inline]
    fn plain(&self, Discs { own, all }: Discs, safe: u64, least: i8) -> Option<i8> {
        let empty = self.shape.full & !all;
        if safe == 0 {
            return Some(if empty == 0 { 0 } else { -1 });
        }
        // Neither side completes four with the last two discs: the other side's threats are blocked.
        let is_drawn = empty.count_ones() <= 2;
        let hopeful = if least == 1 { own } else { own ^ all };
        (is_drawn || !self.shape.has_four(hopeful | empty)).then_some(0)
    }

    /// The safe actions, those that leave the most threats first, and their number.
    #[inline]
    fn ordered(&self, Discs { own, all }: Discs, safe: u64) -> ([(u32, u64); COLUMNS], usize) {
        let (mut moves, mut count) = ([(0, 0); COLUMNS], 0);
        for square in self.columns.iter().map(|column| column & safe).filter(|square| *square != 0) {
            let threats = self.shape.completing(own | square, all | square).count_ones();
            let mut place = count;
            while place > 0 && moves[place - 1].0 < threats {
                moves[place] = moves[place - 1];
                place -= 1;
            }
            moves[place] = (threats, square);
            count += 1;
        }
        (moves, count)
    }
}

/// The name of a position. The sum of both sets names it: in each column, it exceeds the discs of both sides by those of
/// one.
#[inline]
fn name(discs: Discs) -> Name {
    let sum = discs.own + discs.all;
    let product = u128::from(sum) * 0x9E37_79B9_7F4A_7C15;
    [(product as u64) ^ (product >> 64) as u64, sum]
}
