//! From positions to numbers, through the neutral view only.

mod stones;

// The board that an encoding lies on: all that a network knows of a game.
pub use crate::games::Topology;
pub use stones::{LANES, Stones};
