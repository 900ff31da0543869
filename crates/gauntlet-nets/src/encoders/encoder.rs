//! The trait of encoders.

use super::{Batch, Dims};
use gauntlet_games::base::Action;
use gauntlet_games::games::{Lookback, Position};

/// Encodes positions as numbers.
///
/// Law: the encoding of a position depends only on that position and on the history given by `lookback`.
pub trait Encoder: Send {
    /// The dimensions of the encoding.
    fn dims(&self) -> Dims;

    /// The history that it reads beyond a position's key.
    fn lookback(&self) -> Lookback;

    /// Replaces the contents of the batch, made by [`Batch::new`] with these dimensions, by these positions.
    ///
    /// # Panics
    /// If a position has a board that the encoder does not support, which is a bug of the caller.
    fn encode(&mut self, positions: &[&dyn Position], batch: &mut Batch);

    /// Appends the slot of each of these legal actions of a position: the index of its logit among those of the
    /// position, as in [`Batch::span`]. Actions that share a slot share its logit, each of them before the softmax
    /// over the legal ones; in training their probabilities add up.
    ///
    /// The default is the action's index.
    fn slots(&mut self, _position: &dyn Position, actions: &[Action], into: &mut Vec<u32>) {
        into.extend(actions.iter().map(|action| action.0));
    }

    /// A copy of the encoder for another thread.
    fn fork(&self) -> Box<dyn Encoder>;
}
