//! Inference of the first layer over graphs of moves: node features are mostly binary, so that rows are added instead
//! of multiplied.

use crate::encoders::{LANES, MoveGraphs};
use crate::nets::deep::DeepError;
use crate::nets::deep::dense::{Dense, padded};
use crate::nets::deep::params::Linear;
use crate::nets::kernels::{AlignedLanes, Rows, Vector, add};

/// A layer over the features of a node.
#[derive(Clone)]
pub struct SiteRows {
    /// Number of binary features of a node.
    bits: usize,
    /// The biases, and a row for each feature.
    rows: Rows,
    /// The contribution of the common features of a position.
    common: Vec<AlignedLanes>,
}

impl SiteRows {
    /// Binds a layer over nodes with `bits` binary features.
    pub fn new(linear: &Linear, bits: usize) -> Result<SiteRows, DeepError> {
        let dense = Dense::new(linear)?;
        let (outputs, inputs) = (dense.bias.len(), dense.weights.len() / dense.bias.len());
        let one = padded(outputs) / LANES;
        let mut rows = Rows::new(one);
        rows.reserve(inputs + 1);
        rows.numbers_mut(0)[..outputs].copy_from_slice(&dense.bias);
        for input in 0..inputs {
            let column = dense.weights.iter().skip(input).step_by(inputs);
            rows.numbers_mut(input + 1).iter_mut().zip(column).for_each(|(into, &weight)| *into = weight);
        }
        Ok(SiteRows { bits, rows, common: vec![AlignedLanes::ZERO; one] })
    }

    /// Writes the layer's output at all nodes of a position, from row `first` on.
    #[inline(always)]
    pub fn write<V: Vector>(&mut self, moves: &MoveGraphs, index: usize, (into, first): (&mut Rows, usize)) {
        let SiteRows { bits, rows, common } = self;
        common.copy_from_slice(rows.row(0));
        for (at, &scalar) in moves.scalars(index).iter().enumerate() {
            let weights = rows.row(1 + *bits + at);
            for (sum, weight) in common.iter_mut().zip(weights) {
                V::splat(scalar).mul_add(V::load(&weight.0), V::load(&sum.0)).store(&mut sum.0);
            }
        }
        for (node, &bits) in moves.bits(index).iter().enumerate() {
            let row = &mut into.row_mut(first + node)[..common.len()];
            row.copy_from_slice(common);
            let mut left = bits;
            while left != 0 {
                add::<V>(rows.row(1 + left.trailing_zeros() as usize), row);
                left &= left - 1;
            }
        }
    }
}
