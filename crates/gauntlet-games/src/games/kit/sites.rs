//! Sets of sites, as bits.

/// Words for the 625 sites of the largest board.
const WORDS: usize = 10;

/// A set of sites of a board with at most 625, as bits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteSet {
    words: [u64; WORDS],
    used: usize,
}

impl SiteSet {
    /// No site of a board with `sites` sites.
    #[must_use]
    #[inline]
    pub fn new(sites: usize) -> SiteSet {
        SiteSet { words: [0; WORDS], used: sites.div_ceil(64) }
    }

    /// Every site of a board with `sites` sites.
    #[must_use]
    #[inline]
    pub fn all(sites: usize) -> SiteSet {
        let mut set = SiteSet::new(sites);
        (0..sites).for_each(|site| set.insert(site));
        set
    }

    /// Whether the site is in the set.
    #[must_use]
    #[inline]
    pub fn contains(&self, site: usize) -> bool {
        self.words[site / 64] >> (site % 64) & 1 != 0
    }

    /// Puts the site in.
    #[inline]
    pub fn insert(&mut self, site: usize) {
        self.words[site / 64] |= 1 << (site % 64);
    }

    /// Takes the site out.
    #[inline]
    pub fn remove(&mut self, site: usize) {
        self.words[site / 64] &= !(1 << (site % 64));
    }

    /// Takes all sites out.
    #[inline]
    pub fn clear(&mut self) {
        self.words[..self.used].fill(0);
    }

    /// Puts in every site of another set of the same board.
    #[inline]
    pub fn extend(&mut self, other: &SiteSet) {
        for (word, more) in self.words[..self.used].iter_mut().zip(&other.words) {
            *word |= more;
        }
    }

    /// Number of sites in the set.
    #[must_use]
    #[inline]
    pub fn len(&self) -> usize {
        self.words[..self.used].iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether no site is in the set.
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.words[..self.used].iter().all(|&word| word == 0)
    }

    /// The sites, ascending.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words[..self.used]
            .iter()
            .enumerate()
            .flat_map(|(index, &word)| bits(word).map(move |bit| index * 64 + bit))
    }

    /// The element with `nth` smaller ones, if the set is that large.
    #[must_use]
    #[inline]
    pub fn nth(&self, nth: usize) -> Option<usize> {
        let mut left = nth;
        for (index, &word) in self.words[..self.used].iter().enumerate() {
            let ones = word.count_ones() as usize;
            if left < ones {
                return Some(index * 64 + select(word, left));
            }
            left -= ones;
        }
        None
    }
}

/// The position of the one bit with `nth` lower ones, in a word with more than `nth`.
///
/// The ones up to each byte's end are counted at once; the result is in the first byte whose count exceeds `nth`.
#[inline]
pub(crate) fn select(word: u64, nth: usize) -> usize {
    const BYTES: u64 = 0x0101_0101_0101_0101;
    let pairs = word - ((word >> 1) & (0x55 * BYTES));
    let fours = (pairs & (0x33 * BYTES)) + ((pairs >> 2) & (0x33 * BYTES));
    let upto = ((fours + (fours >> 4)) & (0x0F * BYTES)).wrapping_mul(BYTES);
    // A byte's top bit is set if its count is at most `nth`; all counts are below 128.
    let passed = (((nth as u64 + 0x80) * BYTES - upto) >> 7) & BYTES;
    let skipped = 8 * (passed.wrapping_mul(BYTES) >> 56) as usize;
    let left = nth - (((upto << 8) >> skipped) & 0xFF) as usize;
    let rest = (0..left).fold(word >> skipped, |rest, _| rest & (rest - 1));
    skipped + rest.trailing_zeros() as usize
}

/// The positions of a word's one bits, ascending.
#[inline]
fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros() as usize);
        word &= word.wrapping_sub(1);
        bit
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_one_of_a_word_is_selected() {
        for word in [1, u64::MAX, 1 << 63, 0x8000_0000_0000_0001, 0x00F0_1234_0000_FFFF, 0xAAAA_AAAA_AAAA_AAAA] {
            for (nth, bit) in bits(word).enumerate() {
                assert_eq!(select(word, nth), bit, "{word:x} {nth}");
            }
        }
    }

    #[test]
    fn a_set_lists_what_was_put_in() {
        let mut set = SiteSet::new(625);
        for site in [624, 3, 64, 63, 300] {
            set.insert(site);
        }
        set.remove(300);
        assert_eq!(set.iter().collect::<Vec<_>>(), [3, 63, 64, 624]);
        assert_eq!(set.len(), 4);
        assert_eq!((0..5).map(|nth| set.nth(nth)).collect::<Vec<_>>(), [Some(3), Some(63), Some(64), Some(624), None]);
        assert!(set.contains(63) && !set.contains(300));
        set.clear();
        assert!(set.is_empty());
        assert_eq!(SiteSet::all(49).len(), 49);
    }
}
