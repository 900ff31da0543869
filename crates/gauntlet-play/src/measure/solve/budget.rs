//! The budget of nodes of one position.

use gauntlet_games::base::Stop;

/// The budget is spent, or the job has to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Spent;

/// Nodes that a search may still visit.
pub(super) struct Budget<'a> {
    left: u64,
    stop: &'a Stop,
}

/// Nodes between two looks at the flag.
const PATIENCE: u64 = 1 << 14;

impl Budget<'_> {
    /// This number of nodes.
    pub fn new(nodes: u64, stop: &Stop) -> Budget<'_> {
        Budget { left: nodes, stop }
    }

    /// Takes a node off.
    #[inline]
    pub fn spend(&mut self) -> Result<(), Spent> {
        self.left = self.left.checked_sub(1).ok_or(Spent)?;
        if self.left.is_multiple_of(PATIENCE) && self.stop.is_requested() {
            return Err(Spent);
        }
        Ok(())
    }
}
