//! The budget of nodes of one position.

use gauntlet_games::base::Stop;

/// The budget is spent, or the job has to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Aborted;

/// Nodes that a search may still visit.
pub(super) struct NodeBudget<'a> {
    left: u64,
    stop: &'a Stop,
}

/// Nodes between two looks at the flag.
const PATIENCE: u64 = 1 << 14;

impl NodeBudget<'_> {
    /// This number of nodes.
    pub fn new(nodes: u64, stop: &Stop) -> NodeBudget<'_> {
        NodeBudget { left: nodes, stop }
    }

    /// Takes a node off.
    #[inline]
    pub fn spend(&mut self) -> Result<(), Aborted> {
        self.left = self.left.checked_sub(1).ok_or(Aborted)?;
        if self.left.is_multiple_of(PATIENCE) && self.stop.is_requested() {
            return Err(Aborted);
        }
        Ok(())
    }
}
