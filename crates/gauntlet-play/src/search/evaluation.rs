//! Input and output of an evaluator: leaves, and flat buffers for their priors and values.

use std::ops::{AddAssign, Range};

use super::traces::{Playout, Traces};
use gauntlet_games::base::{Action, Rng, Seed};
use gauntlet_games::games::Position;

/// A leaf of a tree, to be evaluated.
#[derive(Clone, Copy)]
pub struct Leaf<'a> {
    /// The position, which is not over.
    pub position: &'a dyn Position,
    /// Its legal actions, ascending; at least one.
    pub actions: &'a [Action],
    /// The seed of its search.
    pub seed: &'a Seed,
    /// The index of the simulation that reached it.
    pub simulation: u32,
}

impl Leaf<'_> {
    /// The random stream of this leaf: a function of its search and its simulation.
    #[must_use]
    pub fn rng(&self) -> Rng {
        self.seed.child("leaf", u64::from(self.simulation)).rng()
    }
}

/// Cost of evaluating a leaf: the same whether the network computes it or a cache holds it.
///
/// All fields are integers, so that sums do not depend on their order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EvaluationCost {
    /// Evaluated positions and parts of positions.
    pub evaluations: u64,
    /// Floating-point operations of these evaluations.
    pub operations: u64,
    /// Kullback-Leibler divergence of the priors from those of the network on the whole position, 10^-9 nats.
    pub divergence: u64,
    /// Leaves counted in `divergence`: those with priors combined from several answers and a finite divergence.
    pub compared: u64,
}

impl EvaluationCost {
    /// Mean divergence of the priors from the network's, nats, over the compared leaves; `None` without any.
    #[must_use]
    pub fn mean_divergence(&self) -> Option<f64> {
        (self.compared > 0).then(|| self.divergence as f64 * 1e-9 / self.compared as f64)
    }
}

impl AddAssign for EvaluationCost {
    fn add_assign(&mut self, other: EvaluationCost) {
        self.evaluations += other.evaluations;
        self.operations += other.operations;
        self.divergence += other.divergence;
        self.compared += other.compared;
    }
}

/// Priors and values of a batch of leaves, in buffers that the next batch reuses.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Evaluations {
    priors: Vec<f32>,
    values: Vec<f32>,
    work: Vec<EvaluationCost>,
    /// Number of leaves that a cache answered.
    remembered: usize,
    /// End of each leaf's priors.
    ends: Vec<usize>,
    /// The play-outs, for a search that learns from them.
    traces: Option<Traces>,
}

impl Evaluations {
    /// No entries.
    #[must_use]
    pub fn new() -> Evaluations {
        Evaluations::default()
    }

    /// No entries; with a record of play-outs, if it is wanted.
    #[must_use]
    pub fn recording(wanted: bool) -> Evaluations {
        Evaluations { traces: wanted.then(Traces::default), ..Evaluations::default() }
    }

    /// Makes room for these leaves: one entry each, all zero.
    pub fn prepare(&mut self, leaves: &[Leaf<'_>]) {
        self.ends.clear();
        let mut end = 0;
        self.ends.extend(leaves.iter().map(|leaf| {
            end += leaf.actions.len();
            end
        }));
        self.priors.clear();
        self.priors.resize(end, 0.0);
        self.values.clear();
        self.values.resize(leaves.len(), 0.0);
        self.work.clear();
        self.work.resize(leaves.len(), EvaluationCost::default());
        self.remembered = 0;
        self.traces.iter_mut().for_each(Traces::clear);
    }

    /// Number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there is no entry.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The priors of a leaf's actions, in their order.
    #[must_use]
    pub fn priors(&self, leaf: usize) -> &[f32] {
        &self.priors[self.range(leaf)]
    }

    /// The priors of a leaf's actions, for writing.
    pub fn priors_mut(&mut self, leaf: usize) -> &mut [f32] {
        let range = self.range(leaf);
        &mut self.priors[range]
    }

    /// The expected outcome of a leaf, -1 to 1, for its side to move.
    #[must_use]
    pub fn value(&self, leaf: usize) -> f32 {
        self.values[leaf]
    }

    /// Sets the expected outcome of a leaf, -1 to 1, for its side to move.
    pub fn set_value(&mut self, leaf: usize, value: f32) {
        self.values[leaf] = value;
    }

    /// Cost of evaluating a leaf.
    #[must_use]
    pub fn work(&self, leaf: usize) -> EvaluationCost {
        self.work[leaf]
    }

    /// Sets the cost of evaluating a leaf; 0 if it is never set.
    pub fn set_work(&mut self, leaf: usize, work: EvaluationCost) {
        self.work[leaf] = work;
    }

    /// Cost of evaluating all leaves.
    #[must_use]
    pub fn total_work(&self) -> EvaluationCost {
        self.work.iter().fold(EvaluationCost::default(), |mut sum, &work| {
            sum += work;
            sum
        })
    }

    /// The record of play-outs, for writing, if it is wanted.
    pub fn traces_mut(&mut self) -> Option<&mut Traces> {
        self.traces.as_mut()
    }

    /// The recorded play-outs of a leaf.
    pub fn playouts(&self, leaf: usize) -> impl Iterator<Item = Playout<'_>> {
        self.traces.iter().flat_map(move |traces| traces.of(leaf))
    }

    /// Number of leaves that a cache answered.
    #[must_use]
    pub fn remembered(&self) -> usize {
        self.remembered
    }

    /// Sets the number of leaves that a cache answered.
    pub fn set_remembered(&mut self, leaves: usize) {
        self.remembered = leaves;
    }

    fn range(&self, leaf: usize) -> Range<usize> {
        let start = if leaf == 0 { 0 } else { self.ends[leaf - 1] };
        start..self.ends[leaf]
    }
}
