//! What stands where on a chess board, and how a move changes it; it takes no move back: positions are copied.

use super::geometry::{Geometry, Squares, WIDTH, bit, each};
use super::hash;
use super::kind::Kind;
use crate::base::Side;

/// A move: from where to where, and what a pawn becomes. Castling is the king's step over two squares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Move {
    /// The square that is left.
    pub from: u32,
    /// The square that is reached.
    pub to: u32,
    /// What an underpromoting pawn becomes; a pawn that reaches the last row without one becomes a queen.
    pub under: Option<Kind>,
}

/// Rights to castle, a bit for each: first side's short and long, second side's short and long.
pub(super) const SHORT: u8 = 1;
/// The long one.
pub(super) const LONG: u8 = 2;

/// The rights of a side among all.
#[inline]
pub(super) const fn rights_of(side: Side, rights: u8) -> u8 {
    rights << (2 * side as u8)
}

/// Pieces, side to move, rights to castle and the square behind a pawn that has just stepped twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Board {
    /// By kind, both sides.
    pub kinds: [Squares; 6],
    /// By side, all kinds.
    pub sides: [Squares; 2],
    /// Who is to move.
    pub side: Side,
    /// Who may still castle where.
    pub castling: u8,
    /// Where a pawn that stepped twice can be taken in passing.
    pub passant: Option<u8>,
    /// A hash of pieces, side and rights; not of `passant`.
    pub hash: u64,
}

impl Board {
    /// Nothing on the board, and the first side to move.
    pub fn empty() -> Board {
        Board { kinds: [0; 6], sides: [0; 2], side: Side::First, castling: 0, passant: None, hash: 0 }
    }

    /// All occupied squares.
    #[inline]
    pub fn occupied(&self) -> Squares {
        self.sides[0] | self.sides[1]
    }

    /// A side's pieces of a kind.
    #[inline]
    pub fn of(&self, side: Side, kind: Kind) -> Squares {
        self.kinds[kind as usize] & self.sides[side as usize]
    }

    /// What stands on a square.
    #[inline]
    pub fn kind_at(&self, square: u32) -> Option<Kind> {
        Kind::ALL.into_iter().find(|&kind| self.kinds[kind as usize] & bit(square) != 0)
    }

    /// Puts a piece down, or takes it up.
    #[inline]
    pub fn toggle(&mut self, side: Side, kind: Kind, square: u32) {
        self.kinds[kind as usize] ^= bit(square);
        self.sides[side as usize] ^= bit(square);
        self.hash ^= hash::piece(side, kind, square);
    }

    /// Sets who may castle.
    #[inline]
    pub fn set_castling(&mut self, castling: u8) {
        self.hash ^= hash::castling(self.castling) ^ hash::castling(castling);
        self.castling = castling;
    }

    /// Gives the move to the other side.
    #[inline]
    pub fn pass(&mut self) {
        self.side = self.side.opponent();
        self.hash ^= hash::SIDE;
    }

    /// Plays a legal move; whether it was one that no later move can undo (a pawn's, or one that takes).
    #[inline]
    pub fn play(&mut self, geometry: &Geometry, Move { from, to, under }: Move) -> bool {
        let (us, them) = (self.side, self.side.opponent());
        let kind = self.kind_at(from).expect("a legal move is one of a piece");
        let taken = if self.sides[them as usize] & bit(to) == 0 { None } else { self.kind_at(to) };
        if let Some(taken) = taken {
            self.toggle(them, taken, to);
        }
        self.toggle(us, kind, from);
        let promotes = kind == Kind::Pawn && geometry.last_row[us as usize] & bit(to) != 0;
        self.toggle(us, if promotes { under.unwrap_or(Kind::Queen) } else { kind }, to);
        let passant = self.passant.take().map(u32::from);
        match kind {
            Kind::Pawn if passant == Some(to) => self.toggle(them, Kind::Pawn, beside(from, to)),
            Kind::Pawn if from.abs_diff(to) == 2 * WIDTH => self.passant = Some(u32::midpoint(from, to) as u8),
            Kind::King if from.abs_diff(to) == 2 => self.castle(us, from, to),
            _ => {}
        }
        if self.castling != 0 {
            self.set_castling(self.castling & kept(from) & kept(to));
        }
        self.pass();
        kind == Kind::Pawn || taken.is_some()
    }

    /// Moves the rook over the king that castles.
    fn castle(&mut self, side: Side, from: u32, to: u32) {
        let corner = if to > from { to + 1 } else { to - 2 };
        self.toggle(side, Kind::Rook, corner);
        self.toggle(side, Kind::Rook, u32::midpoint(from, to));
    }

    /// Pieces on squares of one colour, and of the other.
    fn by_colour(squares: Squares) -> [u32; 2] {
        const LIGHT: Squares = 0xAA55_AA55_AA55_AA55;
        [(squares & LIGHT).count_ones(), (squares & !LIGHT).count_ones()]
    }

    /// Whether no sequence of moves can mate: kings with one knight or with bishops on squares of one colour.
    pub fn cannot_mate(&self) -> bool {
        let [pawns, knights, bishops, rooks, queens, _] = self.kinds;
        if pawns | rooks | queens != 0 {
            return false;
        }
        let [light, dark] = Board::by_colour(bishops);
        match knights.count_ones() {
            0 => light == 0 || dark == 0,
            1 => bishops == 0,
            _ => false,
        }
    }

    /// The hash that its parts give, for boards that were put together by hand.
    pub fn hashed(mut self) -> Board {
        self.hash = hash::castling(self.castling) ^ if self.side == Side::Second { hash::SIDE } else { 0 };
        for side in Side::BOTH {
            for kind in Kind::ALL {
                self.hash ^= each(self.of(side, kind)).fold(0, |sum, square| sum ^ hash::piece(side, kind, square));
            }
        }
        self
    }
}

/// The square in the row of one and the column of another: where the pawn stands that is taken in passing.
#[inline]
fn beside(row_of: u32, column_of: u32) -> u32 {
    row_of / WIDTH * WIDTH + column_of % WIDTH
}

/// Rights that stay when a move leaves a square or reaches it.
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
