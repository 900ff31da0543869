//! Networks over graphs of moves: one file is one architecture, with its paper.
//!
//! Their attention over edges is much faster in one pass than layer by layer, so that both bring kernels of their own:
//! `gat_inference`, `gateau_core` and `gateau_inference` for inference one position at a time (`by_position`),
//! `gateau_steps` for steps of optimisation.

mod bnr;
mod by_position;
mod gat;
mod gat_inference;
mod gateau;
mod gateau_core;
mod gateau_inference;
mod gateau_steps;
#[cfg(test)]
pub(super) mod gateau_vectors;
mod gateau_weights;
mod in_order;
mod move_head;
mod pooled_value;

pub use gat::Gat;
pub use gateau::Gateau;
pub use move_head::move_logits;
pub use pooled_value::PoolScore;
