//! Statistics of games and runs: numbers in, numbers out. This crate depends on no game, no file and no clock.
//!
//! A [`match_table`] of results becomes a [`ladder`] of ratings through [`bradley_terry`] (the default, with calibrated
//! errors) or [`wls`] (the AlphaGateau paper's method). [`compare`] reads differences from it, and [`components`] says
//! which players can be compared.
//!
//! [`race`] finds the best of several settings, by tests that may be repeated at any time ([`betting`], [`anytime_t`]).
//! [`sprt`] decides a match while it is played, and [`stopped`] estimates the strength after such a match.
//! [`sampling`] bounds the wrong share of a whole by a sample. [`equivalence`] tests whether two players are equally strong, up to a margin. [`two_sample`] compares a match with an
//! older one.
//!
//! [`intervals`] and [`correlation`] summarise values, [`crossed`] those of pairs of runs, [`run_mean`] differences of
//! independent runs, [`mean_score`] games and pairs of games, [`bootstrap`] any statistic. [`multiple`] corrects for multiple tests; [`pca`] projects points of
//! many dimensions onto a plane.
//!
//! Estimators return `None` or an error if the results do not determine a number: an error bar is never 0 or
//! infinite. Example: `examples/rate_pgn.rs`.

mod alike;
pub mod anytime_t;
mod ascent;
pub mod betting;
pub mod bootstrap;
pub mod bradley_terry;
pub mod compare;
pub mod components;
pub mod correlation;
mod covariance;
pub mod crossed;
mod draw_model;
mod dual;
mod elo;
pub mod elo_conversion;
pub mod equivalence;
mod existence;
mod free_shifts;
mod group_covariance;
mod hats;
pub mod intervals;
pub mod ladder;
mod likelihood;
mod likelihood_settings;
mod match_counts;
pub mod match_table;
pub mod mean_score;
pub mod multiple;
mod outcomes;
pub mod pca;
mod quantiles;
pub mod race;
mod rows;
pub mod run_mean;
pub mod sampling;
mod sandwich;
mod search;
mod sparse;
pub mod sprt;
pub mod stopped;
mod surroundings;
pub mod two_sample;
pub mod win_matrix;
pub mod wls;

pub use bradley_terry::BradleyTerry;
pub use group_covariance::{GroupCovariance, SparseCovariance};
pub use ladder::Ladder;
pub use match_table::{GameResult, MatchTable, Meeting, Tally};
pub use mean_score::MeanScore;
pub use win_matrix::WinMatrix;
