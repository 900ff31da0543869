//! Networks. One file is one architecture, with its paper, its configuration and its weight count.
//!
//! The networks of this room's first paper (Schaul and Schmidhuber 2009, section 2) are small, are never
//! differentiated and are evaluated millions of times: each is a flat vector of weights and a [`Kernel`] that reads
//! stones and writes preferences. A kernel's slow twin, straight from the equations, is its oracle in the tests.
//! A net never sees a game and never chooses a move.
//!
//! To add one: a file, a variant and its arm in [`NetSpec`]. Networks that are trained by gradients are the other
//! family: see [`deep`]. Both compute on the same `kernels`.

mod checkpoint;
mod conv;
pub mod deep;
mod error;
mod flat;
mod kernels;
mod mdlstm;
mod mdrnn;
mod mlp;
mod size;
mod softmax;
mod spec;
mod weights;

#[cfg(test)]
mod laws;
#[cfg(test)]
mod reference;

use crate::encoders::Stones;
pub(crate) use checkpoint::read_versioned;
pub use checkpoint::{Checkpoint, CheckpointError};
pub use conv::Conv;
pub use error::NetError;
pub use mdlstm::{Forget, Mdlstm};
pub use mdrnn::Mdrnn;
pub use mlp::Mlp;
pub use size::{Count, Field, SizeError};
pub use softmax::softmax;
pub use spec::NetSpec;
pub use weights::random_weights;

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

/// The largest side of a board that a kernel takes, which keeps every sum far from overflow.
pub const LARGEST_BOARD: usize = 32;

/// The largest magnitude that a kernel accepts in a weight, for the same reason.
pub const LARGEST_WEIGHT: f64 = 1e15;
