//! Keys of positions: 128 bits that tell positions under one set of rules apart, boards of any size among them.
//!
//! It is no cryptographic hash and not the same for every version of the program: it lives in memory only. Two lanes of
//! 64 bits each are a bijection of the word mixed in last, and spread each of its bits over all of theirs before the next
//! word comes: what the highest bits of a word change could otherwise be undone by the next word in both lanes at once.

use super::{Piece, View};
use crate::base::{Action, Side};

/// Odd numbers that spread bits well, two for each lane: Steele, Lea and Flood 2014 (mix64), and Appleby's MurmurHash3.
const FACTORS: [[u64; 2]; 2] =
    [[0xBF58_476D_1CE4_E5B9, 0x94D0_49BB_1331_11EB], [0xFF51_AFD7_ED55_8CCD, 0xC4CE_B9FE_1A85_EC53]];

/// Mixes words into a key.
#[derive(Debug, Clone)]
pub(super) struct Mixer([u64; 2]);

impl Mixer {
    /// A key of a position on so many sites, with this side to move, and over or not.
    pub fn new(sites: usize, side: Side, over: bool) -> Mixer {
        let mut mixer = Mixer([1, 2]);
        mixer.word(side.index() as u64 + 2 * u64::from(over) + 4 * sites as u64);
        mixer
    }

    /// Mixes a word in.
    pub fn word(&mut self, word: u64) {
        for (lane, [one, two]) in self.0.iter_mut().zip(FACTORS) {
            let mut mixed = *lane ^ word;
            mixed = (mixed ^ (mixed >> 32)).wrapping_mul(one);
            mixed = (mixed ^ (mixed >> 29)).wrapping_mul(two);
            *lane = mixed ^ (mixed >> 32);
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
pub(super) fn of(view: &View, actions: &[Action]) -> u128 {
    let mut mixer = Mixer::new(view.pieces.len(), view.side, actions.is_empty());
    mixer.pieces(&view.pieces);
    view.scalars.iter().for_each(|scalar| mixer.word(u64::from(scalar.to_bits())));
    mixer.actions(actions);
    mixer.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

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

    /// Of a board in two words, discs that change their owner, or their square.
    #[test]
    fn no_bit_of_a_word_is_undone_by_the_next_word() {
        let key = |words: [u64; 2]| {
            let mut mixer = Mixer::new(64, Side::First, false);
            words.into_iter().for_each(|word| mixer.word(word));
            mixer.finish()
        };
        let discs = [0x0102_0408_1020_4080, 0x9E37_79B9_7F4A_7C15];
        for changed in (0..64).map(|bit| 1u64 << bit) {
            for other in 0..64 {
                for third in other..64 {
                    let undone = [discs[0] ^ changed, discs[1] ^ (1 << other | 1 << third)];
                    assert_ne!(key(undone), key(discs), "{changed} {other} {third}");
                }
            }
        }
    }
}
