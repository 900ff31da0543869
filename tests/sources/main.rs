//! Tests of the repository: imports and rules of the sources, staleness of jobs after edits, the documents,
//! the licences of all packages.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod architecture;
mod circles;
mod documents;
mod licences;
mod staleness;
