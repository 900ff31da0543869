//! The Adam optimiser, and the serialisation of its state in checkpoints.
//!
//! Kingma and Ba 2015, Algorithm 1. Its input is the gradient, not the loss. On the CPU, a step is made in place, in
//! one pass a tensor; elsewhere, and in doubles, it is composed of Candle's operations.

use std::cell::Cell;

use candle_core::backprop::GradStore;
use candle_core::{CpuStorage, DType, InplaceOp1, Layout, Storage, Tensor, WithDType as _};
use schemars::JsonSchema;
use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize};

use gauntlet_games::base::{AboveZero, FromZero, bounded};
use gauntlet_nets::nets::deep::{DeepError, Net, Param, Saved, on_device, read_tensors, write_tensors};
use gauntlet_nets::nets::{CheckpointError, read_versioned};

/// The settings of Adam (Kingma and Ba 2015); the defaults are PyTorch's, as in the paper's code base.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AdamSpec {
    /// Learning rate, 0 or more.
    #[serde(with = "FromZero")]
    pub rate: f64,
    /// Decay of the mean gradient, 0 to below 1.
    #[serde(with = "Decay")]
    pub beta1: f64,
    /// Decay of the mean squared gradient, 0 to below 1.
    #[serde(with = "Decay")]
    pub beta2: f64,
    /// Added to the root of the mean square, above 0 in single precision.
    #[serde(deserialize_with = "epsilon")]
    #[schemars(with = "AboveZero")]
    pub epsilon: f64,
    /// Maximum Euclidean norm of the gradient of all weights together, above 0; longer gradients are scaled down to
    /// it. Default: none.
    #[serde(with = "AboveZero", skip_serializing_if = "Option::is_none")]
    pub clip: Option<f64>,
}

impl Default for AdamSpec {
    fn default() -> AdamSpec {
        AdamSpec { rate: 1e-3, beta1: 0.9, beta2: 0.999, epsilon: 1e-8, clip: None }
    }
}

/// Reads the divisor of a weight without any gradient.
fn epsilon<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    match FromZero::deserialize(deserializer)? {
        number if number >= f64::from(f32::MIN_POSITIVE) => Ok(number),
        number => Err(D::Error::custom(format!("{number} is 0 in single precision, and it is a divisor"))),
    }
}

bounded! {
    /// How much of a running mean stays in a step.
    Decay: f64 from 0 below 1
}

/// With weight decay, a weight smaller than this after a step becomes 0, with its moments. Decay moves the inputs of a
/// permanently inactive unit towards 0, where numbers soon are subnormal, and arithmetic with those is slow. A network
/// for Gomoku with a fifth of its weights below 1e-30 played the same moves 41 times as fast once these were 0. Beside
/// a weight of 1e-4 this is less than its rounding.
const VANISHED: f64 = 1e-12;

/// The optimiser and its state: mean and mean square of the gradient of every trained tensor.
pub struct Adam {
    spec: AdamSpec,
    step: u64,
    /// Name, mean, mean square; in the network's order.
    moments: Vec<(String, Tensor, Tensor)>,
}

impl Adam {
    /// A fresh state for a network.
    ///
    /// # Errors
    /// Errors of Candle.
    pub fn new(spec: AdamSpec, net: &dyn Net) -> Result<Adam, DeepError> {
        let zeros = |param: &Param| Ok((param.name.clone(), param.var.zeros_like()?, param.var.zeros_like()?));
        let moments = on_device(|| trained(net).map(zeros).collect::<Result<_, DeepError>>())?;
        Ok(Adam { spec, step: 0, moments })
    }

    /// Sets the learning rate of further steps.
    pub fn set_rate(&mut self, rate: f64) {
        self.spec.rate = rate;
    }

    /// Steps taken so far.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.step
    }

    /// The state as the bytes of a safetensors file.
    ///
    /// # Errors
    /// Errors of Candle and of the format.
    pub fn to_bytes(&self) -> Result<Vec<u8>, CheckpointError> {
        let header = AdamHeader { version: VERSION, spec: self.spec, step: self.step };
        let header = serde_json::to_string(&header).map_err(|error| CheckpointError::Header(error.to_string()))?;
        write_tensors(&on_device(|| self.tensors())?, header)
    }

    fn tensors(&self) -> Result<Vec<Saved>, DeepError> {
        let mut tensors = Vec::with_capacity(2 * self.moments.len());
        for (name, mean, square) in &self.moments {
            for (kind, tensor) in [("mean", mean), ("square", square)] {
                let values = tensor.flatten_all()?.to_vec1()?;
                tensors.push(Saved { name: format!("{name}.{kind}"), shape: tensor.dims().to_vec(), values });
            }
        }
        Ok(tensors)
    }

    /// Reads the optimiser state of this network; training continues as without interruption.
    ///
    /// # Errors
    /// If the bytes are not a complete state of this version and network.
    pub fn from_bytes(bytes: &[u8], net: &dyn Net) -> Result<Adam, CheckpointError> {
        let (tensors, header) = read_tensors(bytes)?;
        let header: AdamHeader = read_versioned(header.as_bytes(), VERSION)?;
        let mut adam = Adam::new(header.spec, net)?;
        adam.step = header.step;
        let count = 2 * adam.moments.len();
        if tensors.len() != count {
            return Err(DeepError::Tensors { wanted: count, given: tensors.len() }.into());
        }
        for (name, mean, square) in &mut adam.moments {
            for (kind, into) in [("mean", mean), ("square", square)] {
                let wanted = format!("{name}.{kind}");
                let found = tensors.iter().find(|tensor| tensor.name == wanted && tensor.shape == into.dims());
                let found = found.ok_or(CheckpointError::MissingTensor(wanted))?;
                let tensor = on_device(|| Tensor::from_slice(&found.values, found.shape.as_slice(), into.device()));
                *into = tensor.map_err(DeepError::from)?;
            }
        }
        Ok(adam)
    }

    /// One step of the network against the gradient.
    pub(super) fn descend(&mut self, net: &dyn Net, gradients: &GradStore, l2: f64) -> Result<(), DeepError> {
        self.step += 1;
        let AdamSpec { rate, beta1, beta2, epsilon, clip } = self.spec;
        let share = clip.map_or(Ok(1.0), |clip| share_of_gradient(net, gradients, clip))?;
        let (first, second) = (1.0 - beta1.powf(self.step as f64), 1.0 - beta2.powf(self.step as f64));
        let smallest = if l2 > 0.0 { VANISHED } else { 0.0 };
        let rule = Descent { beta1, beta2, rate: rate / first, root: second.sqrt(), epsilon, smallest };
        for (param, (_, mean, square)) in trained(net).zip(&mut self.moments) {
            let Some(gradient) = gradients.get(&param.var) else {
                return Err(DeepError::NoGradient { name: param.name.clone() });
            };
            let mut gradient = gradient.contiguous()?;
            if share < 1.0 {
                gradient = (gradient * share)?.detach();
            }
            if l2 > 0.0 {
                gradient = (gradient + (param.var.as_tensor() * (2.0 * l2))?)?.detach();
            }
            if param.var.device().is_cpu() && param.var.dtype() == DType::F32 {
                rule.apply(&param.var, [mean, square], &gradient)?;
                continue;
            }
            *mean = ((&*mean * beta1)? + (&gradient * (1.0 - beta1))?)?.detach();
            *square = ((&*square * beta2)? + (gradient.sqr()? * (1.0 - beta2))?)?.detach();
            let root = ((square.sqrt()? * (1.0 / rule.root))? + epsilon)?;
            let mut moved = (param.var.as_tensor() - ((&*mean * rule.rate)? / root)?)?.detach();
            if l2 > 0.0 {
                let stays = (1.0 - moved.abs()?.lt(smallest)?.to_dtype(moved.dtype())?)?;
                for tensor in [&mut moved, mean, square] {
                    *tensor = (&*tensor * &stays)?.detach();
                }
            }
            param.var.set(&moved)?;
        }
        Ok(())
    }
}

/// Scale factor that shortens a gradient to this norm; 1 if it is not longer.
fn share_of_gradient(net: &dyn Net, gradients: &GradStore, clip: f64) -> Result<f64, DeepError> {
    let mut square = 0.0;
    for gradient in trained(net).filter_map(|param| gradients.get(&param.var)) {
        square += gradient.sqr()?.sum_all()?.to_dtype(DType::F64)?.to_scalar::<f64>()?;
    }
    match f64::is_finite(square) {
        true => Ok((clip / square.sqrt()).min(1.0)),
        false => Err(DeepError::Gradient),
    }
}

/// The version that is written, and the only one that can be read.
const VERSION: u64 = 1;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct AdamHeader {
    version: u64,
    spec: AdamSpec,
    step: u64,
}

/// The trained tensors, in the network's order.
pub(super) fn trained(net: &dyn Net) -> impl Iterator<Item = &Param> {
    net.params().iter().filter(|param| param.trained)
}

/// One step of Adam in single precision.
struct Descent {
    beta1: f64,
    beta2: f64,
    rate: f64,
    root: f64,
    epsilon: f64,
    smallest: f64,
}

impl Descent {
    /// Updates a tensor and its moments in place.
    fn apply(&self, x: &Tensor, [mean, square]: [&Tensor; 2], gradient: &Tensor) -> candle_core::Result<()> {
        let (storage, layout) = gradient.storage_and_layout();
        let Storage::Cpu(storage) = &*storage else { candle_core::bail!("the gradient is not on the CPU") };
        let gradient = &f32::cpu_storage_as_slice(storage)?[layout.start_offset()..];
        in_place(mean, |mean| {
            in_place(square, |square| {
                in_place(x, |x| {
                    self.step(x, [mean, square], gradient);
                    Ok(())
                })
            })
        })
    }

    /// `m = beta1 m + (1 - beta1) g`, `v = beta2 v + (1 - beta2) g^2`, `x -= rate m / (sqrt(v) / root + epsilon)`, and
    /// all three 0 if x is then smaller than `smallest`; in one pass, so that large tensors are read from memory once.
    fn step(&self, x: &mut [f32], [mean, square]: [&mut [f32]; 2], gradient: &[f32]) {
        let [beta1, beta2] = [self.beta1, self.beta2].map(|beta| beta as f32);
        let [rest1, rest2] = [self.beta1, self.beta2].map(|beta| (1.0 - beta) as f32);
        let (rate, scale, epsilon) = (self.rate as f32, (1.0 / self.root) as f32, self.epsilon as f32);
        let smallest = self.smallest as f32;
        for (((x, m), v), &g) in x.iter_mut().zip(mean).zip(square).zip(gradient) {
            let mean = beta1 * *m + rest1 * g;
            let square = beta2 * *v + rest2 * (g * g);
            let moved = *x - rate * mean / (square.sqrt() * scale + epsilon);
            let vanished = moved.abs() < smallest;
            [*x, *m, *v] = [moved, mean, square].map(|number| if vanished { 0.0 } else { number });
        }
    }
}

/// Gives `call` mutable access to the numbers of a contiguous tensor on the CPU.
fn in_place<F: FnOnce(&mut [f32]) -> candle_core::Result<()>>(tensor: &Tensor, call: F) -> candle_core::Result<()> {
    tensor.inplace_op1(&InPlace(Cell::new(Some(call))))
}

/// A closure over the numbers of a tensor, called once.
struct InPlace<F>(Cell<Option<F>>);

impl<F: FnOnce(&mut [f32]) -> candle_core::Result<()>> InplaceOp1 for InPlace<F> {
    fn name(&self) -> &'static str {
        "in-place"
    }

    fn cpu_fwd(&self, storage: &mut CpuStorage, layout: &Layout) -> candle_core::Result<()> {
        let (start, end) =
            layout.contiguous_offsets().ok_or_else(|| candle_core::Error::msg("weights are contiguous"))?;
        match (storage, self.0.take()) {
            (CpuStorage::F32(numbers), Some(call)) => call(&mut numbers[start..end]),
            _ => candle_core::bail!("weights are f32 here"),
        }
    }
}
