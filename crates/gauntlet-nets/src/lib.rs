//! Networks that play board games: encoders of positions, inference without tensors, and networks to train on Candle.
//!
//! | module | holds |
//! |---|---|
//! | [`encoders`] | positions as numbers: planes, graphs and moves, through the neutral view of a position |
//! | [`nets`] | small networks as flat vectors of weights, with kernels that evaluate many positions at once |
//! | [`nets::deep`] | networks that are trained by gradients: one file an architecture, with its paper |
//!
//! Settings are enums that read TOML and JSON: [`NetSpec`](nets::NetSpec) and [`DeepSpec`](nets::deep::DeepSpec). On
//! the CPU, the answer to a position has the same bits in every batch. The feature `cuda` lets deep networks compute
//! on a GPU.
//!
//! A network never sees a game and never chooses a move. Example: `examples/evaluate.rs`.

pub mod encoders;
pub mod nets;
