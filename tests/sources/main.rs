//! What stands in the repository: imports and habits of the sources, which edits make which jobs stale, the documents,
//! the licences of all packages.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod architecture;
mod circles;
mod documents;
mod licences;
mod staleness;
