//! The library's parts, each against what others measured or what has to hold of it: games and ratings against other
//! programs and published values, training, the laws of store and scheduler, the promises of the nightly gate.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod coverage;
mod games;
mod gate;
mod oracles;
mod ratings;
mod ratings_degenerate;
mod scheduler;
mod store;
mod training;
