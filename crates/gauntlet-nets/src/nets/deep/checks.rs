//! Checks that networks compute right on this machine, and the speed of its products: the arithmetic of `gauntlet doctor`.
//!
//! On the CPU, the kernels are compared with the composition of Candle's operations. On a GPU, they are compared with
//! the CPU.

use std::time::Instant;

use candle_core::{DType, Device, Tensor};

use super::device::{device, on_device, precision};
use super::ops::{self, Edges, edge_sums};
use super::params::{Init, floats};
use super::{Answers, DeepError, DeepSpec, Inference, Mode, Net, Precision, inference_of};
use crate::encoders::{Batch, Dims};
use crate::nets::NumberFormat;
use gauntlet_games::base::Seed;

/// Threads that evaluate the same positions at once.
const THREADS: usize = 16;

/// The differences between two ways to compute a network.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NetworkCheck {
    /// Greatest difference of a logit or value, relative to the greatest of them or 1.
    pub forward: f64,
    /// Greatest difference of a gradient, relative to the greatest one of its tensor, or to a hundredth of the greatest one
    /// of the network.
    pub gradient: f64,
    /// Whether each position alone has the bits that it has in the batch.
    pub is_alone_alike: bool,
    /// Whether sixteen threads get the bits that one gets.
    pub is_shared_alike: bool,
}

impl NetworkCheck {
    /// The bounds of the differences: those of `f32` on the CPU and on a GPU, and wider ones in fewer bits. In tf32, single
    /// gradients that are small sums of large terms are a fifth apart on an H100.
    #[must_use]
    pub fn bounds() -> [f64; 2] {
        match precision() {
            Precision::F32 => [1e-4, 1e-2],
            Precision::Tf32 => [1e-2, 0.5],
            Precision::Bf16 => [5e-2, 1e-2],
        }
    }

    /// Whether all is as it should be.
    #[must_use]
    pub fn is_good(&self) -> bool {
        let [forward, gradient] = NetworkCheck::bounds();
        self.forward <= forward && self.gradient <= gradient && self.is_alone_alike && self.is_shared_alike
    }
}

/// Checks a network with random weights on a batch.
///
/// # Errors
/// For a batch of another network, and errors of Candle.
pub fn check_network(spec: &DeepSpec, batch: &Batch) -> Result<NetworkCheck, DeepError> {
    let (dims, seed) = (batch.dims(), Seed::new(7));
    let on_cpu = || spec.build_on(dims, Init::default(), &seed, DType::F32, &Device::Cpu);
    let here = || spec.build(dims, Init::default(), &seed);
    let mut inference = inference_of(spec, here()?, NumberFormat::F32)?;
    let answers = answer(&mut *inference, batch)?;
    let (reference, gradient) = match device().is_cpu() {
        true => (
            ops::composed_alone(|| super::Plain(on_cpu()?).infer_once(batch))?,
            apart(&gradients(&*here()?, batch)?, &ops::composed_alone(|| gradients(&*on_cpu()?, batch))?),
        ),
        false => (
            answer(&mut *on_cpu()?.inference(NumberFormat::F32)?, batch)?,
            apart(&on_device(|| gradients(&*here()?, batch))?, &gradients(&*on_cpu()?, batch)?),
        ),
    };
    let forward = apart(&[all(&answers)], &[all(&reference)]).min(greatest(&answers, &reference));
    Ok(NetworkCheck {
        forward,
        gradient,
        is_alone_alike: is_alone_alike(&mut *inference, batch, &answers)?,
        is_shared_alike: is_shared_alike(spec, &*inference, (batch, &answers), dims)?,
    })
}

fn answer(inference: &mut dyn Inference, batch: &Batch) -> Result<Answers, DeepError> {
    let mut answers = Answers::default();
    inference.infer(batch, &mut answers)?;
    Ok(answers)
}

fn all(answers: &Answers) -> Vec<f32> {
    [&answers.policy_logits[..], &answers.values].concat()
}

/// The greatest absolute difference.
fn greatest(one: &Answers, other: &Answers) -> f64 {
    all(one).iter().zip(all(other)).map(|(a, b)| f64::from(a - b).abs()).fold(0.0, f64::max)
}

/// The greatest difference of any number, relative to the greatest number of its list. A list whose numbers are all far
/// smaller than those of the others is rounding, as the gradient of a bias before a norm: it is relative to a hundredth
/// of the greatest number.
fn apart(one: &[Vec<f32>], other: &[Vec<f32>]) -> f64 {
    let size = |list: &[f32]| list.iter().map(|number| f64::from(number.abs())).fold(1e-6, f64::max);
    let greatest = other.iter().map(|list| size(list)).fold(0.0, f64::max);
    let of = |(one, other): (&Vec<f32>, &Vec<f32>)| {
        let size = size(other).max(1e-2 * greatest);
        let difference = one.iter().zip(other).map(|(a, b)| f64::from(a - b).abs());
        // A number that is not finite is infinitely far from all others.
        difference.map(|number| if number.is_finite() { number / size } else { f64::INFINITY }).fold(0.0, f64::max)
    };
    one.iter().zip(other).map(of).fold(0.0, f64::max)
}

/// The gradients of the sum of all squared logits and values, by tensor, in training.
fn gradients(net: &dyn Net, batch: &Batch) -> Result<Vec<Vec<f32>>, DeepError> {
    let heads = net.forward(batch, Mode::train(&mut Seed::new(8).rng()))?;
    let loss = (heads.policy_logits.sqr()?.mean_all()? + heads.value.sqr()?.mean_all()?)?;
    let gradients = heads.gradients(&loss)?;
    let trained = net.params().iter().filter(|param| param.trained);
    trained.map(|param| gradients.get(&param.var).map_or(Ok(Vec::new()), floats)).collect()
}

fn is_alone_alike(inference: &mut dyn Inference, batch: &Batch, together: &Answers) -> Result<bool, DeepError> {
    for index in 0..batch.positions() {
        let mut one = Batch::new(batch.dims());
        one.append(batch, index, None);
        let alone = answer(inference, &one)?;
        let is_alike = alone.policy_logits == together.policy_logits[batch.span(index)]
            && alone.values[0].to_bits() == together.values[index].to_bits();
        if !is_alike {
            return Ok(false);
        }
    }
    Ok(true)
}

fn is_shared_alike(
    spec: &DeepSpec,
    inference: &dyn Inference,
    (batch, expected): (&Batch, &Answers),
    dims: Dims,
) -> Result<bool, DeepError> {
    let another = || match inference.fork() {
        Some(fork) => Ok(fork),
        None => inference_of(spec, spec.build(dims, Init::default(), &Seed::new(7))?, NumberFormat::F32),
    };
    let senders = (0..THREADS).map(|_| another()).collect::<Result<Vec<_>, _>>()?;
    std::thread::scope(|scope| {
        let evaluate = |mut sender: Box<dyn Inference>| scope.spawn(move || answer(&mut *sender, batch));
        let tasks: Vec<_> = senders.into_iter().map(evaluate).collect();
        let answers = tasks.into_iter().map(|task| task.join().expect("an evaluation does not panic"));
        answers
            .map(|answers| Ok(answers? == *expected))
            .try_fold(true, |all, one: Result<bool, DeepError>| Ok(all && one?))
    })
}

/// A sum of rows over edges, as AlphaGateau's of 32 positions of chess.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SumsCheck {
    /// Number of edges.
    pub edges: usize,
    /// Features of a row.
    pub width: usize,
    /// Seconds of a sum by the plain loops on one core.
    pub plain: f64,
    /// On a GPU: the seconds there, and whether the result has the bits of the plain loops.
    pub on_gpu: Option<(f64, bool)>,
}

/// Checks and times a weighted sum over edges.
///
/// # Errors
/// Errors of Candle.
pub fn check_sums() -> Result<SumsCheck, DeepError> {
    const EDGES: usize = 59_456;
    const WIDTH: usize = 128;
    let nodes = 32 * 64;
    let ends = |step: usize| (0..EDGES).map(|edge| (edge * step % nodes) as u32).collect::<Vec<_>>();
    let edges = Edges::new(ends(7), ends(13), [nodes, nodes]);
    let numbers = |count: usize, by: f32| (0..count).map(|i| (i as f32 * by).sin()).collect::<Vec<_>>();
    let (weights, rows) = (numbers(EDGES, 0.37), numbers(nodes * WIDTH, 0.11));
    let tensors = |device: &Device| {
        Ok::<_, DeepError>([
            Tensor::from_slice(&weights, EDGES, device)?,
            Tensor::from_slice(&rows, (nodes, WIDTH), device)?,
        ])
    };
    let sum = |[weights, rows]: &[Tensor; 2]| edge_sums(weights, rows, &edges);
    let here = tensors(&Device::Cpu)?;
    let plain = timed(3, || sum(&here).map(drop).map_err(DeepError::from))?;
    let check = SumsCheck { edges: EDGES, width: WIDTH, plain, on_gpu: None };
    if device().is_cpu() {
        return Ok(check);
    }
    let expected = floats(&sum(&here)?)?;
    on_device(|| {
        let there = tensors(device())?;
        let is_alike = floats(&sum(&there)?)?.iter().zip(&expected).all(|(a, b)| a.to_bits() == b.to_bits());
        // Reading a row waits for the sum.
        let seconds = timed(20, || floats(&sum(&there)?.narrow(0, 0, 1)?.force_contiguous()?).map(drop))?;
        Ok(SumsCheck { on_gpu: Some((seconds, is_alike)), ..check })
    })
}

/// The mean seconds of a call.
fn timed(times: u32, mut call: impl FnMut() -> Result<(), DeepError>) -> Result<f64, DeepError> {
    call()?;
    let start = Instant::now();
    for _ in 0..times {
        call()?;
    }
    Ok(start.elapsed().as_secs_f64() / f64::from(times))
}

/// Operations a second of square matrix products on a GPU, in each precision. None on the CPU.
///
/// # Errors
/// Errors of Candle.
pub fn gpu_roofs() -> Result<Vec<(Precision, f64)>, DeepError> {
    const SIDE: usize = 8192;
    const TIMES: u32 = 20;
    if device().is_cpu() {
        return Ok(Vec::new());
    }
    let roof = |precision: Precision| {
        let dtype = if precision == Precision::Bf16 { DType::BF16 } else { DType::F32 };
        // With this standard deviation, products of any number of such matrices have it, too.
        let deviation = (SIDE as f32).sqrt().recip();
        let matrix = Tensor::randn(0.0, deviation, (SIDE, SIDE), device())?.to_dtype(dtype)?;
        candle_core::cuda::set_gemm_reduced_precision_f32(precision == Precision::Tf32);
        // The last product depends on all of them, and its read waits for it.
        let seconds = timed(1, || {
            let mut product = matrix.clone();
            for _ in 0..TIMES {
                product = product.matmul(&matrix)?;
            }
            floats(&product.narrow(0, 0, 1)?.force_contiguous()?).map(drop)
        })?;
        Ok((precision, 2.0 * f64::from(TIMES) * (SIDE as f64).powi(3) / seconds))
    };
    on_device(|| {
        let roofs = [Precision::F32, Precision::Tf32, Precision::Bf16].map(roof).into_iter().collect();
        candle_core::cuda::set_gemm_reduced_precision_f32(precision() == Precision::Tf32);
        roofs
    })
}
