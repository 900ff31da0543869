//! Settlement of the jobs of an ended array task: done, failed, or to be submitted again.

use super::cluster_run::ClusterRun;
use super::parse::End;
use super::submission::{FailedJob, Settled};
use crate::scheduler::outcome::TaskOutcome;
use gauntlet_store::{Error, StoredState};

const CANCELLED: &str = "it was cancelled; run again to continue";
const MEMORY: &str = "it needs more memory than it was given: raise `memory` in [cluster]";
const TIME: &str = "its time was over before it had saved anything: raise `time` in [cluster]";

impl ClusterRun<'_> {
    /// Whether the store has the result of a job.
    ///
    /// # Errors
    /// If its files cannot be inspected.
    pub(super) fn is_stored(&self, job: usize) -> Result<bool, Error> {
        let id = &self.batch.jobs[job].id;
        self.store.refresh(id);
        Ok(matches!(self.store.state(id)?, StoredState::Done(_)))
    }

    /// Fails a job for good; the message names its log.
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

    /// Settles each job of an ended array task.
    pub(super) fn settle_task(&mut self, at: usize, index: usize, end: End) {
        self.submissions[at].tasks[index].is_settled = true;
        self.rate_node(at, index, end);
        let pack = self.submissions[at].packs[index].clone();
        for (place, job) in pack.into_iter().enumerate() {
            let Some(job) = job.filter(|job| self.homes.get(job) == Some(&(at, index, place))) else { continue };
            match self.is_stored(job) {
                Ok(true) => self.finish(job, TaskOutcome::Done),
                Ok(false) => {
                    let outcome = self.last_outcome(at, index, place);
                    self.missed(at, index, job, end, outcome);
                }
                // The state of the job is unknown: it is not submitted again.
                Err(error) => self.fail(at, index, job, TaskOutcome::of_store(error)),
            }
        }
    }

    /// Rates the node of an array task: a node that kills every worker at once would lose job after job.
    fn rate_node(&mut self, at: usize, index: usize, end: End) {
        let task = &self.submissions[at].tasks[index];
        let is_dead = matches!(end, End::Failed | End::NodeFailed) && task.worker.is_none();
        let has_worked = task.worker.as_ref().is_some_and(|worker| !worker.ended.is_empty());
        let node = task.node.clone();
        if !node.is_empty() && (is_dead || has_worked) {
            let nodes = if is_dead { &mut self.bad_nodes } else { &mut self.good_nodes };
            nodes.insert(node);
        }
    }

    /// The outcome of the job at an index of a pack, from the last report of its worker: a failure if it was running,
    /// none if it never began.
    fn last_outcome(&self, at: usize, index: usize, place: usize) -> Option<TaskOutcome> {
        let submission = &self.submissions[at];
        let died = || TaskOutcome::Failed(String::new());
        let Some(worker) = &submission.tasks[index].worker else {
            // A worker that never reported has tried all of them, unless Slurm never received it.
            return submission.job.map(|_| died());
        };
        let outcome = |place| worker.ended.iter().find(|(ended, _)| *ended == place).map(|(_, outcome)| outcome);
        // A job that started a moment before the end is not in the state file.
        let current = worker.current.or_else(|| (0..).find(|place| outcome(*place).is_none()));
        outcome(place).cloned().or_else(|| (current == Some(place)).then(died))
    }

    /// Handles a job that is not done, by the end of its array task and its last outcome there.
    fn missed(&mut self, at: usize, index: usize, job: usize, end: End, outcome: Option<TaskOutcome>) {
        if self.is_closing {
            return self.finish(job, TaskOutcome::Interrupted);
        }
        match (self.true_end(at, index, end), outcome) {
            // The cause of a fatal failure, a full disk, may be gone.
            (_, Some(TaskOutcome::Busy | TaskOutcome::Fatal(_))) => self.again(job),
            (End::Cancelled, _) if self.was_let_down(at, index) => self.again(job),
            (End::Cancelled, None) => self.finish(job, TaskOutcome::Interrupted),
            (End::Cancelled, _) => self.fail_for(at, index, job, CANCELLED),
            (_, None) => self.again(job),
            (End::OutOfMemory, _) => self.fail_for(at, index, job, MEMORY),
            (End::TimeLimit, _) | (End::Failed, Some(TaskOutcome::Interrupted)) => self.timed_out(at, index, job),
            (end, _) => self.lost(at, index, job, end),
        }
    }

    fn fail_for(&mut self, at: usize, index: usize, job: usize, reason: &str) {
        self.fail(at, index, job, TaskOutcome::Failed(reason.to_owned()));
    }

    /// The real end of an array task.
    fn true_end(&self, at: usize, index: usize, end: End) -> End {
        if end == End::Failed && self.says_memory(at, index) { End::OutOfMemory } else { end }
    }

    /// Whether Slurm reports in a log that a job exceeded its memory. Without control groups it reports this nowhere
    /// else.
    fn says_memory(&self, at: usize, index: usize) -> bool {
        let words = self.submissions[at].files.last_words(index as u32);
        words.starts_with("slurmstepd") && (words.contains("memory limit") || words.contains("oom"))
    }

    /// Whether the site cancelled an array task because one of its dependencies failed.
    fn was_let_down(&self, at: usize, index: usize) -> bool {
        let submission = &self.submissions[at];
        submission.waits && submission.tasks[index].worker.is_none() && submission.files.settled().is_none()
    }

    /// Handles a time limit: the next attempt continues, if this one has saved new work. A job of a pack may have had
    /// little of the time.
    fn timed_out(&mut self, at: usize, index: usize, job: usize) {
        if self.has_saved(job) {
            return self.again(job);
        }
        if self.submissions[at].packs[index].len() > 1 {
            return self.lost(at, index, job, End::TimeLimit);
        }
        self.fail_for(at, index, job, TIME);
    }

    /// Whether a job has saved work since it was submitted.
    fn has_saved(&self, job: usize) -> bool {
        let now = self.store.checkpoint_mark(&self.batch.jobs[job].id);
        now.is_some() && now != self.marks.get(&job).copied().flatten()
    }

    /// Handles a job that was lost with its worker: it is tried again, a limited number of times without progress.
    fn lost(&mut self, at: usize, index: usize, job: usize, end: End) {
        let has_saved = self.has_saved(job);
        let losses = self.losses.entry(job).or_default();
        *losses = if has_saved { 1 } else { *losses + 1 };
        let (losses, most) = (*losses, self.batch.planned(job).0.written.cluster.attempts);
        let submission = &self.submissions[at];
        let (node, words) = (&submission.tasks[index].node, submission.files.last_words(index as u32));
        let place = if node.is_empty() { String::new() } else { format!(" on {node}") };
        let words = if words.is_empty() { String::new() } else { format!(": {words}") };
        let what = format!("{}{place}{words}", cause(end));
        if losses < most {
            // One message for all jobs of an array task.
            if self.reported_once.insert(format!("{} {index}", self.submissions[at].name)) {
                let name = self.batch.describe(job);
                self.note(format!("{name}: {what}; it is submitted again ({losses} of {most} attempts)"));
            }
            return self.again(job);
        }
        let reason = format!("{what}, and so {losses} attempts ended");
        self.fail(at, index, job, TaskOutcome::Failed(reason));
    }

    /// Submits a job again, as soon as it is requested.
    fn again(&mut self, job: usize) {
        self.homes.remove(&job);
        self.shown.remove(&job);
        if self.asked.contains_key(&job) {
            self.waiting.push(job);
        }
    }

    /// Closes a submission without waiting or running tasks. Its files stay if a job failed.
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
        if let Err(error) =
            submission.files.settle(&Settled { failed: submission.failed.clone(), ..Settled::default() })
        {
            tracing::warn!("{error}");
        }
    }
}

/// The cause of an array task's end, for messages.
fn cause(end: End) -> &'static str {
    match end {
        End::NodeFailed => "its node failed",
        End::Preempted => "it was preempted",
        End::Completed => "its worker ended without a result",
        End::TimeLimit => "the time of its pack was over",
        End::Lost => "the cluster has lost it",
        End::Failed | End::OutOfMemory | End::Cancelled => "its worker died",
    }
}
