//! The edges of move graphs in a step of optimisation: every layer of a network of GATEAU layers in one pass over them.
//!
//! There are many edges, 1858 a position of chess, and the rest of a step is small by comparison. They are not stored
//! in tensors: an [`EdgeTape`] keeps the data of each layer for the backward pass, and its operations on tensors
//! connect nodes and weights with the edges. Backward passes run in the opposite order, as each operation reads the
//! output of the previous one. The gradient after the norm of a layer is kept instead of that before it, which
//! depends on sums over all edges and is computed when the layer below reads it.

mod ends;
mod ends_ops;
mod graphs;
mod layer;
mod layer_op;
mod norm;
mod parts;
mod rows;
mod state;

use std::sync::{Arc, Mutex};

use candle_core::{Result, Tensor, WithDType};

use super::Moments;
use crate::encoders::MoveGraphs;
use crate::nets::NumberFormat;
use ends_ops::{EmbedOp, LogitsOp};
use layer_op::LayerOp;
use state::{SharedTape, TapeState};

pub use layer_op::EdgeLayer;
pub use norm::NormStats;
pub use state::EdgeBuffers;

/// The edges of a batch during a pass through a network.
pub struct EdgeTape<T: WithDType> {
    state: SharedTape<T>,
    /// The output of the last operation: the next one reads it, so that gradients flow in the opposite order.
    last: Tensor,
}

impl<T: WithDType> EdgeTape<T> {
    /// The edges `W features + b`; `W [H, K]`, `b [H]`. All products over edges are computed in a number format.
    ///
    /// # Errors
    /// Errors of Candle for incompatible shapes.
    pub fn embed(
        moves: &MoveGraphs,
        weights: [&Tensor; 2],
        numbers: NumberFormat,
        buffers: &EdgeBuffers,
    ) -> Result<EdgeTape<T>> {
        let state = Arc::new(Mutex::new(TapeState::new(moves, weights[1].elem_count(), numbers, buffers)));
        let last = flat(&weights)?.apply_op1(EmbedOp { state: Arc::clone(&state) })?;
        Ok(EdgeTape { state, last })
    }

    /// The moments of the columns of the current edges.
    ///
    /// # Errors
    /// Errors of Candle.
    pub fn moments(&self) -> Result<Moments> {
        let [mean, variance] = state::lock(&self.state)?.moments();
        let tensor = |numbers: Vec<T>| Tensor::from_vec(numbers, self.width()?, self.last.device());
        Ok(Moments { mean: tensor(mean)?, variance: tensor(variance)? })
    }

    /// A layer over nodes `h`, `u` and `v`, `[N, H]` each; returns the sums over the edges into each node of their
    /// weight times the sender's `h`, and times the message, `[2 N, H]`. `weights` are gain and bias of the norm, `W
    /// [H, H]`, `b [H]`, `a [H]` and its offset.
    ///
    /// # Errors
    /// Errors of Candle for incompatible shapes.
    pub fn attend(
        &mut self,
        nodes: [&Tensor; 3],
        weights: [&Tensor; 6],
        stats: NormStats,
        layer: EdgeLayer,
    ) -> Result<Tensor> {
        let op = LayerOp { state: Arc::clone(&self.state), stats, layer };
        self.last = Tensor::cat(&nodes, 0)?.apply_op3(&flat(&weights)?, &self.last, op)?;
        Ok(self.last.clone())
    }

    /// A layer without attention: `weights` are gain and bias of the norm, `W [H, H]`, `b [H]`.
    ///
    /// # Errors
    /// Errors of Candle for incompatible shapes.
    pub fn product(&mut self, weights: [&Tensor; 4], stats: NormStats) -> Result<()> {
        let layer = EdgeLayer { attention: None, adds: false };
        let op = LayerOp { state: Arc::clone(&self.state), stats, layer };
        self.last = self.last.apply_op2(&flat(&weights)?, op)?;
        Ok(())
    }

    /// The logits of the edges, `[E]`; `weights` are gain and bias of the norm, `w [H]` and its offset.
    ///
    /// # Errors
    /// Errors of Candle for incompatible shapes.
    pub fn logits(self, weights: [&Tensor; 4], stats: NormStats) -> Result<Tensor> {
        self.last.apply_op2(&flat(&weights)?, LogitsOp { state: self.state, stats })
    }

    fn width(&self) -> Result<usize> {
        Ok(state::lock(&self.state)?.width)
    }
}

/// The concatenated numbers of some tensors.
fn flat(tensors: &[&Tensor]) -> Result<Tensor> {
    let flat = tensors.iter().map(|tensor| tensor.flatten_all()).collect::<Result<Vec<_>>>()?;
    Tensor::cat(&flat, 0)
}
