//! Layers of the deep networks on the kernels of inference: weights off their tensors, norms folded in.

use super::DeepError;
use super::params::{BatchNorm, Linear, floats};
use crate::encoders::LANES;
use crate::nets::kernels::Matrix;

/// Numbers of a row of `count` features in memory: whole registers, an even number of them.
pub fn padded(count: usize) -> usize {
    count.next_multiple_of(2 * LANES)
}

/// A layer's weights `[output][input]` and biases `[output]`, before they are packed.
#[derive(Debug, Clone)]
pub struct Dense {
    /// Weights, row-major.
    pub weights: Vec<f32>,
    /// Biases.
    pub bias: Vec<f32>,
}

impl Dense {
    /// A layer as it is.
    pub fn new(linear: &Linear) -> Result<Dense, DeepError> {
        let weights = floats(&linear.weight)?;
        let bias = match &linear.bias {
            Some(bias) => floats(bias)?,
            None => vec![0.0; linear.weight.dim(0)?],
        };
        Ok(Dense { weights, bias })
    }

    /// A layer and the batch norm behind it.
    pub fn normed(linear: &Linear, norm: &BatchNorm) -> Result<Dense, DeepError> {
        let mut dense = Dense::new(linear)?;
        let (scale, shift) = norm.folded()?;
        let inputs = dense.inputs();
        for ((row, bias), (scale, shift)) in dense
            .weights
            .chunks_exact_mut(inputs)
            .zip(&mut dense.bias)
            .zip(floats(&scale)?.into_iter().zip(floats(&shift)?))
        {
            row.iter_mut().for_each(|weight| *weight *= scale);
            *bias = *bias * scale + shift;
        }
        Ok(dense)
    }

    /// The layer whose outputs have mean zero for every input: what a layer norm makes of them first.
    #[must_use]
    pub fn centred(mut self) -> Dense {
        let (inputs, outputs) = (self.inputs(), self.bias.len());
        let centre = |numbers: &mut [f32], first: usize, step: usize| {
            let sum: f64 = (0..outputs).map(|output| f64::from(numbers[first + output * step])).sum();
            let mean = sum / outputs as f64;
            (0..outputs).for_each(|output| {
                let number = &mut numbers[first + output * step];
                *number = (f64::from(*number) - mean) as f32;
            });
        };
        (0..inputs).for_each(|input| centre(&mut self.weights, input, inputs));
        centre(&mut self.bias, 0, 1);
        self
    }

    /// Packs the layer for rows whose numbers come in segments of `segment`, each padded to whole registers.
    #[must_use]
    pub fn pack(&self, segment: usize) -> Matrix {
        let (inputs, wide) = (self.inputs(), padded(segment));
        if wide == segment {
            return Matrix::new(&self.weights, &self.bias);
        }
        let mut weights = vec![0.0; self.bias.len() * inputs.div_ceil(segment) * wide];
        let rows = weights.chunks_exact_mut(inputs.div_ceil(segment) * wide);
        for (into, from) in rows.zip(self.weights.chunks_exact(inputs)) {
            for (into, from) in into.chunks_exact_mut(wide).zip(from.chunks(segment)) {
                into[..from.len()].copy_from_slice(from);
            }
        }
        Matrix::new(&weights, &self.bias)
    }

    /// Packs the layer for rows without gaps.
    #[must_use]
    pub fn pack_whole(&self) -> Matrix {
        Matrix::new(&self.weights, &self.bias)
    }

    fn inputs(&self) -> usize {
        self.weights.len() / self.bias.len()
    }
}
