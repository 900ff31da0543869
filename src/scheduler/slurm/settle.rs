//! What becomes of the jobs of an array task that is over: done, failed, or to be submitted again.

use super::cluster_run::ClusterRun;
use super::decide::Verdict;
use super::parse::End;
use super::submission::{FailedJob, Settled};
use crate::scheduler::outcome::TaskOutcome;
use crate::store::StoredState;

/// Why a job is not done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Miss {
    /// It never began.
    Unbegun,
    /// It was told to stop, and did.
    Stopped,
    /// Another process worked on it.
    Busy,
    /// It was under way.
    Under,
}

impl ClusterRun<'_> {
    /// Whether the store has the result of a job.
    pub(super) fn is_stored(&self, job: usize) -> bool {
        let id = &self.batch.jobs[job].id;
        self.store.refresh(id);
        matches!(self.store.state(id), StoredState::Done(_))
    }

    /// A job has failed for good; its log is named.
    pub(super) fn fail(&mut self, at: usize, index: usize, job: usize, outcome: TaskOutcome) {
        let submission = &mut self.submissions[at];
        let log = submission.files.log(index as u32);
        let with_log = |reason: &str| format!("{reason}; its log is {}", log.display());
        let outcome = match outcome {
            TaskOutcome::Failed(reason) => TaskOutcome::Failed(with_log(&reason)),
            TaskOutcome::Damaged(reason) => TaskOutcome::Damaged(with_log(&reason)),
            TaskOutcome::Fatal(reason) => TaskOutcome::Fatal(with_log(&reason)),
            other @ (TaskOutcome::Done | TaskOutcome::Interrupted | TaskOutcome::Busy) => other,
        };
        if let TaskOutcome::Failed(reason) | TaskOutcome::Damaged(reason) | TaskOutcome::Fatal(reason) = &outcome {
            let directory = self.batch.jobs[job].id.directory();
            submission.failed.push(FailedJob { directory, reason: reason.clone(), log });
        }
        self.finish(job, outcome);
    }

    /// An array task is over: each of its jobs is done, or something becomes of it.
    pub(super) fn settle_task(&mut self, at: usize, index: usize, verdict: Verdict) {
        self.submissions[at].tasks[index].is_settled = true;
        let pack = self.submissions[at].packs[index].clone();
        for (place, job) in pack.into_iter().enumerate() {
            let Some(job) = job.filter(|job| self.homes.get(job) == Some(&(at, index, place))) else { continue };
            if self.is_stored(job) {
                self.finish(job, TaskOutcome::Done);
            } else {
                let miss = self.miss(at, index, place);
                self.missed(at, index, job, verdict, miss);
            }
        }
    }

    /// Why the job at a place of a pack is not done, by what its worker said last.
    fn miss(&self, at: usize, index: usize, place: usize) -> Miss {
        let submission = &self.submissions[at];
        let Some(worker) = &submission.tasks[index].worker else {
            // Of a worker that never spoke the first job is to blame, unless Slurm never heard of it.
            return if place == 0 && submission.job.is_some() { Miss::Under } else { Miss::Unbegun };
        };
        let outcome = worker.ended.iter().find(|(ended, _)| *ended == place).map(|(_, outcome)| outcome);
        match outcome {
            Some(TaskOutcome::Interrupted) => Miss::Stopped,
            Some(TaskOutcome::Busy) => Miss::Busy,
            Some(_) => Miss::Under,
            None if worker.current == Some(place) => Miss::Under,
            None => Miss::Unbegun,
        }
    }

    /// What becomes of a job that is not done.
    fn missed(&mut self, at: usize, index: usize, job: usize, verdict: Verdict, miss: Miss) {
        if self.is_closing {
            return self.finish(job, TaskOutcome::Interrupted);
        }
        let is_cancelled = verdict == Verdict::Over(End::Cancelled);
        match (verdict, miss) {
            (_, Miss::Busy) => self.again(job),
            (_, Miss::Unbegun | Miss::Under) if is_cancelled && self.waits_for_failed(at, index, job) => {
                self.again(job)
            }
            (_, Miss::Unbegun) if is_cancelled => self.finish(job, TaskOutcome::Interrupted),
            (_, _) if is_cancelled => {
                let reason = "it was cancelled; run again to continue";
                self.fail(at, index, job, TaskOutcome::Failed(reason.to_owned()));
            }
            (_, Miss::Unbegun) => self.again(job),
            (Verdict::Over(End::OutOfMemory), _) => {
                let reason = "it needs more memory than it was given: raise `memory` in [cluster]";
                self.fail(at, index, job, TaskOutcome::Failed(reason.to_owned()));
            }
            (Verdict::Over(End::TimeLimit), _) | (Verdict::Over(End::Failed), Miss::Stopped) => {
                self.timed_out(at, index, job)
            }
            (verdict, _) => self.lost(at, index, job, verdict),
        }
    }

    /// Whether a job was never tried because what it waits for is not done.
    fn waits_for_failed(&self, at: usize, index: usize, job: usize) -> bool {
        let has_begun = self.submissions[at].tasks[index].worker.is_some();
        !has_begun && self.batch.jobs[job].after.iter().any(|before| !self.is_done(*before))
    }

    /// The time was over: the next attempt continues, if this one has saved something new.
    fn timed_out(&mut self, at: usize, index: usize, job: usize) {
        let now = self.store.checkpoint_mark(&self.batch.jobs[job].id);
        let before = self.marks.get(&job).copied().flatten();
        if now.is_some() && now != before {
            return self.again(job);
        }
        let reason = "its time was over before it had saved anything: raise `time` in [cluster]";
        self.fail(at, index, job, TaskOutcome::Failed(reason.to_owned()));
    }

    /// A job was lost with its worker: it is tried again, but not for ever.
    fn lost(&mut self, at: usize, index: usize, job: usize, verdict: Verdict) {
        let losses = self.losses.entry(job).or_default();
        *losses += 1;
        let (losses, most) = (*losses, self.batch.planned(job).0.written.cluster.attempts);
        let submission = &self.submissions[at];
        let (node, words) = (&submission.tasks[index].node, submission.files.last_words(index as u32));
        let place = if node.is_empty() { String::new() } else { format!(" on {node}") };
        let words = if words.is_empty() { String::new() } else { format!(": {words}") };
        let what = format!("{}{place}{words}", cause(verdict));
        if losses < most {
            let name = self.batch.describe(job);
            self.news.push(format!("{name}: {what}; it is submitted again ({losses} of {most} attempts)"));
            return self.again(job);
        }
        let reason = format!("{what}, and so {losses} attempts ended");
        self.fail(at, index, job, TaskOutcome::Failed(reason));
    }

    /// A job is submitted again, as soon as it is asked for.
    fn again(&mut self, job: usize) {
        self.homes.remove(&job);
        self.shown.remove(&job);
        if self.asked.contains_key(&job) {
            self.waiting.push(job);
        }
    }

    /// Ends a submission of which nothing waits or runs any more. Its files stay where something failed.
    pub(super) fn close(&mut self, at: usize) {
        let submission = &mut self.submissions[at];
        if submission.tasks.iter().any(|task| !task.is_settled) {
            return;
        }
        submission.is_settled = true;
        submission.tasks = Vec::new();
        if submission.failed.is_empty() {
            return submission.files.remove();
        }
        if let Err(error) = submission.files.settle(&Settled { failed: submission.failed.clone() }) {
            tracing::warn!("{error}");
        }
    }
}

/// What ended an array task, in words.
fn cause(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Over(End::NodeFailed) => "its node failed",
        Verdict::Over(End::Preempted) => "it was preempted",
        Verdict::Over(End::Completed) => "its worker ended without a result",
        Verdict::Lost => "the cluster has lost it",
        Verdict::Over(End::Failed | End::TimeLimit | End::OutOfMemory | End::Cancelled)
        | Verdict::Queued
        | Verdict::Running
        | Verdict::Silent
        | Verdict::Open => "its worker died",
    }
}
