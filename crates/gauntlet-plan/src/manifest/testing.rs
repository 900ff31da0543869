//! Manifests of tests.

use std::collections::BTreeMap;

use super::{Overrides, Plan, load};

/// The messages of the problems of a manifest; none if it can be planned.
pub fn problems(text: &str) -> Vec<String> {
    let source = BTreeMap::from([("m.toml".to_owned(), text.to_owned())]);
    match load(&source, "m.toml", &Overrides::default()).and_then(|loaded| Plan::new(loaded, "cpu")) {
        Ok(_) => Vec::new(),
        Err(problems) => problems.list().iter().map(|problem| problem.message.clone()).collect(),
    }
}
