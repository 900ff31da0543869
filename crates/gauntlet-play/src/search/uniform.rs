//! The uniform evaluator: equal priors, value 0.

use gauntlet_games::games::Lookback;

use super::{Evaluations, Evaluator, Leaf, Pure, SearchError};

/// Uniform priors and value 0: the search uses the rules alone.
#[derive(Debug, Clone, Copy, Default)]
pub struct Uniform;

impl Evaluator for Uniform {
    fn evaluate(&mut self, leaves: &[Leaf<'_>], out: &mut Evaluations) -> Result<(), SearchError> {
        for (index, leaf) in leaves.iter().enumerate() {
            out.priors_mut(index).fill(1.0 / leaf.actions.len() as f32);
        }
        Ok(())
    }

    fn fork(&self) -> Option<Box<dyn Evaluator>> {
        Some(Box::new(*self))
    }
}

impl Pure for Uniform {
    fn lookback(&self) -> Lookback {
        Lookback::NONE
    }
}
