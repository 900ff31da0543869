//! The options of `gauntlet play` for the opponent and the game.

use clap::Args;

use crate::app::PlayerRequest;
use crate::cli::limits::whole;

/// The opponent, the game, and the settings of the opponent's search.
#[derive(Debug, Clone, Args)]
pub struct Asked {
    /// A model by its name (gomoku-agz/II), a trained player of a reproduced tournament (gomoku-agz/I-26), a checkpoint
    /// file, or a training by its job's directory or key
    #[arg(value_name = "MODEL")]
    model: Option<String>,
    /// A player: of the manifest, or any by its kind and settings, e.g. benchmark or 'uct = { simulations = 500 }';
    /// with a MODEL, the player that uses its network
    #[arg(long, value_name = "NAME|SPEC")]
    agent: Option<String>,
    /// The manifest that names the agent and the game
    #[arg(long, value_name = "FILE|ARTEFACT")]
    manifest: Option<String>,
    /// The game: of the manifest, or any by its kind and settings, e.g. gomoku or 'mnk = { rows = 3, ... }'
    /// [default: the game of the model]
    #[arg(long, value_name = "NAME|SPEC")]
    game: Option<String>,
    /// Rows and columns of the board
    #[arg(long, value_name = "N", value_parser = whole(0..=u32::MAX))]
    size: Option<u32>,
    /// Simulations of the opponent's search [default: as in its matches]
    #[arg(long, value_name = "N", value_parser = whole(1..=10_000_000_u32))]
    simulations: Option<u32>,
    /// Temperature (tau) of the opponent's moves: 0 for the most visited ones [default: as in its matches]
    #[arg(long, value_name = "TAU", value_parser = tau)]
    temperature: Option<f64>,
}

impl Asked {
    /// The request for the player.
    pub(in crate::cli) fn request(&self) -> PlayerRequest {
        let Asked { model, agent, manifest, game, size, simulations, temperature } = self.clone();
        PlayerRequest { model, agent, manifest, game, size, simulations, temperature }
    }
}

fn tau(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| "write a number from 0".to_owned())
}
