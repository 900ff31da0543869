//! Random words for the parts of a chess position: the xor of them is a hash that moves can update.
//!
//! After A. L. Zobrist, "A New Hashing Method with Application for Game Playing" (1970).

use super::kind::Kind;
use crate::base::Side;

/// Words by side, kind and square, then by rights to castle, then that of the side to move.
const WORDS: [u64; 2 * 6 * 64 + 16 + 1] = words();

/// The second side's being to move.
pub(super) const SIDE: u64 = WORDS[2 * 6 * 64 + 16];

/// A piece on its square.
#[inline]
pub(super) fn piece(side: Side, kind: Kind, square: u32) -> u64 {
    static TABLE: [u64; 2 * 6 * 64 + 16 + 1] = WORDS;
    TABLE[(side as usize * 6 + kind as usize) * 64 + square as usize]
}

/// Rights to castle; nothing for none.
#[inline]
pub(super) fn castling(rights: u8) -> u64 {
    static TABLE: [u64; 2 * 6 * 64 + 16 + 1] = WORDS;
    if rights == 0 { 0 } else { TABLE[2 * 6 * 64 + rights as usize] }
}

/// The square of a capture in passing, mixed so that it is no other part's word.
#[inline]
pub(super) fn passant(square: u32) -> u64 {
    mixed(u64::from(square) + 1_000_000)
}

/// Words of the SplitMix64 generator (Steele, Lea and Flood 2014).
const fn words() -> [u64; 2 * 6 * 64 + 16 + 1] {
    let mut words = [0; 2 * 6 * 64 + 16 + 1];
    let mut at = 0;
    while at < words.len() {
        words[at] = mixed(at as u64 + 1);
        at += 1;
    }
    words
}

const fn mixed(index: u64) -> u64 {
    let word = index.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let word = (word ^ word >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let word = (word ^ word >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ word >> 31
}
