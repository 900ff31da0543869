//! `gauntlet engine`: our players in the tools of other programs, through the protocols of engines.
//!
//! Stdin and stdout belong to the protocol; all other text goes to standard error.

use std::num::NonZeroUsize;

use clap::Args;

use super::limits::whole;
use super::output::{Misuse, note};
use super::play::Asked;
use super::{Exit, Flags};
use crate::app::Found;
use gauntlet_games::base::{Cores, Seed};
use gauntlet_games::games::GameSpec;
use gauntlet_play::serving::{Entrant, Gomocup, Gtp, JsonEngine, Uci, converse};

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
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = whole(0..=u64::MAX))]
    seed: u64,
}

/// A protocol of engines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum ProtocolName {
    /// GTP 2: Go and other games in GoGui, Sabaki, Lizzie and HexGui
    Gtp,
    /// UCI: chess in cutechess, fastchess, python-chess and most graphical programs
    Uci,
    /// The protocol of the Gomocup: Gomoku in Piskvork and other managers
    Gomocup,
    /// Gauntlet's own: every game, and many games at once
    Json,
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
        let most = asked.simulations;
        let entrant = Entrant { name, player, weights: weights.map(Into::into), most };
        self.speak(entrant, spec, flags)?.map(|()| Exit::Done).map_err(anyhow::Error::msg)
    }

    /// The result is that of the conversation, the error one before its start.
    fn speak(&self, entrant: Entrant, spec: Option<GameSpec>, flags: &Flags) -> anyhow::Result<Result<(), String>> {
        let (input, output, seed) = (std::io::stdin(), std::io::stdout(), Seed::new(self.seed));
        let unfit = |reason: String| Misuse::new(reason, "say --game, --size, --protocol, or another --agent");
        let assumed = || usual(self.protocol).map(toml::from_str::<GameSpec>).transpose();
        let game = || match spec.clone() {
            Some(spec) => Ok(spec),
            None => assumed()?.ok_or_else(|| Misuse::new("no game", "name one: --game go --size 9")),
        };
        Ok(match self.protocol {
            ProtocolName::Json => {
                let asked = self.asked.request();
                let only = spec.filter(|_| asked.game.is_some() || asked.size.is_some());
                converse(JsonEngine::new(entrant, only, cores(flags)), input, output)
            }
            ProtocolName::Uci => converse(Uci::new(entrant, &game()?, seed).map_err(unfit)?, input, output),
            ProtocolName::Gtp => converse(Gtp::new(entrant, &game()?, seed).map_err(unfit)?, input, output),
            ProtocolName::Gomocup => converse(Gomocup::new(entrant, &game()?, seed).map_err(unfit)?, input, output),
        })
    }
}

/// The game of a protocol, if neither the command line nor the model names one.
fn usual(protocol: ProtocolName) -> Option<&'static str> {
    match protocol {
        ProtocolName::Uci => Some("chess = {}"),
        ProtocolName::Gtp => Some("go = { size = 9 }"),
        ProtocolName::Gomocup => Some("gomoku = { size = 15 }"),
        ProtocolName::Json => None,
    }
}

/// The cores for batches of positions: as asked, or all of them.
fn cores(flags: &Flags) -> Cores {
    let all = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    Cores::alone(flags.options.threads_per_job().unwrap_or_else(all))
}
