//! Networks at play: flat numbers in, flat numbers out, no tensors to be seen.

use super::DeepError;
use crate::encoders::Batch;

/// What a network makes of a batch, in buffers that are used again for the next one.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answers {
    /// One logit for each slot of each position, as [`Batch::span`] lays them out.
    pub policy_logits: Vec<f32>,
    /// The expected outcome of each position for its side to move, -1 to 1.
    pub values: Vec<f32>,
}

/// A network at play.
///
/// Law of those that [`Net::inference`](super::Net::inference) hands out: a position's answer is bit-identical whatever else is in its batch.
pub trait Inference: Send {
    /// Replaces the answers by those to this batch.
    ///
    /// # Errors
    /// As of [`Net::forward`](super::Net::forward).
    fn infer(&mut self, batch: &Batch, answers: &mut Answers) -> Result<(), DeepError>;

    /// [`Net::flops`](super::Net::flops) of the network.
    fn flops(&self, batch: &Batch, index: usize) -> u64;

    /// The same network once more, for another thread; none where there can be only one, as on a device.
    fn fork(&self) -> Option<Box<dyn Inference>> {
        None
    }
}
