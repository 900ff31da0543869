//! What all encoders have in common.

use super::{Batch, Dims};
use crate::games::Position;

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

    /// The same encoder once more, for another thread.
    fn fork(&self) -> Box<dyn Encoder>;
}
