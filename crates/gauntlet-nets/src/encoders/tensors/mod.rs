//! Images of any game, whose channels, places and logits follow from its rules alone.
//!
//! Soemers, Mella, Browne and Teytaud 2021, "Deep learning for general game playing with Ludii and Polygames", section
//! 4. A state is an image `[channels, width, height]`: its columns and rows are the different places of the sites, the
//! hands of the players stand beside the board. A move has the logit `[plane, x, y]` of where it ends, in the plane of how
//! far it goes; moves that agree in both share one. Where the paper and the system that it describes differ, the paper
//! holds, but for what [`TensorsSpec`] says.
//!
//! ```text
//! places     sites to columns and rows
//! channels   what the channels of a state show, in order
//! actions    which logit speaks for a move
//! write      a position as an image
//! encoder    all of it behind the one trait of encoders
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
pub use places::{HandPlaces, Places};
