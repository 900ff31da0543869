//! The last boards of a game of chess, for readers of the history.

use super::board::ChessBoard;
use super::geometry::Squares;
use crate::base::Action;

/// Number of positions in the history, including the present one; a power of two.
pub(super) const KEPT: usize = 8;

/// An earlier board, and the action played on it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Earlier {
    /// Both sides' pieces, by kind.
    pub kinds: [Squares; 6],
    /// The first side's pieces.
    pub first: Squares,
    /// The action played there.
    pub action: Action,
    /// The ply of the first position that could still recur at that time.
    pub since: u32,
}

/// The last [`KEPT`] boards before the present one, each at its ply modulo [`KEPT`].
#[derive(Debug, Clone, Copy)]
pub(super) struct Ring([Earlier; KEPT]);

impl Ring {
    pub fn new() -> Ring {
        Ring([Earlier { kinds: [0; 6], first: 0, action: Action(0), since: 0 }; KEPT])
    }

    /// Stores the board of a ply and the action played on it.
    #[inline]
    pub fn note(&mut self, ply: u32, board: &ChessBoard, action: Action, since: u32) {
        self.0[ply as usize % KEPT] = Earlier { kinds: board.kinds, first: board.sides[0], action, since };
    }

    /// The board of one of the last plies.
    pub fn at(&self, ply: u32) -> &Earlier {
        &self.0[ply as usize % KEPT]
    }
}
