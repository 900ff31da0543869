//! Layers of deep networks for the inference kernels: weights copied from tensors, norms folded in.

use super::DeepError;
use super::params::{BatchNorm, Linear, floats};
use crate::encoders::LANES;
use crate::nets::NumberFormat;
use crate::nets::kernels::{AlignedLanes, FormatMatrix, Matrix, slots};

/// Length of a row of `count` features in memory: an even number of whole registers.
pub fn padded(count: usize) -> usize {
    count.next_multiple_of(2 * LANES)
}

/// Factors and offsets of a norm.
pub type Scale = [Vec<AlignedLanes>; 2];

/// A row of numbers, padded like rows of features.
pub fn wide(numbers: &[f32]) -> Vec<AlignedLanes> {
    let mut row = slots(numbers);
    row.resize(padded(numbers.len()) / LANES, AlignedLanes::ZERO);
    row
}

/// A layer with one output.
pub fn head(linear: &Linear) -> Result<(Vec<AlignedLanes>, f32), DeepError> {
    let dense = Dense::new(linear)?;
    Ok((wide(&dense.weights), dense.bias[0]))
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
    /// A layer without changes.
    pub fn new(linear: &Linear) -> Result<Dense, DeepError> {
        let weights = floats(&linear.weight)?;
        let bias = match &linear.bias {
            Some(bias) => floats(bias)?,
            None => vec![0.0; linear.weight.dim(0)?],
        };
        Ok(Dense { weights, bias })
    }

    /// A layer with the batch norm after it.
    pub fn normed(linear: &Linear, norm: &BatchNorm) -> Result<Dense, DeepError> {
        let (factor, offset) = norm.folded()?;
        Ok(Dense::new(linear)?.scaled(&floats(&factor)?, &floats(&offset)?))
    }

    /// Multiplies the outputs by factors and adds offsets.
    #[must_use]
    pub fn scaled(mut self, factors: &[f32], offsets: &[f32]) -> Dense {
        let inputs = self.inputs();
        let outputs = self.weights.chunks_exact_mut(inputs).zip(&mut self.bias);
        for ((row, bias), (factor, offset)) in outputs.zip(factors.iter().zip(offsets)) {
            row.iter_mut().for_each(|weight| *weight *= factor);
            *bias = *bias * factor + offset;
        }
        self
    }

    /// The sum of some layers as one layer with concatenated inputs.
    pub fn side_by_side(parts: &[&Linear]) -> Result<Dense, DeepError> {
        let parts = parts.iter().map(|part| Dense::new(part)).collect::<Result<Vec<_>, _>>()?;
        let outputs = parts[0].bias.len();
        let row = |output: usize| {
            parts.iter().flat_map(move |part| part.weights[output * part.inputs()..][..part.inputs()].iter().copied())
        };
        let bias = (0..outputs).map(|output| parts.iter().map(|part| part.bias[output]).sum()).collect();
        Ok(Dense { weights: (0..outputs).flat_map(row).collect(), bias })
    }

    /// Centres the layer: its outputs have mean zero for every input, as in the first step of a layer norm.
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

    /// Packs the layer, in a number format, for rows in segments of `segment` numbers, each padded to whole registers.
    #[must_use]
    pub fn pack(&self, numbers: NumberFormat, segment: usize) -> FormatMatrix {
        let (inputs, wide) = (self.inputs(), padded(segment));
        if wide == segment {
            return FormatMatrix::new(numbers, &self.weights, &self.bias);
        }
        let mut weights = vec![0.0; self.bias.len() * inputs.div_ceil(segment) * wide];
        let rows = weights.chunks_exact_mut(inputs.div_ceil(segment) * wide);
        for (into, from) in rows.zip(self.weights.chunks_exact(inputs)) {
            for (into, from) in into.chunks_exact_mut(wide).zip(from.chunks(segment)) {
                into[..from.len()].copy_from_slice(from);
            }
        }
        FormatMatrix::new(numbers, &weights, &self.bias)
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
