//! What encoders and players may know of a position, whatever the game.
//!
//! Checked on paper against Go (one stone a site, last action), chess (six kinds, castling and clocks as
//! scalars) and stacking games (several levels a site). It is no board: it holds no rules and cannot be played on.

use crate::base::{Action, Side};

/// What stands on one level of a site: nothing, or a piece of some kind and owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Piece(u8);

impl Piece {
    /// Nothing.
    pub const EMPTY: Piece = Piece(0);

    /// A piece of kind `kind` (0 for plain stones; below 127) that belongs to `side`.
    #[must_use]
    #[inline]
    pub const fn new(side: Side, kind: u8) -> Piece {
        Piece(1 + 2 * kind + side as u8)
    }

    /// A plain stone.
    #[must_use]
    #[inline]
    pub const fn stone(side: Side) -> Piece {
        Piece::new(side, 0)
    }

    /// Whether nothing stands here.
    #[must_use]
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Who owns the piece, if there is one.
    #[must_use]
    #[inline]
    pub const fn side(self) -> Option<Side> {
        match self.0 {
            0 => None,
            code if code % 2 == 1 => Some(Side::First),
            _ => Some(Side::Second),
        }
    }

    /// The piece as a number of its own; 0 for nothing.
    #[inline]
    pub(super) const fn code(self) -> u8 {
        self.0
    }

    /// The piece's kind; 0 for plain stones and for nothing.
    #[must_use]
    #[inline]
    pub const fn kind(self) -> u8 {
        match self.0 {
            0 => 0,
            code => (code - 1) / 2,
        }
    }
}

/// The sign of what stands on a site: `X` for the first side, `O` for the second.
#[must_use]
pub fn sign(side: Option<Side>) -> char {
    match side {
        Some(Side::First) => 'X',
        Some(Side::Second) => 'O',
        None => '.',
    }
}

/// The neutral view of a position. A reused buffer: [`super::Position::view`] overwrites all of it.
#[derive(Debug, Clone, PartialEq)]
pub struct View {
    /// Who is to move.
    pub side: Side,
    /// What stands where, `[sites * levels]`, the lowest level of a site first.
    pub pieces: Vec<Piece>,
    /// The action played last, if any.
    pub last: Option<Action>,
    /// What the board does not show (clocks, captured pairs), in the game's own fixed order.
    pub scalars: Vec<f32>,
}

impl View {
    /// An empty buffer.
    #[must_use]
    #[inline]
    pub fn new() -> View {
        View { side: Side::First, pieces: Vec::new(), last: None, scalars: Vec::new() }
    }
}

impl Default for View {
    fn default() -> View {
        View::new()
    }
}
