//! Tree search: one tree and one loop, with pluggable selection rules and leaf evaluators.
//!
//! The module knows positions and actions, but no game and no network: positions are evaluated by an [`Evaluator`],
//! and evaluators that use a network live in [`crate::players`].

mod anytime;
mod best;
mod budget;
mod cached;
#[cfg(test)]
mod choices;
mod evaluation;
#[cfg(test)]
mod golden;
mod gumbel;
#[cfg(test)]
mod gumbel_vectors;
mod halving;
mod hints;
#[cfg(test)]
mod hints_oracle;
mod improved;
#[cfg(test)]
mod laws;
mod noise;
mod numbers;
#[cfg(test)]
mod plain;
mod pruned;
mod result;
mod rollouts;
mod rules;
mod searcher;
mod select;
mod spec;
mod storage;
#[cfg(test)]
mod testing;
mod traces;
mod tree;
mod uniform;
mod value;

pub use anytime::Anytime;
pub use budget::{SearchBudget, SearchLimit};
pub use cached::Cached;
pub use evaluation::{EvaluationCost, Evaluations, Leaf};
pub use numbers::MOST_SIMULATIONS;
pub(crate) use numbers::Milliseconds;
pub use result::{Improved, RootChild, SearchResult};
pub use rollouts::Rollouts;
pub use rules::{Endings, FirstVisit, Gumbel, ProgressiveBias, Puct, Rave, Rule, Uct, Unvisited, ValueRange};
pub use searcher::{Effort, SearchTask, Searcher};
pub(crate) use spec::refusal;
pub use spec::{ForcedBy, Noise, Reuse, SearchSpec, Temperature, Ties};
pub use traces::{Playout, Step, Traces};
pub use tree::Tree;
pub use uniform::Uniform;
pub use value::Value;

use gauntlet_games::base::Interrupted;
use gauntlet_games::games::Lookback;

/// Evaluates leaves of many trees at once, by a network, by play-outs, or without any computation.
///
/// The answer to a leaf depends on that leaf alone (its position, its actions, its random stream), never on the
/// leaves beside it. Hence a search does not depend on how games are batched.
pub trait Evaluator: Send {
    /// Evaluates every leaf. No leaf is over; each has at least one action.
    ///
    /// `out` arrives with one entry for each leaf, in the order of the leaves, all zero. The evaluator writes into
    /// each entry the probability of every action of the leaf (in the order of `leaf.actions`, from 0 to 1, summing
    /// to 1) and the expected outcome from -1 to 1 for the side to move.
    ///
    /// # Errors
    /// [`SearchError::Evaluator`] if the evaluation fails; that ends the search.
    fn evaluate(&mut self, leaves: &[Leaf<'_>], out: &mut Evaluations) -> Result<(), SearchError>;

    /// Another evaluator with the same answers, for another thread; `None` if there can be only one.
    fn fork(&self) -> Option<Box<dyn Evaluator>> {
        None
    }
}

/// Marks evaluators whose answer is a function of the position (its view and its legal actions) and of a declared part
/// of its history. They do not read the leaf's random stream, so their answers may be cached.
pub trait Pure: Evaluator {
    /// How much history an answer depends on beyond the position's key.
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

/// Errors of a search.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// The evaluator failed.
    #[error("positions cannot be evaluated")]
    Evaluator(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The run was interrupted.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
    /// The evaluator's answer is invalid: a prior outside 0 to 1, or a value outside -1 to 1.
    #[error("an evaluation is unsound: value {value}, priors from {least} to {greatest}")]
    Unsound {
        /// The value.
        value: f32,
        /// The least prior; NaN if any is NaN.
        least: f32,
        /// The greatest prior; NaN if any is NaN.
        greatest: f32,
    },
}

impl SearchError {
    /// Wraps the error of an evaluator.
    pub fn evaluator(error: impl std::error::Error + Send + Sync + 'static) -> SearchError {
        SearchError::Evaluator(Box::new(error))
    }
}
