//! Zobrist hashing: random words for the parts of a chess position; their xor is a hash that moves can update.
//!
//! After A. L. Zobrist, "A New Hashing Method with Application for Game Playing" (1970).

use crate::base::{Chessman, Side};

/// Words by side, kind and square, then by castling rights, then that of the side to move.
const WORDS: [u64; 2 * 6 * 64 + 16 + 1] = words();

/// The word for the second side to move.
pub(super) const SIDE: u64 = WORDS[2 * 6 * 64 + 16];

/// The word of a piece on its square.
#[inline]
pub(super) fn piece(side: Side, kind: Chessman, square: u32) -> u64 {
    static TABLE: [u64; 2 * 6 * 64 + 16 + 1] = WORDS;
    TABLE[(side as usize * 6 + kind as usize) * 64 + square as usize]
}

/// The word of castling rights; 0 for none.
#[inline]
pub(super) fn castling(rights: u8) -> u64 {
    static TABLE: [u64; 2 * 6 * 64 + 16 + 1] = WORDS;
    if rights == 0 { 0 } else { TABLE[2 * 6 * 64 + rights as usize] }
}

/// The word of an en passant square, mixed to differ from all other words.
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
