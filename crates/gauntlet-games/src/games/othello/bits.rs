//! Sets of squares in `W` words: shifts, unions and masks that the compiler unrolls.
//!
//! The loops are plain, as the insides of `array::map` and `zip` are not inlined in a crate that is built in several
//! units.
//!
//! [`crate::games::SiteSet`] is the set for any board; this set has its size in its type and can be shifted.

use super::super::kit::sites::select;
use std::ops::{BitAnd, BitOr, BitOrAssign, Not};

/// A set of squares; square `s` is bit `s % 64` of word `s / 64`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SquareSet<const W: usize>(pub [u64; W]);

impl<const W: usize> SquareSet<W> {
    /// No square.
    pub const EMPTY: SquareSet<W> = SquareSet([0; W]);

    /// These squares.
    #[inline]
    pub fn of(squares: impl IntoIterator<Item = usize>) -> SquareSet<W> {
        let mut bits = SquareSet::EMPTY;
        squares.into_iter().for_each(|square| bits.0[square / 64] |= 1 << (square % 64));
        bits
    }

    /// Whether no square is in the set.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.iter().fold(0, |all, word| all | word) == 0
    }

    /// Number of squares in the set.
    #[inline]
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Every square moved on by `by`, 1 to 63; those moved past the last bit are lost.
    #[inline]
    pub fn up(&self, by: usize) -> SquareSet<W> {
        let mut moved = [0; W];
        for (index, word) in moved.iter_mut().enumerate() {
            let carried = if index == 0 { 0 } else { self.0[index - 1] >> (64 - by) };
            *word = self.0[index] << by | carried;
        }
        SquareSet(moved)
    }

    /// Every square moved back by `by`, 1 to 63; those moved before the first bit are lost.
    #[inline]
    pub fn down(&self, by: usize) -> SquareSet<W> {
        let mut moved = [0; W];
        for (index, word) in moved.iter_mut().enumerate() {
            let carried = if index + 1 == W { 0 } else { self.0[index + 1] << (64 - by) };
            *word = self.0[index] >> by | carried;
        }
        SquareSet(moved)
    }

    /// The squares, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        let words = self.0;
        words.into_iter().enumerate().flat_map(|(index, mut word)| {
            std::iter::from_fn(move || {
                let bit = (word != 0).then(|| word.trailing_zeros() as usize);
                word &= word.wrapping_sub(1);
                bit.map(|bit| index * 64 + bit)
            })
        })
    }

    /// The element with `nth` smaller ones, in a set with more than `nth`.
    #[inline]
    pub fn nth(&self, mut nth: usize) -> usize {
        for (index, &word) in self.0.iter().enumerate() {
            let ones = word.count_ones() as usize;
            if nth < ones {
                return index * 64 + select(word, nth);
            }
            nth -= ones;
        }
        unreachable!("the set has more squares than that")
    }
}

impl<const W: usize> BitAnd for SquareSet<W> {
    type Output = SquareSet<W>;

    #[inline]
    fn bitand(self, other: SquareSet<W>) -> SquareSet<W> {
        let mut both = self.0;
        for (index, word) in both.iter_mut().enumerate() {
            *word &= other.0[index];
        }
        SquareSet(both)
    }
}

impl<const W: usize> BitOr for SquareSet<W> {
    type Output = SquareSet<W>;

    #[inline]
    fn bitor(self, other: SquareSet<W>) -> SquareSet<W> {
        let mut either = self.0;
        for (index, word) in either.iter_mut().enumerate() {
            *word |= other.0[index];
        }
        SquareSet(either)
    }
}

impl<const W: usize> BitOrAssign for SquareSet<W> {
    #[inline]
    fn bitor_assign(&mut self, other: SquareSet<W>) {
        *self = *self | other;
    }
}

impl<const W: usize> Not for SquareSet<W> {
    type Output = SquareSet<W>;

    #[inline]
    fn not(self) -> SquareSet<W> {
        let mut others = self.0;
        for word in &mut others {
            *word = !*word;
        }
        SquareSet(others)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shifts_carry_between_words() {
        let set = SquareSet::<3>::of([0, 60, 63, 100, 190]);
        assert_eq!(set.up(5).iter().collect::<Vec<_>>(), [5, 65, 68, 105]);
        assert_eq!(set.down(5).iter().collect::<Vec<_>>(), [55, 58, 95, 185]);
        assert_eq!((set.len(), set.nth(3)), (5, 100));
        assert!(!set.is_empty() && SquareSet::<3>::EMPTY.is_empty());
        assert_eq!((set & !SquareSet::of([60]) | SquareSet::of([1])).iter().collect::<Vec<_>>(), [0, 1, 63, 100, 190]);
    }
}
