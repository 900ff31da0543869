//! Submissions of an earlier run: they are followed, and not submitted again.

use std::collections::HashMap;

use super::cluster_run::ClusterRun;
use super::submission::{Files, Submission};
use super::tracked::Tracked;

impl ClusterRun<'_> {
    /// Follows the submissions on the results tree that hold jobs of the batch, and clears the finished ones.
    pub(super) fn adopt(&mut self) {
        let left = self.batch.left().map(|job| (self.batch.jobs[job].id.directory(), job));
        let wanted: HashMap<String, usize> = left.collect();
        let mut adopted = 0;
        for files in Files::all(self.store) {
            let Some(submission) = files.submission() else {
                // A process that died while it wrote the file has not submitted it. An unreadable submission may be
                // running.
                if files.is_unwritten() {
                    files.remove();
                } else {
                    tracing::warn!("{} cannot be read, and stays", files.directory().display());
                }
                continue;
            };
            let number = |directory: &String| wanted.get(directory).copied();
            let packs: Vec<Vec<Option<usize>>> = submission
                .packs
                .iter()
                .map(|pack| pack.jobs.iter().map(|job| number(&job.directory)).collect())
                .collect();
            let is_ours = packs.iter().flatten().any(Option::is_some);
            match files.settled() {
                Some(_) if is_ours || is_done(&submission, self) => files.remove(),
                None if is_ours => {
                    adopted += packs.iter().flatten().flatten().count();
                    self.adopt_one(files, &submission, packs);
                }
                Some(_) | None => {}
            }
        }
        if adopted > 0 {
            self.note(format!("{adopted} jobs that an earlier run submitted are followed"));
        }
    }

    fn adopt_one(&mut self, files: Files, submission: &Submission, packs: Vec<Vec<Option<usize>>>) {
        for (pack, jobs) in submission.packs.iter().zip(&packs) {
            for (known, job) in pack.jobs.iter().zip(jobs) {
                if let Some(job) = *job {
                    let losses = known.attempt.saturating_sub(1);
                    let counted = self.losses.entry(job).or_default();
                    *counted = losses.max(*counted);
                }
            }
        }
        let job = files.job();
        self.track(Tracked { is_adopted: true, ..Tracked::new(files, submission, packs, job) });
    }
}

/// Whether every job of a submission is in the store.
fn is_done(submission: &Submission, run: &ClusterRun<'_>) -> bool {
    let jobs = submission.packs.iter().flat_map(|pack| &pack.jobs);
    jobs.into_iter().all(|job| run.store.root().join("jobs").join(&job.directory).join("done.json").exists())
}
