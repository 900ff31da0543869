//! Logits of moves from the sites that they join, for networks without edge features, in training and inference.
//!
//! `logit = w BNR(W_f x_from + W_t x_to) + b`: moves that join the same sites, as promotions do, have the same logit.

use super::bnr::Bnr;
use super::in_order::InOrder;
use crate::encoders::MoveGraph;
use crate::nets::NumberFormat;
use crate::nets::deep::DeepError;
use crate::nets::deep::dense::{Dense, head};
use crate::nets::deep::layers::{Layers, Value};
use crate::nets::deep::params::{Linear, floats};
use crate::nets::deep::trunk_norm::TrunkNorm;
use crate::nets::kernels::{AlignedLanes, FormatMatrix, Rows, Vector, dot_of_sum};

/// The logits of moves from nodes, as layers.
pub fn move_logits(net: &mut Layers, nodes: Value, norm: TrunkNorm) -> Value {
    let sites = net.sites(nodes);
    let senders = net.unbiased("policy.from", sites, nodes.width);
    let receivers = net.unbiased("policy.to", sites, nodes.width);
    let moves = net.ends(senders, receivers);
    let moves = net.trunk_norm("policy", moves, norm);
    net.linear("policy", moves, 1)
}

/// The weights of the logits.
pub struct MoveHead {
    from: Linear,
    to: Linear,
    norm: Bnr,
    logit: Linear,
}

impl MoveHead {
    /// The next weights.
    pub(super) fn take(weights: &mut InOrder<'_>) -> MoveHead {
        let (from, to) = (weights.linear(), weights.linear());
        MoveHead { from, to, norm: weights.norm(), logit: weights.linear() }
    }
}

/// The head for inference, with the norm folded into the weights.
#[derive(Clone)]
pub struct MoveKernel {
    from: FormatMatrix,
    to: FormatMatrix,
    logit: (Vec<AlignedLanes>, f32),
    senders: Rows,
    receivers: Rows,
}

impl MoveKernel {
    /// Binds the current weights in a number format.
    pub fn new(layers: &MoveHead, numbers: NumberFormat, h: usize) -> Result<MoveKernel, DeepError> {
        let (factor, offset) = layers.norm.folded()?;
        let (factor, offset) = (floats(&factor)?, floats(&offset)?);
        let scaled =
            |linear, offset: &[f32]| Ok::<_, DeepError>(Dense::new(linear)?.scaled(&factor, offset).pack(numbers, h));
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
