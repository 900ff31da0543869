//! Inference of SAZ over moves: the arithmetic of `saz` on flat buffers, a few boards at a time, as in
//! `saz_inference`.
//!
//! The product of the first GIN layer commutes with its sum over neighbours, so that it is applied to the binary
//! features of nodes.

use super::architecture::move_graphs;
use super::dense::wide;
use super::move_head::MoveKernel;
use super::params::{Linear, floats};
use super::saz::{Saz, SazMovesNet};
use super::saz_core::{CHUNK, GinLayer, SazCore};
use super::site_rows::SiteRows;
use super::{Answers, DeepError, Inference};
use crate::encoders::{Batch, Graph, MoveDims, MoveGraphs};
use crate::nets::kernels::{AlignedLanes, Path, Vector, Vectorized, aggregate, offset_relu};

/// SAZ over moves with its weights bound for inference.
#[derive(Clone)]
pub struct SazMovesInference {
    path: Path,
    config: Saz,
    dims: MoveDims,
    /// The first layer's first product, its biases, and the following operations.
    embedding: SiteRows,
    bias: Vec<AlignedLanes>,
    first: GinLayer,
    core: SazCore,
    policy: MoveKernel,
}

impl SazMovesInference {
    /// Binds the current weights.
    ///
    /// # Errors
    /// Errors of Candle.
    pub fn new(net: &SazMovesNet) -> Result<SazMovesInference, DeepError> {
        let (first, core) = SazCore::new(&net.trunk, &net.value)?;
        let Linear { weight, bias } = &net.trunk.gins[0].first;
        let embedding = SiteRows::new(&Linear { weight: weight.clone(), bias: None }, net.dims.bits)?;
        let bias = bias.as_ref().map_or(Ok(Vec::new()), |bias| floats(bias))?;
        let (policy, config) = (MoveKernel::new(&net.policy, core.count)?, net.trunk.config);
        Ok(SazMovesInference {
            path: Path::best(),
            config,
            dims: net.dims,
            embedding,
            bias: wide(&bias),
            first,
            core,
            policy,
        })
    }
}

impl Inference for SazMovesInference {
    fn infer(&mut self, batch: &Batch, answers: &mut Answers) -> Result<(), DeepError> {
        let moves = move_graphs(batch, self.dims, "SAZ on moves")?;
        answers.policy_logits.resize(moves.edges(), 0.0);
        answers.values.resize(moves.positions(), 0.0);
        let (path, mut start) = (self.path, 0);
        while start < moves.positions() {
            let (mut end, mut rows) = (start, 0);
            while end < moves.positions() && (end == start || rows + moves.graph(end).nodes() < CHUNK) {
                rows += moves.graph(end).nodes() + 1;
                end += 1;
            }
            let logits = &mut answers.policy_logits[moves.span(start).start..moves.span(end - 1).end];
            let values = &mut answers.values[start..end];
            path.perform(&mut Chunk { net: self, moves, start, rows, logits, values });
            start = end;
        }
        Ok(())
    }

    fn flops(&self, batch: &Batch, index: usize) -> u64 {
        let Batch::Moves(moves) = batch else { return 0 };
        let graph = moves.graph(index);
        2 * SazMovesNet::macs(&self.config, self.dims, [graph.nodes() as u64 + 1, graph.edges() as u64])
    }

    fn fork(&self) -> Option<Box<dyn Inference>> {
        Some(Box::new(self.clone()))
    }
}

/// A few boards of a batch and the buffers for their results.
struct Chunk<'a> {
    net: &'a mut SazMovesInference,
    moves: &'a MoveGraphs,
    start: usize,
    /// Number of nodes, including dummy nodes.
    rows: usize,
    logits: &'a mut [f32],
    values: &'a mut [f32],
}

impl Vectorized for Chunk<'_> {
    #[inline(always)]
    fn run<V: Vector>(&mut self) {
        self.net.core.reserve(self.rows);
        let (moves, start) = (self.moves, self.start);
        let boards = of_chunk(moves, start, self.values.len());
        self.first::<V>();
        let SazMovesInference { core, policy, .. } = &mut *self.net;
        core.run::<V>(boards.clone(), self.rows);
        policy.read::<V>(&core.narrow_rows, self.rows);
        let before = moves.span(start).start;
        for (at, (board, row)) in boards.enumerate() {
            let span = moves.span(start + at);
            let logits = &mut self.logits[span.start - before..span.end - before];
            policy.logits::<V>(moves.graph(start + at), row, logits);
            self.values[at] = core.value::<V>(board, row);
        }
    }
}

/// Some boards of a batch, with their first rows.
fn of_chunk(moves: &MoveGraphs, start: usize, count: usize) -> impl Iterator<Item = (&Graph, usize)> + Clone {
    let first = moves.node_span(start).start;
    (0..count).map(move |at| (&**moves.graph(start + at).board(), moves.node_span(start + at).start - first + at))
}

impl Chunk<'_> {
    /// The first GIN layer.
    #[inline(always)]
    fn first<V: Vector>(&mut self) {
        let (moves, start, rows) = (self.moves, self.start, self.rows);
        let SazMovesInference { embedding, bias, first, core, .. } = &mut *self.net;
        for (at, (board, row)) in of_chunk(moves, start, self.values.len()).enumerate() {
            embedding.write::<V>(moves, start + at, (&mut core.skips, row));
            core.skips.row_mut(row + board.sites())[..core.one].fill(AlignedLanes::ZERO);
            aggregate::<V>(board, core.own, row, (&core.skips, 0), &mut core.hidden, core.one);
        }
        for row in 0..rows {
            offset_relu::<V>(bias, &mut core.hidden.row_mut(row)[..bias.len()]);
        }
        first.finish::<V>(&core.hidden, rows, (&mut core.skips, 0), core.count);
    }
}
