//! What all encoders have in common.

use super::{Batch, Dims};
use gauntlet_games::base::Action;
use gauntlet_games::games::{Lookback, Position};

/// Writes positions as numbers.
///
/// Law: what is written for a position depends on that position and on as much of its past as the encoder says, alone.
pub trait Encoder: Send {
    /// What it writes.
    fn dims(&self) -> Dims;

    /// How far back it looks beyond what a position's key tells.
    fn lookback(&self) -> Lookback;

    /// Replaces the batch, made by [`Batch::new`] of these dimensions, by these positions.
    ///
    /// # Panics
    /// If a position lies on a board that the encoder was not made for, which is a bug of the caller.
    fn encode(&mut self, positions: &[&dyn Position], batch: &mut Batch);

    /// Appends the slot of each of these legal actions of a position: which of the position's logits speaks for it, as
    /// [`Batch::span`] lays them out. Actions that share a slot share its logit, each of them before the softmax over the
    /// legal ones, and their probabilities add up in what is learned.
    ///
    /// The default is the action's index.
    fn slots(&mut self, _position: &dyn Position, actions: &[Action], into: &mut Vec<u32>) {
        into.extend(actions.iter().map(|action| action.0));
    }

    /// The same encoder once more, for another thread.
    fn fork(&self) -> Box<dyn Encoder>;
}
