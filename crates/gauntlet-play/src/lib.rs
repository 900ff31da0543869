//! Agents that play and learn board games.
//!
//! | module | contents |
//! |---|---|
//! | [`search`] | trees: selection rules plugged into one loop, evaluators behind one trait |
//! | [`engines`] | programs of others that play: their processes, the list of protocols, a client for each |
//! | [`networks`] | networks of other programs: their process and protocol |
//! | [`players`] | players, one file each |
//! | [`serving`] | our players as engines of other programs: one file a protocol |
//! | [`jobs`] | the interface of a job: its inputs and its files |
//! | [`arena`] | many games at once; matches and tournaments |
//! | [`learning`] | training: self-play, replay, optimisation, evolution |
//! | [`measure`] | jobs that measure numbers |
//!
//! A job is a function of its settings and a seed. It knows no manifest, no store and no report: these lie in the crates
//! above it. Example: `examples/play_match.rs`.

pub mod arena;
pub mod engines;
#[cfg(test)]
mod golden;
pub mod jobs;
pub mod learning;
pub mod measure;
pub mod networks;
pub mod players;
pub mod search;
pub mod serving;
