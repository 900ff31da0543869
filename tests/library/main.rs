//! The library's parts, each against what has to hold of it: training, the laws of store and scheduler, the promises of
//! the nightly gate.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod gate;
mod scheduler;
mod store;
mod training;
