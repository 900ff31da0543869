//! What a flat network is when it is asked.

use crate::encoders::Stones;

/// A network with its weights bound to one board size, ready to evaluate many positions at once.
pub trait Kernel: Send {
    /// Writes one preference for each site and lane, in the layout of the input: `[block][site][LANES]`.
    ///
    /// A preference is what goes into the output sigmoid, which keeps the order and does not saturate. A
    /// lane's result is bit-identical whatever the other lanes hold, and on every processor; lanes beyond the
    /// last position hold the preferences of an empty board.
    ///
    /// # Panics
    /// If the stones lie on a board of another size, which is a bug of the caller.
    fn prefer(&mut self, stones: &Stones, preferences: &mut Vec<f32>);
}
