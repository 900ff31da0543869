//! Which positions have been on the board: a list of hashes behind a small filter.
//!
//! Nearly all questions are answered "no" by the filter, two bits of a kilobit for each hash; the others look through
//! the list.

/// Words of the filter.
const WORDS: usize = 16;

/// The hashes of earlier positions, with room for all of a game's.
#[derive(Debug)]
pub(super) struct History {
    hashes: Vec<u64>,
    filter: [u64; WORDS],
}

impl History {
    /// Nothing, and room for so many.
    pub fn new(room: usize) -> History {
        History { hashes: Vec::with_capacity(room), filter: [0; WORDS] }
    }

    /// Notes a position.
    #[inline]
    pub fn insert(&mut self, hash: u64) {
        self.hashes.push(hash);
        for part in [hash, hash >> 10] {
            let (word, bit) = spot(part);
            self.filter[word] |= bit;
        }
    }

    /// Whether this position has been noted.
    #[inline]
    pub fn contains(&self, hash: u64) -> bool {
        let set = |part| {
            let (word, bit) = spot(part);
            self.filter[word] & bit != 0
        };
        set(hash) && set(hash >> 10) && self.hashes.contains(&hash)
    }
}

/// A copy has as much room, so that playing on it allocates nothing.
impl Clone for History {
    fn clone(&self) -> History {
        let mut hashes = Vec::with_capacity(self.hashes.capacity());
        hashes.extend_from_slice(&self.hashes);
        History { hashes, filter: self.filter }
    }
}

/// The bit of the filter for ten bits of a hash: its word, and the bit there.
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
