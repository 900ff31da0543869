//! Gauntlet: reproducible experiments with board-game agents.

pub mod base;
pub mod encoders;
pub mod games;
pub mod nets;
pub mod players;
pub mod reports;
pub mod scheduler;
pub mod store;
