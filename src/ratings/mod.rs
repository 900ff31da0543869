//! Pure statistics: numbers in, numbers out. No game, no file and no clock is known here.
//!
//! From single numbers to ladders: [`intervals`] and [`correlation`] summarise values, [`bootstrap`] does so for any
//! statistic.

pub mod bootstrap;
pub mod correlation;
pub mod intervals;
