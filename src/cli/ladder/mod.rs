//! `gauntlet ladder`: versions of an agent in a row. `add` keeps the present files of an agent as a new version, `run`
//! plays the missing matches; the exit code is the ruling on the newest version.

mod add;

use clap::{Args, Subcommand};

use super::output::{confirmed, note};
use super::{Exit, Flags, run};
use crate::app::{RunRequest, version_tree, versions};
use gauntlet_exhibits::{Ruling, VersionTree};

/// Compare versions of an agent in a row, each with an earlier one: exit code 0 accepted, 3 refused, 4 nothing
/// measured, 6 undecided
#[derive(Debug, Args)]
pub struct Ladder {
    #[command(subcommand)]
    command: LadderCommand,
}

#[derive(Debug, Subcommand)]
enum LadderCommand {
    Add(add::Add),
    Run(RunLadder),
}

/// Play the missing matches, and end with the ruling on the newest version
#[derive(Debug, Args)]
struct RunLadder {
    /// A manifest with an exhibit `show.versions`
    #[arg(value_name = "MANIFEST")]
    manifest: String,
}

impl Ladder {
    /// Runs the subcommand.
    pub fn run(&self, flags: &Flags) -> anyhow::Result<Exit> {
        match &self.command {
            LadderCommand::Add(command) => command.run(flags),
            LadderCommand::Run(command) => command.run(flags),
        }
    }
}

impl RunLadder {
    fn run(&self, flags: &Flags) -> anyhow::Result<Exit> {
        let planned = flags.options.planned(&self.manifest)?;
        let versions = versions(&planned)?;
        let names = vec![self.manifest.clone()];
        let ran = run::run(flags, &RunRequest { names, ask: Some(confirmed), ..RunRequest::default() })?;
        if ran != Exit::Done {
            return Ok(ran);
        }
        let (exit, sentence) = ruling(&version_tree(&flags.options, &planned, versions)?);
        note(flags.quiet, &sentence);
        Ok(exit)
    }
}

/// The ruling on the newest version. A match without a test rules by its interval.
fn ruling(tree: &VersionTree) -> (Exit, String) {
    let Some(newest) = tree.nodes.last() else {
        return (Exit::Unmeasured, "there are no versions yet: `gauntlet ladder add` makes them".to_owned());
    };
    let name = &newest.name;
    let (Some(patch), Some(place)) = (newest.patch, newest.against) else {
        return (Exit::Unmeasured, format!("{name} has played no earlier version"));
    };
    let range = patch.difference.interval;
    let (exit, word) = match patch.ruling {
        Ruling::Accepted => (Exit::Done, "accepted"),
        Ruling::Refused => (Exit::Regression, "refused"),
        Ruling::Untested if range.low > 0.0 => (Exit::Done, "better"),
        Ruling::Untested if range.high < 0.0 => (Exit::Regression, "worse"),
        Ruling::Undecided | Ruling::Untested => (Exit::Inconclusive, "undecided"),
    };
    let (against, difference) = (&tree.nodes[place].name, patch.difference.in_words());
    (exit, format!("{name} against {against}: {word}, {difference}, {} games", patch.games))
}
