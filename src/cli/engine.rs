//! `gauntlet engine`: our players in the tools of other programs, through the protocols of engines.
//!
//! Stdin and stdout belong to the protocol; all other text goes to standard error.

use std::num::NonZeroUsize;

use clap::Args;

use super::play::{Asked, Found};
use super::{Exit, Flags};
use crate::serving::{Entrant, JsonEngine, converse};
use gauntlet_games::base::Cores;

/// Play as an engine in another program
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct Engine {
    /// The protocol
    #[arg(long, value_enum, value_name = "NAME")]
    protocol: ProtocolName,
    #[command(flatten)]
    asked: Asked,
    /// Seed of random choices; a match in Gauntlet gives its own
    #[arg(long, default_value_t = 1, allow_negative_numbers = true, value_name = "N")]
    seed: u64,
}

/// A protocol of engines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum ProtocolName {
    /// Gauntlet's own protocol, for every game and many games at once
    Json,
}

const HELP: &str = "\
docs/engine.md explains how to add the engine to other programs.

Examples:
  gauntlet engine --protocol json gomoku-agz/II";

impl Engine {
    /// Speaks the protocol until its end.
    ///
    /// # Errors
    /// If the player does not exist or cannot play, or the protocol cannot go on.
    pub fn run(&self, flags: &Flags) -> anyhow::Result<Exit> {
        let Found { name, spec, player, weights } = Found::find(&self.asked, flags, "no player is given")?;
        let entrant = Entrant { name, player, weights: weights.map(Into::into) };
        let (input, output) = (std::io::stdin(), std::io::stdout());
        let spoken = match self.protocol {
            ProtocolName::Json => {
                let only = spec.filter(|_| self.asked.names_game());
                converse(JsonEngine::new(entrant, only, cores(flags)), input, output)
            }
        };
        spoken.map(|()| Exit::Done).map_err(anyhow::Error::msg)
    }
}

/// The cores for batches of positions: as asked, or all of them.
fn cores(flags: &Flags) -> Cores {
    let all = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    Cores::alone(flags.options.threads_per_job().unwrap_or_else(all))
}
