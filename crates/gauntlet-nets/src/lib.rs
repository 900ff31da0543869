//! Networks that play board games: encoders of positions, inference without tensors, and networks to train on Candle.
//!
//! | module | contents |
//! |---|---|
//! | [`encoders`] | positions as numbers: planes, graphs and moves, through the neutral view of a position |
//! | [`nets`] | small networks as flat vectors of weights, with kernels that evaluate many positions at once |
//! | [`nets::deep`] | networks trained by gradients: one file an architecture, with its paper |
//!
//! Settings are enums that read TOML and JSON: [`NetSpec`](nets::NetSpec) and [`DeepSpec`](nets::deep::DeepSpec). On
//! the CPU, the result for a position has the same bits in every batch. The feature `cuda` lets deep networks compute
//! on a GPU.
//!
//! A network depends on no game and chooses no move. Example: `examples/evaluate.rs`.

pub mod encoders;
pub mod nets;
