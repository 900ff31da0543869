//! Squares of a chess board and the pieces' attacks: tables that are computed once for each board size.
//!
//! Square `8 * row + column`, row 0 at the top, for every size: a small board is the top left part of the large one,
//! so that each square is one bit of a word and all sizes share their shifts. Sites of the game are `size * row +
//! column`.

use std::sync::LazyLock;

use crate::base::Side;

/// A set of squares, or a single one.
pub(super) type Squares = u64;

/// Squares of a row of the word.
pub(super) const WIDTH: u32 = 8;

/// Steps of the eight directions as rows and columns; the first four lead to higher squares, the others back.
const DIRECTIONS: [(i32, i32); 8] = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)];
/// Directions of a rook, as indices of [`DIRECTIONS`]: ahead, back.
const STRAIGHT: ([usize; 2], [usize; 2]) = ([0, 2], [4, 6]);
/// Directions of a bishop.
const DIAGONAL: ([usize; 2], [usize; 2]) = ([1, 3], [5, 7]);
const KNIGHT: [(i32, i32); 8] = [(-2, -1), (-2, 1), (-1, -2), (-1, 2), (1, -2), (1, 2), (2, -1), (2, 1)];

/// Tables of a board of one size, by square.
#[derive(Debug)]
pub(super) struct Geometry {
    /// Rows and columns.
    pub size: u32,
    /// All squares.
    pub board: Squares,
    /// Destinations of a knight.
    pub knight: [Squares; 64],
    /// Destinations of a king.
    pub king: [Squares; 64],
    /// Squares that a pawn of each side attacks.
    pub pawn: [[Squares; 64]; 2],
    /// The row where each side's pawns promote.
    pub last_row: [Squares; 2],
    /// Squares that each side's pawns reach with the first half of a double step; empty on boards without a double
    /// step.
    pub halfway: [Squares; 2],
    rays: [[Squares; 64]; 8],
}

static SMALL: LazyLock<Geometry> = LazyLock::new(|| Geometry::new(5));
static FULL: LazyLock<Geometry> = LazyLock::new(|| Geometry::new(8));

impl Geometry {
    /// The geometry of the board with five or with eight rows.
    pub fn of(size: usize) -> &'static Geometry {
        if size == 5 { &SMALL } else { &FULL }
    }

    fn new(size: u32) -> Geometry {
        let leap = |steps: &[(i32, i32)]| {
            squares_by(|square| steps.iter().filter_map(|&step| neighbour(size, square, step)).map(bit).sum())
        };
        let row = |row: u32| (0..size).map(|column| bit(WIDTH * row + column)).sum();
        let halfway = if size == 8 { [row(5), row(2)] } else { [0, 0] };
        Geometry {
            size,
            board: (0..size).map(row).sum(),
            knight: leap(&KNIGHT),
            king: leap(&DIRECTIONS),
            pawn: [leap(&[(-1, -1), (-1, 1)]), leap(&[(1, -1), (1, 1)])],
            last_row: [row(0), row(size - 1)],
            halfway,
            rays: DIRECTIONS.map(|step| squares_by(|square| ray(size, square, step))),
        }
    }

    /// Squares that a rook attacks from `square` among these occupied squares; the first occupied one of each line is
    /// included.
    #[inline]
    pub fn rook(&self, square: u32, occupied: Squares) -> Squares {
        self.slide(STRAIGHT, square, occupied)
    }

    /// Squares that a bishop attacks, likewise.
    #[inline]
    pub fn bishop(&self, square: u32, occupied: Squares) -> Squares {
        self.slide(DIAGONAL, square, occupied)
    }

    /// Squares strictly between two squares on one line; empty for others.
    #[inline]
    pub fn between(&self, one: u32, other: u32) -> Squares {
        let (near, far) = (one.min(other), one.max(other));
        let inside = |(ahead, back): (&[Squares; 64], &[Squares; 64])| {
            let line = ahead[near as usize];
            if line & bit(far) == 0 { 0 } else { line & back[far as usize] }
        };
        (0..4).map(|at| inside((&self.rays[at], &self.rays[at + 4]))).sum()
    }

    #[inline]
    fn slide(&self, (ahead, back): ([usize; 2], [usize; 2]), square: u32, occupied: Squares) -> Squares {
        let square = square as usize;
        let mut reached = 0;
        // The last square of the word blocks nothing ahead, the first one nothing back, as no line continues beyond
        // them.
        for direction in ahead {
            let ray = &self.rays[direction];
            let first = (ray[square] & occupied | 1 << 63).trailing_zeros() as usize;
            reached |= ray[square] ^ ray[first];
        }
        for direction in back {
            let ray = &self.rays[direction];
            let first = 63 - (ray[square] & occupied | 1).leading_zeros() as usize;
            reached |= ray[square] ^ ray[first];
        }
        reached
    }

    /// The squares one step ahead of these, from the point of view of `side`; some may lie off the board.
    #[inline]
    pub fn ahead(side: Side, squares: Squares) -> Squares {
        match side {
            Side::First => squares >> WIDTH,
            Side::Second => squares << WIDTH,
        }
    }

    /// The site of a square.
    pub fn site(&self, square: u32) -> usize {
        (square / WIDTH * self.size + square % WIDTH) as usize
    }

    /// The square of a site.
    pub fn square(&self, site: usize) -> u32 {
        let site = site as u32;
        site / self.size * WIDTH + site % self.size
    }
}

/// A square as a set.
#[inline]
pub(super) const fn bit(square: u32) -> Squares {
    1 << square
}

/// The squares of a set, ascending.
#[inline]
pub(super) fn each(mut squares: Squares) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let square = (squares != 0).then(|| squares.trailing_zeros())?;
        squares &= squares - 1;
        Some(square)
    })
}

fn squares_by(of: impl Fn(u32) -> Squares) -> [Squares; 64] {
    std::array::from_fn(|square| of(square as u32))
}

/// The square one step from another, if both are on the board.
fn neighbour(size: u32, square: u32, (rows, columns): (i32, i32)) -> Option<u32> {
    let on_board = |at: u32| at < size;
    let (row, column) = (square / WIDTH, square % WIDTH);
    let next = (row.checked_add_signed(rows)?, column.checked_add_signed(columns)?);
    [row, column, next.0, next.1].into_iter().all(on_board).then_some(next.0 * WIDTH + next.1)
}

fn ray(size: u32, square: u32, step: (i32, i32)) -> Squares {
    std::iter::successors(neighbour(size, square, step), |&at| neighbour(size, at, step)).map(bit).sum()
}
