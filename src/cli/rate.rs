//! stub
use clap::Args;
use super::{Exit, Flags};
/// Rate
#[derive(Debug, Args)]
pub struct Rate {}
impl Rate {
    /// Rates.
    pub fn run(&self, _: &Flags) -> anyhow::Result<Exit> { Ok(Exit::Done) }
}
