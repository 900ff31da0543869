//! The earlier positions of a game, back to the first one that can recur or that the history needs.

/// Capacity: the positions possible without a capture or a pawn move by the usual draw rule, and those of the
/// history.
const ROOM: usize = 112;

/// Hashes of positions, the present one last.
#[derive(Debug)]
pub(super) struct PastPositions {
    hashes: Vec<u64>,
    /// The ply of the first hash.
    first: u32,
    /// The ply of the first position since the last capture or pawn move: earlier positions cannot recur.
    since: u32,
}

impl PastPositions {
    pub fn new() -> PastPositions {
        PastPositions { hashes: Vec::with_capacity(ROOM), first: 0, since: 0 }
    }

    /// An empty list without capacity.
    pub fn empty() -> PastPositions {
        PastPositions { hashes: Vec::new(), first: 0, since: 0 }
    }

    /// The ply of the first position that may recur.
    pub fn since(&self) -> u32 {
        self.since
    }

    /// Marks all positions so far as unable to recur.
    #[inline]
    pub fn leave_behind(&mut self) {
        self.since = self.first + self.hashes.len() as u32;
    }

    /// Adds the present position; if the capacity is exhausted, positions before ply `needed` are dropped.
    #[inline]
    pub fn push(&mut self, hash: u64, needed: impl Fn() -> u32) {
        if self.hashes.len() == self.hashes.capacity() {
            let needed = needed();
            self.hashes.drain(..(needed - self.first) as usize);
            self.first = needed;
        }
        self.hashes.push(hash);
    }

    /// Whether the present position has occurred `times` times; always false for 0.
    #[inline]
    pub fn has_come(&self, times: usize) -> bool {
        let (now, hashes) = (self.hashes.last(), &self.hashes[(self.since - self.first) as usize..]);
        // Only every other position has the same side to move.
        times > 0
            && hashes.len() > 2 * (times - 1)
            && hashes.iter().rev().step_by(2).filter(|&seen| Some(seen) == now).count() >= times
    }

    /// Number of other occurrences, before or after, of the position at a ply that is still stored.
    pub fn repetitions(&self, ply: u32) -> u32 {
        let hash = self.hashes[(ply - self.first) as usize];
        self.hashes.iter().filter(|&&seen| seen == hash).count() as u32 - 1
    }
}

/// A copy has the same capacity, so that playing on it does not allocate.
impl Clone for PastPositions {
    fn clone(&self) -> PastPositions {
        let mut hashes = Vec::with_capacity(self.hashes.capacity());
        hashes.extend_from_slice(&self.hashes);
        PastPositions { hashes, ..*self }
    }

    fn clone_from(&mut self, from: &PastPositions) {
        self.hashes.clone_from(&from.hashes);
        (self.first, self.since) = (from.first, from.since);
    }
}
