//! A position as plain data: pieces, side to move, last moves. It is copied; there is no undo.

use super::bits::Bits;

/// Maximum number of sites of hands.
pub const HANDS: usize = 16;
/// Bits of a piece in a stack, lowest piece first.
const LEVEL: u32 = 4;

/// A move: its rule and its sites, `u16::MAX` for a missing one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move {
    /// The rule that made it.
    pub rule: u8,
    /// The origin.
    pub from: u16,
    /// The destination.
    pub to: u16,
    /// The site that it hops over.
    pub between: u16,
}

/// A position on `64 * W` sites; `S` is 1 for games with stacks, else 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Board<const W: usize, const S: usize> {
    /// The piece on every site, the top one of a stack; 0 for an empty site.
    pub what: [[u8; 64]; W],
    /// Sites of the board by owner of the (top) piece.
    pub own: [Bits<W>; 3],
    /// Stacks, four bits a piece.
    pub stacks: [[u128; 64]; S],
    /// Numbers of pieces on the sites of hands.
    pub counts: [u8; HANDS],
    /// The colour to move: 1 or 2.
    pub mover: u8,
    /// The colour of the last move; 0 before the first.
    pub previous: u8,
    /// Whether the players have changed colours.
    pub swapped: bool,
    /// Whether the mover moves again.
    pub again: bool,
    /// Whether the last move was a pass because there was no other.
    pub stuck: bool,
    /// The phase of each colour.
    pub phase: [u8; 3],
    /// Number of turns in a row that were a single pass.
    pub passes: u8,
    /// The outcome, if the game has ended: the colour that won, or 0 for a draw.
    pub ended: Option<u8>,
    /// The proposal, from 1; 0 for none.
    pub proposed: u8,
    /// The decision, from 1; 0 for none.
    pub decided: u8,
    /// The votes of each colour, from 1.
    pub votes: [u8; 3],
    /// Origin and destination of the last move, and of the one before; -1 for none.
    pub last: [[i16; 2]; 2],
    /// Moves made.
    pub moves: u32,
    /// Turns begun.
    pub turns: u32,
    /// The value of the ludeme `counter`.
    pub counter: i32,
    /// The sites that the mover visited in this turn.
    pub visited: Bits<W>,
    /// Numbers of the last action and of the one before, plus one.
    pub last_actions: [u32; 2],
}

impl<const W: usize, const S: usize> Board<W, S> {
    /// An empty board, the first colour to move.
    pub fn new() -> Board<W, S> {
        Board {
            what: [[0; 64]; W],
            own: [Bits::EMPTY; 3],
            stacks: [[0; 64]; S],
            counts: [0; HANDS],
            mover: 1,
            previous: 0,
            swapped: false,
            again: false,
            stuck: false,
            phase: [0; 3],
            passes: 0,
            ended: None,
            proposed: 0,
            decided: 0,
            votes: [0; 3],
            last: [[-1; 2]; 2],
            moves: 0,
            turns: 1,
            counter: -1,
            visited: Bits::EMPTY,
            last_actions: [0; 2],
        }
    }

    /// The (top) piece on a site; 0 for an empty site.
    #[inline]
    pub fn piece(&self, site: usize) -> u8 {
        self.what[site / 64][site % 64]
    }

    #[inline]
    pub(super) fn set(&mut self, site: usize, piece: u8) {
        self.what[site / 64][site % 64] = piece;
    }

    /// All sites with a piece.
    #[inline]
    pub fn occupied(&self) -> Bits<W> {
        self.own[0].or(&self.own[1]).or(&self.own[2])
    }

    /// Number of pieces on a site.
    #[inline]
    pub fn height(&self, site: usize) -> usize {
        if S == 0 {
            return usize::from(self.piece(site) != 0);
        }
        (128 - self.stacks[0][site % 64].leading_zeros()).div_ceil(LEVEL) as usize
    }

    /// The piece on a level of a site, from 0; 0 for an empty level.
    #[inline]
    pub fn level(&self, site: usize, level: usize) -> u8 {
        if S == 0 {
            return if level == 0 { self.piece(site) } else { 0 };
        }
        let shift = u32::try_from(level).map_or(u32::MAX, |level| level.saturating_mul(LEVEL));
        if shift >= 128 { 0 } else { (self.stacks[0][site % 64] >> shift) as u8 & 15 }
    }

    /// Takes a piece out of a stack and returns it.
    pub(super) fn take_level(&mut self, site: usize, level: usize) -> u8 {
        let (piece, shift) = (self.level(site, level), (level as u32).wrapping_mul(LEVEL));
        if S > 0 && piece != 0 {
            let stack = self.stacks[0][site % 64];
            let below = stack & ((1 << shift) - 1);
            let above = if shift + LEVEL >= 128 { 0 } else { stack >> (shift + LEVEL) << shift };
            self.stacks[0][site % 64] = below | above;
        }
        piece
    }

    /// Puts a stack on top of the pieces on a site.
    pub(super) fn pile(&mut self, site: usize, stack: u128) {
        if S > 0 {
            let shift = self.height(site) as u32 * LEVEL;
            self.stacks[0][site % 64] |= if shift >= 128 { 0 } else { stack << shift };
        }
    }
}
