//! Images of any game, whose channels, cells and logits follow only from its rules.
//!
//! Soemers, Mella, Browne and Teytaud 2021, "Deep learning for general game playing with Ludii and Polygames",
//! section 4. A state is an image `[channels, width, height]`: its columns and rows are the distinct coordinates of
//! the sites, with the players' hands beside the board. A move has the logit `[plane, x, y]` at its destination, in
//! the plane of its offset; moves that are equal in both share one. If the paper and the system that it describes
//! differ, this implementation follows the paper, except for the options in [`TensorsSpec`].
//!
//! ```text
//! places     sites to columns and rows
//! channels   channels of a state, in order
//! actions    logits of moves
//! write      a position as an image
//! encoder    the encoder trait for these tensors
//! picture    both tensors as pictures
//! ```

mod actions;
mod channels;
mod encoder;
#[cfg(test)]
mod oracle;
mod picture;
mod places;
mod write;

pub use actions::ActionPlanes;
pub use channels::{Channel, TensorFacts};
pub use encoder::{TensorsEncoder, TensorsSpec};
pub use places::{HandPlaces, ImageCells};
