//! Networks over graphs of moves: one file is one architecture, with its paper.

mod gat;
mod gat_inference;
mod gat_net;
mod gateau;
mod gateau_core;
mod gateau_inference;
mod gateau_net;
mod gateau_steps;
#[cfg(test)]
pub(super) mod gateau_vectors;
mod move_head;
mod pooled_value;
mod trunk_norm;

pub use gat::Gat;
pub use gateau::Gateau;
pub use gateau_inference::GateauInference;
pub use move_head::move_logits;
pub use pooled_value::PoolScore;
pub use trunk_norm::TrunkNorm;
