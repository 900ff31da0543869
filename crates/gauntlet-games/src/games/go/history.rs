//! The set of earlier positions in a game: a list of hashes behind a small filter.
//!
//! The filter, two bits of a kilobit for each hash, answers nearly all queries with "no"; the others search the list.

/// Words of the filter.
const WORDS: usize = 16;

/// The hashes of earlier positions, with capacity for a whole game.
#[derive(Debug)]
pub(super) struct History {
    hashes: Vec<u64>,
    filter: [u64; WORDS],
}

impl History {
    /// An empty history with this capacity.
    pub fn new(room: usize) -> History {
        History { hashes: Vec::with_capacity(room), filter: [0; WORDS] }
    }

    /// Adds a position.
    #[inline]
    pub fn insert(&mut self, hash: u64) {
        self.hashes.push(hash);
        for part in [hash, hash >> 10] {
            let (word, bit) = spot(part);
            self.filter[word] |= bit;
        }
    }

    /// Whether this position has been added.
    #[inline]
    pub fn contains(&self, hash: u64) -> bool {
        let set = |part| {
            let (word, bit) = spot(part);
            self.filter[word] & bit != 0
        };
        set(hash) && set(hash >> 10) && self.hashes.contains(&hash)
    }
}

/// A copy has the same capacity, so that playing on it does not allocate.
impl Clone for History {
    fn clone(&self) -> History {
        let mut hashes = Vec::with_capacity(self.hashes.capacity());
        hashes.extend_from_slice(&self.hashes);
        History { hashes, filter: self.filter }
    }
}

/// The filter bit of ten bits of a hash: word and bit.
#[inline]
fn spot(part: u64) -> (usize, u64) {
    ((part >> 6) as usize % WORDS, 1 << (part % 64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Seed;
    use rand::RngExt as _;

    #[test]
    fn what_was_noted_is_known_and_nothing_else() {
        let mut rng = Seed::new(1).rng();
        let hashes: Vec<u64> = (0..2000).map(|_| rng.random()).collect();
        let mut history = History::new(1000);
        hashes[..1000].iter().for_each(|&hash| history.insert(hash));
        let copy = history.clone();
        assert!(hashes[..1000].iter().all(|&hash| copy.contains(hash)));
        assert!(!hashes[1000..].iter().any(|&hash| copy.contains(hash)));
        assert_eq!(copy.hashes.capacity(), history.hashes.capacity());
    }
}
