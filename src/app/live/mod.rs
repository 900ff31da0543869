//! Runs under way as data: the learning curves of their trainings, the ratings of their tournaments so far, and the
//! last game of each job. The terminal, the live page and `gauntlet serve` show it.
//!
//! Everything is read from the files of running jobs, which are no results: growing metrics, and the journals of
//! tournaments in their checkpoints. All of it is partial.

mod advice;
mod board;
mod chart;
mod curves;
mod escape;
mod html;
pub mod page;
mod replay;
mod standings;

use std::collections::HashMap;
use std::time::SystemTime;

pub use advice::Advisers;
pub use curves::{Curve, CurveLine};
use gauntlet_jobs::JobSpec;
use gauntlet_plan::manifest::plan::identity::KeyInputs;
use gauntlet_run::scheduler::{LiveJob, LiveRun, METRICS};
use gauntlet_store::Store;
pub use html::{fragment, replayed};
pub use replay::{RecordedGame, RecordedGames, ShownGame, games_of, last_game, listed, replay};
pub use standings::{PartialStanding, PartialStandings};

/// Most running jobs of a run that are shown in full.
const MOST_JOBS: usize = 24;

/// An active run.
#[derive(Debug, Clone)]
pub struct LiveView {
    /// Its state.
    pub run: LiveRun,
    /// Its running jobs; only the first if there are many.
    pub jobs: Vec<JobView>,
}

/// A running job.
#[derive(Debug, Clone)]
pub struct JobView {
    /// Its state.
    pub job: LiveJob,
    /// The learning curves of a training.
    pub curves: Vec<Curve>,
    /// The ratings of a tournament or match so far.
    pub standings: Option<PartialStandings>,
    /// Its last game, if it has reported one.
    pub game: Option<ShownGame>,
}

/// Time and size of a file.
type Mark = (SystemTime, u64);

/// What the files of a job have shown, and when.
#[derive(Debug, Clone, Default)]
struct Seen {
    /// The checkpoint and the metrics.
    marks: [Option<Mark>; 2],
    curves: Vec<Curve>,
    standings: Option<PartialStandings>,
}

/// Reads the runs under way. Files that have not changed are not read again.
#[derive(Debug, Default)]
pub struct LiveReader {
    seen: HashMap<String, Seen>,
}

impl LiveReader {
    /// The runs of a results tree, as of the last second; only those of a process, if one is given.
    pub fn read(&mut self, store: &Store, process: Option<u32>) -> Vec<LiveView> {
        let mut runs = LiveRun::all(store);
        runs.retain(|run| process.is_none_or(|process| run.process == process));
        let mut view = |run: LiveRun| {
            let jobs = run.running.iter().take(MOST_JOBS).map(|job| self.job(store, job)).collect();
            LiveView { run, jobs }
        };
        let views: Vec<LiveView> = runs.into_iter().map(&mut view).collect();
        let is_running = |name: &String| views.iter().flat_map(|view| &view.jobs).any(|job| job.job.directory == *name);
        self.seen.retain(|directory, _| is_running(directory));
        views
    }

    fn job(&mut self, store: &Store, job: &LiveJob) -> JobView {
        let inputs: Option<KeyInputs> = store.key_inputs_in(&job.directory).ok().flatten();
        let Seen { curves, standings, .. } =
            inputs.as_ref().map_or_else(Seen::default, |it| self.files(store, job, it));
        let game = inputs.as_ref().and_then(|inputs| last_game(job, inputs));
        JobView { job: job.clone(), curves, standings, game }
    }

    /// The curves of a training, or the ratings of a tournament, from the journal in its checkpoint.
    fn files(&mut self, store: &Store, job: &LiveJob, inputs: &KeyInputs) -> Seen {
        let directory = &job.directory;
        let marks = [store.head_mark(directory), store.file_mark(directory, METRICS)];
        if let Some(seen) = self.seen.get(directory).filter(|seen| seen.marks == marks) {
            return seen.clone();
        }
        let journal = || store.checkpoint_head(directory);
        let seen = match inputs.spec {
            JobSpec::Train(_) => Seen { marks, curves: curves::read(store, directory), standings: None },
            JobSpec::Play(_) => {
                let players = standings::players(inputs);
                let standings = players.and_then(|players| PartialStandings::new(&players, &journal()?));
                Seen { marks, curves: Vec::new(), standings }
            }
            JobSpec::Measure(_) => Seen { marks, ..Seen::default() },
        };
        self.seen.insert(directory.clone(), seen.clone());
        seen
    }
}
