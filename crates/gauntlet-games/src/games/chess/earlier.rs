//! The last boards of a game of chess, for those who look back.

use super::board::Board;
use super::geometry::Squares;
use crate::base::Action;

/// Positions that can be looked back on, the present one among them; a power of two.
pub(super) const KEPT: usize = 8;

/// A board that was there, and how it was left.
#[derive(Debug, Clone, Copy)]
pub(super) struct Earlier {
    /// By kind, both sides.
    pub kinds: [Squares; 6],
    /// The first side's.
    pub first: Squares,
    /// What was played there.
    pub action: Action,
    /// The ply of the first position that could come again when it was there.
    pub since: u32,
}

/// The last [`KEPT`] boards before the present one, each at its ply modulo as many.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ring([Earlier; KEPT]);

impl Ring {
    pub fn new() -> Ring {
        Ring([Earlier { kinds: [0; 6], first: 0, action: Action(0), since: 0 }; KEPT])
    }

    /// Notes the board of a ply and how it is left.
    #[inline]
    pub fn note(&mut self, ply: u32, board: &Board, action: Action, since: u32) {
        self.0[ply as usize % KEPT] = Earlier { kinds: board.kinds, first: board.sides[0], action, since };
    }

    /// The board of a ply, one of the last.
    pub fn at(&self, ply: u32) -> &Earlier {
        &self.0[ply as usize % KEPT]
    }
}
