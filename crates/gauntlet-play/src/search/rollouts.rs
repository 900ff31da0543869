//! The evaluator of plain Monte-Carlo search: plays a few random games from the leaf to the end.
//!
//! Priors are uniform. A leaf's play-outs come from its own random stream.

use std::num::NonZeroU32;

use super::traces::Traces;
use super::{Evaluations, Evaluator, Leaf, SearchError, Uniform};
use gauntlet_games::base::{Outcome, Rng, Side};
use gauntlet_games::games::Position;

/// The mean outcome of `count` random play-outs.
#[derive(Debug, Clone, Copy)]
pub struct Rollouts {
    /// Play-outs of each leaf.
    pub count: NonZeroU32,
    /// Actions after which a play-out stops and counts as a draw.
    pub most_plies: u32,
}

impl Rollouts {
    /// The outcome of one play-out for a side: 1, 0 or -1.
    fn score(&self, position: &dyn Position, rng: &mut Rng, side: Side) -> f64 {
        position.rollout_within(rng, self.most_plies).unwrap_or(Outcome::Draw).score(side)
    }

    /// The same play-out, ply by ply, with a record of its actions.
    fn recorded(&self, leaf: usize, position: &dyn Position, rng: &mut Rng, traces: &mut Traces) -> Outcome {
        let (mut position, mut plies) = (position.fork(), 0);
        while position.outcome().is_none() && plies < self.most_plies {
            let action = position.random_action(rng);
            traces.step(position.side(), action);
            position.play(action);
            plies += 1;
        }
        let outcome = position.outcome().unwrap_or(Outcome::Draw);
        traces.end(leaf, outcome);
        outcome
    }
}

impl Evaluator for Rollouts {
    fn evaluate(&mut self, leaves: &[Leaf<'_>], out: &mut Evaluations) -> Result<(), SearchError> {
        Uniform.evaluate(leaves, out)?;
        for (index, leaf) in leaves.iter().enumerate() {
            let (mut rng, side) = (leaf.rng(), leaf.position.side());
            let score = |_| match out.traces_mut() {
                Some(traces) => self.recorded(index, leaf.position, &mut rng, traces).score(side),
                None => self.score(leaf.position, &mut rng, side),
            };
            let sum: f64 = (0..self.count.get()).map(score).sum();
            out.set_value(index, (sum / f64::from(self.count.get())) as f32);
        }
        Ok(())
    }

    fn fork(&self) -> Option<Box<dyn Evaluator>> {
        Some(Box::new(*self))
    }
}
