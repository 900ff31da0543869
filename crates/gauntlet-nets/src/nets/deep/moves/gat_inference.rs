//! Inference of graph attention over moves: the arithmetic of `gat` on flat buffers, one position at a time.

use super::in_order::InOrder;
use super::move_head::{MoveHead, MoveKernel};
use super::pooled_value::{PoolScore, PooledValue, ValueKernel};
use crate::encoders::{Batch, Dims, LANES, MoveDims, MoveGraph, MoveGraphs};
use crate::nets::NumberFormat;
use crate::nets::deep::bind::SiteRows;
use crate::nets::deep::dense::{Dense, Scale, head, padded};
use crate::nets::deep::input::move_graphs;
use crate::nets::deep::layers::{LayeredNet, Network, OwnKernels, PositionSize};
use crate::nets::deep::{Answers, DeepError, Inference};
use crate::nets::kernels::{
    AlignedLanes, FormatMatrix, Path, Rows, Vector, Vectorized, add, dot, leaky_relu, scale_relu, softmax, weighted_sum,
};

/// Graph attention over moves with its weights bound for inference.
#[derive(Clone)]
pub struct GatInference {
    path: Path,
    core: Core,
    network: Network,
}

/// Weights and buffers.
#[derive(Clone)]
struct Core {
    dims: MoveDims,
    nodes: SiteRows,
    layers: Vec<Layer>,
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
struct Layer {
    norm: Scale,
    halves: [(Vec<AlignedLanes>, f32); 2],
    /// The weights for `[weighted sum of senders | node]`.
    own: FormatMatrix,
}

impl Layer {
    /// Binds the next weights: norm, W_h, W_0, a_s, a_r.
    fn new(weights: &mut InOrder<'_>, numbers: NumberFormat, h: usize) -> Result<Layer, DeepError> {
        let norm = weights.norm().scale()?;
        let own = Dense::side_by_side(&[&weights.linear(), &weights.linear()])?.pack(numbers, h);
        Ok(Layer { norm, halves: [head(&weights.linear())?, head(&weights.linear())?], own })
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
        Ok(Box::new(GatInference::new(self, net, numbers)?))
    }
}

impl GatInference {
    /// Binds the current weights in a number format.
    fn new(config: &GatKernels, net: &LayeredNet, numbers: NumberFormat) -> Result<GatInference, DeepError> {
        let Dims::Moves(dims) = net.dims else { unreachable!("the network reads graphs of moves") };
        let (h, mut weights) = (config.hidden, InOrder::of(&net.weights));
        let numbers = numbers.of_width(h);
        let nodes = SiteRows::new(&weights.linear(), dims.bits)?;
        let layers = (0..config.layers).map(|_| Layer::new(&mut weights, numbers, h)).collect::<Result<Vec<_>, _>>()?;
        let (rows, one) = (Rows::new, padded(h) / LANES);
        let core = Core {
            dims,
            nodes,
            before_policy: weights.norm().scale()?,
            policy: MoveKernel::new(&MoveHead::take(&mut weights), numbers, h)?,
            value: ValueKernel::new(&PooledValue::take(&mut weights, config.pool), numbers, h)?,
            h: [rows(one), rows(one)],
            normed: rows(one),
            sums: rows(2 * one),
            updated: rows(layers[0].own.slots()),
            halves: [Vec::new(), Vec::new()],
            scores: Vec::new(),
            layers,
        };
        Ok(GatInference { path: Path::best(), core, network: net.network.clone() })
    }
}

impl Inference for GatInference {
    fn infer(&mut self, batch: &Batch, answers: &mut Answers) -> Result<(), DeepError> {
        let moves = move_graphs(batch, self.core.dims, "graph attention")?;
        answers.policy_logits.resize(moves.edges(), 0.0);
        answers.values.resize(moves.positions(), 0.0);
        for index in 0..moves.positions() {
            let (logits, value) = (&mut answers.policy_logits[moves.span(index)], &mut answers.values[index]);
            self.path.perform(&mut PositionPass { core: &mut self.core, moves, index, logits, value });
        }
        Ok(())
    }

    fn flops(&self, batch: &Batch, index: usize) -> u64 {
        2 * self.network.macs(PositionSize::of(batch, index))
    }

    fn fork(&self) -> Option<Box<dyn Inference>> {
        Some(Box::new(self.clone()))
    }
}

/// One position of a batch and the buffers for its result.
struct PositionPass<'a> {
    core: &'a mut Core,
    moves: &'a MoveGraphs,
    index: usize,
    logits: &'a mut [f32],
    value: &'a mut f32,
}

impl Vectorized for PositionPass<'_> {
    #[inline(always)]
    fn run<V: Vector>(&mut self) {
        let (core, graph) = (&mut *self.core, self.moves.graph(self.index));
        let count = graph.nodes();
        let Core { h: [h, next], normed, sums, updated, .. } = core;
        [h, next, normed, sums, updated].into_iter().for_each(|rows| rows.reserve(count));
        core.nodes.write::<V>(self.moves, self.index, (&mut core.h[0], 0));
        for layer in 0..core.layers.len() {
            core.layer::<V>(layer, graph);
        }
        let Core { h: [h, _], normed, before_policy: [factor, offset], policy, value, .. } = core;
        for node in 0..count {
            scale_relu::<V>(h.row(node), factor, offset, normed.row_mut(node));
        }
        policy.read::<V>(normed, count);
        policy.logits::<V>(graph, 0, self.logits);
        *self.value = value.value::<V>(h, count);
    }
}

impl Core {
    /// Layer `at`, the first or the second of its block.
    #[inline(always)]
    fn layer<V: Vector>(&mut self, at: usize, graph: &MoveGraph) {
        let Core { layers, h, normed, sums, updated, halves, scores, .. } = self;
        let (Layer { norm: [factor, offset], halves: weights, own }, second) = (&layers[at], at % 2);
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
