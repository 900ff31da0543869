//! A batch of encoded positions: flat numbers and their shape, without tensors and rules.
//!
//! Networks read it on any device; the inference kernels read it in place. A position has one logit a slot, and the
//! logits of a batch are stored one position after the other: [`Batch::span`] gives the range.

use std::ops::Range;

use super::{Dims, Graphs, MoveGraphs, Planes};

/// Encoded positions with the same encoding.
#[derive(Debug, Clone, PartialEq)]
pub enum Batch {
    /// Boards of one size as images.
    Planes(Planes),
    /// Boards of any sizes as graphs.
    Graphs(Graphs),
    /// Boards of any sizes as graphs of moves.
    Moves(MoveGraphs),
}

impl Batch {
    /// An empty batch of these dimensions.
    #[must_use]
    pub fn new(dims: Dims) -> Batch {
        match dims {
            Dims::Planes { channels, rows, columns, actions } => {
                Batch::Planes(Planes::new(channels, rows, columns, actions))
            }
            Dims::Graphs { features } => Batch::Graphs(Graphs::new(features)),
            Dims::Moves(dims) => Batch::Moves(MoveGraphs::new(dims)),
        }
    }

    /// The dimensions given at creation.
    #[must_use]
    #[inline]
    pub fn dims(&self) -> Dims {
        match self {
            Batch::Planes(planes) => planes.dims(),
            Batch::Graphs(graphs) => Dims::Graphs { features: graphs.features() },
            Batch::Moves(moves) => Dims::Moves(moves.dims()),
        }
    }

    /// Number of positions.
    #[must_use]
    #[inline]
    pub fn positions(&self) -> usize {
        match self {
            Batch::Planes(planes) => planes.positions(),
            Batch::Graphs(graphs) => graphs.positions(),
            Batch::Moves(moves) => moves.positions(),
        }
    }

    /// The range of the logits of position `index` among those of the batch, in the order of the slots.
    #[must_use]
    #[inline]
    pub fn span(&self, index: usize) -> Range<usize> {
        match self {
            Batch::Planes(planes) => index * planes.actions()..(index + 1) * planes.actions(),
            Batch::Graphs(graphs) => graphs.span(index),
            Batch::Moves(moves) => moves.span(index),
        }
    }

    /// Number of logits of all positions.
    #[must_use]
    #[inline]
    pub fn logits(&self) -> usize {
        match self.positions() {
            0 => 0,
            positions => self.span(positions - 1).end,
        }
    }

    /// Empties the batch and keeps its memory.
    #[inline]
    pub fn clear(&mut self) {
        match self {
            Batch::Planes(planes) => planes.clear(),
            Batch::Graphs(graphs) => graphs.clear(),
            Batch::Moves(moves) => moves.clear(),
        }
    }

    /// Appends position `index` of another batch, transformed by a symmetry of its board: site `s` goes to `map[s]`.
    ///
    /// Without a map it is copied unchanged. Graphs of moves support no map.
    ///
    /// # Panics
    /// If the dimensions differ, or if a map is given for a graph of moves: both are bugs of the caller.
    pub fn append(&mut self, other: &Batch, index: usize, map: Option<&[u32]>) {
        match (self, other) {
            (Batch::Planes(into), Batch::Planes(from)) => into.append(from, index, map),
            (Batch::Graphs(into), Batch::Graphs(from)) => into.append(from, index, map),
            (Batch::Moves(into), Batch::Moves(from)) => into.append(from, index, map),
            _ => panic!("the batches are encoded in different ways"),
        }
    }
}
