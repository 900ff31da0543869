//! The file that shows the state of a run to other processes (`status`, `watch`): in its own directory, rewritten
//! every second while the run is active. It holds no results.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::event::{Listener, RunEvent};
use super::progress::JobProgress;
use super::run_state::{RunState, RunningTask};
use gauntlet_games::base::files::{LARGEST_NOTE, read_regular};
use gauntlet_store::{RunDir, Store, quick_write};

/// The version that is written and read.
const VERSION: u32 = 1;
const FILE: &str = "live.json";
/// Time between two updates of the file.
const INTERVAL: Duration = Duration::from_secs(1);
/// Most running tasks in the file.
const MOST_SHOWN: usize = 1000;

/// An active run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct LiveRun {
    pub(super) version: u32,
    /// Its process.
    pub process: u32,
    /// Jobs that it has to run.
    pub jobs: usize,
    /// Jobs that ended.
    pub ended: usize,
    /// Jobs that failed, included in `ended`.
    pub failed: usize,
    /// The finished share of all work, 0 to 1.
    pub share: f64,
    /// Seconds since it began.
    pub seconds: f64,
    /// Estimated seconds until it ends, if known.
    pub seconds_left: Option<f64>,
    /// The estimated cost of the remaining work, in seconds of one core.
    #[serde(default)]
    pub cost_left: f64,
    /// The running jobs, in the order in which they started; only the first if there are very many.
    pub running: Vec<LiveJob>,
    /// Jobs that were submitted to a cluster and have not started.
    #[serde(default)]
    pub queued: usize,
    /// Its races, as of the start of their round.
    #[serde(default)]
    pub races: Vec<LiveRace>,
}

/// A race under way.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct LiveRace {
    /// One line about its course.
    pub line: String,
    /// The unit of the abscissa of `left`: games or jobs.
    pub unit: String,
    /// The number of settings that are left, over the games or jobs of the race.
    pub left: Vec<[f64; 2]>,
    /// The settings that are left with their mean results, the best one first.
    pub best: Vec<(String, f64)>,
}

/// A running job.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct LiveJob {
    /// Its short name, which is unique in the run.
    pub name: String,
    /// The name of its directory in the store.
    pub directory: String,
    /// Seconds since it started or continued.
    pub seconds: f64,
    /// Units per second, once known.
    pub rate: Option<f64>,
    /// Its progress.
    #[serde(flatten)]
    pub progress: JobProgress,
}

impl LiveJob {
    fn of(running: &RunningTask) -> LiveJob {
        LiveJob {
            name: running.name.clone(),
            directory: running.directory.clone(),
            seconds: running.elapsed().as_secs_f64(),
            rate: running.rate(),
            progress: running.progress.clone(),
        }
    }
}

/// Keeps the file of a run up to date. Dropping it removes the file.
#[derive(Debug)]
pub(super) struct LiveFile {
    run: RunDir,
    state: RunState,
    races: Vec<LiveRace>,
    /// When it was last written.
    written: Option<Instant>,
}

impl LiveFile {
    /// The file of a run; none if it cannot be written, which does not stop the run.
    pub fn new(store: &Store) -> Option<LiveFile> {
        let run = store.run_directory().inspect_err(|error| tracing::debug!("{error}")).ok()?;
        Some(LiveFile { run, state: RunState::default(), races: Vec::new(), written: None })
    }

    /// Begins a round of jobs, with the present states of the races.
    pub fn begin(&mut self, races: Vec<LiveRace>) {
        (self.state, self.races) = (RunState::default(), races);
    }

    fn write(&mut self) {
        let run = LiveRun { races: self.races.clone(), ..LiveRun::of(&self.state) };
        let bytes = serde_json::to_vec(&run).expect("a run is plain data");
        if let Err(error) = quick_write(&self.path(), &bytes) {
            tracing::debug!("{error}");
        }
        self.written = Some(Instant::now());
    }

    fn path(&self) -> PathBuf {
        self.run.path().join(FILE)
    }
}

impl Listener for LiveFile {
    fn event(&mut self, event: &RunEvent) {
        self.state.apply(event);
    }

    fn tick(&mut self) {
        if self.written.is_none_or(|written| written.elapsed() >= INTERVAL) {
            self.write();
        }
    }
}

impl Drop for LiveFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(self.path());
    }
}

impl LiveRun {
    fn of(state: &RunState) -> LiveRun {
        LiveRun {
            version: VERSION,
            process: std::process::id(),
            jobs: state.tasks(),
            ended: state.ended,
            failed: state.failed,
            share: state.share(),
            seconds: state.elapsed().as_secs_f64(),
            seconds_left: state.left().map(|left| left.as_secs_f64()),
            cost_left: state.cost_left(),
            running: state.running.iter().take(MOST_SHOWN).map(LiveJob::of).collect(),
            queued: state.queued(),
            races: Vec::new(),
        }
    }

    /// The active runs on a results tree, as of the last second.
    #[must_use]
    pub fn all(store: &Store) -> Vec<LiveRun> {
        let read =
            |directory: PathBuf| serde_json::from_slice(&read_regular(&directory.join(FILE), LARGEST_NOTE).ok()?).ok();
        let mut runs: Vec<LiveRun> = store.runs_under_way().into_iter().filter_map(read).collect();
        runs.retain(|run| run.version == VERSION);
        runs.sort_unstable_by_key(|run| run.process);
        runs
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheduler::run_state::tests::two_tasks;

    #[test]
    fn other_processes_see_a_run_while_it_runs() {
        let root = tempfile::tempdir().expect("a directory");
        let store = Store::open(root.path()).expect("a store");
        let mut file = LiveFile::new(&store).expect("the store can be written");
        let race = LiveRace { line: "race".to_owned(), left: vec![[0.0, 4.0]], ..LiveRace::default() };
        file.begin(vec![race.clone()]);
        file.event(&two_tasks());
        [0, 1].into_iter().for_each(|task| file.event(&RunEvent::TaskStarted { task }));
        let metrics = vec![("score".to_owned(), 0.5)];
        let progress = JobProgress { done: 30, total: 40, metrics: metrics.clone(), game: None };
        file.event(&RunEvent::TaskProgress { task: 1, progress });
        file.tick();
        let runs = LiveRun::all(&store);
        let [run] = runs.as_slice() else { panic!("one run") };
        assert_eq!((run.jobs, run.ended, run.running.len(), run.process), (2, 0, 2, std::process::id()));
        assert_eq!(run.races, [race]);
        let job = &run.running[1];
        assert_eq!((&*job.directory, job.progress.share()), ("train-1", 0.75));
        assert_eq!(job.progress.metrics, metrics);
        drop(file);
        assert!(LiveRun::all(&store).is_empty() && !root.path().join("runs").exists());
    }
}
