//! The networks of both kinds of players, by name or by their settings, on small boards.

use std::collections::HashSet;
use std::sync::Arc;

use serde::Serialize;
use serde_json::json;

use super::super::output::{Misuse, visible};
use super::tensors::{Tensor, deep, flat};
use gauntlet_games::games::{Game, GameSpec};
use gauntlet_nets::nets::NetSpec;
use gauntlet_nets::nets::deep::DeepSpec;
use gauntlet_plan::manifest::source::nearest;
use gauntlet_play::players::{Agent as _, GuidedAgent};

/// Small boards for examples: a network is listed for the first one that it can read.
const BOARDS: [&str; 3] = [r#"{"othello":{"size":6}}"#, r#"{"gomoku":{"size":6}}"#, r#"{"chess":{"size":5}}"#];

/// The settings of a network of either kind.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum Network {
    /// That of a `net` player.
    Flat(NetSpec),
    /// That of a `guided` player.
    Deep(DeepSpec),
}

impl Network {
    /// A small example of each kind of network, in the order of the registries.
    pub fn examples() -> Vec<Network> {
        let flat = NetSpec::examples().into_iter().map(Network::Flat);
        let mut all: Vec<Network> = flat.chain(DeepSpec::examples().into_iter().map(Network::Deep)).collect();
        let mut known = HashSet::new();
        all.retain(|network| known.insert(network.tag()));
        all
    }

    /// Its name in manifests: `saz`.
    pub fn tag(&self) -> String {
        let settings = json!(self);
        settings.as_object().and_then(|settings| settings.keys().next()).cloned().unwrap_or_default()
    }

    /// Its display name: `SAZ 3x8`.
    pub fn title(&self) -> String {
        match self {
            Network::Flat(net) => net.name(),
            Network::Deep(net) => net.name(),
        }
    }

    /// The kind of player that has it.
    pub fn player(&self) -> &'static str {
        match self {
            Network::Flat(_) => "net",
            Network::Deep(_) => "guided",
        }
    }

    /// The example of this name, or a network with explicit settings: `saz = { hidden = 64 }`.
    ///
    /// # Errors
    /// If there is no such network, or if it has no such settings.
    pub fn named(text: &str) -> anyhow::Result<Network> {
        let name = text.split('=').next().unwrap_or(text).trim();
        let example = Network::examples().into_iter().find(|network| network.tag() == name);
        let example = example.ok_or_else(|| unknown(name))?;
        let written = match example {
            _ if !text.contains('=') => return Ok(example),
            Network::Flat(_) => toml::from_str(text).map(Network::Flat),
            Network::Deep(_) => toml::from_str(text).map(Network::Deep),
        };
        let hint = format!("`gauntlet explain agents.{}.network.{name}` lists its settings", example.player());
        written.map_err(|error| Misuse::new(format!("network `{}`: {}", visible(text), error.message()), hint))
    }

    /// The first of the boards that it can read.
    ///
    /// # Errors
    /// If it can read none of them.
    pub fn board(&self) -> anyhow::Result<Arc<dyn Game>> {
        for text in BOARDS {
            let game = serde_json::from_str::<GameSpec>(text)?.build();
            let fits = match self {
                Network::Flat(_) => Ok(()),
                Network::Deep(net) => GuidedAgent::trained(net.clone()).check(&game),
            };
            if fits.is_ok() {
                return Ok(game);
            }
        }
        Err(anyhow::anyhow!("{} reads none of the boards of the examples", self.title()))
    }

    /// Its tensors on a board, in its order.
    ///
    /// # Errors
    /// If it cannot read the board.
    pub fn tensors(&self, game: &dyn Game) -> anyhow::Result<Vec<Tensor>> {
        match self {
            Network::Flat(net) => Ok(vec![flat(net, game.topology().sites())]),
            Network::Deep(net) => deep(net, GuidedAgent::trained(net.clone()).encoding().extent(game).dims),
        }
    }
}

/// The error for an unknown network.
fn unknown(name: &str) -> anyhow::Error {
    let names: Vec<String> = Network::examples().iter().map(Network::tag).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let hint = match nearest(name, &names) {
        Some(near) => format!("did you mean `gauntlet explain \"weights {near}\"`?"),
        None => format!("the networks are {}", names.join(", ")),
    };
    Misuse::new(format!("there is no network `{}`", visible(name)), hint)
}
