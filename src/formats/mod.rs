//! Files from outside, in and out: PGN, and counted results in several shapes.
//!
//! Everything is checked at the door, with the line that is wrong. No rating and no network is known here.

pub mod pgn;
pub mod results;
