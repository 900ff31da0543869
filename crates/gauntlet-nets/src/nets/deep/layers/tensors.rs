//! Layers that the deep networks share: methods for the operations on their tensors.

use candle_core::Tensor;

use crate::nets::NumberFormat;
use crate::nets::deep::ops::{self, Dropout, Moments, Window};
use crate::nets::deep::params::{BatchNorm, Linear, Norm};
use crate::nets::deep::{DeepError, Mode};

impl Linear {
    /// `x W^T + b` in a number format, with a ReLU if `relu`; `x [N, inputs]`.
    pub fn forward(&self, x: &Tensor, relu: bool, numbers: NumberFormat) -> Result<Tensor, DeepError> {
        match &self.bias {
            Some(bias) => Ok(ops::affine(x, &self.weight, bias, relu, numbers)?),
            None => self.offset(ops::product(x, &self.weight, numbers)?, relu),
        }
    }

    /// `x W^T + b` for given numbers `[N, inputs]`.
    pub fn read(&self, values: Vec<f32>, numbers: NumberFormat) -> Result<Tensor, DeepError> {
        let inputs = self.weight.dim(1)?;
        let rows = Tensor::from_vec(values, ((), inputs), self.weight.device())?;
        self.forward(&rows.to_dtype(self.weight.dtype())?, false, numbers)
    }

    /// The same over the patches of images, `x [B * sites, channels]`.
    pub fn convolve(&self, x: &Tensor, window: Window, relu: bool, numbers: NumberFormat) -> Result<Tensor, DeepError> {
        self.offset(ops::convolution(x, &self.weight, window, numbers)?, relu)
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
    pub fn forward(&self, x: &Tensor) -> Result<Tensor, DeepError> {
        Ok(ops::layer_norm_relu(x, &self.gain, &self.bias)?)
    }
}

impl BatchNorm {
    /// Batch norm, ReLU and, in training, dropout. Training updates the running moments.
    pub fn forward(&self, x: &Tensor, dropout: f64, mode: &mut Mode<'_>) -> Result<Tensor, DeepError> {
        match mode {
            Mode::Evaluate => self.infer(x, true),
            Mode::Train { rng, .. } => {
                let moments = self.observe(x)?;
                let dropout = Dropout::draw(x.elem_count(), dropout, rng);
                Ok(ops::batch_norm(x, [&self.norm.gain, &self.norm.bias], &moments, true, dropout)?)
            }
        }
    }

    /// Batch norm alone. Training updates the running moments.
    pub fn normalise(&self, x: &Tensor, mode: &Mode<'_>) -> Result<Tensor, DeepError> {
        match mode {
            Mode::Evaluate => self.infer(x, false),
            Mode::Train { .. } => {
                Ok(ops::batch_norm(x, [&self.norm.gain, &self.norm.bias], &self.observe(x)?, false, None)?)
            }
        }
    }

    /// Batch norm by the running moments, with a ReLU if `relu`.
    fn infer(&self, x: &Tensor, relu: bool) -> Result<Tensor, DeepError> {
        if ops::is_at_play() && !ops::is_fused(x) {
            let parameters = [&self.norm.gain, &self.norm.bias, &self.mean, &self.variance];
            return Ok(ops::norm_at_play(x, parameters.map(|parameter| parameter.as_tensor()), relu)?);
        }
        let (scale, shift) = self.folded()?;
        let y = x.broadcast_mul(&scale)?.broadcast_add(&shift)?;
        Ok(if relu { y.relu()? } else { y })
    }

    /// The moments of a batch; updates the running moments.
    fn observe(&self, x: &Tensor) -> Result<Moments, DeepError> {
        let moments = ops::moments(x)?;
        self.follow(&moments, x.dim(0)?)?;
        Ok(moments)
    }

    /// Factor and offset of each feature by the running moments.
    pub fn folded(&self) -> Result<(Tensor, Tensor), DeepError> {
        let scale = (self.norm.gain.as_tensor() / (self.variance.as_tensor() + ops::EPSILON)?.sqrt()?)?;
        let shift = (self.norm.bias.as_tensor() - (self.mean.as_tensor() * &scale)?)?;
        Ok((scale, shift))
    }

    /// Moves the running moments towards those of a batch of `rows` rows.
    pub fn follow(&self, moments: &Moments, rows: usize) -> Result<(), DeepError> {
        let unbias = if self.of_sample { rows as f64 / (rows as f64 - 1.0).max(1.0) } else { 1.0 };
        let share = self.momentum;
        let step = |running: &Tensor, new: &Tensor, factor: f64| (running * (1.0 - share))? + (new * (share * factor))?;
        self.mean.set(&step(&self.mean, &moments.mean, 1.0)?.detach())?;
        self.variance.set(&step(&self.variance, &moments.variance, unbias)?.detach())?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use candle_core::{DType, Device, Var};

    use super::*;
    use crate::nets::deep::params::{Init, Maker};
    use gauntlet_games::base::Seed;

    fn set(var: &Var, numbers: [f64; 2]) {
        var.set(&Tensor::new(&numbers, &Device::Cpu).unwrap()).unwrap();
    }

    fn assert_near(found: &Tensor, expected: &[f64]) {
        let found: Vec<f64> = found.flatten_all().unwrap().to_vec1().unwrap();
        assert_eq!(found.len(), expected.len());
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?} {expected:?}");
    }

    /// One step by hand. Training divides the batch's variance by n and stores it with n - 1, evaluation uses only
    /// the running moments: PyTorch's `BatchNorm1d` with its momentum 0.1 and epsilon 1e-5.
    #[test]
    fn training_normalises_by_the_batch_and_evaluation_by_the_running_moments() {
        let mut rng = Seed::new(1).rng();
        let layer =
            Maker::new(DType::F64, &Device::Cpu, Init::Torch, &mut rng).batch_norm("norm", 2).expect("a batch norm");
        // Columns of mean 3 and 2, with squared deviations that sum to 14 and 8.
        let x = [[1.0, 0.0], [2.0, 4.0], [6.0, 2.0]];
        let input = Tensor::new(&x, &Device::Cpu).unwrap();
        let (gain, bias) = ([2.0, 1.0], [0.5, -0.25]);
        let normalised = |mean: [f64; 2], variance: [f64; 2]| -> Vec<f64> {
            let y = |row: [f64; 2], at: usize| {
                (gain[at] * (row[at] - mean[at]) / (variance[at] + 1e-5).sqrt() + bias[at]).max(0.0)
            };
            x.iter().flat_map(|&row| [y(row, 0), y(row, 1)]).collect()
        };
        let check = || {
            set(&layer.norm.gain, gain);
            set(&layer.norm.bias, bias);
            set(&layer.mean, [0.5, -1.0]);
            set(&layer.variance, [2.0, 3.0]);
            let trained = layer.forward(&input, 0.0, &mut Mode::train(&mut Seed::new(2).rng())).unwrap();
            assert_near(&trained, &normalised([3.0, 2.0], [14.0 / 3.0, 8.0 / 3.0]));
            let (mean, variance) = ([0.9 * 0.5 + 0.1 * 3.0, 0.1 * 2.0 - 0.9], [0.9 * 2.0 + 0.1 * 7.0, 0.9 * 3.0 + 0.4]);
            assert_near(&layer.mean, &mean);
            assert_near(&layer.variance, &variance);
            let evaluated = layer.forward(&input, 0.0, &mut Mode::Evaluate).unwrap();
            assert_near(&evaluated, &normalised(mean, variance));
            // Evaluation changes nothing.
            assert_near(&layer.mean, &mean);
            assert_near(&layer.variance, &variance);
        };
        check();
        ops::composed_alone(check);
    }
}
