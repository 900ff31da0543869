//! The state of a run on a cluster. The other files of this module hold its operations.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::mpsc::Receiver;
use std::time::{Instant, SystemTime};

use super::commands::{CommandError, Commands};
use super::decide::Pace;
use super::parse::SiteLimits;
use super::tracked::{Answer, Tracked};
use crate::scheduler::batch::Batch;
use crate::scheduler::executor::ExecutorNews;
use crate::scheduler::outcome::TaskOutcome;
use crate::scheduler::process::Launch;
use crate::scheduler::progress::ProgressCell;
use gauntlet_games::base::Stop;
use gauntlet_store::Store;

/// The time and size of a checkpoint; none if there is no checkpoint.
pub(super) type Mark = Option<(SystemTime, u64)>;

/// Runs tasks as arrays of Slurm.
pub(super) struct ClusterRun<'a> {
    pub batch: &'a Batch,
    pub store: &'a Store,
    pub launch: &'a Launch,
    pub commands: Commands,
    pub limits: SiteLimits,
    pub pace: Pace,
    /// Set from outside: the run detaches.
    pub stop: Stop,
    /// Estimated seconds of every job of the batch.
    pub seconds: Vec<f64>,
    /// The requested jobs that have not ended.
    pub asked: HashMap<usize, ProgressCell>,
    /// The requested jobs that have to be submitted.
    pub waiting: Vec<usize>,
    /// The place of each submitted job: the submission, the array task, the index in its pack.
    pub homes: HashMap<usize, (usize, usize, usize)>,
    pub submissions: Vec<Tracked>,
    /// Nodes that lost a task before its worker reported, and nodes where workers have ended.
    pub bad_nodes: BTreeSet<String>,
    pub good_nodes: BTreeSet<String>,
    /// The number of times that each job was lost so far.
    pub losses: HashMap<usize, u32>,
    /// The checkpoint of each job when it was submitted.
    pub marks: HashMap<usize, Mark>,
    /// Jobs that were done meanwhile, and jobs that failed.
    pub done: HashSet<usize>,
    pub failed: HashSet<usize>,
    /// Outcomes of jobs that were not requested yet.
    pub early: HashMap<usize, TaskOutcome>,
    /// The next report of `poll`.
    pub news: Vec<ExecutorNews>,
    /// Jobs that were reported as started.
    pub shown: HashSet<usize>,
    /// Messages that are not repeated.
    pub reported_once: HashSet<String>,
    /// When arrays were last submitted.
    pub submitted: Option<Instant>,
    /// Whether the site accepts arrays with dependencies.
    pub takes_dependencies: bool,
    /// The pending query, and the time of the last one.
    pub question: Option<Receiver<Answer>>,
    pub questioned: Option<Instant>,
    /// The time of the next look at the states of workers.
    pub look_at: Instant,
    /// Whether no new jobs are submitted.
    pub is_closing: bool,
}

impl<'a> ClusterRun<'a> {
    pub fn new(
        batch: &'a Batch,
        store: &'a Store,
        launch: &'a Launch,
        stop: &Stop,
    ) -> Result<ClusterRun<'a>, CommandError> {
        let place = std::path::absolute(store.root()).unwrap_or_else(|_| store.root().to_owned());
        if place.to_string_lossy().contains(|c: char| c.is_control() || matches!(c, '"' | '\'')) {
            return Err(CommandError::Place { place });
        }
        let pace = Pace::from_environment();
        let commands = Commands { time_limit: pace.answer };
        Ok(ClusterRun {
            limits: commands.limits()?,
            commands,
            pace,
            batch,
            store,
            launch,
            stop: stop.clone(),
            seconds: batch.seconds(store),
            asked: HashMap::new(),
            waiting: Vec::new(),
            homes: HashMap::new(),
            submissions: Vec::new(),
            bad_nodes: BTreeSet::new(),
            good_nodes: BTreeSet::new(),
            losses: HashMap::new(),
            marks: HashMap::new(),
            done: HashSet::new(),
            failed: HashSet::new(),
            early: HashMap::new(),
            news: Vec::new(),
            shown: HashSet::new(),
            reported_once: HashSet::new(),
            submitted: None,
            takes_dependencies: true,
            question: None,
            questioned: None,
            look_at: Instant::now(),
            is_closing: false,
        })
    }

    /// Nodes to avoid: none, unless another node is known to work.
    pub fn shunned(&self) -> Vec<&str> {
        let is_any = self.good_nodes.difference(&self.bad_nodes).next().is_some();
        self.bad_nodes.iter().map(String::as_str).filter(|_| is_any).collect()
    }

    /// Reports a message to the user.
    pub fn note(&mut self, text: String) {
        self.news.push(ExecutorNews::Note(text));
    }

    /// Reports a message, once.
    pub fn note_once(&mut self, text: String) {
        if self.reported_once.insert(text.clone()) {
            self.note(text);
        }
    }

    /// A job has ended: reports it to the pool, now or when the pool requests the job.
    pub fn finish(&mut self, job: usize, outcome: TaskOutcome) {
        self.homes.remove(&job);
        match outcome {
            TaskOutcome::Done => drop(self.done.insert(job)),
            TaskOutcome::Failed(_) | TaskOutcome::Fatal(_) | TaskOutcome::Damaged(_) => drop(self.failed.insert(job)),
            TaskOutcome::Interrupted | TaskOutcome::Busy => {}
        }
        match self.asked.remove(&job) {
            Some(_) => self.news.push(ExecutorNews::Ended(job, outcome)),
            None => drop(self.early.insert(job, outcome)),
        }
    }

    /// Whether a job was done before, or is now, without a look at the disk.
    pub fn is_done(&self, job: usize) -> bool {
        self.batch.jobs[job].state.is_done() || self.done.contains(&job)
    }

    /// Follows a submission, and notes the places of its jobs.
    pub fn track(&mut self, tracked: Tracked) {
        let at = self.submissions.len();
        for (pack, jobs) in tracked.packs.iter().enumerate() {
            for (place, job) in jobs.iter().enumerate() {
                self.homes.extend(job.map(|job| (job, (at, pack, place))));
            }
        }
        self.submissions.push(tracked);
    }

    /// The submissions with waiting or running tasks.
    pub fn unsettled(&self) -> impl Iterator<Item = &Tracked> {
        self.submissions.iter().filter(|tracked| !tracked.is_settled)
    }
}
