//! Networks at play on any device: by their plain forward pass where there are no kernels.

use super::params::floats;
use super::{Answers, DeepError, Inference, Mode, Net};
use crate::encoders::Batch;

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

    fn flops(&self, batch: &Batch, index: usize) -> u64 {
        self.0.flops(batch, index)
    }
}
