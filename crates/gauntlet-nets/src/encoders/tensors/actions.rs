//! Logits of moves.

use super::channels::TensorFacts;
use super::places::ImageCells;
use gauntlet_games::games::{Offsite, Step};

/// Maximum distance along each axis that has planes of its own, for moves with an origin.
const REACH: usize = 3;
/// Number of distinguished levels in games with stacks.
const LEVELS: usize = 3;

/// The planes of an action tensor `[planes, width, height]`: offset of a move (by column, then by row, then by the
/// levels that it takes along), proposals, votes, pass, swap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ActionPlanes {
    reach: usize,
    levels: usize,
    proposals: usize,
}

impl ActionPlanes {
    /// The planes of a game.
    #[must_use]
    pub fn new(facts: &TensorFacts) -> ActionPlanes {
        ActionPlanes {
            reach: if facts.moves { REACH } else { 0 },
            levels: if facts.stacks { LEVELS } else { 1 },
            proposals: facts.proposals,
        }
    }

    /// Number of planes.
    #[must_use]
    pub fn count(&self) -> usize {
        self.pass() + 2
    }

    /// The logit of a move: the index of a cell of the action tensor. `height` is that of the column of pieces at its
    /// origin, all of which move.
    #[must_use]
    pub fn slot(&self, places: &ImageCells, step: Step, offsite: Option<Offsite>, height: usize) -> u32 {
        let (plane, cell) = match (step.to, offsite) {
            (Some(to), None) => {
                let to = to as usize;
                let from = step.from.map_or(to, |from| from as usize);
                let level = if self.levels > 1 { height.saturating_sub(1).min(LEVELS - 1) } else { 0 };
                (self.of_way(self.way(places, from, to)) + level, places.cells()[to])
            }
            (_, offsite) => (self.offsite(offsite.unwrap_or(Offsite::Pass)), 0),
        };
        (plane * places.area()) as u32 + cell
    }

    /// Number of distinguished offsets along one axis.
    pub(super) fn across(&self) -> usize {
        2 * self.reach + 1
    }

    /// The first plane of an offset, beginning with offsets to the left and down; the plane after the last offset is
    /// the first one of moves without sites.
    pub(super) fn of_way(&self, way: usize) -> usize {
        way * self.levels * self.levels
    }

    /// The index of the offset between two sites.
    fn way(&self, places: &ImageCells, from: usize, to: usize) -> usize {
        let (from, to) = (places.spot(from), places.spot(to));
        let reach = self.reach as isize;
        let [right, up] = [0, 1].map(|axis| (to[axis] as isize - from[axis] as isize).clamp(-reach, reach) + reach);
        right as usize * self.across() + up as usize
    }

    fn offsite(&self, what: Offsite) -> usize {
        match what {
            Offsite::Propose(number) => self.ways() + usize::from(number),
            Offsite::Vote(number) => self.ways() + self.proposals + usize::from(number),
            Offsite::Pass => self.pass(),
            Offsite::Swap => self.pass() + 1,
        }
    }

    fn ways(&self) -> usize {
        self.of_way(self.across() * self.across())
    }

    fn pass(&self) -> usize {
        self.ways() + 2 * self.proposals
    }
}
