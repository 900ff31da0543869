//! The description of a network: its layers, stated once.
//!
//! An architecture states its layers through [`Layers`], in the order in which its weights are drawn. The resulting
//! [`Network`] is data. From it follow the names, shapes and number of weights and the multiply-adds (`count`), the
//! differentiable pass on tensors (`forward`), and inference on flat numbers (`bind`).
//!
//! A value is a matrix: a row for each of its [`Places`], a column for each feature.

mod builder;
mod count;
mod forward;
mod fuse;
mod net;
mod network;
mod positions;
mod state;
mod tensors;

pub use builder::{Layers, Padding, Stated, Value};
pub use count::PositionSize;
pub use net::{LayeredNet, OwnKernels};
pub use network::{Layer, Network, Op, Places};
pub use positions::Positions;
pub use state::{BatchNormKind, WeightSpec, Weights};
