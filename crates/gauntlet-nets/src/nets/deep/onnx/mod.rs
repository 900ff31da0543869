//! Networks of other programs: ONNX files.
//!
//! A file is read with limits (`file`, `messages`, `tensor`) and becomes a list of layers (`layer`): each node is
//! converted in its order (`operators`), and constants and shapes are computed on the way, as the sizes of all values are
//! known. Values lie in rows, and operators that move elements only change the places of a value in them (`layout`). The
//! program (`program`, `work`) computes products with the kernels of all other networks, in any number format, and
//! everything else in a fixed order, so that the result of a position has the same bits on every processor and in every
//! batch. A file that names its number of positions computes that many at once, some of them zeros.
//!
//! Our own networks become files too (`export`): the list of their layers is translated (`translation`) to nodes
//! (`writer`).

mod choices;
mod compare;
mod contract;
mod elementwise;
mod error;
mod export;
mod file;
mod frame;
mod functions;
mod inference;
mod layer;
mod layout;
mod lowering;
mod messages;
mod movements;
mod node;
mod operators;
mod patches;
mod products;
mod program;
mod reductions;
mod settings;
mod tensor;
mod translation;
mod value;
mod work;
mod writer;

#[cfg(test)]
mod by_hand;
#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod own_network;
#[cfg(test)]
mod tests;

pub use contract::OnnxOutput;
pub use error::OnnxError;
pub use file::{OnnxModel, Port};
pub use settings::Onnx;
