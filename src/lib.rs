//! Gauntlet: reproducible experiments with board-game agents.

pub mod arena;
pub mod base;
pub mod cli;
pub mod encoders;
pub mod formats;
pub mod games;
pub mod learning;
pub mod manifest;
pub mod measure;
pub mod nets;
pub mod players;
pub mod ratings;
pub mod reports;
pub mod scheduler;
pub mod store;
