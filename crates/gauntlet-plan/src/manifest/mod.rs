//! The manifest, from TOML text to a plan of jobs: parsing, profiles, sweeps, seeds, names and identity.
//!
//! ```text
//! text      a tree of values, each with its place (parse, source, tree), read into types (reader)
//!   -> read      merges includes, profile and command line (load), inserts the texts of files (files); sections,
//!                typed (written: names, paper, exhibit, stage, seeds, sweep, upstream, variant, suite, cluster; schema)
//!   -> resolve   every cell of every stage (order, expand, case): resolves names (template), inherits from upstream
//!                stages (candidates, dependency, inherit), reads the job, identifies it (config), checks it (labels, abscissa)
//!   -> plan      configurations times seeds: jobs, each with its ids (identity)
//! ```
//! Each step is a module that uses only the modules above it. Nothing is executed here: a plan can be printed, hashed
//! and discarded. All mistakes of a manifest are reported together, each with its line: after a mistake, each step
//! continues with the parts that it understood.

pub mod plan;
pub mod read;
pub mod resolve;
#[cfg(test)]
mod testing;
pub mod text;

pub use plan::race::{Admission, Admissions, Race};
pub use plan::{BadFilter, OPPONENT_RUN, Plan, PlanJob};
pub use read::cluster::Cluster;
pub use read::load::{Loaded, ManifestSource, Overrides, load};
pub use read::names::{ArtefactName, Name};
pub use read::schema::{reference, schema};
pub use read::suite::{Suite, SuiteMatch};
pub use read::{PaperScale, cluster, exhibit, load, paper, suite, written};
pub use resolve::config::Config;
pub use resolve::dependency::{Dependency, Reading};
pub use text::add_version::{NewVersion, add_version};
pub use text::source::{Problem, Problems};
pub use text::{reader, source, tree};
