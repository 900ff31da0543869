//! Ratings against other programs, published values and simulated truth.

mod coverage;
mod degenerate;
mod published;
