//! The weights of a network: stated with names and sizes, then made as tensors.

use crate::nets::deep::DeepError;
use crate::nets::deep::params::{BatchNorm, Linear, Maker, Norm};

/// Running moments of a batch norm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BatchNormKind {
    /// Whether variances are of a sample, divided by n - 1, as in PyTorch, or of the batch, divided by n, as in Flax.
    pub of_sample: bool,
    /// The share of a batch's moments in the running ones.
    pub momentum: f64,
}

impl BatchNormKind {
    /// PyTorch's.
    pub const TORCH: BatchNormKind = BatchNormKind { of_sample: true, momentum: 0.1 };

    /// Flax', with PyTorch's momentum.
    pub const FLAX: BatchNormKind = BatchNormKind { of_sample: false, momentum: 0.1 };
}

/// Weights as stated.
#[derive(Debug, Clone, PartialEq)]
pub enum WeightSpec {
    /// Weights `[outputs, taps * inputs]` and perhaps biases `[outputs]`.
    Linear {
        /// The name.
        name: String,
        /// Inputs and outputs of a tap.
        sizes: [usize; 2],
        /// Sites of a patch.
        taps: usize,
        /// Whether there are biases.
        bias: bool,
    },
    /// Factors and offsets.
    Norm {
        /// The name.
        name: String,
        /// Number of features.
        features: usize,
    },
    /// Factors, offsets and running moments.
    BatchNorm {
        /// The name.
        name: String,
        /// Number of features.
        features: usize,
        /// The running moments.
        kind: BatchNormKind,
    },
}

/// Weights as tensors.
#[derive(Debug, Clone)]
pub enum Weights {
    /// Of a linear layer.
    Linear(Linear),
    /// Of a norm.
    Norm(Norm),
    /// Of a batch norm.
    BatchNorm(BatchNorm),
}

impl WeightSpec {
    pub(super) fn linear(name: &str, sizes: [usize; 2], taps: usize, bias: bool) -> WeightSpec {
        WeightSpec::Linear { name: name.to_owned(), sizes, taps, bias }
    }

    /// Number of trained weights.
    pub fn trained(&self) -> usize {
        match *self {
            WeightSpec::Linear { sizes: [_, outputs], bias, .. } => self.factors() + usize::from(bias) * outputs,
            WeightSpec::Norm { features, .. } | WeightSpec::BatchNorm { features, .. } => 2 * features,
        }
    }

    /// Number of weights that are multiplied with every row.
    pub fn factors(&self) -> usize {
        match *self {
            WeightSpec::Linear { sizes: [inputs, outputs], taps, .. } => inputs * taps * outputs,
            WeightSpec::Norm { .. } | WeightSpec::BatchNorm { .. } => 0,
        }
    }

    /// Draws the weights.
    ///
    /// # Errors
    /// Errors of Candle.
    pub fn make(&self, maker: &mut Maker<'_>) -> Result<Weights, DeepError> {
        Ok(match self {
            WeightSpec::Linear { name, sizes, taps, bias } => {
                Weights::Linear(maker.linear_over(name, *sizes, *taps, *bias)?)
            }
            WeightSpec::Norm { name, features } => Weights::Norm(maker.norm(name, *features)?),
            WeightSpec::BatchNorm { name, features, kind } => {
                let norm = maker.biased_batch_norm(name, *features)?;
                let BatchNormKind { of_sample, momentum } = *kind;
                Weights::BatchNorm(BatchNorm { of_sample, momentum, ..norm })
            }
        })
    }
}

impl Weights {
    /// The weights of a linear layer.
    ///
    /// # Panics
    /// If they are others, which is a bug of the network's description.
    pub fn linear(&self) -> &Linear {
        let Weights::Linear(linear) = self else { panic!("{self:?} are weights of a linear layer") };
        linear
    }

    /// The weights of a norm.
    ///
    /// # Panics
    /// As above.
    pub fn norm(&self) -> &Norm {
        let Weights::Norm(norm) = self else { panic!("{self:?} are weights of a norm") };
        norm
    }

    /// The weights of a batch norm.
    ///
    /// # Panics
    /// As above.
    pub fn batch_norm(&self) -> &BatchNorm {
        let Weights::BatchNorm(norm) = self else { panic!("{self:?} are weights of a batch norm") };
        norm
    }
}
