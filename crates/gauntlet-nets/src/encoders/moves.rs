//! Boards as graphs whose edges are moves: a node for each site, an edge for each move that some piece could make.
//!
//! Rigaux and Kashima 2024, section 4.2. The graph of a board is constant, apart from the legality of its edges; the
//! features of the nodes change. A position has one logit an edge. Nodes have binary features, packed as bits, and
//! numbers of the whole position, which are common to all nodes. Boards of different sizes share a batch.

use std::ops::Range;
use std::sync::Arc;

use super::Graph;
use gauntlet_games::games::Topology;

/// The dimensions of the positions in a batch of move graphs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MoveDims {
    /// Number of binary features of a node, at most 128: they come first.
    pub bits: usize,
    /// Number of common features of all nodes of a position; they come next.
    pub scalars: usize,
    /// Number of features of an edge; the first one is legality.
    pub edge: usize,
}

impl MoveDims {
    /// Number of features of a node.
    #[must_use]
    #[inline]
    pub fn node(&self) -> usize {
        self.bits + self.scalars
    }
}

/// Features of an edge: whether it is legal; its offset in columns and rows; the variant of its step; the kinds of
/// the opponent's and of the own pieces that could make the move on an empty board.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum EdgeFeatures {
    /// The paper's table, 15 for chess: a plain step that has other variants is marked, and only the first and the
    /// last of the opponent's kinds are included, as those in between move like the own.
    #[default]
    Paper,
    /// The authors' code, 19 for chess: the second variant (a pawn becomes a rook) is marked instead of the plain one
    /// (a queen), and all kinds of both sides are included.
    Code,
}

/// The connections of the nodes of one board.
#[derive(Debug, Clone, PartialEq)]
pub struct MoveGraph {
    board: Arc<Graph>,
    senders: Vec<u32>,
    receivers: Vec<u32>,
    /// `[edge][feature]`, the first feature 0.
    features: Vec<f32>,
    /// The edges sorted by receivers, and the start of each receiver's edges, `[nodes + 1]`.
    incoming: Vec<u32>,
    starts: Vec<u32>,
}

impl MoveGraph {
    /// The graph of these edges, from and to, on the sites of a board; `features` are those of the edges,
    /// `[edge][feature]`, the first one 0.
    ///
    /// # Panics
    /// If an edge leads beyond the board, or edges have different numbers of features.
    #[must_use]
    pub fn new(board: &Topology, edges: &[(u32, u32)], features: Vec<f32>) -> MoveGraph {
        let nodes = board.sites();
        assert!(features.len().is_multiple_of(edges.len().max(1)), "as many features on every edge");
        assert!(edges.iter().all(|&(from, to)| from.max(to) < nodes as u32), "edges join nodes");
        let (senders, receivers): (Vec<u32>, Vec<u32>) = edges.iter().copied().unzip();
        let mut incoming: Vec<u32> = (0..edges.len() as u32).collect();
        incoming.sort_by_key(|&edge| receivers[edge as usize]);
        let before = |node: u32| incoming.partition_point(|&edge| receivers[edge as usize] < node) as u32;
        let starts = (0..=nodes as u32).map(before).collect();
        MoveGraph { board: Arc::new(Graph::board(board)), senders, receivers, features, incoming, starts }
    }

    /// Number of nodes.
    #[must_use]
    #[inline]
    pub fn nodes(&self) -> usize {
        self.board.sites()
    }

    /// The neighbours on the board, with a dummy node.
    #[must_use]
    #[inline]
    pub fn board(&self) -> &Arc<Graph> {
        &self.board
    }

    /// Number of edges.
    #[must_use]
    #[inline]
    pub fn edges(&self) -> usize {
        self.senders.len()
    }

    /// The node that each edge leaves.
    #[must_use]
    #[inline]
    pub fn senders(&self) -> &[u32] {
        &self.senders
    }

    /// The node that each edge reaches.
    #[must_use]
    #[inline]
    pub fn receivers(&self) -> &[u32] {
        &self.receivers
    }

    /// The edges that reach a node.
    #[must_use]
    #[inline]
    pub fn incoming(&self, node: usize) -> &[u32] {
        &self.incoming[self.starts[node] as usize..self.starts[node + 1] as usize]
    }

    /// The features of an edge; the first one, legality, is 0 here.
    #[must_use]
    #[inline]
    pub fn features(&self, edge: usize) -> &[f32] {
        let width = self.features.len() / self.edges();
        &self.features[edge * width..][..width]
    }
}

/// Move graphs with the features of their nodes, stored one after the other.
#[derive(Debug, Clone, PartialEq)]
pub struct MoveGraphs {
    dims: MoveDims,
    graphs: Vec<Arc<MoveGraph>>,
    /// First node and first edge of each graph, and the total numbers.
    starts: Vec<[usize; 2]>,
    bits: Vec<u128>,
    scalars: Vec<f32>,
    legal: Vec<bool>,
}

impl MoveGraphs {
    /// An empty batch.
    #[must_use]
    pub fn new(dims: MoveDims) -> MoveGraphs {
        let (graphs, starts) = (Vec::new(), vec![[0; 2]]);
        MoveGraphs { dims, graphs, starts, bits: Vec::new(), scalars: Vec::new(), legal: Vec::new() }
    }

    /// The dimensions of the positions.
    #[must_use]
    #[inline]
    pub fn dims(&self) -> MoveDims {
        self.dims
    }

    /// Number of graphs.
    #[must_use]
    #[inline]
    pub fn positions(&self) -> usize {
        self.graphs.len()
    }

    /// Number of nodes of all graphs.
    #[must_use]
    #[inline]
    pub fn nodes(&self) -> usize {
        self.starts[self.graphs.len()][0]
    }

    /// Number of edges of all graphs.
    #[must_use]
    #[inline]
    pub fn edges(&self) -> usize {
        self.starts[self.graphs.len()][1]
    }

    /// The nodes of graph `index`.
    #[must_use]
    #[inline]
    pub fn node_span(&self, index: usize) -> Range<usize> {
        self.starts[index][0]..self.starts[index + 1][0]
    }

    /// The edges of graph `index`.
    #[must_use]
    #[inline]
    pub fn span(&self, index: usize) -> Range<usize> {
        self.starts[index][1]..self.starts[index + 1][1]
    }

    /// The connections of graph `index`.
    #[must_use]
    #[inline]
    pub fn graph(&self, index: usize) -> &Arc<MoveGraph> {
        &self.graphs[index]
    }

    /// All graphs.
    #[must_use]
    #[inline]
    pub fn graphs(&self) -> &[Arc<MoveGraph>] {
        &self.graphs
    }

    /// The binary features of the nodes of graph `index`, feature `i` in bit `i`.
    #[must_use]
    #[inline]
    pub fn bits(&self, index: usize) -> &[u128] {
        &self.bits[self.node_span(index)]
    }

    /// The common features of all nodes of graph `index`.
    #[must_use]
    #[inline]
    pub fn scalars(&self, index: usize) -> &[f32] {
        &self.scalars[index * self.dims.scalars..][..self.dims.scalars]
    }

    /// The legality of the edges of graph `index`.
    #[must_use]
    #[inline]
    pub fn legal(&self, index: usize) -> &[bool] {
        &self.legal[self.span(index)]
    }

    /// The binary features of all nodes.
    #[must_use]
    #[inline]
    pub fn all_bits(&self) -> &[u128] {
        &self.bits
    }

    /// The legality of all edges.
    #[must_use]
    #[inline]
    pub fn all_legal(&self) -> &[bool] {
        &self.legal
    }

    /// All numbers of the nodes, `[node][feature]`.
    #[must_use]
    pub fn node_values(&self) -> Vec<f32> {
        let mut values = Vec::with_capacity(self.nodes() * self.dims.node());
        for index in 0..self.positions() {
            for bits in self.bits(index) {
                // Shifts of 128 bits are slow.
                for (first, part) in [*bits as u64, (bits >> 64) as u64].into_iter().enumerate() {
                    let count = self.dims.bits.saturating_sub(64 * first).min(64);
                    values.extend((0..count).map(|bit| f32::from((part >> bit & 1) as u8)));
                }
                values.extend_from_slice(self.scalars(index));
            }
        }
        values
    }

    /// All numbers of the edges, `[edge][feature]`.
    #[must_use]
    pub fn edge_values(&self) -> Vec<f32> {
        let mut values = Vec::with_capacity(self.edges() * self.dims.edge);
        for (index, graph) in self.graphs.iter().enumerate() {
            for (edge, &legal) in self.legal(index).iter().enumerate() {
                values.push(f32::from(u8::from(legal)));
                values.extend_from_slice(&graph.features(edge)[1..]);
            }
        }
        values
    }

    /// Empties the batch.
    #[inline]
    pub fn clear(&mut self) {
        self.graphs.clear();
        self.starts.truncate(1);
        self.bits.clear();
        self.scalars.clear();
        self.legal.clear();
    }

    /// Appends a graph with the features of its nodes, those of the position, and the legality of its edges.
    ///
    /// # Panics
    /// If the numbers of values do not match the graph and the dimensions.
    pub fn push(&mut self, graph: &Arc<MoveGraph>, bits: &[u128], scalars: &[f32], legal: &[u32]) {
        assert!(bits.len() == graph.nodes() && scalars.len() == self.dims.scalars, "numbers for every node");
        assert!(graph.features(0).len() == self.dims.edge, "numbers for every edge");
        let [node, edge] = self.starts[self.graphs.len()];
        self.starts.push([node + graph.nodes(), edge + graph.edges()]);
        self.graphs.push(Arc::clone(graph));
        self.bits.extend_from_slice(bits);
        self.scalars.extend_from_slice(scalars);
        self.legal.resize(edge + graph.edges(), false);
        legal.iter().for_each(|&legal| self.legal[edge + legal as usize] = true);
    }

    /// Appends a graph with the features of its nodes, `[feature][node]`, and its legal edges; `None` for an unknown
    /// edge or a wrong number of values.
    pub fn push_columns(&mut self, graph: &Arc<MoveGraph>, numbers: &[f32], legal: &[u32]) -> Option<()> {
        let nodes = graph.nodes();
        let fits =
            numbers.len() == nodes * self.dims.node() && legal.iter().all(|&edge| (edge as usize) < graph.edges());
        fits.then_some(())?;
        let (bits, scalars) = numbers.split_at(nodes * self.dims.bits);
        let mut packed = vec![0; nodes];
        for (bit, column) in bits.chunks_exact(nodes).enumerate() {
            packed.iter_mut().zip(column).for_each(|(node, &number)| *node |= u128::from(number == 1.0) << bit);
        }
        let scalars: Vec<f32> = scalars.iter().step_by(nodes).copied().collect();
        self.push(graph, &packed, &scalars, legal);
        Some(())
    }

    pub(super) fn append(&mut self, other: &MoveGraphs, index: usize, map: Option<&[u32]>) {
        assert!(self.dims == other.dims && map.is_none(), "move graphs are not seen through symmetries");
        let legal = other.legal(index);
        self.push(other.graph(index), other.bits(index), other.scalars(index), &[]);
        let start = self.legal.len() - legal.len();
        self.legal[start..].copy_from_slice(legal);
    }
}
