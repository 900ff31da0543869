//! Ratings against other programs, published values and simulated truth.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod coverage;
mod degenerate;
mod dense;
mod far;
mod laws;
mod laws_of_squares;
mod plain;
mod published;
mod sequential;
