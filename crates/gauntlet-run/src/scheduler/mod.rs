//! The scheduler, from the plan to the worker: the jobs that the store lacks become tasks, and the tasks run.
//!
//! ```text
//! plans + store
//!   -> Batch     the jobs of all plans, each once, with its state in the store (older: stale, verified or accepted;
//!                earlier: the shorter training that it continues)
//!   -> complete  rounds: lock the tree, run missing jobs, read the results, rerun damaged jobs
//!   -> pool      fills slots in the order of a TaskGraph, settles outcomes, skips dependants of failures
//!   -> Executor  Local (a thread per slot), Inline (this thread), or slurm (a queue that outlives the run)
//!   -> Task      one job with all inputs of a worker, as plain data
//!   -> worker    claim, checkpoint, run, commit: a function of task, store and data directory; on the thread of the
//!                slot, or in a process (process, serve) that reports by a state file (worker_state)
//! ```
//! All that happens is a [`RunEvent`]: the pool sends it, and [`Listener`]s show it, keep the file for other processes
//! (live), or record it (recording).
//!
//! A job has one number throughout, its index in the batch. The order in which tasks run depends on the clock: results
//! depend on their tasks alone. Cores of idle slots help running tasks ([`gauntlet_games::base::Cores`]). No lock is
//! held while a task runs, and commits happen on the thread of the task.

mod batch;
mod beginning;
mod classes;
mod earlier;
mod estimate;
mod event;
mod executor;
mod graph;
mod interrupt;
mod live;
mod names;
mod older;
mod outcome;
mod pool;
mod process;
mod progress;
mod races;
mod recording;
mod rounds;
mod run_state;
mod serve;
mod slurm;
mod task;
mod verified_code;
mod versions;
mod worker;
mod worker_state;

pub use batch::{Batch, BatchJob, JobState, id_of};
pub use beginning::Beginning;
pub use event::{Listener, RoundPlan, RunEvent};
pub use executor::{CoreRule, Executor, ExecutorNews, Inline, Local, Slot, TaskRunner};
pub use graph::{TaskGraph, TaskNode};
pub use interrupt::{end_with_input, stop_on_signals, watch_input};
pub use live::{LiveJob, LiveRace, LiveRun};
pub use outcome::{Detached, RunOutcome, Summary, TaskOutcome};
pub use pool::{PoolSettings, drive, run};
pub use process::Launch;
pub use progress::{JobProgress, ProgressCell};
pub use recording::{Recorder, ReplayError, replay};
pub use rounds::{Finished, Setup, Workers, complete, wait_for_tree};
pub use run_state::{RunState, RunningTask};
pub use serve::serve;
pub use slurm::{
    ArrayPlan, ClusterJob, ClusterPlace, CommandError, FailedJob, Overview, PackError, Request, arrays, cancel,
    clear_submissions, serve_pack,
};
pub use task::{Task, TaskError, WeightsFile};
pub use verified_code::{CodeGroup, Older, VerifiedCode};
pub use versions::StoredVersion;
pub use worker::{content_hash, perform, run_task, run_task_on};

pub use gauntlet_games::base::Stop;
pub use gauntlet_play::jobs::{Files, GAMES, METRICS, RESULT, STATE, WEIGHTS, weights_file};
