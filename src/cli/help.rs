//! The help: commands in groups with "start here" first, and for each command the common options that it uses.
//!
//! Every command accepts every common option; the help hides those without an effect.

use std::fmt::Write as _;

use clap::Command;

/// The first lines to type.
const START: &str = "  gauntlet reproduce --list                 all artefacts, with their papers and costs
  gauntlet reproduce schaul2009/table1      one table, next to the published one
  gauntlet run quickstart                   a small example; for your own, name its file
  gauntlet rate games.pgn                   ratings of the players of any tournament
  gauntlet play --agent uct --game gomoku --size 9   a game against a player, or against a model
  gauntlet explain train.alpha-zero         the keys of manifests and result files, with their defaults
";

/// The text after the options.
const AFTER: &str = "\
`gauntlet COMMAND --help` lists the options of a command.

Exit codes: 0 done, 1 a job failed or a file could not be written, 2 wrong usage or manifest,
3 regression, a result that differs, or an unmet criterion with --require-success,
4 nothing was measured, 5 damaged results (`verify`), 6 inconclusive, 23 store damaged,
130 interrupted (run again to continue).";

/// The commands in groups, each with a line.
const GROUPS: [(&str, &[(&str, &str)]); 6] = [
    (
        "Experiments",
        &[
            ("reproduce", "Reproduce published tables and figures by name"),
            ("run", "Run manifests, and render their tables and figures"),
            ("check", "Check manifests; run nothing"),
            ("plan", "Show the jobs of manifests and their states"),
            ("status", "Show the progress of all manifests that ran here"),
            ("tune", "Show the races between settings, and their winners"),
            ("watch", "Watch active runs in the terminal"),
            ("serve", "Watch active runs and replay games in a browser"),
            ("cancel", "End jobs on a cluster"),
        ],
    ),
    (
        "Results",
        &[
            ("report", "Render tables, figures and pages again"),
            ("compare", "Compare the results of manifests, profiles or results trees"),
            ("verify", "Run some finished jobs again and compare"),
            ("export", "Convert games, trainings, networks, and tables and figures for a paper"),
            ("gallery", "Write the index of a directory of reports"),
            ("gc", "Remove results that no manifest needs"),
        ],
    ),
    (
        "Versions of an agent",
        &[
            ("regress", "Compare tonight's players with a baseline (the nightly gate)"),
            ("ladder", "Compare versions of an agent, each with an earlier one"),
        ],
    ),
    (
        "Games",
        &[
            ("rate", "Rate the players of any tournament"),
            ("play", "Play against a player or a model"),
            ("engine", "Start a player as an engine of another program"),
            ("games", "List every game, or show its description"),
        ],
    ),
    (
        "Reference",
        &[
            ("explain", "Explain keys of manifests, result files, ludemes and weights"),
            ("schema", "Print the JSON schema of manifests"),
            ("completions", "Print a script that completes commands in a shell"),
            ("man", "Print the manual page"),
        ],
    ),
    (
        "This machine",
        &[
            ("doctor", "Check this machine: whether it computes right, and how fast"),
            ("bench", "Measure the speed of this machine"),
        ],
    ),
];

/// The options that choose the jobs and their results.
const PLAN: &[&str] = &["profile", "set", "seeds", "only", "cluster", "data", "device", "precision", "device_class"];
/// The options for results in the store.
const STORE: &[&str] = &["results", "accept_code"];
/// The options for the execution of jobs.
const EXECUTION: &[&str] = &["jobs", "threads_per_job", "executor", "gpus"];
/// The options of runs alone.
const RUN: &[&str] = &["fail_fast", "live", "yes", "allow_engines"];
/// The options of commands that write reports.
const REPORTS: &[&str] = &["reports", "force"];
/// The options for the output.
const OUTPUT: &[&str] = &["json", "quiet", "no_progress"];

/// The common options that a command uses; `None` for a command that may use all of them.
fn used(command: &str) -> Option<Vec<&'static str>> {
    let lists: &[&[&str]] = match command {
        "check" => &[PLAN, &["json", "quiet"]],
        "plan" => &[PLAN, STORE, EXECUTION, &["json"]],
        "status" => &[PLAN, STORE, EXECUTION, &["json", "quiet"]],
        "tune" => &[PLAN, STORE, EXECUTION, &["json"]],
        "watch" => &[&["results"], OUTPUT],
        "serve" => &[&["results", "quiet"]],
        "cancel" => &[PLAN, &["results", "quiet"]],
        "report" => &[PLAN, STORE, REPORTS, OUTPUT],
        "compare" => &[PLAN, STORE, &["json", "quiet"]],
        "verify" => &[PLAN, STORE, EXECUTION, &["fail_fast", "yes", "allow_engines"], OUTPUT],
        "export" => &[PLAN, STORE, &["reports", "quiet"]],
        "gallery" => &[&["quiet"]],
        "gc" => &[PLAN, &["results", "reports", "yes", "json", "quiet"]],
        "regress" => &[PLAN, EXECUTION, &["results", "reports", "yes", "allow_engines"], OUTPUT],
        "rate" => &[&["reports", "json", "quiet"]],
        "play" => &[PLAN, STORE, &["json", "quiet"]],
        "engine" => &[PLAN, STORE, &["threads_per_job", "quiet"]],
        "games" | "explain" => &[&["json"]],
        "doctor" => &[&["device", "precision", "results", "jobs", "json"]],
        "bench" => &[&["device", "precision", "json"]],
        "schema" | "completions" | "man" | "help" => &[],
        "worker" => &[&["data", "results", "device", "precision", "threads_per_job", "allow_engines", "quiet"]],
        "run" | "reproduce" | "ladder" => &[PLAN, STORE, EXECUTION, RUN, REPORTS, OUTPUT],
        _ => return None,
    };
    Some(lists.concat())
}

/// A command line whose help lists, for each command, the common options that it uses, and whose own help begins with
/// "start here".
pub fn arranged(command: Command) -> Command {
    let template = template(&command);
    let common: Vec<clap::Arg> = command.get_arguments().filter(|arg| arg.is_global_set()).cloned().collect();
    let with_options = |part: Command| {
        let used = used(part.get_name());
        // A copy that exists takes precedence over the one that clap would make.
        common.iter().fold(part, |part, arg| {
            let is_hidden = used.as_ref().is_some_and(|used| !used.contains(&arg.get_id().as_str()));
            part.arg(arg.clone().hide(is_hidden))
        })
    };
    let command = command.mut_subcommands(with_options).help_template(template).after_help(AFTER);
    command.mut_args(|arg| if OUTPUT.contains(&arg.get_id().as_str()) { arg } else { hidden(arg) })
}

/// A common option that the help of the program leaves to its commands.
fn hidden(arg: clap::Arg) -> clap::Arg {
    let is_common = arg.is_global_set();
    if is_common { arg.hide(true) } else { arg }
}

/// The help of the program.
fn template(command: &Command) -> String {
    let head = command.get_styles().get_header();
    let literal = command.get_styles().get_literal();
    let mut text = format!("{{about-with-newline}}\n{head}Start here:{head:#}\n{START}\n{{usage-heading}} {{usage}}\n");
    for (group, commands) in GROUPS {
        // Writing to text cannot fail.
        let _ = writeln!(text, "\n{head}{group}:{head:#}");
        for (name, about) in commands {
            let _ = writeln!(text, "  {literal}{name:<12}{literal:#} {about}");
        }
    }
    let _ = writeln!(text, "\n{head}Options:{head:#}");
    text + "{options}{after-help}"
}

#[cfg(test)]
mod tests {
    use super::super::program::command;
    use super::*;

    #[test]
    fn every_command_stands_in_one_group() {
        let listed: Vec<&str> = GROUPS.iter().flat_map(|(_, commands)| *commands).map(|(name, _)| *name).collect();
        let known = command();
        let mut known: Vec<&str> =
            known.get_subcommands().filter(|part| !part.is_hide_set()).map(Command::get_name).collect();
        let mut sorted = listed.clone();
        sorted.sort_unstable();
        known.sort_unstable();
        assert_eq!(sorted, known);
    }

    #[test]
    fn the_help_of_a_command_lists_the_options_that_it_uses() {
        let help = |name: &str| {
            let mut command = command();
            command.build();
            let part = command.find_subcommand_mut(name).expect("a command");
            part.render_long_help().to_string()
        };
        let rate = help("rate");
        assert!(["--reports", "--json", "--quiet", "--anchor"].iter().all(|option| rate.contains(option)), "{rate}");
        let others = ["--seeds", "--profile", "--gpus", "--executor", "--results", "--accept-code", "--only"];
        assert!(others.iter().all(|option| !rate.contains(option)), "{rate}");
        let run = help("run");
        assert!(others.iter().all(|option| run.contains(option)), "{run}");
    }

    #[test]
    fn every_option_named_here_exists() {
        let known = command();
        let is_known = |id: &&str| known.get_arguments().any(|arg| arg.get_id() == *id);
        let lists = [PLAN, STORE, EXECUTION, RUN, REPORTS, OUTPUT];
        assert!(lists.concat().iter().all(is_known));
    }

    #[test]
    fn an_option_without_an_effect_is_accepted_as_before() {
        let reported = command().try_get_matches_from(["gauntlet", "rate", "x.pgn", "--seeds", "3", "--results", "r"]);
        assert!(reported.is_ok(), "{reported:?}");
        let reported = command().try_get_matches_from(["gauntlet", "--results", "r", "status"]).expect("a command");
        let (_, of_status) = reported.subcommand().expect("status");
        let results = of_status.get_one::<std::path::PathBuf>("results").expect("a path");
        assert_eq!(results, std::path::Path::new("r"));
    }

    #[test]
    fn the_help_begins_with_the_first_steps() {
        let help = command().render_help().to_string();
        let [start, usage, group] = ["Start here:", "Usage:", "Experiments:"].map(|word| help.find(word));
        assert!(start < usage && usage < group && start.is_some(), "{help}");
        assert!(!help.contains("--gpus") && help.contains("\n  gauntlet reproduce --list"), "{help}");
    }
}
