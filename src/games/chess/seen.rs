//! The positions of a game that may come again.

/// Room for as many positions as there may be without a capture or a move of a pawn, by the usual rule of draws.
const ROOM: usize = 104;

/// Hashes of the positions since the last capture or move of a pawn, the present one last.
#[derive(Debug)]
pub(super) struct Seen(Vec<u64>);

impl Seen {
    pub fn new() -> Seen {
        Seen(Vec::with_capacity(ROOM))
    }

    /// Forgets all: none of them can come again.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Notes the present position.
    pub fn push(&mut self, hash: u64) {
        self.0.push(hash);
    }

    /// Whether the present position has come `times` times; never for 0.
    pub fn has_come(&self, times: usize) -> bool {
        let now = self.0.last();
        // Only every other position has the same side to move.
        times > 0
            && self.0.len() > 2 * (times - 1)
            && self.0.iter().rev().step_by(2).filter(|&seen| Some(seen) == now).count() >= times
    }
}

/// A copy has as much room, so that playing on it allocates nothing.
impl Clone for Seen {
    fn clone(&self) -> Seen {
        let mut hashes = Vec::with_capacity(self.0.capacity());
        hashes.extend_from_slice(&self.0);
        Seen(hashes)
    }

    fn clone_from(&mut self, from: &Seen) {
        self.0.clone_from(&from.0);
    }
}
