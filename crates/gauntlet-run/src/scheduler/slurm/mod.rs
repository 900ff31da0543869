//! Execution on a cluster under Slurm, as job arrays. The store alone tells which jobs are done; Slurm and the
//! workers' signs of life tell how long to wait.
//!
//! ```text
//! jobs that are ready (and those that wait for them)
//!   -> arrays    jobs with the same request go together (request), small jobs into one array task
//!   -> submit    table of tasks and script (submission, script) on the disk, then sbatch (commands, parse)
//!   -> follow    states of workers, and one query to Slurm every half a minute; decide returns the next actions
//!   -> settle    done, failed, or to be submitted again
//! a node: pack   the worker of an array task
//! adopt          submissions of an earlier run are followed, and not submitted again
//! overview       the state of submissions without a run; cancel ends them, and removes finished ones
//! ```
//! The state of a run is in `cluster_run`, that of a submission in `tracked`; `run` makes an executor of both. A run
//! that is stopped detaches: its submissions go on.

mod adopt;
mod arrays;
mod cancel;
mod cluster_run;
mod commands;
mod decide;
mod follow;
mod overview;
mod pack;
mod parse;
mod request;
mod run;
mod script;
mod settle;
mod submission;
mod submit;
mod tracked;

pub use arrays::{ArrayPlan, arrays};
pub use cancel::{cancel, clear_submissions};
pub use commands::CommandError;
pub use overview::{ClusterJob, ClusterPlace, Overview};
pub use pack::{PackError, serve_pack};
pub use request::Request;
pub use run::run_on_cluster;
pub use submission::FailedJob;
