//! The maps of rows, as data.

use candle_core::{Layout, Result, Shape, Tensor};

/// A map of rows `[N, C]`, with its parameters.
pub enum RowMap {
    /// `x scale + shift` by column, with a ReLU if `relu`; `scale` and `shift` `[C]`.
    Scale { parameters: [Tensor; 2], relu: bool },
    /// Batch norm by the running moments, with a ReLU if `relu`; gains, biases, means and variances `[C]`.
    Norm { parameters: [Tensor; 4], relu: bool },
    /// Layer norm and ReLU; gains and biases `[C]`.
    LayerNorm { parameters: [Tensor; 2] },
    /// The inner product with a weight `[1, C]`, plus a bias `[1]`: `[N, 1]`.
    Head { parameters: [Tensor; 2] },
}

impl RowMap {
    /// The shape of the result.
    pub fn shape(&self, x: &Layout) -> Result<Shape> {
        let (rows, width) = x.shape().dims2()?;
        Ok(if matches!(self, RowMap::Head { .. }) { (rows, 1) } else { (rows, width) }.into())
    }

    /// The parameters, in the order of the kernel's arguments.
    pub fn parameters(&self) -> &[Tensor] {
        match self {
            RowMap::Scale { parameters, .. } | RowMap::LayerNorm { parameters } | RowMap::Head { parameters } => {
                parameters
            }
            RowMap::Norm { parameters, .. } => parameters,
        }
    }
}
