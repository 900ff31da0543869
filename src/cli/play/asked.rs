//! The options of `gauntlet play` for the opponent and the game.

use clap::Args;

use crate::cli::limits::whole;

/// The opponent, the game, and the settings of the opponent's search.
#[derive(Debug, Args)]
pub struct Asked {
    /// A model by its name (gomoku-agz/II), a trained player of a reproduced tournament (gomoku-agz/I-26), a checkpoint
    /// file, or a training by its job's directory or key
    #[arg(value_name = "MODEL")]
    pub(super) model: Option<String>,
    /// A player: of the manifest, or any by its kind and settings, e.g. benchmark or 'uct = { simulations = 500 }';
    /// with a MODEL, the player that uses its network
    #[arg(long, value_name = "NAME|SPEC")]
    pub(super) agent: Option<String>,
    /// The manifest that names the agent and the game
    #[arg(long, value_name = "FILE|ARTEFACT")]
    pub(super) manifest: Option<String>,
    /// The game: of the manifest, or any by its kind and settings, e.g. gomoku or 'mnk = { rows = 3, ... }'
    /// [default: the game of the model]
    #[arg(long, value_name = "NAME|SPEC")]
    pub(super) game: Option<String>,
    /// Rows and columns of the board
    #[arg(long, value_name = "N", value_parser = whole(0..=u32::MAX))]
    pub(super) size: Option<u32>,
    /// Simulations of the opponent's search [default: as in its matches]
    #[arg(long, value_name = "N", value_parser = whole(1..=10_000_000_u32))]
    pub(super) simulations: Option<u32>,
    /// Temperature (tau) of the opponent's moves: 0 for the most visited ones [default: as in its matches]
    #[arg(long, value_name = "TAU", value_parser = tau)]
    pub(super) temperature: Option<f64>,
}

impl Asked {
    /// A model alone, for its own game or another one.
    pub(in crate::cli) fn model(name: &str, game: Option<String>, size: Option<u32>) -> Asked {
        let (model, agent, manifest) = (Some(name.to_owned()), None, None);
        Asked { model, agent, manifest, game, size, simulations: None, temperature: None }
    }

    /// Whether the command line names a game or a size.
    pub(in crate::cli) fn names_game(&self) -> bool {
        self.game.is_some() || self.size.is_some()
    }

    /// The number of simulations that the command line names.
    pub(in crate::cli) fn simulations(&self) -> Option<u32> {
        self.simulations
    }
}

fn tau(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| "write a number from 0".to_owned())
}
