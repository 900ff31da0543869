//! The inference interface of flat networks.

use crate::encoders::Stones;

/// A network with its weights bound to one board size, ready to evaluate many positions at once.
pub trait Kernel: Send {
    /// Writes one logit for each site and lane, in the layout of the input: `[block][site][LANES]`.
    ///
    /// A logit is the input of the output sigmoid, which keeps the order and does not saturate. A lane's result is
    /// bit-identical for all contents of the other lanes, and on every processor; lanes beyond the last position hold
    /// the logits of an empty board.
    ///
    /// # Panics
    /// If the stones lie on a board of another size, which is a bug of the caller.
    fn prefer(&mut self, stones: &Stones, logits: &mut Vec<f32>);
}
