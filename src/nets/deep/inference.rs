//! Networks at play: flat numbers in, flat numbers out, no tensors to be seen.

use super::params::floats;
use super::{DeepError, Mode, Net};
use crate::encoders::Batch;

/// What a network makes of a batch, in buffers that are used again for the next one.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answers {
    /// One logit for each action of each position, as [`Batch::span`] lays them out.
    pub policy_logits: Vec<f32>,
    /// The expected outcome of each position for its side to move, -1 to 1.
    pub values: Vec<f32>,
}

/// A network at play.
///
/// Law of those that [`Net::inference`] hands out: a position's answer is bit-identical whatever else is in its batch.
pub trait Inference: Send {
    /// Replaces the answers by those to this batch.
    ///
    /// # Errors
    /// As of [`Net::forward`].
    fn infer(&mut self, batch: &Batch, answers: &mut Answers) -> Result<(), DeepError>;

    /// [`Net::flops`] of the network.
    fn flops(&self, sites: usize) -> u64;
}

/// Any network by its plain forward pass, on any device: the oracle of the fast ones, and what runs on a GPU.
///
/// Its matrix products may differ in the last bits with the number of rows, so it keeps the law within rounding only.
pub struct Plain(pub Box<dyn Net>);

/// A network at play: by its kernels on the CPU, by its plain forward pass on any other device.
///
/// # Errors
/// Candle's.
pub fn at_play(net: Box<dyn Net>) -> Result<Box<dyn Inference>, DeepError> {
    let kernels = net.params().iter().all(|param| param.var.device().is_cpu());
    if kernels { net.inference() } else { Ok(Box::new(Plain(net))) }
}

impl Inference for Plain {
    fn infer(&mut self, batch: &Batch, answers: &mut Answers) -> Result<(), DeepError> {
        let heads = self.0.forward(batch, Mode::Evaluate)?;
        answers.policy_logits = floats(&heads.policy_logits)?;
        answers.values = floats(&heads.value)?;
        Ok(())
    }

    fn flops(&self, sites: usize) -> u64 {
        self.0.flops(sites)
    }
}
