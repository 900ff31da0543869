//! Packed weights of AlphaGateau for inference, and the constant data of a board; positions are evaluated elsewhere.
//!
//! Before the first layer, the features of an edge are one of two rows, for legal and for other moves: their products
//! with the first layer are stored for each board.

use std::sync::Arc;

use super::bnr::Bnr;
use super::gateau_weights::{GateauLayer, GateauShape, GateauWeights};
use super::pooled_value::ValueKernel;
use crate::encoders::{LANES, MoveDims, MoveGraph};
use crate::nets::NumberFormat;
use crate::nets::deep::DeepError;
use crate::nets::deep::bind::SiteRows;
use crate::nets::deep::dense::{Dense, Scale, head, padded, wide};
use crate::nets::deep::params::Linear;
use crate::nets::kernels::{AlignedLanes, FormatMatrix, Matrix, Rows, Vector, add, scale_relu};

/// Number of boards whose first products are stored.
const BOARDS: usize = 8;

/// A layer's weights.
#[derive(Clone)]
pub(super) struct PackedLayer {
    pub nodes: Scale,
    pub edges: Scale,
    pub u: FormatMatrix,
    pub v: FormatMatrix,
    pub e: FormatMatrix,
    pub attention: (Vec<AlignedLanes>, f32),
    /// The weights for `[sum of senders | sum of edges, where they have weights | node]`.
    pub own: FormatMatrix,
    pub is_sync: bool,
}

/// Weights and buffers.
#[derive(Clone)]
pub(super) struct GateauCore {
    /// The embedding of a node.
    pub nodes: SiteRows,
    /// The embedding of an edge, and the offset for legal edges.
    pub edges: (Matrix, Vec<AlignedLanes>),
    pub layers: Vec<PackedLayer>,
    pub policy: (Scale, FormatMatrix, (Vec<AlignedLanes>, f32)),
    pub policy_scale: Scale,
    pub value: ValueKernel,
    pub boards: Vec<Arc<GateauBoard>>,
    pub buffers: GateauBuffers,
}

/// The constant data of a graph.
#[derive(Clone)]
pub(super) struct GateauBoard {
    pub graph: Arc<MoveGraph>,
    /// The edges sorted by receivers, their senders, and the start of each receiver's edges.
    pub order: Vec<u32>,
    pub senders: Vec<u32>,
    pub starts: Vec<usize>,
    /// The embedding of each edge as an illegal one.
    pub embedded: Rows,
    /// The products of the first layer: for illegal and for legal edges.
    pub first: [Rows; 2],
}

/// Buffers of one position.
#[derive(Clone)]
pub(super) struct GateauBuffers {
    /// `h`, and the output of the first layer of a block.
    pub nodes: [Rows; 2],
    /// `g`, and the normalised input of the next layer; each row replaces the previous one once that is used up.
    pub edges: [Rows; 2],
    pub normed: Rows,
    pub u: Rows,
    pub v: Rows,
    pub sums: Rows,
    pub updated: Rows,
    /// Weighted sums of new edges, if these are the messages.
    pub messages: Rows,
    pub edges_out: Rows,
    pub scores: Vec<f32>,
    pub row: Vec<AlignedLanes>,
}

impl PackedLayer {
    fn new(
        [nodes, edges]: &[Bnr; 2],
        layer: &GateauLayer,
        numbers: NumberFormat,
        h: usize,
    ) -> Result<PackedLayer, DeepError> {
        let packed = |linear: &Linear| Ok::<_, DeepError>(Dense::new(linear)?.pack(numbers, h));
        let parts: Vec<&Linear> = [Some(&layer.h), layer.g.as_ref(), Some(&layer.own)].into_iter().flatten().collect();
        Ok(PackedLayer {
            nodes: nodes.scale()?,
            edges: edges.scale()?,
            u: packed(&layer.u)?,
            v: packed(&layer.v)?,
            e: packed(&layer.e)?,
            attention: head(&layer.attention)?,
            own: Dense::side_by_side(&parts)?.pack(numbers, h),
            is_sync: layer.g.is_some(),
        })
    }
}

impl GateauCore {
    /// Binds the current weights in a number format.
    pub fn new(
        shape: GateauShape,
        dims: MoveDims,
        net: &GateauWeights,
        numbers: NumberFormat,
    ) -> Result<GateauCore, DeepError> {
        let h = shape.hidden;
        let numbers = numbers.of_width(h);
        let pairs = net.blocks.iter().flat_map(|block| block.norms.iter().zip(&block.layers));
        let layers =
            pairs.map(|(norms, layer)| PackedLayer::new(norms, layer, numbers, h)).collect::<Result<Vec<_>, _>>()?;
        let ([before, behind], [hidden, logit]) = (&net.policy_norms, &net.policy);
        let edges = Dense::new(&net.edges)?;
        let legal: Vec<f32> = edges.weights.iter().step_by(dims.edge).copied().collect();
        Ok(GateauCore {
            nodes: SiteRows::new(&net.nodes, dims.bits)?,
            edges: (edges.pack_whole(), wide(&legal)),
            policy: (before.scale()?, Dense::new(hidden)?.pack(numbers, h), head(logit)?),
            policy_scale: behind.scale()?,
            value: ValueKernel::new(&net.value, numbers, h)?,
            boards: Vec::new(),
            buffers: GateauBuffers::new(padded(h) / LANES, if shape.sync_updates { 3 } else { 2 }, &layers[0]),
            layers,
        })
    }

    /// The constant data of a graph, from the cache or computed.
    #[inline(always)]
    pub fn board<V: Vector>(&mut self, graph: &Arc<MoveGraph>) -> Arc<GateauBoard> {
        if let Some(board) = self.boards.iter().find(|board| Arc::ptr_eq(&board.graph, graph)) {
            return Arc::clone(board);
        }
        if self.boards.len() == BOARDS {
            self.boards.clear();
        }
        let board = Arc::new(GateauBoard::new::<V>(self, graph));
        self.boards.push(Arc::clone(&board));
        board
    }
}

impl GateauBuffers {
    fn new(one: usize, parts: usize, layer: &PackedLayer) -> GateauBuffers {
        let rows = || Rows::new(one);
        GateauBuffers {
            nodes: [rows(), rows()],
            edges: [rows(), rows()],
            normed: rows(),
            u: Rows::new(layer.u.slots()),
            v: Rows::new(layer.v.slots()),
            sums: Rows::new(parts * one),
            updated: Rows::new(layer.own.slots()),
            messages: rows(),
            edges_out: Rows::new(layer.e.slots()),
            scores: Vec::new(),
            row: vec![AlignedLanes::ZERO; one],
        }
    }

    /// Makes buffers for these numbers of nodes and edges.
    pub fn reserve(&mut self, nodes: usize, edges: usize) {
        let GateauBuffers { nodes: [h, h2], edges: [g, g2], normed, u, v, sums, updated, messages, .. } = self;
        [h, h2, normed, u, v, sums, updated, messages].into_iter().for_each(|rows| rows.reserve(nodes));
        [g, g2].into_iter().for_each(|rows| rows.reserve_behind(edges));
    }
}

impl GateauBoard {
    /// The constant data of a graph.
    #[inline(always)]
    fn new<V: Vector>(core: &GateauCore, graph: &Arc<MoveGraph>) -> GateauBoard {
        let into = |node: usize| graph.incoming(node).iter().copied();
        let order: Vec<u32> = (0..graph.nodes()).flat_map(into).collect();
        let mut starts = vec![0];
        (0..graph.nodes()).for_each(|node| starts.push(starts[node] + graph.incoming(node).len()));
        let senders = order.iter().map(|&edge| graph.senders()[edge as usize]).collect();
        let (matrix, legal) = &core.edges;
        let mut features = Rows::new(graph.features(0).len().div_ceil(LANES));
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
            product
        });
        GateauBoard { graph: Arc::clone(graph), order, senders, starts, embedded, first }
    }
}
