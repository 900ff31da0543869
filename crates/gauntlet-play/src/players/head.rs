//! One of the two answers of a network, for a diagnosis by play: the other is as if nothing were known.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::search::{Evaluations, Evaluator, Leaf, SearchError};

/// The answer of a network that the search uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Head {
    /// The policy alone; each position that is not over has the value 0.
    Policy,
    /// The value alone; all actions have the same prior.
    Value,
}

impl Head {
    /// Its name in the name of a player.
    #[must_use]
    pub fn phrase(self) -> &'static str {
        match self {
            Head::Policy => ", policy alone",
            Head::Value => ", value alone",
        }
    }
}

/// An evaluator of which one answer counts.
pub struct HeadEvaluator {
    /// The evaluator with both answers.
    pub own: Box<dyn Evaluator>,
    /// The one that counts.
    pub head: Head,
}

impl Evaluator for HeadEvaluator {
    fn evaluate(&mut self, leaves: &[Leaf<'_>], out: &mut Evaluations) -> Result<(), SearchError> {
        self.own.evaluate(leaves, out)?;
        for (index, leaf) in leaves.iter().enumerate() {
            match self.head {
                Head::Policy => out.set_value(index, 0.0),
                Head::Value => out.priors_mut(index).fill(1.0 / leaf.actions.len() as f32),
            }
        }
        Ok(())
    }

    fn fork(&self) -> Option<Box<dyn Evaluator>> {
        Some(Box::new(HeadEvaluator { own: self.own.fork()?, head: self.head }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gauntlet_games::base::Seed;
    use gauntlet_games::games::GameSpec;

    /// Answers that differ between actions, and a value.
    #[derive(Clone, Copy)]
    struct Known;

    impl Evaluator for Known {
        fn evaluate(&mut self, leaves: &[Leaf<'_>], out: &mut Evaluations) -> Result<(), SearchError> {
            for index in 0..leaves.len() {
                out.priors_mut(index)[0] = 1.0;
                out.set_value(index, 0.5);
            }
            Ok(())
        }

        fn fork(&self) -> Option<Box<dyn Evaluator>> {
            Some(Box::new(*self))
        }
    }

    #[test]
    fn one_answer_stays_and_the_other_says_nothing() {
        let position = toml::from_str::<GameSpec>("connect-four = {}").unwrap().build().start();
        let (mut actions, seed) = (Vec::new(), Seed::new(1));
        position.actions(&mut actions);
        let leaf = Leaf { position: &*position, actions: &actions, seed: &seed, simulation: 0 };
        let answers = |head: Head| {
            let evaluator = HeadEvaluator { own: Box::new(Known), head };
            let mut out = Evaluations::new();
            out.prepare(&[leaf]);
            evaluator.fork().unwrap().evaluate(&[leaf], &mut out).unwrap();
            (out.priors(0).to_vec(), out.value(0))
        };
        assert_eq!(answers(Head::Policy), (vec![1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], 0.0));
        assert_eq!(answers(Head::Value), (vec![1.0 / 7.0; 7], 0.5));
    }
}
