//! Tasks on a cluster under Slurm, as arrays. The store alone says what is done; Slurm and the workers' signs of life say
//! what to wait for.
//!
//! ```text
//! jobs that are ready (and those that wait for them)
//!   -> arrays    what asks for the same goes together (request), small jobs into one array task
//!   -> submit    table of tasks and script (submission, script) on the disk, then sbatch (commands, parse)
//!   -> follow    states of workers, and one question to Slurm in half a minute; decide says what to think of both
//!   -> settle    done, failed, or to be submitted again
//! a node: pack   the worker of an array task
//! adopt          what an earlier run has submitted is followed, and not submitted again
//! overview       what is known of it without a run; cancel ends it, clear removes what is over
//! ```
//! What a run knows stands in `cluster_run`, what it knows of a submission in `tracked`; `run` makes an executor of both.
//! A run that is stopped detaches: what was submitted goes on.

mod adopt;
mod arrays;
mod cancel;
mod clear;
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
pub use cancel::cancel;
pub use clear::clear_submissions;
pub use commands::CommandError;
pub use overview::{ClusterJob, ClusterPlace, Overview};
pub use pack::{PackError, serve_pack};
pub use request::Request;
pub use run::run_on_cluster;
pub use submission::FailedJob;
