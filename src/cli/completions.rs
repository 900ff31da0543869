//! `gauntlet completions` and `gauntlet man`: shell completions and manual pages.

use clap::{Args, Command};
use clap_complete::Shell;

use super::Exit;
use super::output::result;

/// Print a script that completes commands and options in a shell
#[derive(Debug, Args)]
#[command(
    after_help = "For example, in bash: gauntlet completions bash > ~/.local/share/bash-completion/completions/gauntlet"
)]
pub struct Completions {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

impl Completions {
    /// Prints the script.
    ///
    /// # Errors
    /// None.
    pub fn run(&self, mut command: Command) -> anyhow::Result<Exit> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command, "gauntlet", &mut script);
        result(&String::from_utf8_lossy(&script));
        Ok(Exit::Done)
    }
}

/// Print the manual page of the program or of one of its commands
#[derive(Debug, Args)]
#[command(after_help = "For example: gauntlet man > gauntlet.1 && man ./gauntlet.1")]
pub struct Man {
    /// The command [default: the program]
    #[arg(value_name = "COMMAND")]
    command: Option<String>,
}

impl Man {
    /// Prints the page.
    ///
    /// # Errors
    /// If the command does not exist.
    pub fn run(&self, mut command: Command) -> anyhow::Result<Exit> {
        command.build();
        let page = match &self.command {
            None => command,
            Some(name) => part(&command, name)?.clone().display_name(format!("gauntlet-{name}")),
        };
        let mut text = Vec::new();
        clap_mangen::Man::new(page).render(&mut text)?;
        result(&String::from_utf8_lossy(&text));
        Ok(Exit::Done)
    }
}

fn part<'a>(command: &'a Command, name: &str) -> anyhow::Result<&'a Command> {
    let known: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
    let found = command.find_subcommand(name);
    found.ok_or_else(|| {
        let hint = format!("the commands are {}", known.join(", "));
        super::output::Misuse::new(format!("there is no command `{}`", super::output::visible(name)), hint)
    })
}
