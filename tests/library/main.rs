//! Tests of the library: training, invariants of store and scheduler, error rates of
//! the nightly gate.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod gate;
mod scheduler;
mod store;
mod training;
