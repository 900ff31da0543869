//! Tree search: one tree, one loop; the rules of selection are values plugged into it, and so is the evaluator of leaves.
//!
//! It knows positions and actions, and neither a game nor a network: whatever evaluates positions is an [`Evaluator`],
//! and those that need a network live in [`crate::players`].

mod best;
mod cached;
#[cfg(test)]
mod choices;
mod evaluation;
mod findings;
#[cfg(test)]
mod golden;
mod gumbel;
#[cfg(test)]
mod gumbel_vectors;
mod halving;
mod improved;
#[cfg(test)]
mod laws;
mod noise;
mod numbers;
#[cfg(test)]
mod plain;
mod pruned;
mod rollouts;
mod rules;
mod searcher;
mod select;
mod spec;
mod storage;
#[cfg(test)]
mod testing;
mod tree;
mod uniform;
mod value;

pub use cached::Cached;
pub use evaluation::{EvaluationCost, Evaluations, Leaf};
pub use findings::{Branch, Findings, Improved};
pub(crate) use numbers::Simulations;
pub use rollouts::Rollouts;
pub use rules::{Endings, FirstVisit, Gumbel, Puct, Rule, Uct, Unvisited, ValueRange};
pub use searcher::{Effort, SearchTask, Searcher};
pub(crate) use spec::refusal;
pub use spec::{ForcedBy, Noise, Reuse, SearchSpec, Temperature, Ties};
pub use tree::Tree;
pub use uniform::Uniform;
pub use value::Value;

use gauntlet_games::base::Interrupted;
use gauntlet_games::games::Lookback;

/// Evaluates leaves of many trees at once: what the search asks, be it a network, play-outs or nothing.
///
/// The answer to a leaf depends on that leaf alone (its position, its actions, its random stream), never on the
/// leaves beside it: that is what makes a search independent of how games are batched.
pub trait Evaluator: Send {
    /// Judges every leaf. No leaf is over; each has at least one action.
    ///
    /// `out` arrives with one entry for each leaf, in the order of the leaves, all zero. The evaluator writes into
    /// each entry the probability of every action of the leaf (in the order of `leaf.actions`, from 0 to 1, summing
    /// to 1) and the expected outcome from -1 to 1 for the side to move.
    ///
    /// # Errors
    /// [`SearchError::Evaluator`] when there is no answer; that ends the search.
    fn evaluate(&mut self, leaves: &[Leaf<'_>], out: &mut Evaluations) -> Result<(), SearchError>;

    /// Another evaluator with the same answers, for another thread; none where there can be only one.
    fn fork(&self) -> Option<Box<dyn Evaluator>> {
        None
    }
}

/// Marks evaluators whose answer is a function of what a position shows (its view and its legal actions) and of as much
/// of its past as they say: they read no leaf's random stream, so that answers may be remembered.
pub trait Pure: Evaluator {
    /// How far back an answer looks beyond what a position's key tells.
    fn lookback(&self) -> Lookback;

    /// As [`Evaluator::fork`].
    fn fork_pure(&self) -> Option<Box<dyn Pure>> {
        None
    }
}

impl<E: Evaluator + ?Sized> Evaluator for Box<E> {
    fn evaluate(&mut self, leaves: &[Leaf<'_>], out: &mut Evaluations) -> Result<(), SearchError> {
        (**self).evaluate(leaves, out)
    }

    fn fork(&self) -> Option<Box<dyn Evaluator>> {
        (**self).fork()
    }
}

impl<E: Pure + ?Sized> Pure for Box<E> {
    fn lookback(&self) -> Lookback {
        (**self).lookback()
    }

    fn fork_pure(&self) -> Option<Box<dyn Pure>> {
        (**self).fork_pure()
    }
}

/// Why a search found nothing.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// The evaluator could not answer.
    #[error("positions cannot be evaluated")]
    Evaluator(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// Somebody asked to stop.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
    /// The evaluator's answer is none: a prior outside 0 to 1, or a value outside -1 to 1.
    #[error("an evaluation is unsound: value {value}, priors from {least} to {greatest}")]
    Unsound {
        /// The value that was given.
        value: f32,
        /// The least prior; NaN where any of them is.
        least: f32,
        /// The greatest prior; NaN where any of them is.
        greatest: f32,
    },
}

impl SearchError {
    /// The failure of an evaluator.
    pub fn evaluator(error: impl std::error::Error + Send + Sync + 'static) -> SearchError {
        SearchError::Evaluator(Box::new(error))
    }
}
