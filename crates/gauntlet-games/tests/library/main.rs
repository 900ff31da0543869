//! Integration tests: every game against its laws, and against play-outs, node counts, games and notations of other
//! programs.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod chess;
mod field;
mod games;
mod notation;
mod oracles;
