//! `gauntlet ladder add`: keeps the present files of an agent as a new version, and adds it to the manifest.

use clap::Args;

use crate::app::VersionRequest;
use crate::cli::output::{note, tell};
use crate::cli::{Exit, Flags};

/// Keep the present files of an agent as a new version, and add it to the manifest
#[derive(Debug, Args)]
pub struct Add {
    /// A manifest with an exhibit `show.versions`
    #[arg(value_name = "MANIFEST")]
    manifest: String,
    /// Name of the new version
    #[arg(long, value_name = "NAME")]
    name: String,
    /// The agent whose settings and files it gets [default: the only engine that is not a version]
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// The version that it plays [default: the newest one that was not refused]
    #[arg(long, value_name = "NAME")]
    against: Option<String>,
    /// Its commit [default: that of the checkout, if the files of the agent are committed]
    #[arg(long, value_name = "COMMIT")]
    commit: Option<String>,
    /// Its date [default: that of the commit, or else today]
    #[arg(long, value_name = "DATE")]
    date: Option<String>,
}

impl Add {
    /// Adds the version.
    pub fn run(&self, flags: &Flags) -> anyhow::Result<Exit> {
        let (manifest, name, agent) = (self.manifest.clone(), self.name.clone(), self.agent.clone());
        let (against, commit, date) = (self.against.clone(), self.commit.clone(), self.date.clone());
        let request = VersionRequest { manifest, name, agent, against, commit, date };
        let added = request.add(&flags.options, &|line| note(flags.quiet, line), tell)?;
        note(flags.quiet, &added);
        Ok(Exit::Done)
    }
}
