//! `gauntlet schema`: the manifest language as a JSON schema, for editors.

use clap::Args;

use super::Exit;
use super::output::json;

/// Print the JSON schema of manifests, for editors
#[derive(Debug, Args)]
pub struct SchemaCommand {}

impl SchemaCommand {
    /// Prints the schema (draft 07, which TOML editors support).
    pub fn run(&self) -> anyhow::Result<Exit> {
        json(&crate::manifest::schema());
        Ok(Exit::Done)
    }
}
