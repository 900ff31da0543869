//! AlphaGateau at play: the arithmetic of `gateau` on flat buffers, one position at a time.
//!
//! The edges are taken by their receivers, some of them at a time, so that their rows stay in the cache between the product
//! with W_e, the scores, their softmax and the sums; W_h and W_g meet nodes alone, as the weighted sums commute with them.
//! What stands on an edge before the first layer is one of two rows, of legal and of other moves: these and their first
//! products are kept for each board. A position's answer is a function of that position, in one fixed order of operations.

use std::sync::Arc;

use candle_core::Tensor;

use super::dense::{Dense, padded};
use super::gateau::{Bnr, Gateau, GateauLayer, GateauNet, PoolScore};
use super::params::{BatchNorm, Linear, floats};
use super::{Answers, DeepError, Inference};
use crate::encoders::{Batch, LANES, MoveDims, MoveGraph, MoveGraphs};
use crate::nets::kernels::{
    AlignedLanes, Matrix, Path, Rows, Vector, Vectorized, add, dot, join, leaky_relu, scale_relu, slots, softmax,
    weighted_sum,
};

/// Edges that are computed together, about.
const EDGES: usize = 96;

/// Boards whose first products are kept.
const BOARDS: usize = 8;

/// AlphaGateau with its weights bound for play.
#[derive(Clone)]
pub struct GateauInference {
    path: Path,
    core: Core,
}

/// Factors and offsets of a norm.
type Scale = [Vec<AlignedLanes>; 2];

/// A layer's weights.
#[derive(Clone)]
struct Layer {
    nodes: Scale,
    edges: Scale,
    u: Matrix,
    v: Matrix,
    e: Matrix,
    attention: (Vec<AlignedLanes>, f32),
    /// Of `[sum of senders | sum of edges, where they have weights | node]`.
    own: Matrix,
    is_sync: bool,
}

/// Weights and buffers.
#[derive(Clone)]
struct Core {
    config: Gateau,
    dims: MoveDims,
    /// The embedding of a node: its bias, and a row for each of its numbers.
    nodes: Rows,
    /// The embedding of an edge, and what it adds that the edge is legal.
    edges: (Matrix, Vec<AlignedLanes>),
    layers: Vec<Layer>,
    policy: (Scale, Matrix, (Vec<AlignedLanes>, f32)),
    policy_scale: Scale,
    value: (Scale, Matrix),
    pool: (Vec<AlignedLanes>, f32),
    last: (Vec<AlignedLanes>, f32),
    boards: Vec<Arc<Board>>,
    room: Room,
}

/// What is computed of a graph once.
#[derive(Clone)]
struct Board {
    graph: Arc<MoveGraph>,
    /// The edges by their receivers, their senders, and where those of each receiver begin.
    order: Vec<u32>,
    senders: Vec<u32>,
    starts: Vec<usize>,
    /// The embedding of each edge where it is not legal.
    embedded: Rows,
    /// Normalised for the first layer, and its product there: where the edge is not legal, and where it is.
    first: [[Rows; 2]; 2],
}

/// Buffers of one position.
#[derive(Clone)]
struct Room {
    /// `h` and `g`, and what the first layer of a block makes of them.
    nodes: [Rows; 2],
    edges: [Rows; 2],
    normed: Rows,
    u: Rows,
    v: Rows,
    sums: Rows,
    updated: Rows,
    /// Weighted sums of new edges, where messages are those.
    messages: Rows,
    edges_in: Rows,
    edges_out: Rows,
    scores: Vec<f32>,
    row: Vec<AlignedLanes>,
}

impl GateauInference {
    /// Binds the weights as they are now.
    ///
    /// # Errors
    /// Candle's.
    pub fn new(net: &GateauNet) -> Result<GateauInference, DeepError> {
        GateauInference::on(Path::best(), net)
    }

    pub(super) fn on(path: Path, net: &GateauNet) -> Result<GateauInference, DeepError> {
        Ok(GateauInference { path, core: Core::new(net)? })
    }
}

impl Inference for GateauInference {
    fn infer(&mut self, batch: &Batch, answers: &mut Answers) -> Result<(), DeepError> {
        let moves = match batch {
            Batch::Moves(moves) if moves.dims() == self.core.dims => moves,
            _ => {
                let wanted = format!("{:?}", self.core.dims);
                return Err(DeepError::Batch { net: "AlphaGateau", wanted, given: batch.dims() });
            }
        };
        answers.policy_logits.resize(moves.edges(), 0.0);
        answers.values.resize(moves.positions(), 0.0);
        for index in 0..moves.positions() {
            let board = self.core.board(self.path, moves.graph(index));
            let logits = &mut answers.policy_logits[moves.span(index)];
            let value = &mut answers.values[index];
            self.path.perform(&mut One { core: &mut self.core, board: &board, moves, index, logits, value });
        }
        Ok(())
    }

    fn flops(&self, batch: &Batch, index: usize) -> u64 {
        let Batch::Moves(moves) = batch else { return 0 };
        let graph = moves.graph(index);
        2 * GateauNet::products(&self.core.config, self.core.dims, [graph.nodes() as u64, graph.edges() as u64])
    }

    fn fork(&self) -> Option<Box<dyn Inference>> {
        Some(Box::new(self.clone()))
    }
}

impl Layer {
    fn new([nodes, edges]: &[Bnr; 2], layer: &GateauLayer, h: usize) -> Result<Layer, DeepError> {
        let packed = |linear: &Linear| Ok::<_, DeepError>(Dense::new(linear)?.pack(h));
        let parts: Vec<&Linear> = [Some(&layer.h), layer.g.as_ref(), Some(&layer.own)].into_iter().flatten().collect();
        Ok(Layer {
            nodes: scale(nodes.folded()?)?,
            edges: scale(edges.folded()?)?,
            u: packed(&layer.u)?,
            v: packed(&layer.v)?,
            e: packed(&layer.e)?,
            attention: head(&layer.attention)?,
            own: side_by_side(&parts)?.pack(h),
            is_sync: layer.g.is_some(),
        })
    }
}

/// The layer of the sum of some layers, whose inputs stand side by side.
fn side_by_side(parts: &[&Linear]) -> Result<Dense, DeepError> {
    let parts = parts.iter().map(|part| Dense::new(part)).collect::<Result<Vec<_>, _>>()?;
    let outputs = parts[0].bias.len();
    let row = |output: usize| {
        parts.iter().flat_map(move |part| {
            let inputs = part.weights.len() / part.bias.len();
            part.weights[output * inputs..][..inputs].iter().copied()
        })
    };
    let bias = (0..outputs).map(|output| parts.iter().map(|part| part.bias[output]).sum()).collect();
    Ok(Dense { weights: (0..outputs).flat_map(row).collect(), bias })
}

/// A layer with one output.
fn head(linear: &Linear) -> Result<(Vec<AlignedLanes>, f32), DeepError> {
    let dense = Dense::new(linear)?;
    Ok((wide(&dense.weights), dense.bias[0]))
}

fn scale((factor, offset): (Tensor, Tensor)) -> Result<Scale, DeepError> {
    Ok([wide(&floats(&factor)?), wide(&floats(&offset)?)])
}

/// A row of numbers, as wide as rows of features are.
fn wide(numbers: &[f32]) -> Vec<AlignedLanes> {
    let mut row = slots(numbers);
    row.resize(padded(numbers.len()) / LANES, AlignedLanes::ZERO);
    row
}

impl Core {
    fn new(net: &GateauNet) -> Result<Core, DeepError> {
        let h = net.config.hidden.get();
        let pairs = net.blocks.iter().flat_map(|block| block.norms.iter().zip(&block.layers));
        let layers = pairs.map(|(norms, layer)| Layer::new(norms, layer, h)).collect::<Result<Vec<_>, _>>()?;
        let ([before, behind], [hidden, logit]) = (&net.policy_norms, &net.policy);
        let ((value_before, value_behind), [value_hidden, attention, last]) = (&net.value_norms, &net.value);
        let value_behind: &BatchNorm = value_behind;
        let edges = Dense::new(&net.edges)?;
        let legal: Vec<f32> = edges.weights.iter().step_by(net.dims.edge).copied().collect();
        Ok(Core {
            config: net.config,
            dims: net.dims,
            nodes: embedding(&Dense::new(&net.nodes)?),
            edges: (edges.pack_whole(), wide(&legal)),
            policy: (scale(before.folded()?)?, Dense::new(hidden)?.pack(h), head(logit)?),
            policy_scale: scale(behind.folded()?)?,
            value: (scale(value_before.folded()?)?, Dense::normed(value_hidden, value_behind)?.pack(h)),
            pool: head(attention)?,
            last: head(last)?,
            boards: Vec::new(),
            room: Room::new(padded(h) / LANES, if net.config.sync_updates { 3 } else { 2 }, &layers[0]),
            layers,
        })
    }

    /// What is known of a graph.
    fn board(&mut self, path: Path, graph: &Arc<MoveGraph>) -> Arc<Board> {
        if let Some(board) = self.boards.iter().find(|board| Arc::ptr_eq(&board.graph, graph)) {
            return Arc::clone(board);
        }
        if self.boards.len() == BOARDS {
            self.boards.clear();
        }
        let mut making = Making { core: self, graph, board: None };
        path.perform(&mut making);
        let board = Arc::new(making.board.expect("it has just been made"));
        self.boards.push(Arc::clone(&board));
        board
    }
}

/// The rows of a layer's inputs, behind the row of its biases.
fn embedding(dense: &Dense) -> Rows {
    let (outputs, inputs) = (dense.bias.len(), dense.weights.len() / dense.bias.len());
    let mut rows = Rows::new(padded(outputs) / LANES);
    rows.reserve(inputs + 1);
    rows.numbers_mut(0)[..outputs].copy_from_slice(&dense.bias);
    for input in 0..inputs {
        let column = dense.weights.iter().skip(input).step_by(inputs);
        rows.numbers_mut(input + 1).iter_mut().zip(column).for_each(|(into, &weight)| *into = weight);
    }
    rows
}

impl Room {
    fn new(one: usize, parts: usize, layer: &Layer) -> Room {
        let rows = || Rows::new(one);
        Room {
            nodes: [rows(), rows()],
            edges: [rows(), rows()],
            normed: rows(),
            u: Rows::new(layer.u.slots()),
            v: Rows::new(layer.v.slots()),
            sums: Rows::new(parts * one),
            updated: Rows::new(layer.own.slots()),
            messages: rows(),
            edges_in: rows(),
            edges_out: Rows::new(layer.e.slots()),
            scores: Vec::new(),
            row: vec![AlignedLanes::ZERO; one],
        }
    }

    fn reserve(&mut self, nodes: usize, edges: usize) {
        let Room { nodes: [h, h2], edges: [g, g2], normed, u, v, sums, updated, messages, .. } = self;
        [h, h2, normed, u, v, sums, updated, messages].into_iter().for_each(|rows| rows.reserve(nodes));
        [g, g2].into_iter().for_each(|rows| rows.reserve(edges));
    }
}

/// Computes what is known of a graph.
struct Making<'a> {
    core: &'a Core,
    graph: &'a Arc<MoveGraph>,
    board: Option<Board>,
}

impl Vectorized for Making<'_> {
    #[inline(always)]
    fn run<V: Vector>(&mut self) {
        let (core, graph) = (self.core, self.graph);
        let into = |node: usize| graph.incoming(node).iter().copied();
        let order: Vec<u32> = (0..graph.nodes()).flat_map(into).collect();
        let mut starts = vec![0];
        (0..graph.nodes()).for_each(|node| starts.push(starts[node] + graph.incoming(node).len()));
        let senders = order.iter().map(|&edge| graph.senders()[edge as usize]).collect();
        let (matrix, legal) = &core.edges;
        let mut features = Rows::new(self.graph.features(0).len().div_ceil(LANES));
        let mut embedded = Rows::new(matrix.slots());
        features.reserve(order.len());
        embedded.reserve(order.len());
        for (row, &edge) in order.iter().enumerate() {
            let numbers = graph.features(edge as usize);
            features.numbers_mut(row)[..numbers.len()].copy_from_slice(numbers);
        }
        matrix.multiply::<V>((&features, 0), order.len(), (&mut embedded, 0), false);
        let layer = &core.layers[0];
        let first = [false, true].map(|is_legal| {
            let (mut normed, mut product) = (Rows::new(legal.len()), Rows::new(layer.e.slots()));
            normed.reserve(order.len());
            product.reserve(order.len());
            let mut row = vec![AlignedLanes::ZERO; legal.len()];
            for edge in 0..order.len() {
                row.copy_from_slice(&embedded.row(edge)[..legal.len()]);
                if is_legal {
                    add::<V>(legal, &mut row);
                }
                scale_relu::<V>(&row, &layer.edges[0], &layer.edges[1], normed.row_mut(edge));
            }
            layer.e.multiply::<V>((&normed, 0), order.len(), (&mut product, 0), false);
            [normed, product]
        });
        self.board = Some(Board { graph: Arc::clone(graph), order, senders, starts, embedded, first });
    }
}

/// One position of a batch and the room for its answer.
struct One<'a> {
    core: &'a mut Core,
    board: &'a Board,
    moves: &'a MoveGraphs,
    index: usize,
    logits: &'a mut [f32],
    value: &'a mut f32,
}

impl Vectorized for One<'_> {
    #[inline(always)]
    fn run<V: Vector>(&mut self) {
        self.core.room.reserve(self.board.graph.nodes(), self.board.order.len());
        self.embed::<V>();
        for layer in 0..self.core.layers.len() {
            self.layer::<V>(layer);
        }
        self.policy::<V>();
        self.value::<V>();
    }
}

impl One<'_> {
    /// `h` and `g` before the first block.
    #[inline(always)]
    fn embed<V: Vector>(&mut self) {
        let Core { nodes, edges: (_, legal), room, dims, .. } = &mut *self.core;
        let one = legal.len();
        let Room { nodes: [h, _], edges: [g, _], row: common, .. } = room;
        common.copy_from_slice(&nodes.row(0)[..one]);
        for (at, &scalar) in self.moves.scalars(self.index).iter().enumerate() {
            let weights = nodes.row(1 + dims.bits + at);
            for (sum, weight) in common.iter_mut().zip(weights) {
                V::splat(scalar).mul_add(V::load(&weight.0), V::load(&sum.0)).store(&mut sum.0);
            }
        }
        for (node, &bits) in self.moves.bits(self.index).iter().enumerate() {
            let row = h.row_mut(node);
            row.copy_from_slice(common);
            let mut left = bits;
            while left != 0 {
                add::<V>(nodes.row(1 + left.trailing_zeros() as usize), row);
                left &= left - 1;
            }
        }
        let is_legal = self.moves.legal(self.index);
        for (at, &edge) in self.board.order.iter().enumerate() {
            let row = g.row_mut(at);
            row.copy_from_slice(&self.board.embedded.row(at)[..one]);
            if is_legal[edge as usize] {
                add::<V>(legal, row);
            }
        }
    }

    /// Layer `at`, the first or the second of its block.
    #[inline(always)]
    fn layer<V: Vector>(&mut self, at: usize) {
        let (second, count) = (at % 2, self.board.graph.nodes());
        let Core { layers, room, .. } = &mut *self.core;
        let layer = &layers[at];
        for node in 0..count {
            let Room { nodes, normed, .. } = room;
            scale_relu::<V>(nodes[second].row(node), &layer.nodes[0], &layer.nodes[1], normed.row_mut(node));
        }
        layer.u.multiply::<V>((&room.normed, 0), count, (&mut room.u, 0), false);
        layer.v.multiply::<V>((&room.normed, 0), count, (&mut room.v, 0), false);
        let mut node = 0;
        while node < count {
            let (first, start) = (node, self.board.starts[node]);
            while node < count && (node == first || self.board.starts[node + 1] - start <= EDGES) {
                node += 1;
            }
            self.edges::<V>(at, first..node);
        }
        let Core { layers, room, .. } = &mut *self.core;
        layers[at].own.multiply::<V>((&room.sums, 0), count, (&mut room.updated, 0), false);
        let one = room.normed.row(0).len();
        for node in 0..count {
            let Room { nodes, updated, messages, .. } = room;
            let row = updated.row_mut(node);
            if !layers[at].is_sync {
                add::<V>(messages.row(node), row);
            }
            match second {
                0 => nodes[1].row_mut(node).copy_from_slice(&row[..one]),
                _ => add::<V>(&row[..one], nodes[0].row_mut(node)),
            }
        }
    }

    /// Equations 4 and 5 for the edges into some nodes, and their weighted sums.
    #[inline(always)]
    fn edges<V: Vector>(&mut self, at: usize, receivers: std::ops::Range<usize>) {
        let Core { layers, room, .. } = &mut *self.core;
        let (layer, board, second) = (&layers[at], self.board, at % 2);
        let first = board.starts[receivers.start];
        let count = board.starts[receivers.end] - first;
        let Room { edges, edges_in, edges_out, normed, u, v, sums, messages, scores, .. } = room;
        edges_in.reserve(count);
        edges_out.reserve(count);
        let one = normed.row(0).len();
        if at == 0 {
            let is_legal = self.moves.legal(self.index);
            for (row, &edge) in board.order[first..first + count].iter().enumerate() {
                let [normed, product] = &board.first[usize::from(is_legal[edge as usize])];
                edges_in.row_mut(row).copy_from_slice(normed.row(first + row));
                edges_out.row_mut(row).copy_from_slice(product.row(first + row));
            }
        } else {
            for row in 0..count {
                scale_relu::<V>(
                    edges[second].row(first + row),
                    &layer.edges[0],
                    &layer.edges[1],
                    edges_in.row_mut(row),
                );
            }
            layer.e.multiply::<V>((edges_in, 0), count, (edges_out, 0), false);
        }
        for node in receivers {
            let rows = board.starts[node] - first..board.starts[node + 1] - first;
            let senders = &board.senders[first + rows.start..first + rows.end];
            let (weights, bias) = &layer.attention;
            scores.clear();
            scores.extend(rows.clone().zip(senders).map(|(row, &sender)| {
                let row = &mut edges_out.row_mut(row)[..one];
                leaky_relu(join::<V>(row, &u.row(sender as usize)[..one], &v.row(node)[..one], weights) + bias)
            }));
            softmax(scores);
            let sum = sums.row_mut(node);
            weighted_sum::<V>(scores, senders.iter().map(|&sender| sender as usize), normed, &mut sum[..one]);
            if layer.is_sync {
                weighted_sum::<V>(scores, rows, edges_in, &mut sum[one..2 * one]);
            } else {
                weighted_sum::<V>(scores, rows, edges_out, messages.row_mut(node));
            }
            let own = sum.len() - one;
            sum[own..].copy_from_slice(normed.row(node));
        }
        for row in 0..count {
            let new = &edges_out.row(row)[..one];
            match second {
                0 => edges[1].row_mut(first + row).copy_from_slice(new),
                _ => add::<V>(new, edges[0].row_mut(first + row)),
            }
        }
    }

    #[inline(always)]
    fn policy<V: Vector>(&mut self) {
        let Core { policy: (before, hidden, (weights, bias)), policy_scale, room, .. } = &mut *self.core;
        let Room { edges: [g, _], edges_in, edges_out, row, .. } = room;
        for (chunk, order) in self.board.order.chunks(EDGES).enumerate() {
            edges_in.reserve(order.len());
            edges_out.reserve(order.len());
            for at in 0..order.len() {
                scale_relu::<V>(g.row(chunk * EDGES + at), &before[0], &before[1], edges_in.row_mut(at));
            }
            hidden.multiply::<V>((edges_in, 0), order.len(), (edges_out, 0), false);
            for (at, &edge) in order.iter().enumerate() {
                scale_relu::<V>(edges_out.row(at), &policy_scale[0], &policy_scale[1], row);
                self.logits[edge as usize] = dot::<V>(row, weights) + *bias;
            }
        }
    }

    #[inline(always)]
    fn value<V: Vector>(&mut self) {
        let Core { value: (before, hidden), pool, last, room, config, .. } = &mut *self.core;
        let (count, Room { nodes: [h, _], normed, updated, scores, row, .. }) = (self.board.graph.nodes(), room);
        for node in 0..count {
            scale_relu::<V>(h.row(node), &before[0], &before[1], normed.row_mut(node));
        }
        hidden.multiply::<V>((normed, 0), count, (updated, 0), true);
        scores.clear();
        scores.extend((0..count).map(|node| {
            let score = dot::<V>(&updated.row(node)[..row.len()], &pool.0) + pool.1;
            if config.pool == PoolScore::Leaky { leaky_relu(score) } else { score }
        }));
        softmax(scores);
        weighted_sum::<V>(scores, 0..count, updated, row);
        row.iter_mut().for_each(|slot| V::load(&slot.0).max(V::splat(0.0)).store(&mut slot.0));
        *self.value = (dot::<V>(row, &last.0) + last.1).tanh();
    }
}
