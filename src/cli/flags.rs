//! The common flags of all subcommands: as parsed, and resolved.

use std::path::PathBuf;
use std::str::FromStr as _;

use clap::Args;

use super::limits::whole;
use crate::app::{ExecutorKind, Options};
use gauntlet_nets::nets::deep::{DeviceName, Precision};

/// The common flags, resolved.
#[derive(Debug, Clone)]
pub struct Flags {
    /// The options of the operation.
    pub options: Options,
    /// Whether results are printed as JSON.
    pub json: bool,
    /// Whether only results and warnings are printed.
    pub quiet: bool,
    /// Whether no bars are drawn.
    pub no_progress: bool,
}

// Headings of options in the help.
const JOBS: &str = "Choice of jobs";
const EXECUTION: &str = "Execution";
const FILES: &str = "Files";
const OUTPUT: &str = "Output";

/// Flags of every subcommand, as parsed.
#[derive(Debug, Clone, Args)]
pub(super) struct CommonFlags {
    /// Scale to run at: smoke (seconds), laptop (up to an hour; the default), paper (as published), any other of the
    /// manifest, or base (no profile) [env: GAUNTLET_PROFILE, if the manifest has it]
    #[arg(long, global = true, help_heading = JOBS, value_name = "NAME")]
    profile: Option<String>,
    /// Override one value of the manifest, e.g. stages.fitness.seeds=20 (repeatable; makes the profile `custom`)
    #[arg(long, global = true, help_heading = JOBS, value_name = "KEY=VALUE", value_parser = key_value)]
    set: Vec<(String, String)>,
    /// Use this many seeds, or this list of seeds, in every stage
    #[arg(long, global = true, help_heading = JOBS, value_name = "N|[A,B]")]
    seeds: Option<String>,
    /// Run only the jobs that match, e.g. game=gomoku,game.size=7 or stage=train or seed=3 (repeatable: any of them)
    #[arg(long, global = true, help_heading = JOBS, value_name = "FILTER")]
    only: Vec<String>,
    /// Jobs at a time, on as many cores together [default: the number of cores, divided by --threads-per-job if that is
    /// given]
    #[arg(long, global = true, help_heading = EXECUTION, value_name = "N", value_parser = whole(1..=1024_u16))]
    jobs: Option<u16>,
    /// Cores for each job [default: one of those of --jobs, and the ones that no other job uses]
    #[arg(long, global = true, help_heading = EXECUTION, value_name = "N", value_parser = whole(1..=1024_u16))]
    threads_per_job: Option<u16>,
    /// How jobs run: on threads of this process, each in its own process, on a cluster under Slurm, or one after
    /// another in the main thread (for debugging)
    #[arg(long, global = true, help_heading = EXECUTION, value_enum, default_value_t, value_name = "NAME")]
    executor: ExecutorName,
    /// Device for deep networks
    #[arg(long, global = true, help_heading = JOBS, default_value = "cpu", value_name = "cpu|cuda[:N]", value_parser = DeviceName::from_str)]
    device: DeviceName,
    /// Precision of a CUDA device: part of its device class, as results depend on it
    #[arg(long, global = true, help_heading = JOBS, default_value = "f32", value_name = "f32|tf32|bf16", value_parser = Precision::from_str)]
    precision: Precision,
    /// GPUs that are assigned in turn to the slots of `--executor process`, by their driver's numbers or names
    #[arg(long, global = true, help_heading = EXECUTION, value_name = "A,B", value_delimiter = ',')]
    gpus: Vec<String>,
    /// Plan for this device class, which workers must have: cuda-nvidia-h200; `any` also reads the results of other
    /// classes [default: that of --device]
    #[arg(long, global = true, help_heading = JOBS, value_name = "NAME")]
    device_class: Option<String>,
    /// File with settings that override `[cluster]` of the manifest; results do not depend on it
    #[arg(long, global = true, help_heading = EXECUTION, env = "GAUNTLET_CLUSTER", value_name = "FILE")]
    cluster: Option<PathBuf>,
    /// Directory of files that some manifests read: weights, and published results that may not be redistributed
    #[arg(long, global = true, help_heading = FILES, env = "GAUNTLET_DATA", value_name = "DIR")]
    data: Option<PathBuf>,
    /// Directory of the results, which all manifests share
    #[arg(long, global = true, help_heading = FILES, env = "GAUNTLET_RESULTS", default_value = "results", value_name = "DIR")]
    results: PathBuf,
    /// Directory of the reports; files go to PAPER/PROFILE below it
    #[arg(long, global = true, help_heading = FILES, env = "GAUNTLET_REPORTS", default_value = "reports", value_name = "DIR")]
    reports: PathBuf,
    /// Stop at the first failed job instead of finishing the others
    #[arg(long, global = true, help_heading = EXECUTION)]
    fail_fast: bool,
    /// Write the page while jobs run, marked as partial: after 2 s, 4 s, 8 s, ... and then every SECONDS (60)
    #[arg(
        long, global = true, help_heading = EXECUTION, value_name = "SECONDS", num_args = 0..=1, require_equals = true,
        default_missing_value = "60", value_parser = whole(1..=86_400_u64)
    )]
    live: Option<u64>,
    /// Accept finished results of older code if only the code has changed; the report says so
    #[arg(long, global = true, help_heading = JOBS)]
    accept_code: bool,
    /// Confirm very large runs, and removals
    #[arg(long, global = true, help_heading = EXECUTION)]
    yes: bool,
    /// Start the engines of a manifest without a question
    #[arg(long, global = true, help_heading = EXECUTION, env = "GAUNTLET_ALLOW_ENGINES", value_parser = clap::builder::FalseyValueParser::new())]
    allow_engines: bool,
    /// Overwrite a report of another manifest with the same name
    #[arg(long, global = true, help_heading = FILES)]
    force: bool,
    /// Print machine-readable JSON to stdout
    #[arg(long, global = true, help_heading = OUTPUT)]
    json: bool,
    /// Print results, errors, and the notice of waiting for another run on the same results; no progress and no other
    /// messages
    #[arg(short, long, global = true, help_heading = OUTPUT)]
    quiet: bool,
    /// Draw no progress bars
    #[arg(long, global = true, help_heading = OUTPUT)]
    no_progress: bool,
}

/// How jobs run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
enum ExecutorName {
    /// On threads of this process.
    #[default]
    Local,
    /// Each in its own process: a crash loses only that job.
    Process,
    /// As arrays of a cluster under Slurm.
    Slurm,
    /// One after another in the main thread.
    Inline,
}

impl CommonFlags {
    /// The flags with the profile of the environment; `names_reports`: whether the user named the directory of the
    /// reports.
    pub(super) fn resolve(self, usual_profile: Option<String>, names_reports: bool) -> Flags {
        let executor = match self.executor {
            ExecutorName::Local => ExecutorKind::Local,
            ExecutorName::Process => ExecutorKind::Process,
            ExecutorName::Slurm => ExecutorKind::Slurm,
            ExecutorName::Inline => ExecutorKind::Inline,
        };
        let options = Options {
            profile: self.profile,
            usual_profile,
            set: self.set,
            seeds: self.seeds,
            used: Vec::new(),
            only: self.only,
            jobs: self.jobs,
            threads_per_job: self.threads_per_job,
            executor,
            device: self.device,
            precision: self.precision,
            gpus: self.gpus,
            own_class: String::new(),
            device_class: self.device_class,
            cluster: self.cluster,
            data: self.data,
            results: self.results,
            reports: self.reports,
            names_reports,
            fail_fast: self.fail_fast,
            live: self.live,
            accept_code: self.accept_code,
            yes: self.yes,
            allow_engines: self.allow_engines,
            force: self.force,
            quiet: self.quiet,
        };
        Flags { options, json: self.json, quiet: self.quiet, no_progress: self.no_progress }
    }
}

fn key_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => Ok((key.trim().to_owned(), value.trim().to_owned())),
        _ => Err("write it as key=value".to_owned()),
    }
}
