//! What encoders and players may know of a position, whatever the game.
//!
//! Checked on paper against Go (one stone a site, last action), chess (six kinds, castling and clocks as
//! scalars), Lasca (four kinds, as many levels a site as there are men) and Minishogi (hands as sites of their own behind
//! the board's, whose `counts` say how many pieces of a kind lie there). It is no board: it holds no rules and cannot be
//! played on. What was before is the [`Past`](super::Past)'s.

use crate::base::{Action, Side};

/// What stands on one level of a site: nothing, or a piece of some kind, and of a side or of nobody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Piece(u8);

/// The first code of pieces of nobody, less 1: 64 kinds of each side lie below.
const NEUTRAL: u8 = 128;

impl Piece {
    /// Nothing.
    pub const EMPTY: Piece = Piece(0);

    /// A piece of kind `kind` (0 for plain stones; below 64) that belongs to `side`.
    #[must_use]
    #[inline]
    pub const fn new(side: Side, kind: u8) -> Piece {
        debug_assert!(kind < NEUTRAL / 2);
        Piece(1 + 2 * kind + side as u8)
    }

    /// A piece of kind `kind` (below 64) that belongs to nobody.
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

    /// Whether nothing stands here.
    #[must_use]
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Who owns the piece, if there is one and somebody does.
    #[must_use]
    #[inline]
    pub const fn side(self) -> Option<Side> {
        // Nothing becomes the greatest number.
        match self.0.wrapping_sub(1) {
            NEUTRAL.. => None,
            code if code % 2 == 0 => Some(Side::First),
            _ => Some(Side::Second),
        }
    }

    /// Whether there is a piece and it belongs to nobody.
    #[must_use]
    #[inline]
    pub const fn is_neutral(self) -> bool {
        self.0 > NEUTRAL
    }

    /// The piece as a number of its own; 0 for nothing.
    #[inline]
    pub(crate) const fn code(self) -> u8 {
        self.0
    }

    /// The piece's kind; 0 for plain stones and for nothing.
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

/// The sign of what stands on a site: `X` for the first side, `O` for the second.
#[must_use]
#[inline]
pub fn sign(side: Option<Side>) -> char {
    match side {
        Some(Side::First) => 'X',
        Some(Side::Second) => 'O',
        None => '.',
    }
}

/// What one of the numbers in [`View::scalars`] is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scalar {
    /// Which of them.
    pub at: usize,
    /// Whose it is; none where it is the position's.
    pub side: Option<Side>,
    /// The greatest that it becomes; 0 where this board never has it.
    pub most: f32,
}

/// The neutral view of a position. A reused buffer: [`super::Position::view`] overwrites all of it.
#[derive(Debug, Clone, PartialEq)]
pub struct View {
    /// Who is to move.
    pub side: Side,
    /// What stands where, `[sites * levels]`, the lowest level of a site first.
    pub pieces: Vec<Piece>,
    /// How many pieces lie on each site, `[sites]`, where there may be several on one level (hands, houses of seeds);
    /// empty where there never are.
    pub counts: Vec<u16>,
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
