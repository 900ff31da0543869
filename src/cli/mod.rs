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
use std::process::ExitCode;
use std::str::FromStr as _;

use clap::{Args, Parser, Subcommand};

use crate::nets::deep::{Place, compute_on};
pub use exit::Exit;

/// Reproducible experiments with board-game agents: from a declarative manifest to the published table.
#[derive(Debug, Parser)]
#[command(name = "gauntlet", version, max_term_width = 100, after_help = AFTER_HELP)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    flags: Flags,
}

const AFTER_HELP: &str = "\
Start here:
  gauntlet reproduce --list                 what can be reproduced, from which paper, at what cost
  gauntlet reproduce schaul2009/table1      one table, next to the published one
  gauntlet run quickstart                   a small example; for your own, name its file
  gauntlet rate games.pgn                   ratings of the players of any tournament
  gauntlet play --agent uct --game gomoku --size 9   a game against a player, or against a model

Exit codes: 0 done, 1 a job failed or a file could not be written, 2 wrong usage or manifest,
3 regression, or an unmet criterion with --require-success, 4 nothing was measured,
6 inconclusive, 23 store damaged, 130 interrupted (run again to continue).";

#[derive(Debug, Subcommand)]
enum Command {
    Reproduce(reproduce::Reproduce),
    Run(run::Run),
    Check(check::Check),
    Plan(plan::PlanCommand),
    Status(status::Status),
    Report(report::Report),
    Regress(regress::Regress),
    Schema(schema::SchemaCommand),
    Gc(gc::Gc),
    Rate(rate::Rate),
    Export(export::Export),
    Play(play::Play),
    Bench(bench::Bench),
}

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

impl Cli {
    fn run(&self) -> anyhow::Result<Exit> {
        match &self.command {
            Command::Reproduce(command) => command.run(&self.flags),
            Command::Run(command) => command.run(&self.flags),
            Command::Check(command) => command.run(&self.flags),
            Command::Plan(command) => command.run(&self.flags),
            Command::Status(command) => command.run(&self.flags),
            Command::Report(command) => command.run(&self.flags),
            Command::Regress(command) => command.run(&self.flags),
            Command::Schema(command) => command.run(),
            Command::Gc(command) => command.run(&self.flags),
            Command::Rate(command) => command.run(&self.flags),
            Command::Export(command) => command.run(&self.flags),
            Command::Play(command) => command.run(&self.flags),
            Command::Bench(command) => command.run(&self.flags),
        }
    }
}

/// One device computes for the whole process.
fn choose_device(flags: &Flags) -> anyhow::Result<()> {
    compute_on(flags.device).map_err(|error| output::Misuse::new(error.to_string(), error.hint()))
}

/// Parses the command line, does what it says, and prints what went wrong.
#[must_use]
pub fn main() -> ExitCode {
    let mut cli = Cli::parse();
    cli.flags.usual_profile = std::env::var("GAUNTLET_PROFILE").ok().filter(|name| !name.is_empty());
    start_log(&cli.flags);
    match choose_device(&cli.flags).and_then(|()| cli.run()) {
        Ok(exit) => exit.into(),
        Err(error) => {
            output::error(&error);
            output::exit_of(&error).into()
        }
    }
}

/// Logs go to stderr: warnings by default, `RUST_LOG` decides if it is set.
fn start_log(flags: &Flags) {
    use tracing_subscriber::EnvFilter;
    let level = if flags.quiet { "error" } else { "warn" };
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(level));
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    // A log that is already running (in tests) stays.
    let log = log.without_time().with_target(false).with_ansi(output::colours());
    // Nor does it complain, to the same stderr, that nobody reads it.
    let _ = log.log_internal_errors(false).try_init();
}
