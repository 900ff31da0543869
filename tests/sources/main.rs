//! Tests of the repository: imports and rules of the sources, staleness of jobs after edits, the documents,
//! the licences of all packages.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod architecture;
mod circles;
mod documents;
mod licences;
mod staleness;

// The reading of sources by the build script, for the tests of staleness.
#[path = "../../build/code.rs"]
mod code;
#[path = "../../build/items.rs"]
mod items;
#[path = "../../build/modules.rs"]
mod modules;
#[path = "../../build/packages.rs"]
mod packages;
#[path = "../../build/syntax.rs"]
mod syntax;
#[path = "../../build/walk.rs"]
mod walk;
