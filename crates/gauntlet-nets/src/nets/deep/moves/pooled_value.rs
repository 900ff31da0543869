//! The value of a position by attention over its nodes, in training and inference.
//!
//! Rigaux and Kashima 2024, Eq. 7: `x_i = BNR(W BNR(h_i))`, `value = tanh(w relu(sum over i of softmax(leaky(a x_i)) x_i) + b)`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::bnr::Bnr;
use super::in_order::InOrder;
use crate::encoders::LANES;
use crate::nets::deep::DeepError;
use crate::nets::deep::dense::{Dense, Scale, head, padded};
use crate::nets::deep::layers::{Layers, Stated, Value};
use crate::nets::deep::params::{BatchNorm, Linear};
use crate::nets::deep::trunk_norm::TrunkNorm;
use crate::nets::kernels::{AlignedLanes, FormatMatrix, Rows, Vector, dot, leaky_relu, scale_relu, weighted_sum};
use crate::nets::{NumberFormat, softmax};

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

/// The weights of the value head.
pub struct PooledValue {
    pub(super) score: PoolScore,
    pub(super) before: Bnr,
    pub(super) hidden: Linear,
    pub(super) norm: BatchNorm,
    pub(super) attention: Linear,
    pub(super) last: Linear,
}

impl PooledValue {
    /// The next weights.
    pub(super) fn take(weights: &mut InOrder<'_>, score: PoolScore) -> PooledValue {
        let (before, hidden, norm) = (weights.norm(), weights.linear(), weights.batch_norm());
        PooledValue { score, before, hidden, norm, attention: weights.linear(), last: weights.linear() }
    }

    /// The score of boards whose nodes are `h`, as layers; `norm` is that of the trunk.
    pub(super) fn layers(net: &mut Layers, h: Value, norm: TrunkNorm, score: PoolScore) -> Value {
        let before = net.stated_norm("value.in", h.width, norm);
        let hidden = net.stated("value.hidden", [h.width, h.width], true);
        let norm = net.stated_norm("value", h.width, TrunkNorm::Batch);
        let [attention, last] = ["value.attention", "value"].map(|name| net.stated(name, [h.width, 1], true));
        PooledValue::from(net, h, [before, hidden, norm, attention, last], score)
    }

    /// The same with stated weights: the norm before, the hidden layer and its norm, the scores and the last layer.
    pub(super) fn from(
        net: &mut Layers,
        h: Value,
        [before, hidden, norm, attention, last]: [Stated; 5],
        score: PoolScore,
    ) -> Value {
        let x = net.apply(before, h);
        let x = net.apply(hidden, x);
        let x = net.apply(norm, x);
        let scores = net.apply(attention, x);
        let scores = if score == PoolScore::Leaky { net.leaky_relu(scores) } else { scores };
        let weights = net.softmax(scores);
        let pooled = net.collect(weights, x);
        let pooled = net.relu(pooled);
        net.apply(last, pooled)
    }
}

/// The value head for inference.
#[derive(Clone)]
pub struct ValueKernel {
    score: PoolScore,
    before: Scale,
    hidden: FormatMatrix,
    attention: (Vec<AlignedLanes>, f32),
    last: (Vec<AlignedLanes>, f32),
    normed: Rows,
    rows: Rows,
    scores: Vec<f32>,
    pooled: Vec<AlignedLanes>,
}

impl ValueKernel {
    /// Binds the current weights in a number format.
    pub(super) fn new(value: &PooledValue, numbers: NumberFormat, h: usize) -> Result<ValueKernel, DeepError> {
        let (hidden, one) = (Dense::normed(&value.hidden, &value.norm)?.pack(numbers, h), padded(h) / LANES);
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
