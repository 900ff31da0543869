//! Submission: waiting jobs become arrays, which are written to the disk before Slurm receives them.

use std::collections::{BTreeSet, HashSet};
use std::time::Instant;

use super::arrays::{ArrayPlan, arrays};
use super::cluster_run::ClusterRun;
use super::commands::CommandError;
use super::script::script;
use super::submission::{Files, PREFIX, Submission};
use super::tracked::Tracked;
use crate::scheduler::outcome::TaskOutcome;
use gauntlet_store::unique_name;

impl ClusterRun<'_> {
    /// Submits waiting jobs, unless the last submission was a moment ago: later jobs then share an array.
    pub(super) fn submit_waiting(&mut self) {
        let is_soon = self.submitted.is_some_and(|submitted| submitted.elapsed() < self.pace.query);
        if self.waiting.is_empty() || self.is_closing || (is_soon && self.unsettled().next().is_some()) {
            return;
        }
        self.submitted = Some(Instant::now());
        let waiting: HashSet<usize> = self.waiting.iter().copied().collect();
        let mut jobs = std::mem::take(&mut self.waiting);
        jobs.extend(self.dependents(&waiting));
        let largest = self.limits.array_size;
        for plan in arrays(self.batch, &jobs, &self.seconds, largest, |job| self.is_done(job)) {
            // After one refusal, Slurm would refuse the others, too.
            if self.is_closing || !self.submit_array(plan) {
                break;
            }
        }
        // Jobs that were not submitted and have not ended wait for the next time.
        self.waiting = jobs.into_iter().filter(|job| self.asked.contains_key(job)).collect();
        let homes = &self.homes;
        self.waiting.retain(|job| !homes.contains_key(job));
    }

    /// The jobs whose open dependencies are all submitted, or about to be.
    fn dependents(&self, waiting: &HashSet<usize>) -> Vec<usize> {
        if !self.takes_dependencies {
            return Vec::new();
        }
        let mut known = waiting.clone();
        let mut found = Vec::new();
        for job in self.batch.left() {
            let is_under_way = |job: usize| known.contains(&job) || self.homes.contains_key(&job);
            let mut open = self.batch.after(job).filter(|&before| !self.is_done(before)).peekable();
            let waits = open.peek().is_some() && open.all(is_under_way);
            let may_wait = self.batch.planned(job).0.written.cluster.dependencies;
            let is_free = !known.contains(&job) && !self.homes.contains_key(&job) && !self.asked.contains_key(&job);
            if waits && may_wait && is_free && !self.early.contains_key(&job) && !self.failed.contains(&job) {
                known.insert(job);
                found.push(job);
            }
        }
        found
    }

    /// Submits one array, or the part of it that may be in flight; returns whether Slurm accepts more.
    fn submit_array(&mut self, mut plan: ArrayPlan) -> bool {
        let Some(after) = self.submissions_before(&plan) else { return true };
        let room = self.room(&plan);
        plan.packs.truncate(room);
        if plan.packs.is_empty() {
            return true;
        }
        let name = format!("{PREFIX}{}", unique_name());
        let files = Files::of(self.store, &name);
        let submission = match self.prepare((&name, !after.is_empty()), &files, &plan) {
            Ok(submission) => submission,
            Err(error) => {
                let hint = error.hint();
                let reason = format!("{:#}\nhint: {hint}", anyhow::Error::from(error));
                self.refuse(&plan, TaskOutcome::Fatal(reason));
                return false;
            }
        };
        // The marks are taken before the array may start: later checkpoints are newer.
        for &at in plan.packs.iter().flatten() {
            self.marks.insert(at, self.store.checkpoint_mark(&self.batch.jobs[at].id));
        }
        let ids: Vec<u64> = after.iter().filter_map(|&before| self.submissions[before].job).collect();
        match self.commands.submit(&files.script(), &ids) {
            Ok(job) => self.submitted_as(files, &submission, Some(job), &plan),
            Err(error) if error.is_open() => self.submitted_as(files, &submission, None, &plan),
            Err(error) => {
                files.remove();
                return self.refused(&plan, &error, !ids.is_empty());
            }
        }
        true
    }

    /// The submissions with the dependencies of a plan; none if one of those jobs is not submitted.
    fn submissions_before(&self, plan: &ArrayPlan) -> Option<BTreeSet<usize>> {
        let mut before = BTreeSet::new();
        for &job in plan.packs.iter().flatten() {
            for upstream in self.batch.after(job).filter(|&upstream| !self.is_done(upstream)) {
                let (submission, ..) = self.homes.get(&upstream)?;
                // Dependencies need the id.
                self.submissions[*submission].job?;
                before.insert(*submission);
            }
        }
        Some(before)
    }

    /// The number of further array tasks that may be in flight.
    fn room(&self, plan: &ArrayPlan) -> usize {
        let of_plan = self.batch.jobs[plan.packs[0][0]].origin.0;
        let Some(most) = self.batch.plans[of_plan].written.cluster.in_flight else { return usize::MAX };
        let flying: usize = self.unsettled().map(Tracked::open_tasks).sum();
        (most as usize).saturating_sub(flying)
    }

    fn prepare(
        &mut self,
        (name, waits): (&str, bool),
        files: &Files,
        plan: &ArrayPlan,
    ) -> Result<Submission, gauntlet_store::Error> {
        let indices: Vec<u32> = (0..plan.packs.len() as u32).collect();
        let directory = std::path::absolute(files.directory()).unwrap_or(files.directory().to_owned());
        let text = script((name, &directory), &indices, &plan.request, &self.shunned(), self.launch);
        let (batch, losses) = (self.batch, &self.losses);
        let task = |&job: &usize| (batch.task(job), losses.get(&job).copied().unwrap_or(0) + 1);
        files.prepare((name, waits), &text, plan.packs.len(), |pack| plan.packs[pack].iter().map(task).collect())
    }

    /// Follows a submission. Without an id it may not have reached Slurm: a query by its name decides.
    fn submitted_as(&mut self, files: Files, submission: &Submission, job: Option<u64>, plan: &ArrayPlan) {
        if let Some(Err(error)) = job.map(|job| files.set_job(job)) {
            tracing::warn!("{error}");
        }
        let packs: Vec<Vec<Option<usize>>> =
            plan.packs.iter().map(|pack| pack.iter().copied().map(Some).collect()).collect();
        self.track(Tracked::new(files, submission, packs, job));
    }

    /// Reports a temporary refusal, which is retried; any other refusal ends all jobs. Returns whether to go on.
    fn refused(&mut self, plan: &ArrayPlan, error: &CommandError, waits: bool) -> bool {
        if waits && error.is_about_dependency() {
            self.note_once(format!("jobs that wait for others are submitted later: {error}"));
            self.takes_dependencies = false;
            return true;
        }
        if error.may_pass() {
            self.note_once(format!("nothing can be submitted for now, and is tried again: {error}"));
            return false;
        }
        let way = "hint: look at `[cluster]`, or --cluster; `gauntlet plan --executor slurm` shows what is submitted";
        self.refuse(plan, TaskOutcome::Fatal(format!("{error}\n{way}")));
        false
    }

    /// Ends the first job of an array with this outcome, and so the run.
    fn refuse(&mut self, plan: &ArrayPlan, outcome: TaskOutcome) {
        let asked = plan.packs.iter().flatten().find(|job| self.asked.contains_key(job)).copied();
        let any = asked.or_else(|| self.asked.keys().min().copied());
        any.into_iter().for_each(|job| self.finish(job, outcome.clone()));
    }
}
