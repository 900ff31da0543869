//! From TOML as written to the plan of jobs: parsing, profiles, sweeps, seeds, names, identity.
//!
//! ```text
//! text   -> parse     a tree of values, each with its place (source, tree)
//!        -> load      includes, profile and command line laid over each other; files put in place (files)
//!        -> written   sections, typed (reader; names, paper, exhibit, stage, sweep, variant, suite)
//!        -> expand    every cell of every stage (order, case): names written out (resolve), what other stages left taken
//!                     over (upstream, feed, inherit), read, checked
//!        -> plan      configurations times seeds: jobs, each with its ids (identity, code)
//! ```
//! Nothing is done here: a plan can be printed, hashed and thrown away. Every mistake of a manifest is found in
//! one go and points at its line: each step goes on with what it understood.

mod case;
pub mod code;
mod counted;
pub mod exhibit;
pub mod expand;
pub mod feed;
mod files;
pub mod identity;
mod inherit;
pub mod job;
pub mod load;
pub mod names;
mod order;
pub mod paper;
pub mod parse;
pub mod plan;
pub mod reader;
pub mod resolve;
mod schema;
pub mod source;
pub mod stage;
pub mod suite;
pub mod sweep;
pub mod tree;
pub mod upstream;
pub mod variant;
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
