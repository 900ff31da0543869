//! A network as an evaluator of leaves: encoder, inference, softmax over the legal actions.
//!
//! It does not search. The answer to a leaf depends on its position alone; with the inference of
//! [`Net::inference`](gauntlet_nets::nets::deep::Net::inference) it is reproducible to the bit.

use std::ops::Range;

use crate::search::{EvaluationCost, Evaluations, Evaluator, Leaf, Pure, SearchError};
use gauntlet_games::games::Lookback;
use gauntlet_nets::encoders::{Batch, Encoder};
use gauntlet_nets::nets::deep::{Answers, Inference};
use gauntlet_nets::nets::softmax;

/// Priors and values by a network; buffers are reused between batches.
pub struct NetEvaluator {
    encoder: Box<dyn Encoder>,
    inference: Box<dyn Inference>,
    batch: Batch,
    answers: Answers,
    /// The logit slots of a leaf's actions.
    logit_slots: Vec<u32>,
}

impl NetEvaluator {
    /// An evaluator for the boards that the encoder supports.
    #[must_use]
    pub fn new(encoder: Box<dyn Encoder>, inference: Box<dyn Inference>) -> NetEvaluator {
        let batch = Batch::new(encoder.dims());
        NetEvaluator { encoder, inference, batch, answers: Answers::default(), logit_slots: Vec::new() }
    }
}

impl Evaluator for NetEvaluator {
    fn evaluate(&mut self, leaves: &[Leaf<'_>], out: &mut Evaluations) -> Result<(), SearchError> {
        let positions: Vec<_> = leaves.iter().map(|leaf| leaf.position).collect();
        self.encoder.encode(&positions, &mut self.batch);
        self.inference.infer(&self.batch, &mut self.answers).map_err(SearchError::evaluator)?;
        for (index, leaf) in leaves.iter().enumerate() {
            let logits = &self.answers.policy_logits[self.batch.span(index)];
            let priors = out.priors_mut(index);
            self.logit_slots.clear();
            self.encoder.slots(leaf.position, leaf.actions, &mut self.logit_slots);
            priors.iter_mut().zip(&self.logit_slots).for_each(|(prior, &slot)| *prior = logits[slot as usize]);
            softmax(priors);
            out.set_value(index, self.answers.values[index]);
            out.set_work(index, work(&*self.inference, &self.batch, index..index + 1));
        }
        Ok(())
    }

    fn fork(&self) -> Option<Box<dyn Evaluator>> {
        Some(self.fork_pure()?)
    }
}

impl Pure for NetEvaluator {
    fn lookback(&self) -> Lookback {
        self.encoder.lookback()
    }

    fn fork_pure(&self) -> Option<Box<dyn Pure>> {
        Some(Box::new(NetEvaluator::new(self.encoder.fork(), self.inference.fork()?)))
    }
}

/// The cost of evaluating these positions of a batch.
pub(super) fn work(inference: &dyn Inference, batch: &Batch, positions: Range<usize>) -> EvaluationCost {
    let evaluations = positions.len() as u64;
    EvaluationCost {
        evaluations,
        operations: positions.map(|index| inference.flops(batch, index)).sum(),
        ..EvaluationCost::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gauntlet_games::base::{Action, Seed};
    use gauntlet_games::games::{GameSpec, Position};
    use gauntlet_nets::encoders::{Dims, Encoder, GraphEncoder, PlanesEncoder, PlanesSpec};
    use gauntlet_nets::nets::NumberFormat;
    use gauntlet_nets::nets::deep::{DeepSpec, Init, Plain};

    /// Positions after some random plies on two board sizes, with their legal actions.
    fn positions() -> Vec<(Box<dyn Position>, Vec<Action>)> {
        let games =
            [5, 7].map(|size| toml::from_str::<GameSpec>(&format!("gomoku = {{ size = {size} }}")).unwrap().build());
        let after = |index: u64| {
            let (mut position, mut rng) = (games[index as usize % 2].start(), Seed::new(index).rng());
            for _ in 0..index % 7 {
                let action = position.random_action(&mut rng);
                position.play(action);
            }
            let mut actions = Vec::new();
            position.actions(&mut actions);
            (position, actions)
        };
        (0..24).map(after).collect()
    }

    fn evaluate(evaluator: &mut dyn Evaluator, leaves: &[Leaf<'_>]) -> Evaluations {
        let mut out = Evaluations::new();
        out.prepare(leaves);
        evaluator.evaluate(leaves, &mut out).unwrap();
        out
    }

    #[test]
    fn an_answer_is_that_of_its_position_alone() {
        let positions = positions();
        let seed = Seed::new(1);
        let boards = [5, 7].map(gauntlet_nets::encoders::Topology::square);
        let encoder = || Box::new(GraphEncoder::new(&boards));
        let spec: DeepSpec = serde_json::from_str(r#"{"saz":{"hidden":8}}"#).unwrap();
        let net = spec.build(encoder().dims(), Init::Torch, &Seed::new(2)).unwrap();
        let mut fast = NetEvaluator::new(encoder(), net.inference(NumberFormat::F32).unwrap());
        let mut leaves = Vec::new();
        for (position, actions) in &positions {
            leaves.push(Leaf { position: &**position, actions, seed: &seed, simulation: 3 });
        }
        let together = evaluate(&mut fast, &leaves);
        let mut plain = NetEvaluator::new(encoder(), Box::new(Plain(net)));
        let slow = evaluate(&mut plain, &leaves);
        for (index, one) in leaves.iter().enumerate() {
            let alone = evaluate(&mut fast, std::slice::from_ref(one));
            assert_eq!(together.priors(index), alone.priors(0));
            assert_eq!(together.value(index).to_bits(), alone.value(0).to_bits());
            assert!((together.priors(index).iter().sum::<f32>() - 1.0).abs() < 1e-5);
            assert!((together.value(index) - slow.value(index)).abs() < 1e-5);
        }
    }

    /// An encoder with two actions a logit slot.
    struct Halved(PlanesEncoder);

    impl Encoder for Halved {
        fn dims(&self) -> Dims {
            self.0.dims()
        }
        fn lookback(&self) -> Lookback {
            self.0.lookback()
        }
        fn encode(&mut self, positions: &[&dyn Position], batch: &mut Batch) {
            self.0.encode(positions, batch);
        }
        fn slots(&mut self, _: &dyn Position, actions: &[Action], into: &mut Vec<u32>) {
            into.extend(actions.iter().map(|action| action.0 / 2));
        }
        fn fork(&self) -> Box<dyn Encoder> {
            self.0.fork()
        }
    }

    /// Each action has the whole logit.
    #[test]
    fn actions_that_share_a_slot_have_the_same_prior() {
        let game = toml::from_str::<GameSpec>("gomoku = { size = 5 }").unwrap().build();
        let encoder = PlanesSpec::default().build(&*game);
        let spec: DeepSpec = serde_json::from_str(r#"{"az-cnn":{"channels":4,"wide":8,"narrow":8}}"#).unwrap();
        let net = spec.build(encoder.dims(), Init::Torch, &Seed::new(2)).unwrap();
        let (seed, position, mut actions) = (Seed::new(1), game.start(), Vec::new());
        position.actions(&mut actions);
        let leaf = Leaf { position: &*position, actions: &actions, seed: &seed, simulation: 0 };
        let priors = |encoder: Box<dyn Encoder>| {
            evaluate(&mut NetEvaluator::new(encoder, net.inference(NumberFormat::F32).unwrap()), &[leaf])
                .priors(0)
                .to_vec()
        };
        let (alone, shared) = (priors(Box::new(encoder.clone())), priors(Box::new(Halved(encoder))));
        let sum: f32 = (0..25).map(|action| alone[action / 2]).sum();
        for (action, prior) in shared.iter().enumerate() {
            assert!((prior - alone[action / 2] / sum).abs() < 1e-6, "{action}");
        }
    }

    #[test]
    fn planes_are_evaluated_too() {
        let game = toml::from_str::<GameSpec>("gomoku = { size = 5 }").unwrap().build();
        let encoder = PlanesSpec::default().build(&*game);
        let spec: DeepSpec = serde_json::from_str(r#"{"az-cnn":{"channels":4,"wide":8,"narrow":8}}"#).unwrap();
        let net = spec.build(encoder.dims(), Init::Torch, &Seed::new(2)).unwrap();
        let mut evaluator = NetEvaluator::new(Box::new(encoder), net.inference(NumberFormat::F32).unwrap());
        let mut position = game.start();
        position.play(Action(12));
        let mut actions = Vec::new();
        position.actions(&mut actions);
        let (seed, position) = (Seed::new(1), &*position);
        let out = evaluate(&mut evaluator, &[Leaf { position, actions: &actions, seed: &seed, simulation: 0 }]);
        assert_eq!(out.priors(0).len(), 24);
        assert!((out.priors(0).iter().sum::<f32>() - 1.0).abs() < 1e-5 && out.value(0).abs() < 1.0);
    }
}
