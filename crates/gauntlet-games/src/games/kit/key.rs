//! Position keys: 128-bit hashes that distinguish positions under one set of rules, for boards of any size.
//!
//! The hash is not cryptographic and may differ between versions of the program: it lives in memory only. Two lanes
//! of 64 bits multiply every word by their own factor and fold the whole product of 128 bits. The upper half of the
//! product would not suffice: its top bits depend on few input bits, and in the same way in both lanes, so that one
//! changed stone could cancel another.

use super::{Piece, View};
use crate::base::{Action, Side};

/// Odd numbers with about as many ones as zeros.
const FACTORS: [u64; 2] = [0x9E37_79B9_7F4A_7C15, 0xD6E8_FEB8_6659_FD93];

/// Mixes words into a key.
#[derive(Debug, Clone)]
pub(crate) struct Mixer([u64; 2]);

impl Mixer {
    /// Starts a key of a position with `sites` sites, this side to move, and over or not.
    pub fn new(sites: usize, side: Side, over: bool) -> Mixer {
        let mut mixer = Mixer([1, 2]);
        mixer.word(side.index() as u64 + 2 * u64::from(over) + 4 * sites as u64);
        mixer
    }

    /// Continues from a key.
    pub fn of(key: u128) -> Mixer {
        Mixer([(key >> 64) as u64, key as u64])
    }

    /// Mixes a word in.
    pub fn word(&mut self, word: u64) {
        for (lane, factor) in self.0.iter_mut().zip(FACTORS) {
            let product = u128::from(*lane ^ word) * u128::from(factor);
            *lane = (product as u64) ^ (product >> 64) as u64;
        }
    }

    /// Mixes pieces in, eight to a word.
    pub fn pieces(&mut self, pieces: &[Piece]) {
        for eight in pieces.chunks(8) {
            let word = eight.iter().fold(0, |word: u64, piece| word << 8 | u64::from(piece.code()));
            self.word(word);
        }
    }

    /// Mixes actions in.
    pub fn actions(&mut self, actions: &[Action]) {
        actions.iter().for_each(|action| self.word(u64::from(action.0)));
    }

    /// The key.
    pub fn finish(mut self) -> u128 {
        self.word(0);
        self.word(0);
        u128::from(self.0[0]) << 64 | u128::from(self.0[1])
    }
}

/// The key of a position that shows this view and has these legal actions.
pub(crate) fn of(view: &View, actions: &[Action]) -> u128 {
    let mut mixer = Mixer::new(view.pieces.len(), view.side, actions.is_empty());
    mixer.pieces(&view.pieces);
    view.counts.iter().for_each(|&count| mixer.word(u64::from(count)));
    view.scalars.iter().for_each(|scalar| mixer.word(u64::from(scalar.to_bits())));
    mixer.actions(actions);
    mixer.finish()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_stone_undoes_another() {
        let bits = || (0..64).map(|bit| 1u64 << bit);
        let pairs = || bits().flat_map(|one| bits().map(move |other| one | other));
        let mut keys = HashSet::new();
        let mut count = 0;
        for first in std::iter::once(0).chain(bits()) {
            for second in std::iter::once(0).chain(pairs().collect::<HashSet<u64>>()) {
                let mut mixer = Mixer::new(64, Side::First, false);
                mixer.word(first);
                mixer.word(second);
                keys.insert(mixer.finish());
                count += 1;
            }
        }
        assert_eq!((keys.len(), count), (count, 65 * 2081));
    }

    #[test]
    fn every_bit_of_a_word_reaches_about_half_of_the_key() {
        let key = |word| {
            let mut mixer = Mixer::new(9, Side::First, false);
            mixer.word(word);
            mixer.word(0);
            mixer.finish()
        };
        for bit in 0..64 {
            let changed = (key(0) ^ key(1 << bit)).count_ones();
            assert!((30..98).contains(&changed), "bit {bit} changes {changed}");
        }
    }
}
