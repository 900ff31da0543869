//! The history before a position, for encoders and caches: written on request, so that views stay cheap.
//!
//! Designed to cover chess networks (eight positions with their repetitions, and the plies), described games (the
//! last two actions) and Go (the last action). Each is a [`Lookback`], which decides the entries that a cache may
//! share.

use super::key::Mixer;
use super::{Piece, View};
use crate::base::Action;

/// The history that a reader needs beyond a position's key. It decides which answers a cache may share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Lookback {
    /// Number of last actions.
    pub actions: u8,
    /// Number of positions, including the present one, with their repetitions and the plies of the game.
    pub positions: u8,
}

impl Lookback {
    /// Only the position.
    pub const NONE: Lookback = Lookback { actions: 0, positions: 0 };
    /// Also the last action.
    pub const LAST: Lookback = Lookback { actions: 1, positions: 0 };

    /// Whether this history contains the wanted one.
    #[must_use]
    #[inline]
    pub fn covers(self, wanted: Lookback) -> bool {
        self.actions >= wanted.actions && self.positions >= wanted.positions
    }
}

/// The history that a game keeps, the latest first. A reused buffer: [`super::Position::past`] overwrites all of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Past {
    /// The last actions.
    pub actions: Vec<Action>,
    /// The last positions: the piece on each level, `[positions][sites * levels]`, as in [`View::pieces`].
    pub pieces: Vec<Piece>,
    /// Number of other occurrences of each of those positions in the game so far.
    pub repetitions: Vec<u32>,
    /// Plies since the start of the game; 0 if no position was requested.
    pub plies: u32,
    /// A buffer for finding the last action in the view.
    pub(crate) view: View,
}

impl Past {
    /// An empty buffer.
    #[must_use]
    #[inline]
    pub fn new() -> Past {
        Past::default()
    }

    /// Clears everything and keeps the memory.
    #[inline]
    pub fn clear(&mut self) {
        self.actions.clear();
        self.pieces.clear();
        self.repetitions.clear();
        self.plies = 0;
    }

    /// Number of positions.
    #[must_use]
    #[inline]
    pub fn positions(&self) -> usize {
        self.repetitions.len()
    }

    /// The pieces `plies` plies ago, `[sites * levels]`.
    ///
    /// # Panics
    /// If `plies` is not below the number of positions.
    #[must_use]
    #[inline]
    pub fn position(&self, plies: usize) -> &[Piece] {
        let size = self.pieces.len() / self.positions();
        &self.pieces[plies * size..(plies + 1) * size]
    }

    /// The key of a position combined with this history.
    #[inline]
    pub(crate) fn mixed(&self, key: u128) -> u128 {
        let mut mixer = Mixer::of(key);
        mixer.word((self.actions.len() as u64) << 32 | self.positions() as u64);
        mixer.actions(&self.actions);
        mixer.pieces(&self.pieces);
        self.repetitions.iter().for_each(|&times| mixer.word(u64::from(times)));
        mixer.word(u64::from(self.plies));
        mixer.finish()
    }
}
