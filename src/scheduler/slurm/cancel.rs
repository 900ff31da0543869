//! Ending what was submitted.

use std::collections::HashSet;

use super::commands::{CommandError, Commands};
use super::decide::Pace;
use super::submission::{Files, Settled};
use crate::store::Store;

/// Ends the submissions of a results tree that hold one of these jobs, by the names of their directories; all of them
/// where none is named. Returns how many arrays, and how many jobs without a result they held.
///
/// # Errors
/// When Slurm refuses; what was ended until then stays ended.
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
        // The next run submits them anew.
        if let Err(error) = files.settle(&Settled::default()) {
            tracing::warn!("{error}");
        }
    }
    Ok((arrays, jobs))
}
