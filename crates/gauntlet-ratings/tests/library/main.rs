//! Integration tests: ratings against other programs, published values and simulated truth.

mod coverage;
mod degenerate;
mod dense;
mod equivalence;
mod far;
mod held_out;
mod laws;
mod laws_of_squares;
mod likeliest;
mod plain;
mod published;
mod sequential;
