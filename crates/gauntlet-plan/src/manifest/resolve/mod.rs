//! Resolution of every cell of every stage into a job: filled, fed by upstream jobs, read and checked.

mod abscissa;
mod candidates;
mod case;
pub mod config;
pub mod dependency;
mod display_names;
mod equivalent;
pub mod expand;
pub(in crate::manifest) mod formats;
mod inherit;
mod labels;
mod order;
mod overwritten;
mod pooled;
mod problem_set;
mod progress;
mod race_rounds;
pub mod races;
pub(in crate::manifest) mod rated;
mod showable;
mod takers;
pub mod template;
