//! The value of a position by attention over its nodes, in training and inference.
//!
//! Rigaux and Kashima 2024, Eq. 7: `x_i = BNR(W BNR(h_i))`, `value = tanh(w relu(sum over i of softmax(leaky(a x_i)) x_i) + b)`.

use candle_core::Tensor;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::nets::deep::dense::{Dense, Scale, head, padded};
use crate::nets::deep::ops::{self, Links};
use crate::nets::deep::params::{BatchNorm, Linear, Maker};
use super::trunk_norm::{Bnr, TrunkNorm};
use crate::nets::deep::{DeepError, Mode};
use crate::encoders::LANES;
use crate::nets::kernels::{AlignedLanes, Matrix, Rows, Vector, dot, leaky_relu, scale_relu, softmax, weighted_sum};

/// Score of attention pooling, the input of its softmax.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PoolScore {
    /// `leaky(a x)`, with a slope of 0.01 below 0.
    #[default]
    Leaky,
    /// `a x`.
    Linear,
}

/// The layers of the value.
pub struct PooledValue {
    pub(super) score: PoolScore,
    pub(super) before: Bnr,
    pub(super) hidden: Linear,
    pub(super) norm: BatchNorm,
    pub(super) attention: Linear,
    pub(super) last: Linear,
}

impl PooledValue {
    /// The value head for nodes with `h` features.
    pub(super) fn new(
        norm: TrunkNorm,
        score: PoolScore,
        h: usize,
        maker: &mut Maker<'_>,
    ) -> Result<PooledValue, DeepError> {
        Ok(PooledValue {
            score,
            before: Bnr::new(norm, "value.in.norm", h, maker)?,
            hidden: maker.linear("value.hidden", [h, h], true)?,
            norm: maker.biased_batch_norm("value.norm", h)?,
            attention: maker.linear("value.attention", [h, 1], true)?,
            last: maker.linear("value", [h, 1], true)?,
        })
    }

    /// The values of all boards, whose nodes are `h [N, H]`.
    pub(super) fn forward(&self, h: &Tensor, boards: &Links, mode: &mut Mode<'_>) -> Result<Tensor, DeepError> {
        let x = self.norm.forward(&self.hidden.forward(&self.before.forward(h, mode)?, false)?, 0.0, mode)?;
        let scores = self.attention.forward(&x, false)?.squeeze(1)?;
        let scores = if self.score == PoolScore::Leaky { ops::leaky_relu(&scores)? } else { scores };
        let pooled = ops::collect_weighted(&ops::softmax_by_receiver(&scores, boards)?, &x, boards)?;
        Ok(self.last.forward(&pooled.relu()?, false)?.squeeze(1)?.tanh()?)
    }
}

/// The value head for inference.
#[derive(Clone)]
pub struct ValueKernel {
    score: PoolScore,
    before: Scale,
    hidden: Matrix,
    attention: (Vec<AlignedLanes>, f32),
    last: (Vec<AlignedLanes>, f32),
    normed: Rows,
    rows: Rows,
    scores: Vec<f32>,
    pooled: Vec<AlignedLanes>,
}

impl ValueKernel {
    /// Binds the current weights.
    pub(super) fn new(value: &PooledValue, h: usize) -> Result<ValueKernel, DeepError> {
        let (hidden, one) = (Dense::normed(&value.hidden, &value.norm)?.pack(h), padded(h) / LANES);
        Ok(ValueKernel {
            score: value.score,
            before: value.before.scale()?,
            attention: head(&value.attention)?,
            last: head(&value.last)?,
            normed: Rows::new(one),
            rows: Rows::new(hidden.slots()),
            scores: Vec::new(),
            pooled: vec![AlignedLanes::ZERO; one],
            hidden,
        })
    }

    /// The value of a board whose nodes are the first `count` rows.
    #[inline(always)]
    pub(super) fn value<V: Vector>(&mut self, h: &Rows, count: usize) -> f32 {
        let ValueKernel { score, before, hidden, attention, last, normed, rows, scores, pooled } = self;
        normed.reserve(count);
        rows.reserve(count);
        for node in 0..count {
            scale_relu::<V>(h.row(node), &before[0], &before[1], normed.row_mut(node));
        }
        hidden.multiply::<V>((normed, 0), count, (rows, 0), true);
        scores.clear();
        for node in 0..count {
            let number = dot::<V>(&rows.row(node)[..pooled.len()], &attention.0) + attention.1;
            scores.push(if *score == PoolScore::Leaky { leaky_relu(number) } else { number });
        }
        softmax(scores);
        weighted_sum::<V>(scores, 0..count, rows, pooled);
        for slot in pooled.iter_mut() {
            V::load(&slot.0).max(V::splat(0.0)).store(&mut slot.0);
        }
        (dot::<V>(pooled, &last.0) + last.1).tanh()
    }
}
