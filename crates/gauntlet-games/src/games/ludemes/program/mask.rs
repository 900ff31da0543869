//! Sets of sites in the compiler.

/// Maximum number of sites of a game, hands included.
pub const MOST_SITES: usize = 384;

/// A set of sites.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Mask(pub [u64; MOST_SITES / 64]);

impl Mask {
    /// The sites below a number.
    pub fn below(sites: usize) -> Mask {
        Mask::of(0..sites)
    }

    /// A set of these sites; numbers beyond the maximum are ignored.
    pub fn of(sites: impl IntoIterator<Item = usize>) -> Mask {
        let mut mask = Mask::default();
        sites.into_iter().filter(|&site| site < MOST_SITES).for_each(|site| mask.0[site / 64] |= 1 << (site % 64));
        mask
    }

    /// Whether a site is in the set.
    pub fn has(&self, site: usize) -> bool {
        self.0.get(site / 64).is_some_and(|word| word >> (site % 64) & 1 != 0)
    }

    /// The sites, ascending.
    pub fn sites(&self) -> impl Iterator<Item = usize> + '_ {
        (0..MOST_SITES).filter(|&site| self.has(site))
    }

    /// Combines the words of two sets.
    pub fn with(&self, other: &Mask, combine: impl Fn(u64, u64) -> u64) -> Mask {
        Mask(std::array::from_fn(|word| combine(self.0[word], other.0[word])))
    }
}
