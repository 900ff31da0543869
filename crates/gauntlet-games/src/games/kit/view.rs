//! The view of a position: all that encoders and players may read, for every game.
//!
//! Designed to cover Go (one stone a site, last action), chess (six kinds, castling and clocks as scalars), Lasca
//! (four kinds, as many levels a site as there are men) and Minishogi. The hands of Minishogi are sites of their own
//! after the board's, whose `counts` are the numbers of pieces of a kind. A view is not a board: it holds no rules
//! and cannot be played on. The history is in [`Past`](super::Past).

use crate::base::{Action, Side};

/// The content of one level of a site: empty, or a piece of some kind that belongs to a side or is neutral.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Piece(u8);

/// The first code of neutral pieces, less 1: 64 kinds of each side lie below.
const NEUTRAL: u8 = 128;

impl Piece {
    /// An empty level.
    pub const EMPTY: Piece = Piece(0);

    /// A piece of kind `kind` (0 for plain stones; below 64) that belongs to `side`.
    #[must_use]
    #[inline]
    pub const fn new(side: Side, kind: u8) -> Piece {
        debug_assert!(kind < NEUTRAL / 2);
        Piece(1 + 2 * kind + side as u8)
    }

    /// A neutral piece of kind `kind` (below 64).
    #[must_use]
    #[inline]
    pub const fn neutral(kind: u8) -> Piece {
        debug_assert!(kind < NEUTRAL / 2);
        Piece(1 + NEUTRAL + kind)
    }

    /// A plain stone.
    #[must_use]
    #[inline]
    pub const fn stone(side: Side) -> Piece {
        Piece::new(side, 0)
    }

    /// Whether the level is empty.
    #[must_use]
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The owner of the piece; `None` for an empty level or a neutral piece.
    #[must_use]
    #[inline]
    pub const fn side(self) -> Option<Side> {
        // An empty level becomes the greatest number.
        match self.0.wrapping_sub(1) {
            NEUTRAL.. => None,
            code if code % 2 == 0 => Some(Side::First),
            _ => Some(Side::Second),
        }
    }

    /// Whether it is a neutral piece.
    #[must_use]
    #[inline]
    pub const fn is_neutral(self) -> bool {
        self.0 > NEUTRAL
    }

    /// The piece's code; 0 for an empty level.
    #[inline]
    pub(crate) const fn code(self) -> u8 {
        self.0
    }

    /// The piece's kind; 0 for plain stones and for an empty level.
    #[must_use]
    #[inline]
    pub const fn kind(self) -> u8 {
        match self.0 {
            0 => 0,
            code if code > NEUTRAL => code - NEUTRAL - 1,
            code => (code - 1) / 2,
        }
    }
}

/// The sign of a piece: `X` for the first side, `O` for the second.
#[must_use]
#[inline]
pub fn sign(side: Option<Side>) -> char {
    match side {
        Some(Side::First) => 'X',
        Some(Side::Second) => 'O',
        None => '.',
    }
}

/// Description of one of the numbers in [`View::scalars`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scalar {
    /// Its index.
    pub at: usize,
    /// The side that it belongs to; `None` if it belongs to the position.
    pub side: Option<Side>,
    /// Its maximum; 0 if it never occurs on this board.
    pub most: f32,
}

/// The neutral view of a position. A reused buffer: [`super::Position::view`] overwrites all of it.
#[derive(Debug, Clone, PartialEq)]
pub struct View {
    /// The side to move.
    pub side: Side,
    /// The pieces, `[sites * levels]`, the lowest level of a site first.
    pub pieces: Vec<Piece>,
    /// Number of pieces on each site, `[sites]`, if a level may hold several (hands, houses of seeds); otherwise
    /// empty.
    pub counts: Vec<u16>,
    /// The action played last, if any.
    pub last: Option<Action>,
    /// State that the board does not show (clocks, captured pairs), in the game's own fixed order.
    pub scalars: Vec<f32>,
}

impl View {
    /// An empty buffer.
    #[must_use]
    #[inline]
    pub fn new() -> View {
        View { side: Side::First, pieces: Vec::new(), counts: Vec::new(), last: None, scalars: Vec::new() }
    }
}

impl Default for View {
    fn default() -> View {
        View::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_piece_has_its_own_code() {
        let sides = Side::BOTH.map(Some).into_iter().chain([None]);
        let all = sides.flat_map(|side| (0..64).map(move |kind| (side, kind)));
        let mut codes = std::collections::HashSet::from([Piece::EMPTY]);
        for (side, kind) in all {
            let piece = side.map_or(Piece::neutral(kind), |side| Piece::new(side, kind));
            assert_eq!((piece.side(), piece.kind(), piece.is_neutral()), (side, kind, side.is_none()));
            assert!(!piece.is_empty() && codes.insert(piece));
        }
        assert_eq!((Piece::EMPTY.side(), Piece::EMPTY.kind(), Piece::EMPTY.is_neutral()), (None, 0, false));
    }
}
