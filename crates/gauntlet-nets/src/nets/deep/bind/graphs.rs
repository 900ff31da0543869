//! Inference of networks over graphs of boards or of moves: a few positions of a batch at a time.

use std::ops::Range;

use super::plan::plan;
use super::steps::{Group, Head, Program, run};
use crate::encoders::{Batch, Dims, Graph, Graphs, MoveGraph, MoveGraphs};
use crate::nets::NumberFormat;
use crate::nets::deep::layers::{LayeredNet, Network, PositionSize};
use crate::nets::deep::{Answers, DeepError, Inference};
use crate::nets::kernels::{Path, Vector, Vectorized, dot, dot_of_sum};

/// Number of nodes that are computed together, unless one graph has more.
const NODES: usize = 256;

/// A network over graphs with its weights bound for inference.
#[derive(Clone)]
pub struct GraphInference {
    name: &'static str,
    dims: Dims,
    path: Path,
    network: Network,
    program: Program,
}

impl GraphInference {
    /// Binds the current weights, in a number format, to this set of instructions.
    ///
    /// # Errors
    /// Errors of Candle.
    pub fn on(path: Path, net: &LayeredNet, numbers: NumberFormat) -> Result<GraphInference, DeepError> {
        let (program, _) = plan(net, numbers)?;
        Ok(GraphInference { name: net.name, dims: net.dims, path, network: net.network.clone(), program })
    }
}

/// The positions of a batch, of either kind.
#[derive(Clone, Copy)]
enum GraphPositions<'a> {
    Boards(&'a Graphs),
    Moves(&'a MoveGraphs),
}

impl<'a> GraphPositions<'a> {
    /// The positions of a batch of these dimensions.
    fn of(batch: &'a Batch, dims: Dims) -> Option<GraphPositions<'a>> {
        match batch {
            _ if batch.dims() != dims => None,
            Batch::Planes(_) => None,
            Batch::Graphs(graphs) => Some(GraphPositions::Boards(graphs)),
            Batch::Moves(moves) => Some(GraphPositions::Moves(moves)),
        }
    }

    fn count(self) -> usize {
        match self {
            GraphPositions::Boards(graphs) => graphs.positions(),
            GraphPositions::Moves(moves) => moves.positions(),
        }
    }

    /// The graph of a position's board.
    fn graph(self, index: usize) -> &'a Graph {
        match self {
            GraphPositions::Boards(graphs) => graphs.graph(index),
            GraphPositions::Moves(moves) => moves.graph(index).board(),
        }
    }

    /// The logits of some positions.
    fn logits(self, positions: &Range<usize>) -> Range<usize> {
        let span = |index| match self {
            GraphPositions::Boards(graphs) => graphs.span(index),
            GraphPositions::Moves(moves) => moves.span(index),
        };
        span(positions.start).start..span(positions.end - 1).end
    }

    /// The next positions from `start` on that are computed together, and the number of their nodes.
    fn chunk(self, start: usize) -> (Range<usize>, usize) {
        let (mut end, mut rows) = (start + 1, self.graph(start).nodes());
        while end < self.count() && rows + self.graph(end).nodes() <= NODES {
            rows += self.graph(end).nodes();
            end += 1;
        }
        (start..end, rows)
    }
}

impl Inference for GraphInference {
    fn infer(&mut self, batch: &Batch, answers: &mut Answers) -> Result<(), DeepError> {
        let Some(of) = GraphPositions::of(batch, self.dims) else {
            return Err(DeepError::Batch { net: self.name, wanted: self.dims.to_string(), given: batch.dims() });
        };
        answers.policy_logits.resize(batch.logits(), 0.0);
        answers.values.resize(of.count(), 0.0);
        let (path, mut start) = (self.path, 0);
        while start < of.count() {
            let (positions, rows) = of.chunk(start);
            start = positions.end;
            let logits = &mut answers.policy_logits[of.logits(&positions)];
            let values = &mut answers.values[positions.clone()];
            path.perform(&mut Chunk { net: self, of, positions, rows, logits, values });
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

/// A few positions of a batch and the room for their results.
struct Chunk<'a> {
    net: &'a mut GraphInference,
    of: GraphPositions<'a>,
    positions: Range<usize>,
    /// Number of nodes.
    rows: usize,
    logits: &'a mut [f32],
    values: &'a mut [f32],
}

impl Vectorized for Chunk<'_> {
    #[inline(always)]
    fn run<V: Vector>(&mut self) {
        let program = &mut self.net.program;
        let mut first = 0;
        let mut graphs = Vec::with_capacity(self.values.len());
        for index in self.positions.clone() {
            graphs.push((self.of.graph(index), first));
            first += self.of.graph(index).nodes();
        }
        let (rows, start) = (self.rows, self.positions.start);
        let (values, moves) = match self.of {
            GraphPositions::Boards(of) => (&of.values()[of.span(start).start..][..rows], None),
            GraphPositions::Moves(moves) => (&[][..], Some((moves, start))),
        };
        let group = Group::Graphs { graphs: &graphs, values, rows, moves };
        run::<V>(&mut program.on_places, &mut program.rows, &mut program.spectra, group);
        self.logits::<V>(&graphs);
        let GraphInference { program, network, .. } = &*self.net;
        for (value, (graph, row)) in self.values.iter_mut().zip(graphs) {
            let counted = if network.pools_dummies { graph.nodes() } else { graph.sites() };
            *value = program.mean::<V>(row, counted).tanh();
        }
    }
}

impl Chunk<'_> {
    #[inline(always)]
    fn logits<V: Vector>(&mut self, graphs: &[(&Graph, usize)]) {
        let program = &self.net.program;
        match self.of {
            GraphPositions::Boards(_) => program.node_logits::<V>(self.logits),
            GraphPositions::Moves(moves) => {
                let before = moves.span(self.positions.start).start;
                for (index, (_, row)) in self.positions.clone().zip(graphs) {
                    let span = moves.span(index);
                    let logits = &mut self.logits[span.start - before..span.end - before];
                    program.move_logits::<V>(moves.graph(index), *row, logits);
                }
            }
        }
    }
}

impl Program {
    /// The logits of all nodes.
    #[inline(always)]
    fn node_logits<V: Vector>(&self, logits: &mut [f32]) {
        let Head::Dots { weights, bias, from } = &self.logits else { unreachable!("a logit a node") };
        for (node, logit) in logits.iter_mut().enumerate() {
            *logit = dot::<V>(from.of(&self.rows, node), weights) + bias;
        }
    }

    /// The logits of the moves of a graph whose nodes begin at row `first`.
    #[inline(always)]
    fn move_logits<V: Vector>(&self, graph: &MoveGraph, first: usize, logits: &mut [f32]) {
        let Head::Moves { weights, bias, senders, receivers } = &self.logits else { unreachable!("a logit a move") };
        for ((logit, &from), &to) in logits.iter_mut().zip(graph.senders()).zip(graph.receivers()) {
            let from = senders.of(&self.rows, first + from as usize);
            let to = receivers.of(&self.rows, first + to as usize);
            *logit = dot_of_sum::<V>(from, to, weights) + bias;
        }
    }

    /// The mean of the scores of `count` nodes from row `first` on.
    #[inline(always)]
    fn mean<V: Vector>(&self, first: usize, count: usize) -> f32 {
        let Head::Dots { weights, bias, from } = &self.score else { unreachable!("a score a node") };
        let mut sum = 0.0;
        for row in first..first + count {
            sum += dot::<V>(from.of(&self.rows, row), weights);
        }
        sum / count as f32 + bias
    }
}
