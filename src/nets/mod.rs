//! Networks. One file is one architecture, with its paper, its configuration table and its weight count.
//!
//! The networks of this room's first paper are small, are never differentiated and are evaluated millions of
//! times: each is a flat vector of weights and a [`Kernel`] that reads stones and writes preferences.
//! A kernel's slow twin, straight from the equations, is its oracle in the tests.
//!
//! To add one: a file, a variant and three arms of [`NetSpec`].

use crate::encoders::Stones;

/// A network with its weights bound to one board size, ready to evaluate many positions at once.
pub trait Kernel: Send {
    /// Writes one preference for each site and lane, in the layout of the input: `[block][site][LANES]`.
    ///
    /// A preference is what goes into the output sigmoid, which keeps the order and does not saturate. A
    /// lane's result is bit-identical whatever the other lanes hold.
    fn prefer(&mut self, stones: &Stones, preferences: &mut Vec<f32>);
}
