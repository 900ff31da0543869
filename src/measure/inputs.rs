//! The files that measurements read.

use std::collections::BTreeMap;

/// Contents of the files that a job reads, by their names in the data directory.
pub type Inputs = BTreeMap<String, Vec<u8>>;
