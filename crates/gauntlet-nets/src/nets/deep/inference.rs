//! Inference of deep networks: flat numbers in, flat numbers out, without tensors.

use super::DeepError;
use crate::encoders::Batch;

/// The results for a batch, in buffers that are reused.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answers {
    /// One logit for each slot of each position, in the order of [`Batch::span`].
    pub policy_logits: Vec<f32>,
    /// The expected outcome of each position for its side to move, -1 to 1.
    pub values: Vec<f32>,
}

/// A network bound for inference.
///
/// Law of those from [`Net::inference`](super::Net::inference): the result of a position is bit-identical in every
/// batch.
pub trait Inference: Send {
    /// Replaces the answers by those for this batch.
    ///
    /// # Errors
    /// As for [`Net::forward`](super::Net::forward).
    fn infer(&mut self, batch: &Batch, answers: &mut Answers) -> Result<(), DeepError>;

    /// [`Net::flops`](super::Net::flops) of the network.
    fn flops(&self, batch: &Batch, index: usize) -> u64;

    /// A copy of the network for another thread; `None` if there can be only one, as on a device.
    fn fork(&self) -> Option<Box<dyn Inference>> {
        None
    }
}
