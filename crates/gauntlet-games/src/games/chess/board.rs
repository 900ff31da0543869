//! The pieces on a chess board, and the effect of a move; there is no undo: positions are copied.

use super::geometry::{Geometry, Squares, WIDTH, bit, each};
use super::hash;
use crate::base::{Chessman, Side};

/// A move: origin, destination and promotion. Castling is the king's step over two squares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ChessMove {
    /// The origin.
    pub from: u32,
    /// The destination.
    pub to: u32,
    /// The piece of an underpromotion; a pawn that reaches the last row without one becomes a queen.
    pub under: Option<Chessman>,
}

/// Castling rights, a bit for each: first side's short and long, second side's short and long.
pub(super) const SHORT: u8 = 1;
/// The bit of long castling.
pub(super) const LONG: u8 = 2;

/// A side's rights at their bits among those of both sides.
#[inline]
pub(super) const fn rights_of(side: Side, rights: u8) -> u8 {
    rights << (2 * side as u8)
}

/// Pieces, side to move, castling rights and the square behind a pawn that has just stepped twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ChessBoard {
    /// Both sides' pieces, by kind.
    pub kinds: [Squares; 6],
    /// Pieces of all kinds, by side.
    pub sides: [Squares; 2],
    /// The side to move.
    pub side: Side,
    /// The castling rights.
    pub castling: u8,
    /// The square of a capture en passant, after a double step.
    pub passant: Option<u8>,
    /// A hash of pieces, side and rights; not of `passant`.
    pub hash: u64,
}

impl ChessBoard {
    /// An empty board, the first side to move.
    pub fn empty() -> ChessBoard {
        ChessBoard { kinds: [0; 6], sides: [0; 2], side: Side::First, castling: 0, passant: None, hash: 0 }
    }

    /// All occupied squares.
    #[inline]
    pub fn occupied(&self) -> Squares {
        self.sides[0] | self.sides[1]
    }

    /// A side's pieces of a kind.
    #[inline]
    pub fn of(&self, side: Side, kind: Chessman) -> Squares {
        self.kinds[kind as usize] & self.sides[side as usize]
    }

    /// The kind of the piece on a square.
    #[inline]
    pub fn kind_at(&self, square: u32) -> Option<Chessman> {
        Chessman::ALL.into_iter().find(|&kind| self.kinds[kind as usize] & bit(square) != 0)
    }

    /// Puts a piece on a square, or removes it.
    #[inline]
    pub fn toggle(&mut self, side: Side, kind: Chessman, square: u32) {
        self.kinds[kind as usize] ^= bit(square);
        self.sides[side as usize] ^= bit(square);
        self.hash ^= hash::piece(side, kind, square);
    }

    /// Sets the castling rights.
    #[inline]
    pub fn set_castling(&mut self, castling: u8) {
        self.hash ^= hash::castling(self.castling) ^ hash::castling(castling);
        self.castling = castling;
    }

    /// Changes the side to move.
    #[inline]
    pub fn pass(&mut self) {
        self.side = self.side.opponent();
        self.hash ^= hash::SIDE;
    }

    /// Plays a legal move; returns whether it is irreversible (a pawn move or a capture).
    #[inline]
    pub fn play(&mut self, geometry: &Geometry, ChessMove { from, to, under }: ChessMove) -> bool {
        let (us, them) = (self.side, self.side.opponent());
        let kind = self.kind_at(from).expect("a legal move is one of a piece");
        let taken = if self.sides[them as usize] & bit(to) == 0 { None } else { self.kind_at(to) };
        if let Some(taken) = taken {
            self.toggle(them, taken, to);
        }
        self.toggle(us, kind, from);
        let promotes = kind == Chessman::Pawn && geometry.last_row[us as usize] & bit(to) != 0;
        self.toggle(us, if promotes { under.unwrap_or(Chessman::Queen) } else { kind }, to);
        let passant = self.passant.take().map(u32::from);
        match kind {
            Chessman::Pawn if passant == Some(to) => self.toggle(them, Chessman::Pawn, beside(from, to)),
            Chessman::Pawn if from.abs_diff(to) == 2 * WIDTH => self.passant = Some(u32::midpoint(from, to) as u8),
            Chessman::King if from.abs_diff(to) == 2 => self.castle(us, from, to),
            _ => {}
        }
        if self.castling != 0 {
            self.set_castling(self.castling & kept(from) & kept(to));
        }
        self.pass();
        kind == Chessman::Pawn || taken.is_some()
    }

    /// Moves the rook of a castling king.
    fn castle(&mut self, side: Side, from: u32, to: u32) {
        let corner = if to > from { to + 1 } else { to - 2 };
        self.toggle(side, Chessman::Rook, corner);
        self.toggle(side, Chessman::Rook, u32::midpoint(from, to));
    }

    /// Numbers of pieces on the squares of either colour.
    fn by_colour(squares: Squares) -> [u32; 2] {
        const LIGHT: Squares = 0xAA55_AA55_AA55_AA55;
        [(squares & LIGHT).count_ones(), (squares & !LIGHT).count_ones()]
    }

    /// Whether mate is impossible for any sequence of moves: kings with one knight or with bishops on squares of one
    /// colour.
    pub fn cannot_mate(&self) -> bool {
        let [pawns, knights, bishops, rooks, queens, _] = self.kinds;
        if pawns | rooks | queens != 0 {
            return false;
        }
        let [light, dark] = ChessBoard::by_colour(bishops);
        match knights.count_ones() {
            0 => light == 0 || dark == 0,
            1 => bishops == 0,
            _ => false,
        }
    }

    /// Computes the hash from scratch, for boards that were set up.
    pub fn hashed(mut self) -> ChessBoard {
        self.hash = hash::castling(self.castling) ^ if self.side == Side::Second { hash::SIDE } else { 0 };
        for side in Side::BOTH {
            for kind in Chessman::ALL {
                self.hash ^= each(self.of(side, kind)).fold(0, |sum, square| sum ^ hash::piece(side, kind, square));
            }
        }
        self
    }
}

/// The square in the row of one and the column of another: the pawn captured en passant.
#[inline]
fn beside(row_of: u32, column_of: u32) -> u32 {
    row_of / WIDTH * WIDTH + column_of % WIDTH
}

/// Castling rights that remain after a move from or to a square.
#[inline]
const fn kept(square: u32) -> u8 {
    match square {
        60 => !0b0011,
        63 => !0b0001,
        56 => !0b0010,
        4 => !0b1100,
        7 => !0b0100,
        0 => !0b1000,
        _ => !0,
    }
}
