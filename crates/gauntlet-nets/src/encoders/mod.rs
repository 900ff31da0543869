//! Encoders: from positions to numbers, only through the neutral view.
//!
//! [`Stones`] are the input of the flat networks, lane by lane. All others are an [`Encoder`] into a [`Batch`]. To
//! add one: a file with an encoder and its settings, an [`Encoding`]; its batch is [`Planes`] or [`Graphs`], or a new
//! type.

mod batch;
mod dims;
mod encoder;
mod encoding;
mod graph;
mod graph_encoder;
mod history_planes;
mod move_encoder;
#[cfg(test)]
mod move_vectors;
mod moves;
mod piece_encoder;
mod planes;
mod planes_encoder;
mod stones;
mod tensors;

// The board of an encoding: all that a network knows of a game.
pub use batch::Batch;
pub use dims::Dims;
pub use encoder::Encoder;
pub use encoding::{Encoding, Extent, is_full_grid, keeps_enough, plays_on_sites};
pub use gauntlet_games::games::Topology;
pub use graph::{Graph, Graphs};
pub use graph_encoder::{BoardGraphs, GraphEncoder};
pub use move_encoder::MoveEncoding;
pub use moves::{EdgeFeatures, MoveDims, MoveGraph, MoveGraphs};
pub use piece_encoder::PieceEncoder;
pub use planes::Planes;
pub use planes_encoder::{PlanesEncoder, PlanesSpec, StonePlanes};
pub use stones::{LANES, Stones};
pub use tensors::{ActionPlanes, Channel, HandPlaces, ImageCells, TensorFacts, TensorsEncoder, TensorsSpec};
