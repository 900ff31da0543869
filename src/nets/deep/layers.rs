//! The layers that the deep networks share: names for the operations on their tensors.

use candle_core::Tensor;

use super::ops::{self, Dropout, Moments, Window};
use super::params::{BatchNorm, Linear, Norm};
use super::{DeepError, Mode};

/// The share of a batch's moments in the running ones; PyTorch's default.
const MOMENTUM: f64 = 0.1;

impl Linear {
    /// `x W^T + b`, negative numbers cut off where `relu`; `x [N, inputs]`.
    pub(super) fn forward(&self, x: &Tensor, relu: bool) -> Result<Tensor, DeepError> {
        self.offset(ops::product(x, &self.weight)?, relu)
    }

    /// The same over the patches of images, `x [B * sites, channels]`.
    pub(super) fn convolve(&self, x: &Tensor, window: Window, relu: bool) -> Result<Tensor, DeepError> {
        self.offset(ops::convolution(x, &self.weight, window)?, relu)
    }

    fn offset(&self, product: Tensor, relu: bool) -> Result<Tensor, DeepError> {
        Ok(match &self.bias {
            Some(bias) => ops::offset(&product, bias, relu)?,
            None if relu => product.relu()?,
            None => product,
        })
    }
}

impl Norm {
    /// Layer norm and ReLU.
    pub(super) fn forward(&self, x: &Tensor) -> Result<Tensor, DeepError> {
        Ok(ops::layer_norm_relu(x, &self.gain, &self.bias)?)
    }
}

impl BatchNorm {
    /// Batch norm, ReLU and, in training, dropout. Training moves the running moments.
    pub(super) fn forward(&self, x: &Tensor, dropout: f64, mode: &mut Mode<'_>) -> Result<Tensor, DeepError> {
        match mode {
            Mode::Evaluate => {
                let (scale, shift) = self.folded()?;
                Ok(x.broadcast_mul(&scale)?.broadcast_add(&shift)?.relu()?)
            }
            Mode::Train(rng) => {
                let moments = ops::moments(x)?;
                self.follow(&moments, x.dim(0)?)?;
                let dropout = Dropout::draw(x.elem_count(), dropout, rng);
                Ok(ops::batch_norm_relu(x, &self.norm.gain, &self.norm.bias, &moments, dropout)?)
            }
        }
    }

    /// Factor and offset of each feature by the running moments.
    pub(super) fn folded(&self) -> Result<(Tensor, Tensor), DeepError> {
        let scale = (self.norm.gain.as_tensor() / (self.variance.as_tensor() + ops::EPSILON)?.sqrt()?)?;
        let shift = (self.norm.bias.as_tensor() - (self.mean.as_tensor() * &scale)?)?;
        Ok((scale, shift))
    }

    fn follow(&self, moments: &Moments, rows: usize) -> Result<(), DeepError> {
        let unbias = rows as f64 / (rows as f64 - 1.0).max(1.0);
        let step =
            |running: &Tensor, new: &Tensor, factor: f64| (running * (1.0 - MOMENTUM))? + (new * (MOMENTUM * factor))?;
        self.mean.set(&step(&self.mean, &moments.mean, 1.0)?.detach())?;
        self.variance.set(&step(&self.variance, &moments.variance, unbias)?.detach())?;
        Ok(())
    }
}
