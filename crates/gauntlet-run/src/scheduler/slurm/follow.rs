//! The observation of submissions: frequent cheap looks at worker states, and one query to Slurm every half a minute.

use std::collections::HashMap;
use std::sync::mpsc::{self, TryRecvError};
use std::time::{Duration, Instant};

use super::cluster_run::ClusterRun;
use super::commands::CommandError;
use super::decide::{Observation, decide, is_silent};
use super::parse::{End, QueueRow};
use super::tracked::Answer;
use crate::scheduler::executor::ExecutorNews;
use crate::scheduler::outcome::TaskOutcome;
use crate::scheduler::worker_state::WorkerState;

/// Reading state files takes at most one part in this number of the time.
const LOOK_SHARE: u32 = 20;

/// Least time between two looks.
const LEAST_LOOK: Duration = Duration::from_millis(200);

impl ClusterRun<'_> {
    /// Takes in all news.
    pub(super) fn follow(&mut self) {
        self.ask();
        let is_news = self.take_answer();
        if is_news || Instant::now() >= self.look_at {
            let begun = Instant::now();
            for at in 0..self.submissions.len() {
                if !self.submissions[at].is_settled {
                    self.look(at);
                }
            }
            self.look_at = Instant::now() + (begun.elapsed() * LOOK_SHARE).max(LEAST_LOOK);
        }
    }

    /// Queries Slurm, if a query is due; the answer arrives from another thread.
    fn ask(&mut self) {
        let is_due = self.questioned.is_none_or(|asked| asked.elapsed() >= self.pace.query);
        if self.question.is_some() || !is_due || self.unsettled().next().is_none() {
            return;
        }
        let names: Vec<String> = self.unsettled().map(|tracked| tracked.name.clone()).collect();
        let oldest = self.unsettled().map(|tracked| tracked.written.elapsed().unwrap_or_default()).max();
        let oldest = oldest.unwrap_or_default();
        let (commands, asked, of_accounts) = (self.commands, Instant::now(), self.limits.has_accounts);
        let (sender, receiver) = mpsc::channel();
        std::thread::spawn(move || {
            let rows = if of_accounts { commands.accounts(&names, oldest) } else { commands.queue(&names) };
            // A run that has detached meanwhile no longer listens.
            let _ = sender.send(Answer { asked, of_accounts, rows });
        });
        (self.question, self.questioned) = (Some(receiver), Some(asked));
    }

    /// Takes the answer of Slurm; returns whether there was one.
    fn take_answer(&mut self) -> bool {
        let Some(question) = &self.question else { return false };
        match question.try_recv() {
            Err(TryRecvError::Empty) => return false,
            Err(TryRecvError::Disconnected) => self.question = None,
            Ok(Answer { of_accounts, rows: Err(error), .. }) => {
                self.question = None;
                self.unanswered(of_accounts, &error);
            }
            Ok(Answer { asked, rows: Ok(rows), .. }) => {
                self.question = None;
                self.reported_once.remove(NO_ANSWER);
                self.note_rows(rows, asked);
                return true;
            }
        }
        false
    }

    /// Without an answer there is no conclusion: the next query decides.
    fn unanswered(&mut self, of_accounts: bool, error: &CommandError) {
        if of_accounts {
            // The controller knows the waiting and running jobs, even without accounting.
            self.limits.has_accounts = false;
            tracing::warn!("{error}; squeue is asked instead");
        } else if self.reported_once.insert(NO_ANSWER.to_owned()) {
            self.note(format!("{NO_ANSWER} ({error}); asking again, nothing is lost"));
        }
    }

    /// Notes the row of every array task, or its absence.
    fn note_rows(&mut self, rows: Vec<QueueRow>, asked: Instant) {
        let mut seen: HashMap<(String, u32), QueueRow> = HashMap::new();
        for row in rows {
            seen.insert((row.name.clone(), row.index), row);
        }
        let now = Instant::now();
        for tracked in self.submissions.iter_mut().filter(|tracked| !tracked.is_settled && tracked.since < asked) {
            for (index, task) in tracked.tasks.iter_mut().enumerate().filter(|(_, task)| !task.is_settled) {
                let row = seen.remove(&(tracked.name.clone(), index as u32));
                if let (None, Some(row)) = (tracked.job, &row) {
                    tracked.job = Some(row.job);
                    if let Err(error) = tracked.files.set_job(row.job) {
                        tracing::warn!("{error}");
                    }
                }
                task.note_sighting(row, now);
            }
        }
    }

    /// Looks at the workers of a submission, and decides about its tasks.
    fn look(&mut self, at: usize) {
        let listed = self.submissions[at].files.states_listed();
        let is_unlisted = self.submissions[at].tasks.iter().any(|task| !task.is_settled && task.state.is_none());
        let cancelled = is_unlisted && self.submissions[at].files.settled().is_some_and(|settled| settled.cancelled);
        for index in 0..self.submissions[at].tasks.len() {
            if self.submissions[at].tasks[index].is_settled {
                continue;
            }
            if let Some(&restarts) = listed.get(&(index as u32)) {
                let worker = self.submissions[at].files.worker(index as u32, restarts);
                worker.into_iter().for_each(|worker| self.hear(at, index, worker));
            }
            self.judge(at, index, cancelled);
        }
        self.close(at);
    }

    /// Takes in the state of a worker.
    fn hear(&mut self, at: usize, index: usize, worker: WorkerState) {
        let (submission, now) = (&mut self.submissions[at], Instant::now());
        let task = &mut submission.tasks[index];
        let is_new =
            task.worker.as_ref().is_none_or(|known| (known.process, known.beats) != (worker.process, worker.beats));
        if is_new {
            // A restarted worker reports its ends again.
            task.ends_seen = if worker.ended.len() < task.ends_seen { 0 } else { task.ends_seen };
            task.beat = (!worker.is_over).then_some(now);
            task.worker = Some(worker.clone());
        }
        let pack = &submission.packs[index];
        if let Some(job) = worker.current.and_then(|place| *pack.get(place)?)
            && let Some(cell) = self.asked.get(&job)
        {
            cell.set(worker.progress.clone());
            self.news.extend(self.shown.insert(job).then_some(ExecutorNews::Started(job)));
        }
        self.note_ends(at, index, &worker);
    }

    /// Settles ended jobs before the others of their pack. A job is done only if the store shows it.
    fn note_ends(&mut self, at: usize, index: usize, worker: &WorkerState) {
        let seen = self.submissions[at].tasks[index].ends_seen;
        for (place, outcome) in &worker.ended[seen..] {
            let job = self.submissions[at].packs[index].get(*place).copied().flatten();
            let is_here = |job: &usize| self.homes.get(job) == Some(&(at, index, *place));
            if let Some(job) = job.filter(is_here) {
                match outcome {
                    TaskOutcome::Done if matches!(self.is_stored(job), Ok(true)) => self.finish(job, TaskOutcome::Done),
                    TaskOutcome::Fatal(_) if self.submissions[at].is_adopted => {}
                    TaskOutcome::Failed(_) | TaskOutcome::Damaged(_) | TaskOutcome::Fatal(_) => {
                        self.fail(at, index, job, outcome.clone());
                    }
                    // Absent results and stopped jobs are decided when the task is over.
                    TaskOutcome::Done | TaskOutcome::Interrupted | TaskOutcome::Busy => {}
                }
            }
        }
        self.submissions[at].tasks[index].ends_seen = worker.ended.len();
    }

    /// Decides about an array task of a submission that was cancelled, or not.
    fn judge(&mut self, at: usize, index: usize, cancelled: bool) {
        let submission = &self.submissions[at];
        let task = &submission.tasks[index];
        let is_finished = |worker: &WorkerState| {
            let is_end = |(_, outcome): &(usize, TaskOutcome)| outcome.is_final();
            worker.is_over && worker.ended.len() == submission.packs[index].len() && worker.ended.iter().all(is_end)
        };
        if task.worker.as_ref().is_some_and(is_finished) && self.pack_has_ended(at, index) {
            return self.settle_task(at, index, End::Completed);
        }
        let observation = Observation { cancelled, ..task.observation() };
        if is_silent(&observation, &self.pace) {
            let log = submission.files.log(index as u32);
            let text = format!("no sign of life from node {} for long; its log is {}", task.node, log.display());
            self.note_once(text);
        }
        if let Some(end) = decide(&observation, &self.pace) {
            self.settle_task(at, index, end);
        }
    }

    /// Whether every job of a pack has ended.
    fn pack_has_ended(&self, at: usize, index: usize) -> bool {
        let is_open = |(place, job): (usize, &Option<usize>)| {
            job.is_some_and(|job| self.homes.get(&job) == Some(&(at, index, place)))
        };
        !self.submissions[at].packs[index].iter().enumerate().any(is_open)
    }
}

/// The message for a missing answer; it is repeated only after an answer.
const NO_ANSWER: &str = "Slurm gives no answer";
