//! Completed Q and the improved policy of a node: Danihelka et al. 2022, equations 10 and 11, and appendix D.
//!
//! An action without visits has the mixed value: of the node's evaluation and the Q of the visited actions, weighted
//! by their priors. All completed Q are mapped to 0 to 1 and scaled to sigma. All unvisited actions of a node have the
//! same sigma, so that their sum needs their priors alone. All numbers are for the side to move.

use super::rules::{Gumbel, ValueRange};
use super::storage::{Node, TreeStorage};

/// The least width of a range; narrower ranges count as this wide.
const NARROWEST: f64 = 1e-8;

/// The mapping from Q of a node's actions to sigma.
#[derive(Debug, Clone, Copy)]
pub(super) struct Completed {
    /// The completed Q of every action without visits.
    pub mixed: f64,
    least: f64,
    factor: f64,
}

/// The unnormalised weights of a node's improved policy.
#[derive(Debug, Clone, Copy)]
pub(super) struct PolicyWeights {
    completed: Completed,
    /// The greatest sigma.
    top: f64,
    /// Factor of each unvisited action's prior.
    pub unvisited: f64,
    /// Sum over all actions.
    pub sum: f64,
}

impl Completed {
    /// The mapping for a node of the tree.
    pub fn of(storage: &TreeStorage, at: &Node, rule: &Gumbel) -> Completed {
        let (mut most, mut priors, mut weighed) = (0, 0.0, 0.0);
        let (mut least, mut greatest) = (f64::INFINITY, f64::NEG_INFINITY);
        for edge in at.opened() {
            let (prior, q) = (prior(storage, edge), q(storage, at, edge));
            most = most.max(storage.visits[edge]);
            priors += prior;
            weighed += prior * q;
            (least, greatest) = (least.min(q), greatest.max(q));
        }
        let (own, visits) = (at.value.seen_by(at.side), f64::from(at.visits));
        let below = if at.visits > 0 { visits * weighed / priors } else { 0.0 };
        let mixed = (own + below) / (visits + 1.0);
        if rule.range == ValueRange::Game || !at.closed().is_empty() {
            (least, greatest) = (least.min(mixed), greatest.max(mixed));
        }
        let scale = (rule.maxvisit_init + f64::from(most)) * rule.value_scale;
        // Values are at most 2 apart, so that no sigma is infinite.
        let factor = (scale / (greatest - least).max(NARROWEST)).min(f64::MAX / 4.0);
        Completed { mixed, least, factor }
    }

    /// Sigma of a completed Q.
    #[inline]
    pub fn sigma(&self, q: f64) -> f64 {
        (q - self.least) * self.factor
    }

    /// Sigma of an action of the node that `self` was made from.
    pub fn sigma_of(&self, storage: &TreeStorage, at: &Node, edge: usize) -> f64 {
        self.sigma(if at.opened().contains(&edge) { q(storage, at, edge) } else { self.mixed })
    }

    /// The improved policy's weights of the same node; those of its expanded actions are written to `opened`, in their
    /// order.
    #[inline]
    pub fn weights(self, storage: &TreeStorage, at: &Node, opened: &mut Vec<f64>) -> PolicyWeights {
        let closed = sum_of_priors(&storage.priors[at.closed()]);
        opened.clear();
        opened.extend(at.opened().map(|edge| self.sigma(q(storage, at, edge))));
        let unvisited = if at.closed().is_empty() { f64::NEG_INFINITY } else { self.sigma(self.mixed) };
        let top = opened.iter().copied().fold(unvisited, f64::max);
        let unvisited = (unvisited - top).exp();
        let mut sum = unvisited * closed;
        for (weight, edge) in opened.iter_mut().zip(at.opened()) {
            *weight = prior(storage, edge) * (*weight - top).exp();
            sum += *weight;
        }
        PolicyWeights { completed: self, top, unvisited, sum }
    }
}

impl PolicyWeights {
    /// The probability of an action of the node that `self` was made from.
    pub fn probability(&self, storage: &TreeStorage, at: &Node, edge: usize) -> f64 {
        prior(storage, edge) * (self.completed.sigma_of(storage, at, edge) - self.top).exp() / self.sum
    }
}

/// The prior of an action: positive, so that it has a logarithm.
#[inline]
pub(super) fn prior(storage: &TreeStorage, edge: usize) -> f64 {
    f64::from(storage.priors[edge].max(f32::MIN_POSITIVE))
}

#[inline]
fn q(storage: &TreeStorage, at: &Node, edge: usize) -> f64 {
    storage.totals[edge].mean(storage.visits[edge]).seen_by(at.side)
}

/// The sum of some priors, in an order that suits SIMD.
fn sum_of_priors(priors: &[f32]) -> f64 {
    let (chunks, rest) = priors.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for chunk in chunks {
        sums.iter_mut().zip(chunk).for_each(|(sum, prior)| *sum += f64::from(prior.max(f32::MIN_POSITIVE)));
    }
    let rest: f64 = rest.iter().map(|prior| f64::from(prior.max(f32::MIN_POSITIVE))).sum();
    sums.iter().sum::<f64>() + rest
}
