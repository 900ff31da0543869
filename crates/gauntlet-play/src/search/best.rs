//! The running maximum of scored actions; ties go to the first action or to a random one.

use rand::RngExt as _;

use super::spec::Ties;
use super::storage::TreeStorage;
use gauntlet_games::base::Rng;

/// The best action so far, and the number of actions tied with it.
pub(super) struct Best {
    ties: Ties,
    /// The best action; `None` before the first offer.
    pub edge: Option<usize>,
    score: f64,
    equals: u32,
}

impl Best {
    /// No action yet.
    #[inline]
    pub fn new(ties: Ties) -> Best {
        Best { ties, edge: None, score: f64::NEG_INFINITY, equals: 0 }
    }

    /// Replaces the best action if `score` is higher, or if it ties and wins the tie.
    #[inline]
    pub fn offer(&mut self, edge: usize, score: f64, storage: &TreeStorage, rng: &mut Rng) {
        if score < self.score {
            return;
        }
        match self.edge.filter(|_| score == self.score) {
            None => (self.edge, self.score, self.equals) = (Some(edge), score, 1),
            Some(best) => {
                self.equals += 1;
                let better = match self.ties {
                    Ties::First => storage.actions[edge] < storage.actions[best],
                    Ties::Random => rng.random_range(0..self.equals) == 0,
                };
                if better {
                    self.edge = Some(edge);
                }
            }
        }
    }
}
