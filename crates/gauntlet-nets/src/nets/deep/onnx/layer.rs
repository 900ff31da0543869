//! The layers that a graph becomes.

use super::functions::{Function, Pairwise};
use super::layout::RowRun;
use crate::nets::deep::dense::Dense;

/// Marks padding in a [`WindowSites`].
pub const NOTHING: u32 = u32::MAX;

/// The sites that each output of a convolution or a pool reads.
#[derive(Debug, Clone, PartialEq)]
pub struct WindowSites {
    /// Rows and columns of an image.
    pub image: [usize; 2],
    /// Outputs of an image.
    pub outputs: usize,
    /// The site of each tap of each output, `[output][tap]`; [`NOTHING`] for padding.
    pub sites: Vec<u32>,
    /// Whether it is 3 x 3 around each site.
    pub is_around: bool,
}

impl WindowSites {
    /// Sites of an image.
    pub fn area(&self) -> usize {
        self.image[0] * self.image[1]
    }

    /// Sites that an output reads.
    pub fn taps(&self) -> usize {
        self.sites.len() / self.outputs.max(1)
    }
}

/// A number from the numbers of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reduction {
    /// Their sum.
    Sum,
    /// Their product.
    Product,
    /// Their mean.
    Mean,
    /// The greatest.
    Max,
    /// The smallest.
    Min,
}

/// A layer. Each treats all positions alike.
#[derive(Debug, Clone)]
pub enum OnnxLayer {
    /// The images.
    Input,
    /// The same numbers for all positions.
    Fixed(Vec<f32>),
    /// `x W^T + b` of each row.
    Product {
        /// Weights and biases.
        dense: Dense,
        /// Whether a ReLU follows.
        relu: bool,
    },
    /// A product with the numbers of all taps, `[tap][channel]`.
    Convolution {
        /// Weights and biases.
        dense: Dense,
        /// The taps.
        field: WindowSites,
        /// Whether a ReLU follows.
        relu: bool,
    },
    /// A factor and an offset for each column, or for each number.
    Scale {
        /// Factors.
        factor: Vec<f32>,
        /// Offsets.
        offset: Vec<f32>,
        /// Whether a ReLU follows.
        relu: bool,
    },
    /// A function of the same number of two values.
    Pair {
        /// The function.
        pairwise: Pairwise,
        /// Whether a ReLU follows.
        relu: bool,
    },
    /// A function of each number.
    Map(Function),
    /// Numbers at other places, and the others.
    Move {
        /// The parts that move.
        runs: Vec<RowRun>,
        /// All other numbers.
        fill: f32,
    },
    /// One number for each row.
    Reduce(Reduction),
    /// Shares of each row, or their logarithms.
    Softmax {
        /// Whether these are logarithms.
        log: bool,
    },
    /// Each row with mean 0 and variance 1.
    Standardise {
        /// Added to the variance.
        epsilon: f32,
    },
    /// The greatest number or the mean of all taps.
    Pool {
        /// The taps.
        field: WindowSites,
        /// Whether it is the greatest number.
        is_max: bool,
        /// Whether padding counts in the mean.
        counts_padding: bool,
    },
    /// Products of matrices of two values, `[batch][row]` and `[batch][inner]`.
    Multiply {
        /// Products of a unit.
        batches: usize,
        /// Columns of the first matrix.
        inner: usize,
    },
}

/// A layer with its arguments and the size of its result.
#[derive(Debug, Clone)]
pub struct PlacedLayer {
    /// The layer.
    pub layer: OnnxLayer,
    /// Its arguments, by number.
    pub from: Vec<usize>,
    /// Rows of its result.
    pub rows: usize,
    /// Numbers of a row.
    pub width: usize,
}

impl PlacedLayer {
    /// The kernel that computes it, in words.
    pub fn kernel(&self) -> &'static str {
        match &self.layer {
            OnnxLayer::Input => "images as rows",
            OnnxLayer::Fixed(_) => "constants",
            OnnxLayer::Product { .. } => "product with weights",
            OnnxLayer::Convolution { field, .. } if field.is_around => "convolution of 3 x 3",
            OnnxLayer::Convolution { .. } => "convolution by patches",
            OnnxLayer::Scale { .. } => "factor and offset",
            OnnxLayer::Pair { .. } => "function of two values",
            OnnxLayer::Map(_) => "function",
            OnnxLayer::Move { .. } => "movement",
            OnnxLayer::Reduce(_) => "sum, mean or extreme",
            OnnxLayer::Softmax { .. } => "softmax",
            OnnxLayer::Standardise { .. } => "mean 0 and variance 1",
            OnnxLayer::Pool { .. } => "pool",
            OnnxLayer::Multiply { .. } => "product of two values",
        }
    }

    /// Multiply-adds of matrix products.
    pub fn macs(&self) -> u64 {
        let of_rows = |dense: &Dense| (dense.weights.len() * self.rows) as u64;
        match &self.layer {
            OnnxLayer::Product { dense, .. } | OnnxLayer::Convolution { dense, .. } => of_rows(dense),
            OnnxLayer::Multiply { inner, .. } => (inner * self.rows * self.width) as u64,
            _ => 0,
        }
    }
}
