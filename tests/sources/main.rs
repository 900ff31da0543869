//! Tests of the repository: imports and rules of the sources, staleness of jobs after edits, the documents,
//! the licences of all packages.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod architecture;
mod circles;
mod documents;
mod licences;
mod staleness;

// The reading of sources by the build script, for the tests of staleness.
#[path = "../../crates/gauntlet-jobs/build/code.rs"]
mod code;
#[path = "../../crates/gauntlet-jobs/build/items.rs"]
mod items;
#[path = "../../crates/gauntlet-jobs/build/modules.rs"]
mod modules;
#[path = "../../crates/gauntlet-jobs/build/packages.rs"]
mod packages;
#[path = "../../crates/gauntlet-jobs/build/syntax.rs"]
mod syntax;
#[path = "../../crates/gauntlet-jobs/build/walk.rs"]
mod walk;
