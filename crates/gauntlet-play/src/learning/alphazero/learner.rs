//! A network in training: its play, its steps of optimisation, and its state.

use std::collections::BTreeMap;

use crate::engines::EngineFacts;
use crate::learning::{Examples, LearningError, LossSpec, Losses, StepRules};
use crate::players::GuidedAgent;
use gauntlet_games::base::Rng;
use gauntlet_nets::encoders::{Batch, Dims};
use gauntlet_nets::nets::deep::{DeepCheckpoint, Inference};

/// A network with its optimiser.
pub trait Learner {
    /// The batches that it reads.
    fn dims(&self) -> Dims;

    /// The current network for play on batches of these dimensions. Steps do not happen while it plays.
    ///
    /// # Errors
    /// If it does not fit these dimensions, or its program is broken.
    fn inference(&self, agent: &GuidedAgent, dims: Dims) -> Result<Box<dyn Inference>, LearningError>;

    /// Prepares the steps of an iteration: with a new optimiser, and with another learning rate.
    ///
    /// # Errors
    /// Errors of Candle.
    fn begin(&mut self, fresh: bool, rate: Option<f64>) -> Result<(), LearningError>;

    /// One step of optimisation, with the parts of the loss before it and numbers of the network's own.
    ///
    /// # Errors
    /// If the network fails.
    fn step(
        &mut self,
        examples: &Examples,
        rules: StepRules,
        dropout: &mut Rng,
    ) -> Result<(Losses, BTreeMap<String, f64>), LearningError>;

    /// Refuses a network that diverged in the steps of iteration `number`, from 0; `last` are the examples of the last
    /// of its `steps`.
    ///
    /// # Errors
    /// If its weights or its loss have diverged.
    fn check(&self, last: &Examples, loss: LossSpec, number: u64, steps: usize) -> Result<(), LearningError>;

    /// Floating-point operations of evaluating every position of a batch once.
    fn operations(&self, batch: &Batch) -> u64;

    /// The network, ready to be written to a file.
    ///
    /// # Errors
    /// Errors of Candle, or of its program.
    fn network(&self, origin: &str) -> Result<DeepCheckpoint, LearningError>;

    /// The state of its optimiser, if it is not a part of the network.
    ///
    /// # Errors
    /// Errors of the format.
    fn optimiser(&self) -> Result<Vec<u8>, LearningError>;

    /// The facts about its program, if it is a network of another program.
    fn program_facts(&self) -> Option<EngineFacts> {
        None
    }

    /// Restores an earlier network and its optimiser.
    ///
    /// # Errors
    /// If they belong to another network.
    fn restore(&mut self, network: &DeepCheckpoint, optimiser: &[u8]) -> Result<(), LearningError>;
}
