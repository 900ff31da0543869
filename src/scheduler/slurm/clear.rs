//! Removal of finished submissions: those with failed jobs stay for a week, as their logs give the reasons.

use std::time::Duration;

use super::submission::Files;
use crate::store::{Removal, Store};

/// How long the files of failed jobs are kept.
const KEPT: Duration = Duration::from_secs(7 * 24 * 3600);

/// Removes the files of submissions without waiting or running tasks: those that ended more than a week ago, or all of
/// them. Returns their number.
pub fn clear_submissions(store: &Store, removal: Removal) -> usize {
    let is_old = |files: &Files| files.settled_for().is_some_and(|age| age > KEPT || removal == Removal::ForGood);
    let over: Vec<Files> = Files::all(store).into_iter().filter(is_old).collect();
    over.iter().for_each(Files::remove);
    over.len()
}
