//! Chains of joined stones that grow and are removed; testing for a liberty or for atari takes a few instructions.
//!
//! As in [`super::super::kit::groups`], a chain counts a liberty once for each stone that touches it, and all
//! liberties are the same site exactly if count x squares = sum x sum. Each stone stores its chain, and the stones of
//! a chain form a ring, which is traversed when the chain is removed or merged.

/// One stone; the head of a chain describes the whole chain.
#[derive(Debug, Clone, Copy, Default)]
struct ChainStone {
    head: u16,
    next: u16,
    stones: u16,
    touches: u16,
    sum: u32,
    squares: u32,
    hash: u64,
}

/// The chains of a board, named by the site of one of their stones.
#[derive(Debug, Clone)]
pub(super) struct Chains(Box<[ChainStone]>);

impl Chains {
    /// No stones on `sites` sites (at most 625, so that no sum overflows).
    pub fn new(sites: usize) -> Chains {
        Chains(vec![ChainStone::default(); sites].into_boxed_slice())
    }

    /// Creates a chain: one stone with this hash, no liberties yet.
    #[inline]
    pub fn found(&mut self, site: usize, hash: u64) {
        let alone = site as u16;
        self.0[site] = ChainStone { head: alone, next: alone, stones: 1, hash, ..ChainStone::default() };
    }

    /// The chain of the stone on this site.
    #[inline]
    pub fn of(&self, site: usize) -> usize {
        usize::from(self.0[site].head)
    }

    /// Number of stones in a chain.
    #[inline]
    pub fn stones(&self, chain: usize) -> usize {
        usize::from(self.0[chain].stones)
    }

    /// The exclusive or of the hashes of the chain's stones.
    #[inline]
    pub fn hash(&self, chain: usize) -> u64 {
        self.0[chain].hash
    }

    /// Adds a liberty: a stone of the chain touches this empty site.
    #[inline]
    pub fn touch(&mut self, chain: usize, site: usize) {
        let (head, site) = (&mut self.0[chain], site as u32);
        head.touches += 1;
        head.sum += site;
        head.squares += site * site;
    }

    /// Removes a liberty: this site, which a stone of the chain touches, is no longer empty.
    #[inline]
    pub fn untouch(&mut self, chain: usize, site: usize) {
        let (head, site) = (&mut self.0[chain], site as u32);
        head.touches -= 1;
        head.sum -= site;
        head.squares -= site * site;
    }

    /// Whether the chain has no liberty.
    #[inline]
    pub fn is_dead(&self, chain: usize) -> bool {
        self.0[chain].touches == 0
    }

    /// Whether the chain, which has a liberty, has exactly one.
    #[inline]
    pub fn is_in_atari(&self, chain: usize) -> bool {
        let head = &self.0[chain];
        let (touches, sum, squares) = (u64::from(head.touches), u64::from(head.sum), u64::from(head.squares));
        touches * squares == sum * sum
    }

    /// Merges two chains and returns the result.
    #[inline]
    pub fn join(&mut self, one: usize, other: usize) -> usize {
        if one == other {
            return one;
        }
        let (head, absorbed) = if self.0[one].stones < self.0[other].stones { (other, one) } else { (one, other) };
        let joined = self.0[absorbed];
        let mut site = absorbed;
        for _ in 0..joined.stones {
            self.0[site].head = head as u16;
            site = usize::from(self.0[site].next);
        }
        self.0[absorbed].next = self.0[head].next;
        let into = &mut self.0[head];
        into.next = joined.next;
        into.stones += joined.stones;
        into.touches += joined.touches;
        into.sum += joined.sum;
        into.squares += joined.squares;
        into.hash ^= joined.hash;
        head
    }

    /// The next stone in the ring of a chain.
    #[inline]
    pub fn next(&self, site: usize) -> usize {
        usize::from(self.0[site].next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_chains_are_one_ring() {
        let mut chains = Chains::new(25);
        for site in [6, 7, 8, 13] {
            chains.found(site, 1 << site);
        }
        chains.touch(6, 5);
        chains.touch(8, 9);
        let (left, right) = (chains.join(6, 7), chains.join(13, 8));
        let chain = chains.join(left, right);
        let mut ring: Vec<usize> = std::iter::successors(Some(6), |&site| Some(chains.next(site))).take(4).collect();
        assert_eq!(chains.next(ring[3]), 6);
        ring.sort_unstable();
        assert_eq!(ring, [6, 7, 8, 13]);
        assert!(ring.iter().all(|&site| chains.of(site) == chain));
        assert_eq!((chains.stones(chain), chains.hash(chain)), (4, 1 << 6 | 1 << 7 | 1 << 8 | 1 << 13));
        assert!(!chains.is_dead(chain) && !chains.is_in_atari(chain));
        chains.untouch(chain, 5);
        assert!(chains.is_in_atari(chain));
        chains.untouch(chain, 9);
        assert!(chains.is_dead(chain));
    }
}
