//! The command line: one file per subcommand. Results go to stdout, progress and logs to stderr; nothing else in
//! the program prints.

mod batch;
mod bench;
mod check;
mod desk;
mod environment;
mod exit;
mod export;
mod gc;
mod hours;
mod library;
mod output;
mod plan;
mod play;
mod played;
mod program;
mod publish;
mod rate;
mod regress;
mod report;
mod reproduce;
mod run;
mod schema;
mod status;
mod work;

use std::path::PathBuf;
use std::str::FromStr as _;

use clap::Args;

use crate::nets::deep::Place;
pub use exit::Exit;
pub use program::main;

/// Flags that every subcommand understands.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Common options")]
pub struct Flags {
    /// Scale to run at: smoke (seconds), laptop (up to an hour; the default), paper (as published), any other of the
    /// manifest, or base (no profile at all) [env: GAUNTLET_PROFILE, where the manifest has it]
    #[arg(long, global = true, value_name = "NAME")]
    profile: Option<String>,
    /// The profile of the environment, which gives way to the default one where a manifest does not have it.
    #[arg(skip)]
    usual_profile: Option<String>,
    /// Override one value of the manifest, e.g. stages.fitness.seeds=20 (repeatable; makes the profile `custom`)
    #[arg(long, global = true, value_name = "KEY=VALUE", value_parser = key_value)]
    set: Vec<(String, String)>,
    /// Use this many seeds, or this list of seeds, in every stage
    #[arg(long, global = true, value_name = "N|[A,B]")]
    seeds: Option<String>,
    /// Run only the jobs that fit, e.g. game=gomoku,game.size=7 or stage=train or seed=3 (repeatable: any of them)
    #[arg(long, global = true, value_name = "FILTER")]
    only: Vec<String>,
    /// Jobs at a time [default: the number of cores]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// How jobs run: on threads of this process, or one after another in its main thread (for debugging)
    #[arg(long, global = true, value_enum, default_value_t, value_name = "NAME")]
    executor: Executor,
    /// Where deep networks are computed
    #[arg(long, global = true, default_value = "cpu", value_name = "cpu|cuda[:N]", value_parser = Place::from_str)]
    device: Place,
    /// Directory of files that some manifests read: published results that are not ours to ship
    #[arg(long, global = true, env = "GAUNTLET_DATA", value_name = "DIR")]
    data: Option<PathBuf>,
    /// Directory of the results, which all manifests share
    #[arg(long, global = true, env = "GAUNTLET_RESULTS", default_value = "results", value_name = "DIR")]
    results: PathBuf,
    /// Directory of the reports; files go to PAPER/PROFILE below it
    #[arg(long, global = true, env = "GAUNTLET_REPORTS", default_value = "reports", value_name = "DIR")]
    reports: PathBuf,
    /// Stop at the first failed job instead of finishing the others
    #[arg(long, global = true)]
    fail_fast: bool,
    /// Take finished results of older code where only the code has changed; the report says so
    #[arg(long, global = true)]
    accept_code: bool,
    /// Go ahead with very large runs, and with removals
    #[arg(long, global = true)]
    yes: bool,
    /// Print machine-readable JSON to stdout
    #[arg(long, global = true)]
    json: bool,
    /// No progress or messages, only errors, and that another run on the same results is waited for; results still go to
    /// stdout
    #[arg(short, long, global = true)]
    quiet: bool,
    /// Draw no progress bars
    #[arg(long, global = true)]
    no_progress: bool,
}

/// How jobs run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Executor {
    /// On threads of this process.
    #[default]
    Local,
    /// One after another in the main thread.
    Inline,
}

fn key_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => Ok((key.trim().to_owned(), value.trim().to_owned())),
        _ => Err("write it as key=value".to_owned()),
    }
}
