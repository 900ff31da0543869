//! Inference of AlphaGateau: the arithmetic of `gateau` on flat buffers, one position at a time.
//!
//! The edges are processed by receivers, some of them at a time: their rows stay in the cache between the product
//! with W_e, the scores, their softmax and the sums. W_h and W_g are applied only to nodes, as the weighted sums
//! commute with them. The result of a position depends only on that position, with one fixed order of operations.

use std::ops::Range;

use super::by_position::PositionCore;
use super::gateau_core::{GateauBoard, GateauBuffers, GateauCore};
use crate::encoders::MoveGraphs;
use crate::nets::kernels::{Vector, add, add_scale_relu, dot, join, leaky_relu, scale_relu, weighted_sum};
use crate::nets::softmax;

/// Approximate number of edges that are computed together.
const EDGES: usize = 192;

impl PositionCore for GateauCore {
    #[inline(always)]
    fn answer<V: Vector>(&mut self, moves: &MoveGraphs, index: usize, logits: &mut [f32]) -> f32 {
        let board = self.board::<V>(moves.graph(index));
        let nodes = board.graph.nodes();
        self.buffers.reserve(nodes, board.order.len());
        let mut pass = GateauPass { core: self, board: &board, moves, index, logits };
        pass.embed::<V>();
        for layer in 0..pass.core.layers.len() {
            pass.layer::<V>(layer);
        }
        pass.policy::<V>();
        self.value.value::<V>(&self.buffers.nodes[0], nodes)
    }
}

/// One position of a batch and the buffer for its logits.
struct GateauPass<'a> {
    core: &'a mut GateauCore,
    board: &'a GateauBoard,
    moves: &'a MoveGraphs,
    index: usize,
    logits: &'a mut [f32],
}

impl GateauPass<'_> {
    /// `h` and `g` before the first block.
    #[inline(always)]
    fn embed<V: Vector>(&mut self) {
        let GateauCore { nodes, edges: (_, legal), layers, buffers, .. } = &mut *self.core;
        let GateauBuffers { nodes: [h, _], edges: [g, next], .. } = buffers;
        nodes.write::<V>(self.moves, self.index, (h, 0));
        let ([factor, bias], is_legal) = (&layers[0].edges, self.moves.legal(self.index));
        for (at, &edge) in self.board.order.iter().enumerate() {
            let row = g.row_mut(at);
            row.copy_from_slice(&self.board.embedded.row(at)[..legal.len()]);
            if is_legal[edge as usize] {
                add::<V>(legal, row);
            }
            scale_relu::<V>(row, factor, bias, next.row_mut(at));
        }
    }

    /// Layer `at`, the first or the second of its block.
    #[inline(always)]
    fn layer<V: Vector>(&mut self, at: usize) {
        let (second, count) = (at % 2, self.board.graph.nodes());
        let GateauCore { layers, buffers, .. } = &mut *self.core;
        let layer = &layers[at];
        for node in 0..count {
            let GateauBuffers { nodes, normed, .. } = buffers;
            scale_relu::<V>(nodes[second].row(node), &layer.nodes[0], &layer.nodes[1], normed.row_mut(node));
        }
        layer.u.multiply::<V>((&buffers.normed, 0), count, (&mut buffers.u, 0), false);
        layer.v.multiply::<V>((&buffers.normed, 0), count, (&mut buffers.v, 0), false);
        let mut node = 0;
        while node < count {
            let (first, start) = (node, self.board.starts[node]);
            while node < count && (node == first || self.board.starts[node + 1] - start <= EDGES) {
                node += 1;
            }
            self.edges::<V>(at, first..node);
        }
        let GateauCore { layers, buffers, .. } = &mut *self.core;
        layers[at].own.multiply::<V>((&buffers.sums, 0), count, (&mut buffers.updated, 0), false);
        let one = buffers.normed.row(0).len();
        for node in 0..count {
            let GateauBuffers { nodes, updated, messages, .. } = buffers;
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
    fn edges<V: Vector>(&mut self, at: usize, receivers: Range<usize>) {
        let (first, end) = (self.board.starts[receivers.start], self.board.starts[receivers.end]);
        self.macs::<V>(at, first..end);
        for node in receivers {
            self.attend::<V>(at, node, first);
            self.keep::<V>(at, self.board.starts[node]..self.board.starts[node + 1], first);
        }
    }

    /// W_e times some edges.
    #[inline(always)]
    fn macs<V: Vector>(&mut self, at: usize, edges: Range<usize>) {
        let GateauCore { layers, buffers: GateauBuffers { edges: [_, next], edges_out, .. }, .. } = &mut *self.core;
        edges_out.reserve(edges.len());
        if at > 0 {
            layers[at].e.multiply_from::<V>((next, edges.start), edges.len(), edges_out);
            return;
        }
        let is_legal = self.moves.legal(self.index);
        for (row, edge) in edges.enumerate() {
            let legal = usize::from(is_legal[self.board.order[edge] as usize]);
            edges_out.row_mut(row).copy_from_slice(self.board.first[legal].row(edge));
        }
    }

    /// Computes the new edges into a node, in place of their macs, which begin with those of edge `first`; and
    /// the weighted sums of senders and edges.
    #[inline(always)]
    fn attend<V: Vector>(&mut self, at: usize, node: usize, first: usize) {
        let (layer, board) = (&self.core.layers[at], self.board);
        let GateauBuffers { edges: [_, next], edges_out, normed, u, v, sums, messages, scores, .. } =
            &mut self.core.buffers;
        let (one, edges) = (normed.row(0).len(), board.starts[node]..board.starts[node + 1]);
        let (senders, (weights, bias)) = (&board.senders[edges.clone()], &layer.attention);
        let rows = edges.start - first..edges.end - first;
        scores.clear();
        for (row, &sender) in rows.clone().zip(senders) {
            let row = &mut edges_out.row_mut(row)[..one];
            let score = join::<V>(row, &u.row(sender as usize)[..one], &v.row(node)[..one], weights);
            scores.push(leaky_relu(score + bias));
        }
        softmax(scores);
        let sum = sums.row_mut(node);
        weighted_sum::<V>(scores, senders.iter().map(|&sender| sender as usize), normed, &mut sum[..one]);
        if layer.is_sync {
            weighted_sum::<V>(scores, edges, next, &mut sum[one..2 * one]);
        } else {
            weighted_sum::<V>(scores, rows, edges_out, messages.row_mut(node));
        }
        let own = sum.len() - one;
        sum[own..].copy_from_slice(normed.row(node));
    }

    /// Stores new edges as the normalised input of the next layer; after a block, its input is added.
    #[inline(always)]
    fn keep<V: Vector>(&mut self, at: usize, edges: Range<usize>, first: usize) {
        let GateauCore { layers, policy, buffers: GateauBuffers { edges: [g, next], edges_out, .. }, .. } =
            &mut *self.core;
        let [factor, bias] = layers.get(at + 1).map_or(&policy.0, |layer| &layer.edges);
        for edge in edges {
            let (new, into) = (&edges_out.row(edge - first)[..factor.len()], next.row_mut(edge));
            match at % 2 {
                0 => scale_relu::<V>(new, factor, bias, into),
                _ => add_scale_relu::<V>(new, g.row_mut(edge), [factor, bias], into),
            }
        }
    }

    #[inline(always)]
    fn policy<V: Vector>(&mut self) {
        let GateauCore { policy: (_, hidden, (weights, bias)), policy_scale, buffers, .. } = &mut *self.core;
        let GateauBuffers { edges: [_, next], edges_out, row, .. } = buffers;
        for (chunk, order) in self.board.order.chunks(EDGES).enumerate() {
            edges_out.reserve(order.len());
            hidden.multiply_from::<V>((next, chunk * EDGES), order.len(), edges_out);
            for (at, &edge) in order.iter().enumerate() {
                scale_relu::<V>(edges_out.row(at), &policy_scale[0], &policy_scale[1], row);
                self.logits[edge as usize] = dot::<V>(row, weights) + *bias;
            }
        }
    }
}
