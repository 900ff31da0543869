//! The positions of a batch, as the pass on tensors needs them.

use candle_core::Tensor;

use super::network::Places;
use crate::nets::deep::ops::{Adjacency, Links};

/// The positions of a batch.
pub struct Positions {
    /// Their number.
    pub count: usize,
    /// The graphs, if positions are graphs.
    pub adjacency: Option<Adjacency>,
    /// The moves, if positions are graphs of moves.
    pub moves: Option<Moves>,
}

/// Graphs of moves.
pub struct Moves {
    /// The features of all edges.
    pub edges: Tensor,
    /// The edges.
    pub links: Links,
    /// An edge from every site to its board.
    pub boards: Links,
}

impl Positions {
    pub(super) fn moves(&self) -> &Moves {
        self.moves.as_ref().expect("positions are graphs of moves")
    }

    /// The target of each row: the receiver of an edge, or the board of a site.
    pub(super) fn targets(&self, rows: Places) -> &Links {
        if rows == Places::Edges { &self.moves().links } else { &self.moves().boards }
    }
}
