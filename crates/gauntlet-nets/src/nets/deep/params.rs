//! Named tensors of a network, in a fixed order: trained ones and running moments.
//!
//! This module contains no arithmetic of networks. The order is that in which the architecture requests its layers,
//! so that initial weights, checkpoints and optimiser states are functions of the configuration and the seed.

use candle_core::{DType, Device, Tensor, Var};
use rand::RngExt as _;
use rand_distr::Distribution as _;

use super::DeepError;
use super::device::on_device;
use gauntlet_games::base::Rng;

/// The standard deviation of the standard normal distribution truncated at 2 (Flax has the same number).
const CUT_DEVIATION: f64 = 0.879_625_661_034_239_8;

/// The share of a batch's moments in the running ones; PyTorch's default.
const MOMENTUM: f64 = 0.1;

/// One tensor of a network.
#[derive(Debug, Clone)]
pub struct Param {
    /// Its name, unique within the network: `gin0.in.weight`.
    pub name: String,
    /// Its numbers.
    pub var: Var,
    /// Whether gradients change it; running moments of batch norm are not trained.
    pub trained: bool,
}

/// A tensor in main memory: name, shape and numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Saved {
    /// The name.
    pub name: String,
    /// The shape.
    pub shape: Vec<usize>,
    /// The numbers, row-major.
    pub values: Vec<f32>,
}

/// Initialisation of weights.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Init {
    /// Weights and biases uniform in `+-1/sqrt(inputs)`: PyTorch's default, and so that of the authors' code base.
    #[default]
    Torch,
    /// Weights uniform in `+-sqrt(6 / (inputs + outputs))`, biases zero: Glorot and Bengio 2010, Keras' default.
    Glorot,
    /// Weights normal with variance `1 / inputs`, truncated at two standard deviations, biases zero: LeCun et al.
    /// 1998, Flax' default, and so that of AlphaGateau's code.
    Lecun,
}

/// Creates the tensors of a network.
pub struct Maker<'a> {
    /// The number type: `f32` for use, `f64` for tests.
    pub dtype: DType,
    /// The device of the tensors.
    pub device: &'a Device,
    /// Initialisation of weights.
    pub init: Init,
    /// The source of random weights.
    pub rng: &'a mut Rng,
    params: Vec<Param>,
}

/// Weights `[outputs, inputs]` and optional biases `[outputs]`.
#[derive(Debug, Clone)]
pub struct Linear {
    /// `[outputs, inputs]`.
    pub weight: Var,
    /// `[outputs]`; `None` before a batch norm, which would cancel it.
    pub bias: Option<Var>,
}

/// The affine part of a normalisation, `[features]` each.
#[derive(Debug, Clone)]
pub struct Norm {
    /// Factors, initially 1.
    pub gain: Var,
    /// Offsets, initially 0.
    pub bias: Var,
}

/// A batch norm with its running moments, `[features]` each.
#[derive(Debug, Clone)]
pub struct BatchNorm {
    /// The affine part.
    pub norm: Norm,
    /// Running means, initially 0.
    pub mean: Var,
    /// Running variances, initially 1.
    pub variance: Var,
    /// Whether these are of a sample, divided by n - 1, as in PyTorch, or of the batch, divided by n, as in Flax.
    pub of_sample: bool,
    /// The share of a batch's moments in the running ones.
    pub momentum: f64,
}

impl<'a> Maker<'a> {
    /// Makes tensors for one network.
    pub fn new(dtype: DType, device: &'a Device, init: Init, rng: &'a mut Rng) -> Maker<'a> {
        Maker { dtype, device, init, rng, params: Vec::new() }
    }

    /// All tensors made so far, in order.
    #[must_use]
    pub fn done(self) -> Vec<Param> {
        self.params
    }

    /// A fully connected layer of `[inputs, outputs]`.
    ///
    /// # Errors
    /// Errors of Candle.
    pub fn linear(&mut self, name: &str, sizes: [usize; 2], bias: bool) -> Result<Linear, DeepError> {
        self.linear_over(name, sizes, 1, bias)
    }

    /// A convolution of `[channels, outputs]` over patches of `sites` sites: weights `[outputs, sites * channels]`.
    ///
    /// # Errors
    /// Errors of Candle.
    pub fn linear_over(
        &mut self,
        name: &str,
        [channels, outputs]: [usize; 2],
        sites: usize,
        bias: bool,
    ) -> Result<Linear, DeepError> {
        let inputs = channels * sites;
        let limit = match self.init {
            Init::Torch | Init::Lecun => 1.0 / (inputs as f64).sqrt(),
            Init::Glorot => (6.0 / (inputs + outputs * sites) as f64).sqrt(),
        };
        let (weights, shape) = (format!("{name}.weight"), [outputs, inputs]);
        let weight = match self.init {
            Init::Torch | Init::Glorot => self.uniform(&weights, &shape, limit)?,
            Init::Lecun => self.normal(weights, &shape, limit)?,
        };
        let limit = if self.init == Init::Torch { limit } else { 0.0 };
        let bias = bias.then(|| self.uniform(&format!("{name}.bias"), &[outputs], limit)).transpose()?;
        Ok(Linear { weight, bias })
    }

    /// The affine part of a normalisation.
    ///
    /// # Errors
    /// Errors of Candle.
    pub fn norm(&mut self, name: &str, features: usize) -> Result<Norm, DeepError> {
        let gain = self.add(format!("{name}.gain"), &[features], vec![1.0; features], true)?;
        Ok(Norm { gain, bias: self.add(format!("{name}.bias"), &[features], vec![0.0; features], true)? })
    }

    /// A batch norm.
    ///
    /// # Errors
    /// Errors of Candle.
    pub fn batch_norm(&mut self, name: &str, features: usize) -> Result<BatchNorm, DeepError> {
        Ok(BatchNorm { of_sample: true, ..self.biased_batch_norm(name, features)? })
    }

    /// A batch norm whose running variances are divided by the number of rows.
    ///
    /// # Errors
    /// Errors of Candle.
    pub fn biased_batch_norm(&mut self, name: &str, features: usize) -> Result<BatchNorm, DeepError> {
        let norm = self.norm(name, features)?;
        let mean = self.add(format!("{name}.mean"), &[features], vec![0.0; features], false)?;
        Ok(BatchNorm {
            norm,
            mean,
            variance: self.add(format!("{name}.variance"), &[features], vec![1.0; features], false)?,
            of_sample: false,
            momentum: MOMENTUM,
        })
    }

    /// Normally distributed numbers, truncated at two standard deviations and scaled to this standard deviation.
    fn normal(&mut self, name: String, shape: &[usize], deviation: f64) -> Result<Var, DeepError> {
        let mut draw = || loop {
            let number: f64 = rand_distr::StandardNormal.sample(self.rng);
            if number.abs() <= 2.0 {
                return number * deviation / CUT_DEVIATION;
            }
        };
        let numbers = (0..shape.iter().product()).map(|_| draw()).collect();
        self.add(name, shape, numbers, true)
    }

    fn uniform(&mut self, name: &str, shape: &[usize], limit: f64) -> Result<Var, DeepError> {
        let count = shape.iter().product();
        let numbers = (0..count).map(|_| (2.0 * self.rng.random::<f64>() - 1.0) * limit).collect();
        self.add(name.to_owned(), shape, numbers, true)
    }

    fn add(&mut self, name: String, shape: &[usize], numbers: Vec<f64>, trained: bool) -> Result<Var, DeepError> {
        let tensor = Tensor::from_vec(numbers, shape, &Device::Cpu)?.to_dtype(self.dtype)?.to_device(self.device)?;
        let var = Var::from_tensor(&tensor)?;
        self.params.push(Param { name, var: var.clone(), trained });
        Ok(var)
    }
}

/// The numbers of a tensor as `f32`, from any device.
///
/// # Errors
/// Errors of Candle.
pub fn floats(tensor: &Tensor) -> Result<Vec<f32>, DeepError> {
    Ok(tensor.to_device(&Device::Cpu)?.to_dtype(DType::F32)?.flatten_all()?.to_vec1()?)
}

/// The first tensor that holds a number that is not finite, or whose sum is not finite.
///
/// # Errors
/// Errors of Candle.
pub fn not_finite(params: &[Param]) -> Result<Option<&str>, DeepError> {
    on_device(|| {
        for param in params {
            if !param.var.sum_all()?.to_dtype(DType::F64)?.to_scalar::<f64>()?.is_finite() {
                return Ok(Some(param.name.as_str()));
            }
        }
        Ok(None)
    })
}

/// Copies all tensors to main memory.
///
/// # Errors
/// Errors of Candle.
pub fn save(params: &[Param]) -> Result<Vec<Saved>, DeepError> {
    let save = |param: &Param| {
        Ok(Saved { name: param.name.clone(), shape: param.var.dims().to_vec(), values: floats(&param.var)? })
    };
    on_device(|| params.iter().map(save).collect())
}

/// Overwrites all tensors.
///
/// # Errors
/// If the tensors are others, have other shapes, or hold a number that is not finite.
pub fn load(params: &[Param], saved: &[Saved]) -> Result<(), DeepError> {
    if params.len() != saved.len() {
        return Err(DeepError::Tensors { wanted: params.len(), given: saved.len() });
    }
    for (param, saved) in params.iter().zip(saved) {
        if param.name != saved.name || param.var.dims() != saved.shape {
            return Err(DeepError::Tensor { name: param.name.clone() });
        }
        if saved.values.iter().any(|value| !value.is_finite()) {
            return Err(DeepError::NotFinite { name: param.name.clone() });
        }
    }
    on_device(|| {
        for (param, saved) in params.iter().zip(saved) {
            let tensor = Tensor::from_slice(&saved.values, saved.shape.as_slice(), param.var.device())?;
            param.var.set(&tensor.to_dtype(param.var.dtype())?)?;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use gauntlet_games::base::Seed;

    #[test]
    fn weights_start_as_they_are_said_to() {
        for (init, deviation, most) in [(Init::Torch, 0.1 / 3.0_f64.sqrt(), 0.1), (Init::Lecun, 0.1, 0.2274)] {
            let mut rng = Seed::new(1).rng();
            let linear = Maker::new(DType::F32, &Device::Cpu, init, &mut rng).linear("x", [100, 200], true).unwrap();
            let weights: Vec<f64> = floats(&linear.weight).unwrap().into_iter().map(f64::from).collect();
            let square = weights.iter().map(|weight| weight * weight).sum::<f64>() / 20_000.0;
            assert!((square.sqrt() / deviation - 1.0).abs() < 0.02, "{init:?}: {}", square.sqrt());
            assert!(weights.iter().all(|weight| weight.abs() <= most));
            let biases = floats(&linear.bias.unwrap()).unwrap();
            assert_eq!(biases.iter().all(|&bias| bias == 0.0), init == Init::Lecun);
        }
    }
}
