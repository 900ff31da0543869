//! Tests of the library: training, and invariants of the scheduler.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod scheduler;
mod training;
