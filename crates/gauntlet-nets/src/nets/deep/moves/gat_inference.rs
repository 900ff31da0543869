//! Inference of graph attention over moves: the arithmetic of `gat` on flat buffers, one position at a time.

use super::by_position::{ByPosition, PositionCore, move_dims};
use super::in_order::InOrder;
use super::move_head::{MoveHead, MoveKernel};
use super::pooled_value::{PoolScore, PooledValue, ValueKernel};
use crate::encoders::{LANES, MoveGraph, MoveGraphs};
use crate::nets::deep::bind::SiteRows;
use crate::nets::deep::dense::{Dense, Scale, head, padded};
use crate::nets::deep::layers::{LayeredNet, OwnKernels};
use crate::nets::deep::{DeepError, Inference};
use crate::nets::kernels::{AlignedLanes, FormatMatrix, Rows, Vector, add, dot, leaky_relu, scale_relu, weighted_sum};
use crate::nets::{NumberFormat, softmax};

/// Weights and buffers.
#[derive(Clone)]
struct GatCore {
    nodes: SiteRows,
    layers: Vec<GatLayer>,
    before_policy: Scale,
    policy: MoveKernel,
    value: ValueKernel,
    /// `h` of the block, and of the layer.
    h: [Rows; 2],
    normed: Rows,
    /// `[weighted sum of senders | node]`.
    sums: Rows,
    updated: Rows,
    /// Contributions of senders and receivers to a score.
    halves: [Vec<f32>; 2],
    scores: Vec<f32>,
}

#[derive(Clone)]
struct GatLayer {
    norm: Scale,
    halves: [(Vec<AlignedLanes>, f32); 2],
    /// The weights for `[weighted sum of senders | node]`.
    own: FormatMatrix,
}

impl GatLayer {
    /// Binds the next weights: norm, W_h, W_0, a_s, a_r.
    fn new(weights: &mut InOrder<'_>, numbers: NumberFormat, h: usize) -> Result<GatLayer, DeepError> {
        let norm = weights.norm().scale()?;
        let own = Dense::side_by_side(&[&weights.linear(), &weights.linear()])?.pack(numbers, h);
        Ok(GatLayer { norm, halves: [head(&weights.linear())?, head(&weights.linear())?], own })
    }
}

/// The kernels of a network with these settings.
pub struct GatKernels {
    /// Features of a node.
    pub hidden: usize,
    /// Layers, two a block.
    pub layers: usize,
    /// The score of the value's attention.
    pub pool: PoolScore,
}

impl OwnKernels for GatKernels {
    fn inference(&self, net: &LayeredNet, numbers: NumberFormat) -> Result<Box<dyn Inference>, DeepError> {
        let (h, mut weights) = (self.hidden, InOrder::of(&net.weights));
        let numbers = numbers.of_width(h);
        let nodes = SiteRows::new(&weights.linear(), move_dims(net).bits)?;
        let layers =
            (0..self.layers).map(|_| GatLayer::new(&mut weights, numbers, h)).collect::<Result<Vec<_>, _>>()?;
        let (rows, one) = (Rows::new, padded(h) / LANES);
        let core = GatCore {
            nodes,
            before_policy: weights.norm().scale()?,
            policy: MoveKernel::new(&MoveHead::take(&mut weights), numbers, h)?,
            value: ValueKernel::new(&PooledValue::take(&mut weights, self.pool), numbers, h)?,
            h: [rows(one), rows(one)],
            normed: rows(one),
            sums: rows(2 * one),
            updated: rows(layers[0].own.slots()),
            halves: [Vec::new(), Vec::new()],
            scores: Vec::new(),
            layers,
        };
        Ok(ByPosition::boxed(net, core))
    }
}

impl PositionCore for GatCore {
    #[inline(always)]
    fn answer<V: Vector>(&mut self, moves: &MoveGraphs, index: usize, logits: &mut [f32]) -> f32 {
        let graph = moves.graph(index);
        let count = graph.nodes();
        let GatCore { h: [h, next], normed, sums, updated, .. } = self;
        [h, next, normed, sums, updated].into_iter().for_each(|rows| rows.reserve(count));
        self.nodes.write::<V>(moves, index, (&mut self.h[0], 0));
        for layer in 0..self.layers.len() {
            self.layer::<V>(layer, graph);
        }
        let GatCore { h: [h, _], normed, before_policy: [factor, offset], policy, value, .. } = self;
        for node in 0..count {
            scale_relu::<V>(h.row(node), factor, offset, normed.row_mut(node));
        }
        policy.read::<V>(normed, count);
        policy.logits::<V>(graph, 0, logits);
        value.value::<V>(h, count)
    }
}

impl GatCore {
    /// Layer `at`, the first or the second of its block.
    #[inline(always)]
    fn layer<V: Vector>(&mut self, at: usize, graph: &MoveGraph) {
        let GatCore { layers, h, normed, sums, updated, halves, scores, .. } = self;
        let (GatLayer { norm: [factor, offset], halves: weights, own }, second) = (&layers[at], at % 2);
        halves.iter_mut().for_each(Vec::clear);
        for node in 0..graph.nodes() {
            scale_relu::<V>(h[second].row(node), factor, offset, normed.row_mut(node));
            for (half, (weights, bias)) in halves.iter_mut().zip(weights) {
                half.push(dot::<V>(normed.row(node), weights) + bias);
            }
        }
        for node in 0..graph.nodes() {
            let senders = graph.incoming(node).iter().map(|&edge| graph.senders()[edge as usize] as usize);
            scores.clear();
            scores.extend(senders.clone().map(|sender| leaky_relu(halves[0][sender] + halves[1][node])));
            softmax(scores);
            let (sum, own) = sums.row_mut(node).split_at_mut(normed.row(node).len());
            weighted_sum::<V>(scores, senders, normed, sum);
            own.copy_from_slice(normed.row(node));
        }
        own.multiply::<V>((sums, 0), graph.nodes(), (updated, 0), false);
        for node in 0..graph.nodes() {
            let row = &updated.row(node)[..normed.row(node).len()];
            match second {
                0 => h[1].row_mut(node).copy_from_slice(row),
                _ => add::<V>(row, h[0].row_mut(node)),
            }
        }
    }
}
