//! `gauntlet schema`: the manifest language as a JSON schema, for editors, and the messages of engines.

use clap::Args;

use super::Exit;
use super::output::json;

/// Print the JSON schema of manifests, for editors
#[derive(Debug, Args)]
pub struct SchemaCommand {
    /// The schema of the messages of the engine protocol instead
    #[arg(long)]
    engine: bool,
}

impl SchemaCommand {
    /// Prints the schema (draft 07, which TOML editors support).
    pub fn run(&self) -> anyhow::Result<Exit> {
        match self.engine {
            true => json(&gauntlet_play::engines::messages::schema()),
            false => json(&gauntlet_plan::manifest::schema()),
        }
        Ok(Exit::Done)
    }
}
