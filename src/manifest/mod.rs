//! From TOML as written to the plan of jobs: parsing, profiles, sweeps, seeds, names, identity.
//!
//! Nothing is done here: a plan can be printed, hashed and thrown away. Every mistake of a manifest is found in
//! one go and points at its line. The reading order of the files is the order below.

pub mod code;
pub mod exhibit;
mod files;
pub mod job;
pub mod load;
pub mod names;
pub mod paper;
pub mod plan;
pub mod reader;
pub mod resolve;
mod schema;
pub mod source;
pub mod suite;
pub mod sweep;
pub mod tree;
pub mod written;

pub use job::JobSpec;
pub use load::{Loaded, Overrides, Shelf, load};
pub use names::{ArtefactName, Name};
pub use plan::{Config, Job, Plan};
pub use source::{Problem, Problems};
pub use suite::{Suite, SuiteMatch};

/// The JSON schema of manifests: draft 07, which TOML editors understand.
#[must_use]
pub fn schema() -> serde_json::Value {
    schema::manifest()
}
