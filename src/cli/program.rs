//! The program: its subcommands, and the code before and after each of them.

use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue};
use clap::parser::ValueSource;
use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use super::flags::CommonFlags;
use super::{
    Exit, Flags, bench, cancel, check, compare, completions, doctor, engine, explain, export, gallery, games, gc, help,
    ladder, output, plan, play, rate, regress, report, reproduce, run, schema, serve, status, tune, verify, watch,
    worker,
};
use crate::app::Options;
use gauntlet_nets::nets::deep::{compute_on, device_class};
use gauntlet_nets::nets::require_known_cap;
use gauntlet_plan::manifest::source::nearest;

/// Reproducible experiments with board-game agents: from a declarative manifest to the published table.
#[derive(Debug, Parser)]
#[command(name = "gauntlet", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    flags: CommonFlags,
}

#[derive(Debug, Subcommand)]
enum Command {
    Reproduce(reproduce::Reproduce),
    Run(run::Run),
    Check(check::Check),
    Plan(plan::PlanCommand),
    Status(status::Status),
    Tune(tune::Tune),
    Watch(watch::Watch),
    Serve(serve::Serve),
    Report(report::Report),
    Compare(compare::Compare),
    Verify(verify::Verify),
    Regress(regress::Regress),
    Ladder(ladder::Ladder),
    Explain(explain::Explain),
    Schema(schema::SchemaCommand),
    Gc(gc::Gc),
    Cancel(cancel::Cancel),
    Rate(rate::Rate),
    Export(export::Export),
    Play(play::Play),
    Engine(engine::Engine),
    Games(games::Games),
    Gallery(gallery::Gallery),
    Doctor(doctor::Doctor),
    Bench(bench::Bench),
    Completions(completions::Completions),
    Man(completions::Man),
    #[command(hide = true)]
    Worker(worker::Worker),
}

impl Command {
    fn run(&self, flags: &Flags) -> anyhow::Result<Exit> {
        match self {
            Command::Reproduce(command) => command.run(flags),
            Command::Run(command) => command.run(flags),
            Command::Check(command) => command.run(flags),
            Command::Plan(command) => command.run(flags),
            Command::Status(command) => command.run(flags),
            Command::Tune(command) => command.run(flags),
            Command::Watch(command) => command.run(flags),
            Command::Serve(command) => command.run(flags),
            Command::Report(command) => command.run(flags),
            Command::Compare(command) => command.run(flags),
            Command::Verify(command) => command.run(flags),
            Command::Regress(command) => command.run(flags),
            Command::Ladder(command) => command.run(flags),
            Command::Explain(command) => command.run(flags),
            Command::Schema(command) => command.run(),
            Command::Gc(command) => command.run(flags),
            Command::Cancel(command) => command.run(flags),
            Command::Rate(command) => command.run(flags),
            Command::Export(command) => command.run(flags),
            Command::Play(command) => command.run(flags),
            Command::Engine(command) => command.run(flags),
            Command::Games(command) => command.run(flags),
            Command::Gallery(command) => command.run(flags),
            Command::Doctor(command) => Ok(command.run(flags)),
            Command::Bench(command) => command.run(flags),
            Command::Completions(command) => command.run(self::command()),
            Command::Man(command) => command.run(self::command()),
            Command::Worker(command) => command.run(flags),
        }
    }
}

/// The command line.
pub(super) fn command() -> clap::Command {
    with_negative_numbers(help::arranged(Cli::command()))
}

/// Every option takes `-3` as its value, so that its own message tells the range.
fn with_negative_numbers(command: clap::Command) -> clap::Command {
    let takes = |arg: &clap::Arg| arg.get_action().takes_values() && !arg.is_positional();
    let command = command.mut_args(|arg| if takes(&arg) { arg.allow_negative_numbers(true) } else { arg });
    command.mut_subcommands(with_negative_numbers)
}

/// Chooses the device of the whole process, and notes its class.
fn choose_device(options: &mut Options) -> anyhow::Result<()> {
    // A plan for another device class does not need the device.
    if options.named_class().is_none() {
        compute_on(options.device, options.precision)
            .map_err(|error| output::Misuse::new(error.to_string(), error.hint()))?;
    }
    options.own_class = device_class();
    Ok(())
}

/// Parses the command line, runs the command, and prints errors.
#[must_use]
pub fn main() -> ExitCode {
    let parsed = command()
        .try_get_matches()
        .map_err(with_suggestion)
        .and_then(|matches| Ok((Cli::from_arg_matches(&matches)?, matches)));
    let (cli, matches) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => return clap_error(&error),
    };
    let names_reports = matches.value_source("reports").is_some_and(|source| source != ValueSource::DefaultValue);
    let usual_profile = std::env::var("GAUNTLET_PROFILE").ok().filter(|name| !name.is_empty());
    let mut flags = cli.flags.resolve(usual_profile, names_reports);
    start_log(&flags);
    let checked =
        require_known_cap().map_err(|what| output::Misuse::new(what, "unset it to use the best that there is"));
    match checked.and_then(|()| choose_device(&mut flags.options)).and_then(|()| cli.command.run(&flags)) {
        Ok(exit) => finish(exit),
        Err(error) => {
            output::error(&error);
            output::exit_of(&error).into()
        }
    }
}

/// An error for an unknown command, with the similar command that clap misses: `rnu` for `run`.
fn with_suggestion(mut error: clap::Error) -> clap::Error {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else { return error };
    let known = command();
    let names: Vec<&str> =
        known.get_subcommands().filter(|part| !part.is_hide_set()).map(clap::Command::get_name).collect();
    if error.get(ContextKind::SuggestedSubcommand).is_none()
        && let Some(near) = nearest(word, &names)
    {
        error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(vec![near.to_owned()]));
    }
    error
}

/// Prints the help, the version or a usage error.
fn clap_error(error: &clap::Error) -> ExitCode {
    output::usage(error);
    if error.use_stderr() { Exit::Usage.into() } else { finish(Exit::Done) }
}

/// The exit code; a failure to write results counts as an error, unless the command already failed.
fn finish(exit: Exit) -> ExitCode {
    match (output::finish(), exit) {
        (Err(error), Exit::Done | Exit::Regression | Exit::Unmeasured | Exit::Inconclusive) => {
            output::error(&error);
            Exit::JobFailed.into()
        }
        _ => exit.into(),
    }
}

/// Logs go to standard error: warnings by default, or the levels of `RUST_LOG`.
fn start_log(flags: &Flags) {
    use tracing_subscriber::EnvFilter;
    let level = if flags.quiet { "error" } else { "warn" };
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(level));
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(|| output::Log);
    // A log that is already active (in tests) stays.
    let log = log.without_time().with_target(false).with_ansi(output::colours());
    // Write errors are not reported, as the report would go to the same stream.
    let _ = log.log_internal_errors(false).try_init();
}
