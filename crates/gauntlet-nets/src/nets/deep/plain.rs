//! Inference by the plain forward pass, on any device, for networks without kernels.

use candle_core::DType;

use super::device::{Precision, on_device, owner, precision};
use super::ops;
use super::owner::{Forward, Served};
use super::params::{Init, floats, load, save};
use super::{Answers, DeepError, DeepSpec, Inference, Mode, Net};
use crate::encoders::Batch;
use crate::nets::NumberFormat;
use gauntlet_games::base::Seed;

/// Any network by its plain forward pass, on any device: the oracle of the fast kernels, and the implementation for
/// GPUs.
///
/// On a GPU, each layer has one algorithm (`ops::at_play`), so that a position's answer does not depend on the other
/// positions of the batch. `gauntlet doctor` checks that on the card.
pub struct Plain(pub Box<dyn Net>);

/// The inference of a network of this architecture: by its kernels on the CPU, in a number format; by its plain
/// forward pass on other devices, in their precision.
///
/// # Errors
/// Errors of Candle.
pub fn inference_of(
    spec: &DeepSpec,
    net: Box<dyn Net>,
    numbers: NumberFormat,
) -> Result<Box<dyn Inference>, DeepError> {
    let kernels = net.params().iter().all(|param| param.var.device().is_cpu());
    Ok(match precision() {
        _ if kernels => net.inference(numbers)?,
        Precision::F32 | Precision::Tf32 => on_owner(net),
        Precision::Bf16 => on_owner(on_device(|| rounded(spec, &*net, DType::BF16))?),
    })
}

/// A network of the device, from any thread.
fn on_owner(net: Box<dyn Net>) -> Box<dyn Inference> {
    match owner() {
        Some(owner) => Box::new(Served::new(owner, Box::new(Plain(net)))),
        None => Box::new(Plain(net)),
    }
}

/// The same network with weights of another type, which is then the type of the computation.
fn rounded(spec: &DeepSpec, net: &dyn Net, dtype: DType) -> Result<Box<dyn Net>, DeepError> {
    let params = net.params();
    let device = params[0].var.device();
    let other = spec.build_on(net.dims(), Init::default(), &Seed::new(0), dtype, device)?;
    load(other.params(), &save(params)?)?;
    Ok(other)
}

impl Plain {
    /// The answers for a batch by whole products, on this thread.
    pub(super) fn infer_once(&self, batch: &Batch) -> Result<Answers, DeepError> {
        let heads = self.0.forward(batch, Mode::Evaluate)?;
        Ok(Answers { policy_logits: floats(&heads.policy_logits)?, values: floats(&heads.value)? })
    }
}

impl Inference for Plain {
    fn infer(&mut self, batch: &Batch, answers: &mut Answers) -> Result<(), DeepError> {
        *answers = self.forward(batch)?;
        Ok(())
    }

    fn flops(&self, batch: &Batch, index: usize) -> u64 {
        self.0.flops(batch, index)
    }
}

impl Forward for Plain {
    fn forward(&self, batch: &Batch) -> Result<Answers, DeepError> {
        ops::at_play(|| self.infer_once(batch))
    }

    fn flops(&self, batch: &Batch, index: usize) -> u64 {
        self.0.flops(batch, index)
    }
}

#[cfg(test)]
mod tests {
    use super::super::laws::{batch, build, dims};
    use super::*;
    use crate::nets::deep::composed_alone;

    /// In half precision, which Candle's CPU supports for matrix macs, unlike `bf16`.
    #[test]
    fn every_network_computes_in_fewer_bits() {
        for spec in DeepSpec::examples() {
            let (net, batch) = (build(&spec, DType::F32), batch(dims(&spec), 4, 5));
            let mut answers = [Answers::default(), Answers::default()];
            let half = rounded(&spec, &*net, DType::F16).unwrap();
            for (net, answers) in [net, half].into_iter().zip(&mut answers) {
                composed_alone(|| Plain(net).infer(&batch, answers)).unwrap();
            }
            let all = |answers: &Answers| [&answers.policy_logits[..], &answers.values].concat();
            let apart = all(&answers[0]).iter().zip(all(&answers[1])).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(apart > 0.0 && apart < 0.05, "{}: {apart}", spec.name());
        }
    }
}
