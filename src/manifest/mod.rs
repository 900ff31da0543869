//! From TOML as written to the plan of jobs: parsing, profiles, sweeps, seeds, names, identity.
//!
//! Nothing is done here: a plan can be printed, hashed and thrown away. Every mistake of a manifest is found in
//! one go and points at its line. The reading order of the files is the order below.

pub mod source;
pub mod tree;
pub mod reader;
pub mod names;
pub mod paper;
pub mod exhibit;
pub mod sweep;
pub mod written;
pub mod load;
pub mod resolve;
pub mod job;
pub mod code;
pub mod plan;

pub use job::JobSpec;
pub use load::{Loaded, Overrides, Shelf, load};
pub use names::{ArtefactName, Name};
pub use plan::{Config, Job, Plan};
pub use source::{Problem, Problems};
