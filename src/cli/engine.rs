//! `gauntlet engine`: our players in the tools of other programs, through the protocols of engines.
//!
//! Stdin and stdout belong to the protocol; all other text goes to standard error.

use std::num::NonZeroUsize;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use super::limits::whole;
use super::output::{Misuse, note};
use super::play::Asked;
use super::{Exit, Flags};
use crate::app::Found;
use gauntlet_games::base::{Cores, Seed};
use gauntlet_games::games::GameSpec;
use gauntlet_play::engines::ProtocolName;
use gauntlet_play::serving::{ServedPlayer, converse, server};

/// Play as an engine in another program
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct Engine {
    /// The protocol
    #[arg(long, value_name = "NAME", value_parser = protocols())]
    protocol: ProtocolName,
    #[command(flatten)]
    asked: Asked,
    /// Seed of random choices; a match in Gauntlet gives its own
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = whole(0..=u64::MAX))]
    seed: u64,
}

const HELP: &str = "\
docs/engine.md explains how to add the engine to other programs.

Examples:
  gauntlet engine --protocol gtp --agent 'uct = { simulations = 1000 }' --game go --size 9
  gauntlet engine --protocol uci --agent 'search = { guide.rollouts = { count = 1, most-plies = 60 } }'
  gauntlet engine --protocol gomocup gomoku-agz/II
  gauntlet engine --protocol json gomoku-agz/II";

impl Engine {
    /// Speaks the protocol until its end.
    ///
    /// # Errors
    /// If the player does not exist or cannot play the game, or the protocol cannot go on.
    pub fn run(&self, flags: &Flags) -> anyhow::Result<Exit> {
        let (asked, note) = (self.asked.request(), |line: &str| note(flags.quiet, line));
        let Found { name, spec, player, weights } = Found::find(&asked, &flags.options, &note, "no player is given")?;
        let served = ServedPlayer { name, player, weights: weights.map(Into::into), most: asked.simulations };
        let names_game = asked.game.is_some() || asked.size.is_some();
        self.speak(served, (spec, names_game), flags)?.map(|()| Exit::Done).map_err(anyhow::Error::msg)
    }

    /// The result is that of the conversation, the error one before its start.
    fn speak(
        &self,
        served: ServedPlayer,
        (spec, names_game): (Option<GameSpec>, bool),
        flags: &Flags,
    ) -> anyhow::Result<Result<(), String>> {
        let game = match self.protocol.protocol().usual_game {
            Some(usual) => Some(spec.map_or_else(|| toml::from_str(usual), Ok)?),
            None => spec.filter(|_| names_game),
        };
        let unfit = |reason: String| Misuse::new(reason, "say --game, --size, --protocol, or another --agent");
        let server = server(self.protocol, served, game, Seed::new(self.seed), cores(flags)).map_err(unfit)?;
        Ok(converse(server, std::io::stdin(), std::io::stdout()))
    }
}

/// The names of the protocols, with their programs.
fn protocols() -> impl TypedValueParser<Value = ProtocolName> {
    let value = |name: ProtocolName| PossibleValue::new(name.protocol().name).help(name.protocol().programs);
    let find = |text: String| ProtocolName::ALL.into_iter().find(|name| name.protocol().name == text);
    PossibleValuesParser::new(ProtocolName::ALL.map(value)).map(move |text| find(text).expect("it is one of them"))
}

/// The cores for batches of positions: as asked, or all of them.
fn cores(flags: &Flags) -> Cores {
    let all = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    Cores::alone(flags.options.threads_per_job().unwrap_or_else(all))
}
