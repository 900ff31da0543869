//! Sets of sites during play, with as many words as the game needs.

use super::super::program::Mask;

/// A set of sites below `64 * W`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bits<const W: usize>(pub [u64; W]);

impl<const W: usize> Bits<W> {
    /// No site.
    pub const EMPTY: Bits<W> = Bits([0; W]);

    /// Converts a set from the compiler.
    pub fn from_mask(mask: &Mask) -> Bits<W> {
        Bits(std::array::from_fn(|word| mask.0[word]))
    }

    /// A set of one site; empty if the number is negative.
    #[inline]
    pub fn single(site: i32) -> Bits<W> {
        let mut bits = Bits::EMPTY;
        if site >= 0 && (site as usize) < 64 * W {
            bits.insert(site as usize);
        }
        bits
    }

    /// Whether a site is in the set.
    #[inline]
    pub fn has(&self, site: usize) -> bool {
        self.0[site / 64] >> (site % 64) & 1 != 0
    }

    /// Whether a site is in the set; false for a negative one.
    #[inline]
    pub fn holds(&self, site: i32) -> bool {
        site >= 0 && (site as usize) < 64 * W && self.has(site as usize)
    }

    /// Puts a site in.
    #[inline]
    pub fn insert(&mut self, site: usize) {
        self.0[site / 64] |= 1 << (site % 64);
    }

    /// Takes a site out.
    #[inline]
    pub fn remove(&mut self, site: usize) {
        self.0[site / 64] &= !(1 << (site % 64));
    }

    /// Whether there is no site.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    /// Number of sites.
    #[inline]
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The lowest site, or -1.
    #[inline]
    pub fn first(&self) -> i32 {
        self.into_iter().next().map_or(-1, |site| site as i32)
    }

    /// Sites in both sets.
    #[inline]
    pub fn and(&self, other: &Bits<W>) -> Bits<W> {
        Bits(std::array::from_fn(|word| self.0[word] & other.0[word]))
    }

    /// Sites in either set.
    #[inline]
    pub fn or(&self, other: &Bits<W>) -> Bits<W> {
        Bits(std::array::from_fn(|word| self.0[word] | other.0[word]))
    }

    /// Sites in this set but not in the other.
    #[inline]
    pub fn without(&self, other: &Bits<W>) -> Bits<W> {
        Bits(std::array::from_fn(|word| self.0[word] & !other.0[word]))
    }

    /// The set with a number added to each site; sites outside `64 * W` are dropped.
    #[inline]
    pub fn shifted(&self, by: i32) -> Bits<W> {
        let (words, bits) = ((by.unsigned_abs() / 64) as usize, by.unsigned_abs() % 64);
        let word = |index: Option<usize>| index.and_then(|index| self.0.get(index)).copied().unwrap_or(0);
        // The bits carried from the neighbouring word; none if whole words are shifted.
        let over = |word: u64| if bits == 0 { [0; 2] } else { [word << (64 - bits), word >> (64 - bits)] };
        Bits(std::array::from_fn(|at| {
            if by < 0 {
                word(Some(at + words)) >> bits | over(word(Some(at + words + 1)))[0]
            } else {
                word(at.checked_sub(words)) << bits | over(word(at.checked_sub(words + 1)))[1]
            }
        }))
    }

    /// Whether the sets have a common site.
    #[inline]
    pub fn meets(&self, other: &Bits<W>) -> bool {
        self.0.iter().zip(&other.0).any(|(one, other)| one & other != 0)
    }

    /// The element with `nth` smaller ones, in a set with more than `nth`.
    #[inline]
    pub fn nth(&self, nth: usize) -> usize {
        let mut left = nth;
        for (index, &word) in self.0.iter().enumerate() {
            let ones = word.count_ones() as usize;
            if left < ones {
                return index * 64 + super::super::super::kit::sites::select(word, left);
            }
            left -= ones;
        }
        0
    }
}

impl<const W: usize> IntoIterator for Bits<W> {
    type Item = usize;
    type IntoIter = Sites<W>;
    #[inline]
    fn into_iter(self) -> Sites<W> {
        Sites { words: self.0, at: 0 }
    }
}

/// The sites of a set, ascending.
#[derive(Debug, Clone)]
pub struct Sites<const W: usize> {
    words: [u64; W],
    at: usize,
}

impl<const W: usize> Iterator for Sites<W> {
    type Item = usize;
    #[inline]
    fn next(&mut self) -> Option<usize> {
        while self.at < W {
            let word = self.words[self.at];
            if word != 0 {
                self.words[self.at] = word & (word - 1);
                return Some(self.at * 64 + word.trailing_zeros() as usize);
            }
            self.at += 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_shifted_over_the_ends_of_its_words() {
        for by in [-129, -128, -65, -64, -9, -1, 0, 1, 7, 63, 64, 66, 128, 130] {
            let sites = [0, 1, 62, 63, 64, 65, 100, 127];
            let mut set = Bits::<2>::EMPTY;
            sites.into_iter().for_each(|site| set.insert(site));
            let moved: Vec<usize> = sites.iter().filter_map(|&site| usize::try_from(site as i32 + by).ok()).collect();
            let expected: Vec<usize> = moved.into_iter().filter(|&site| site < 128).collect();
            assert_eq!(set.shifted(by).into_iter().collect::<Vec<_>>(), expected, "{by}");
        }
    }
}
