//! Inference of graph attention over moves: the arithmetic of `gat` on flat buffers, one position at a time.

use crate::nets::deep::architecture::move_graphs;
use crate::nets::deep::dense::{Dense, Scale, head, padded};
use super::gat::{Gat, GatLayer, GatNet};
use super::move_head::MoveKernel;
use super::pooled_value::ValueKernel;
use crate::nets::deep::bind::SiteRows;
use crate::nets::deep::{Answers, DeepError, Inference};
use crate::encoders::{Batch, LANES, MoveDims, MoveGraph, MoveGraphs};
use crate::nets::kernels::{
    AlignedLanes, Matrix, Path, Rows, Vector, Vectorized, add, dot, leaky_relu, scale_relu, softmax, weighted_sum,
};

/// Graph attention over moves with its weights bound for inference.
#[derive(Clone)]
pub struct GatInference {
    path: Path,
    core: Core,
}

/// Weights and buffers.
#[derive(Clone)]
struct Core {
    config: Gat,
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
    own: Matrix,
}

impl Layer {
    fn new(layer: &GatLayer, h: usize) -> Result<Layer, DeepError> {
        let [sender, receiver] = &layer.scores;
        let own = Dense::side_by_side(&[&layer.h, &layer.own])?.pack(h);
        Ok(Layer { norm: layer.norm.scale()?, halves: [head(sender)?, head(receiver)?], own })
    }
}

impl GatInference {
    /// Binds the current weights.
    ///
    /// # Errors
    /// Errors of Candle.
    pub fn new(net: &GatNet) -> Result<GatInference, DeepError> {
        let h = net.config.hidden.get();
        let layers = net.layers.iter().map(|layer| Layer::new(layer, h)).collect::<Result<Vec<_>, _>>()?;
        let (rows, one) = (Rows::new, padded(h) / LANES);
        let core = Core {
            config: net.config,
            dims: net.dims,
            nodes: SiteRows::new(&net.nodes, net.dims.bits)?,
            before_policy: net.before_policy.scale()?,
            policy: MoveKernel::new(&net.policy, h)?,
            value: ValueKernel::new(&net.value, h)?,
            h: [rows(one), rows(one)],
            normed: rows(one),
            sums: rows(2 * one),
            updated: rows(layers[0].own.slots()),
            halves: [Vec::new(), Vec::new()],
            scores: Vec::new(),
            layers,
        };
        Ok(GatInference { path: Path::best(), core })
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
        let Batch::Moves(moves) = batch else { return 0 };
        let graph = moves.graph(index);
        2 * GatNet::macs(&self.core.config, self.core.dims, [graph.nodes() as u64, graph.edges() as u64])
    }

    fn fork(&self) -> Option<Box<dyn Inference>> {
        Some(Box::new(self.clone()))
    }
}

/// PositionPass position of a batch and the buffers for its result.
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
