//! From positions to numbers, through the neutral view only.
//!
//! [`Stones`] feed the flat networks, lane by lane. Everything else is an [`Encoder`] into a [`Batch`]. To add one: a
//! file with an encoder; its batch is [`Planes`] or [`Graphs`], or a new kind beside them.

mod batch;
mod graph;
mod planes;
mod stones;

use crate::games::Position;
// The board that an encoding lies on: all that a network knows of a game.
pub use crate::games::Topology;
pub use batch::{Batch, Dims};
pub use graph::{Graph, GraphEncoder, Graphs};
pub use planes::{Planes, PlanesEncoder, PlanesSpec, StonePlanes};
pub use stones::{LANES, Stones};

/// Writes positions as numbers.
///
/// Law: what is written for a position depends on that position alone.
pub trait Encoder: Send {
    /// What it writes.
    fn dims(&self) -> Dims;

    /// Whether it writes the action played last, which a position's key does not tell.
    fn sees_last(&self) -> bool;

    /// Replaces the batch, made by [`Batch::new`] of these dimensions, by these positions.
    ///
    /// # Panics
    /// If a position lies on a board that the encoder was not made for, which is a bug of the caller.
    fn encode(&mut self, positions: &[&dyn Position], batch: &mut Batch);
}
