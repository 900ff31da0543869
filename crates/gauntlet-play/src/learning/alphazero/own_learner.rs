//! A network of ours in training: Candle and Adam.

use std::collections::BTreeMap;

use super::divergence;
use super::learner::Learner;
use crate::learning::{Adam, AdamSpec, Examples, LearningError, LossSpec, Losses, StepRules, train_step};
use crate::players::GuidedAgent;
use gauntlet_games::base::Rng;
use gauntlet_nets::encoders::{Batch, Dims};
use gauntlet_nets::nets::deep::{DeepCheckpoint, DeepSpec, Inference, Net};

/// A network with its optimiser.
pub struct OwnLearner {
    spec: DeepSpec,
    net: Box<dyn Net>,
    settings: AdamSpec,
    adam: Adam,
}

impl OwnLearner {
    /// A network with a new optimiser.
    ///
    /// # Errors
    /// Errors of Candle.
    pub fn new(spec: DeepSpec, net: Box<dyn Net>, settings: AdamSpec) -> Result<OwnLearner, LearningError> {
        let adam = Adam::new(settings, &*net)?;
        Ok(OwnLearner { spec, net, settings, adam })
    }
}

impl Learner for OwnLearner {
    fn dims(&self) -> Dims {
        self.net.dims()
    }

    /// A copy, unaffected by later steps.
    fn inference(&self, agent: &GuidedAgent, dims: Dims) -> Result<Box<dyn Inference>, LearningError> {
        Ok(agent.inference(self.network("")?.build(dims)?)?)
    }

    fn begin(&mut self, fresh: bool, rate: Option<f64>) -> Result<(), LearningError> {
        if fresh {
            self.adam = Adam::new(self.settings, &*self.net)?;
        }
        rate.into_iter().for_each(|rate| self.adam.set_rate(rate));
        Ok(())
    }

    fn step(
        &mut self,
        examples: &Examples,
        rules: StepRules,
        dropout: &mut Rng,
    ) -> Result<(Losses, BTreeMap<String, f64>), LearningError> {
        let losses = train_step(&*self.net, &mut self.adam, examples.batch(), examples.targets(), rules, dropout)?;
        Ok((losses, BTreeMap::new()))
    }

    fn check(&self, last: &Examples, loss: LossSpec, number: u64, steps: usize) -> Result<(), LearningError> {
        divergence::check_network(&*self.net, last, loss, number, steps)
    }

    fn operations(&self, batch: &Batch) -> u64 {
        (0..batch.positions()).map(|index| self.net.flops(batch, index)).sum()
    }

    fn network(&self, origin: &str) -> Result<DeepCheckpoint, LearningError> {
        Ok(DeepCheckpoint::of(self.spec.clone(), &*self.net, origin)?)
    }

    fn optimiser(&self) -> Result<Vec<u8>, LearningError> {
        Ok(self.adam.to_bytes()?)
    }

    fn restore(&mut self, network: &DeepCheckpoint, optimiser: &[u8]) -> Result<(), LearningError> {
        if network.net != self.spec {
            return Err(LearningError::Torn);
        }
        self.net = network.build(self.net.dims())?;
        self.adam = Adam::from_bytes(optimiser, &*self.net)?;
        Ok(())
    }
}
