//! Pure statistics: numbers in, numbers out. No game, no file and no clock is known here.
//!
//! From single numbers to ladders: [`intervals`] and [`correlation`] summarise values, [`bootstrap`] does so for any
//! statistic. A [`match_table`] of results becomes a [`ladder`] of ratings through bradley_terry (the default, with
//! calibrated errors) or [`wls`] (the AlphaGateau paper's method); [`compare`] reads differences from it.

pub mod bootstrap;
pub mod compare;
pub mod components;
pub mod correlation;
mod covariance;
pub mod intervals;
pub mod ladder;
pub mod match_table;
pub mod wls;

pub use ladder::Ladder;
pub use match_table::{MatchTable, Meeting, Tally};
