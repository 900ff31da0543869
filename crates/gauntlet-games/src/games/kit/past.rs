//! What was played before a position, for those who look back: written when it is asked for, so that views cost no more.
//!
//! Checked on paper against chess networks (eight positions with their repetitions, and the plies), described games (the
//! last two actions) and Go (the last action): each is a [`Lookback`], and what it says decides what a cache may remember.

use super::key::Mixer;
use super::{Piece, View};
use crate::base::Action;

/// How far back somebody looks beyond what a position's key tells. It decides which answers a cache takes for one another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Lookback {
    /// How many of the last actions.
    pub actions: u8,
    /// How many positions, the present one among them, with their repetitions, and the plies of the game.
    pub positions: u8,
}

impl Lookback {
    /// The position alone.
    pub const NONE: Lookback = Lookback { actions: 0, positions: 0 };
    /// The action played last too.
    pub const LAST: Lookback = Lookback { actions: 1, positions: 0 };

    /// Whether who keeps this much can show it to those who look back so far.
    #[must_use]
    #[inline]
    pub fn covers(self, wanted: Lookback) -> bool {
        self.actions >= wanted.actions && self.positions >= wanted.positions
    }
}

/// What a game remembers of what was played, the latest first. A reused buffer: [`super::Position::past`] overwrites all
/// of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Past {
    /// The last actions.
    pub actions: Vec<Action>,
    /// The last positions: what stood where, `[positions][sites * levels]`, as in [`View::pieces`].
    pub pieces: Vec<Piece>,
    /// Of each of those positions: how often it has come in the game until now, beside this once.
    pub repetitions: Vec<u32>,
    /// Plies since the start of the game; 0 where no position is asked for.
    pub plies: u32,
    /// Room for those who find the last action in their view.
    pub(crate) view: View,
}

impl Past {
    /// An empty buffer.
    #[must_use]
    #[inline]
    pub fn new() -> Past {
        Past::default()
    }

    /// Forgets all; the memory stays.
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

    /// What stood where so many plies ago, `[sites * levels]`.
    ///
    /// # Panics
    /// Unless `plies` is below the number of positions.
    #[must_use]
    #[inline]
    pub fn position(&self, plies: usize) -> &[Piece] {
        let size = self.pieces.len() / self.positions();
        &self.pieces[plies * size..(plies + 1) * size]
    }

    /// The key of a position together with all of this.
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
