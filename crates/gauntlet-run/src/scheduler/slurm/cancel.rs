//! Cancellation of submissions, and removal of finished ones.

use std::collections::HashSet;
use std::time::Duration;

use super::commands::{CommandError, Commands};
use super::decide::Pace;
use super::submission::{Files, Settled};
use gauntlet_store::{Removal, Store};

/// Cancels the submissions of a results tree that hold one of these jobs, given by the names of their directories; all
/// submissions for `None`. Returns the number of arrays, and the number of their jobs without a result.
///
/// # Errors
/// If Slurm refuses; earlier cancellations stay in effect.
pub fn cancel(store: &Store, wanted: Option<&HashSet<String>>) -> Result<(usize, usize), CommandError> {
    let commands = Commands { time_limit: Pace::from_environment().answer };
    let (mut arrays, mut jobs) = (0, 0);
    for files in Files::all(store).into_iter().filter(|files| files.settled().is_none()) {
        let Some(submission) = files.submission() else { continue };
        let held = || submission.packs.iter().flat_map(|pack| &pack.jobs).map(|job| &job.directory);
        if wanted.is_some_and(|wanted| !held().any(|directory| wanted.contains(directory))) {
            continue;
        }
        commands.cancel(&submission.name)?;
        let is_open = |directory: &&String| !store.root().join("jobs").join(directory).join("done.json").exists();
        (arrays, jobs) = (arrays + 1, jobs + held().filter(is_open).count());
        // The next run submits them again.
        if let Err(error) = files.settle(&Settled { cancelled: true, ..Settled::default() }) {
            tracing::warn!("{error}");
        }
    }
    Ok((arrays, jobs))
}

/// How long the files of failed jobs are kept: their logs give the reasons.
const KEPT: Duration = Duration::from_secs(7 * 24 * 3600);

/// Removes the files of submissions without waiting or running tasks: those that ended more than a week ago, or all of
/// them. Returns their number.
pub fn clear_submissions(store: &Store, removal: Removal) -> usize {
    let is_old = |files: &Files| files.settled_for().is_some_and(|age| age > KEPT || removal == Removal::ForGood);
    let over: Vec<Files> = Files::all(store).into_iter().filter(is_old).collect();
    over.iter().for_each(Files::remove);
    over.len()
}
