//! The positions of a game that have come, as far as the last ones may have come before.

/// Room for as many positions as there may be without a capture or a move of a pawn, by the usual rule of draws, and as
/// many more as can be looked back on.
const ROOM: usize = 112;

/// Hashes of positions, the present one last.
#[derive(Debug)]
pub(super) struct Seen {
    hashes: Vec<u64>,
    /// The ply of the first of them.
    first: u32,
    /// The ply of the first one since the last capture or move of a pawn: none before it can come again.
    since: u32,
}

impl Seen {
    pub fn new() -> Seen {
        Seen { hashes: Vec::with_capacity(ROOM), first: 0, since: 0 }
    }

    /// No room yet.
    pub fn empty() -> Seen {
        Seen { hashes: Vec::new(), first: 0, since: 0 }
    }

    /// The ply of the first position that may come again.
    pub fn since(&self) -> u32 {
        self.since
    }

    /// None of these positions can come again.
    #[inline]
    pub fn leave_behind(&mut self) {
        self.since = self.first + self.hashes.len() as u32;
    }

    /// Notes the present position; where there is no room, those before ply `needed` are forgotten.
    #[inline]
    pub fn push(&mut self, hash: u64, needed: impl Fn() -> u32) {
        if self.hashes.len() == self.hashes.capacity() {
            let needed = needed();
            self.hashes.drain(..(needed - self.first) as usize);
            self.first = needed;
        }
        self.hashes.push(hash);
    }

    /// Whether the present position has come `times` times; never for 0.
    #[inline]
    pub fn has_come(&self, times: usize) -> bool {
        let (now, hashes) = (self.hashes.last(), &self.hashes[(self.since - self.first) as usize..]);
        // Only every other position has the same side to move.
        times > 0
            && hashes.len() > 2 * (times - 1)
            && hashes.iter().rev().step_by(2).filter(|&seen| Some(seen) == now).count() >= times
    }

    /// How often the position of a ply that is not forgotten has come, beside this once, before or after.
    pub fn repetitions(&self, ply: u32) -> u32 {
        let hash = self.hashes[(ply - self.first) as usize];
        self.hashes.iter().filter(|&&seen| seen == hash).count() as u32 - 1
    }
}

/// A copy has as much room, so that playing on it allocates nothing.
impl Clone for Seen {
    fn clone(&self) -> Seen {
        let mut hashes = Vec::with_capacity(self.hashes.capacity());
        hashes.extend_from_slice(&self.hashes);
        Seen { hashes, ..*self }
    }

    fn clone_from(&mut self, from: &Seen) {
        self.hashes.clone_from(&from.hashes);
        (self.first, self.since) = (from.first, from.since);
    }
}
