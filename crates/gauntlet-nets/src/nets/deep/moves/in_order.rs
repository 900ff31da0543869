//! The weights of a network in the order in which its layers state them, for its own kernels.

use super::bnr::Bnr;
use crate::nets::deep::layers::Weights;
use crate::nets::deep::params::{BatchNorm, Linear};

/// The weights that are not yet taken.
pub struct InOrder<'a>(std::slice::Iter<'a, Weights>);

impl<'a> InOrder<'a> {
    /// All weights.
    pub fn of(weights: &'a [Weights]) -> InOrder<'a> {
        InOrder(weights.iter())
    }

    /// The next weights.
    ///
    /// # Panics
    /// If there are none, which is a bug of the kernels.
    fn next(&mut self) -> &'a Weights {
        self.0.next().expect("kernels take the stated weights")
    }

    /// The next weights, of a linear layer.
    pub fn linear(&mut self) -> Linear {
        self.next().linear().clone()
    }

    /// The next weights, of a norm of the trunk.
    pub fn norm(&mut self) -> Bnr {
        Bnr::of(self.next())
    }

    /// The next weights, of a batch norm.
    pub fn batch_norm(&mut self) -> BatchNorm {
        self.next().batch_norm().clone()
    }
}
