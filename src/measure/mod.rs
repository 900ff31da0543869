//! Jobs that produce numbers: what an agent is worth against an opponent.
//!
//! Nothing is learned here, and nothing is concluded: statistics over these numbers are the ratings' and reports'.

mod fitness;
mod job;

pub use fitness::{MeasureError, Measured, measure_fitness};
pub use job::{FitnessJob, MeasureSpec};
