//! Logits of moves from the sites that they join, for networks without edge features, in training and inference.
//!
//! `logit = w BNR(W_f x_from + W_t x_to) + b`: moves that join the same sites, as promotions do, have the same logit.

use candle_core::Tensor;

use crate::nets::deep::dense::{Dense, head};
use crate::nets::deep::ops::{self, Links};
use crate::nets::deep::params::{Linear, Maker, floats};
use super::trunk_norm::{Bnr, TrunkNorm};
use crate::nets::deep::layers::{BatchNormKind, Layers, Value};
use crate::nets::deep::{DeepError, Mode};
use crate::encoders::MoveGraph;
use crate::nets::kernels::{AlignedLanes, Matrix, Rows, Vector, dot_of_sum};

/// The logits of moves from nodes, as layers.
pub fn move_logits(net: &mut Layers, nodes: Value, norm: TrunkNorm) -> Value {
    let sites = net.sites(nodes);
    let senders = net.unbiased("policy.from", sites, nodes.width);
    let receivers = net.unbiased("policy.to", sites, nodes.width);
    let moves = net.ends(senders, receivers);
    assert!(norm == TrunkNorm::Batch);
    let moves = net.batch_norm("policy", moves, BatchNormKind::FLAX);
    let moves = net.relu(moves);
    net.linear("policy", moves, 1)
}

/// The layers of the logits.
pub struct MoveHead {
    from: Linear,
    to: Linear,
    norm: Bnr,
    logit: Linear,
}

impl MoveHead {
    /// The head for nodes with `h` features.
    pub fn new(norm: TrunkNorm, h: usize, maker: &mut Maker<'_>) -> Result<MoveHead, DeepError> {
        Ok(MoveHead {
            from: maker.linear("policy.from", [h, h], false)?,
            to: maker.linear("policy.to", [h, h], false)?,
            norm: Bnr::new(norm, "policy.norm", h, maker)?,
            logit: maker.linear("policy", [h, 1], true)?,
        })
    }

    /// Number of trained weights.
    pub fn weight_count(h: usize) -> usize {
        2 * h * h + 3 * h + 1
    }

    /// Multiply-adds of a position with these numbers of nodes and moves.
    pub fn macs(h: u64, [nodes, moves]: [u64; 2]) -> u64 {
        nodes * 2 * h * h + moves * h
    }

    /// The logits of all moves, `[E]`, from nodes `[N, H]`.
    pub fn forward(&self, nodes: &Tensor, links: &Links, mode: &mut Mode<'_>) -> Result<Tensor, DeepError> {
        let hidden = ops::ends(&self.from.forward(nodes, false)?, &self.to.forward(nodes, false)?, links)?;
        Ok(self.logit.forward(&self.norm.forward(&hidden, mode)?, false)?.squeeze(1)?)
    }
}

/// The head for inference, with the norm folded into the weights.
#[derive(Clone)]
pub struct MoveKernel {
    from: Matrix,
    to: Matrix,
    logit: (Vec<AlignedLanes>, f32),
    senders: Rows,
    receivers: Rows,
}

impl MoveKernel {
    /// Binds the current weights.
    pub fn new(layers: &MoveHead, h: usize) -> Result<MoveKernel, DeepError> {
        let (factor, offset) = layers.norm.folded()?;
        let (factor, offset) = (floats(&factor)?, floats(&offset)?);
        let scaled = |linear, offset: &[f32]| Ok::<_, DeepError>(Dense::new(linear)?.scaled(&factor, offset).pack(h));
        let (from, to) = (scaled(&layers.from, &offset)?, scaled(&layers.to, &vec![0.0; h])?);
        let (senders, receivers) = (Rows::new(from.slots()), Rows::new(to.slots()));
        Ok(MoveKernel { from, to, logit: head(&layers.logit)?, senders, receivers })
    }

    /// Reads the features of `count` nodes.
    #[inline(always)]
    pub fn read<V: Vector>(&mut self, nodes: &Rows, count: usize) {
        for (matrix, rows) in [(&self.from, &mut self.senders), (&self.to, &mut self.receivers)] {
            rows.reserve(count);
            matrix.multiply::<V>((nodes, 0), count, (rows, 0), false);
        }
    }

    /// The logits of the moves of a graph whose nodes begin at row `first`.
    #[inline(always)]
    pub fn logits<V: Vector>(&self, graph: &MoveGraph, first: usize, logits: &mut [f32]) {
        let (weights, bias) = &self.logit;
        for ((logit, &from), &to) in logits.iter_mut().zip(graph.senders()).zip(graph.receivers()) {
            let ends = (self.senders.row(first + from as usize), self.receivers.row(first + to as usize));
            *logit = dot_of_sum::<V>(ends.0, ends.1, weights) + bias;
        }
    }
}
