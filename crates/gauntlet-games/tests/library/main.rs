//! Every game against its laws, and against play-outs, node counts and games that other programs made.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod chess;
mod games;
mod oracles;
