//! What the settings of a player say of it, in one place: its name, the games that it can play,
//! its network, and how much work its decisions are.
//!
//! How it decides is its [`Player`]'s.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Player, PlayerError};
use crate::search::SearchSpec;
use gauntlet_games::base::Seed;
use gauntlet_games::games::Game;

/// The settings of a player, before it has a game and weights.
pub trait Agent: Any + Debug + Send + Sync {
    /// A few words for people: `MDLSTM k=3`, `tactician 0.05`.
    fn name(&self) -> String;

    /// The player, ready for this game.
    ///
    /// # Errors
    /// [`PlayerError::Unsuited`] when the player does not know the game; for a network, when its weights do not fit.
    fn build(&self, game: &Arc<dyn Game>, source: &Source<'_>) -> Result<Box<dyn Player>, PlayerError>;

    /// Whether the player can play the game, found out before anything runs.
    ///
    /// # Errors
    /// A sentence for people.
    fn check(&self, game: &Arc<dyn Game>) -> Result<(), String> {
        let source = Source { seed: &Seed::new(0), checkpoint: None };
        self.build(game, &source).map(|_| ()).map_err(|error| error.to_string())
    }

    /// Where its weights come from; none where it has none.
    fn weights(&self) -> Option<&Weights> {
        None
    }

    /// Whether another seed makes another player: it draws weights, or samples by the seed.
    fn depends_on_seed(&self) -> bool {
        self.weights() == Some(&Weights::Random)
    }

    /// Whether both have the same network, so that one can take the weights of the other.
    fn shares_network(&self, _other: &dyn Agent) -> bool {
        false
    }

    /// Whether both show their networks the same of a position.
    fn shares_input(&self, _other: &dyn Agent) -> bool {
        true
    }

    /// Whether weights that were learned in one game fit another one, board and actions.
    ///
    /// # Errors
    /// A sentence for people.
    fn check_transfer(&self, _learned: &Arc<dyn Game>, _played: &Arc<dyn Game>) -> Result<(), String> {
        Ok(())
    }

    /// What a decision on this board takes. Default: a look at each site.
    fn workload(&self, game: &dyn Game) -> Workload {
        Workload { sites: game.topology().sites() as f64, ..Workload::default() }
    }

    /// Whether it is deterministic, except that it may choose among equal moves at random. Two such players repeat their
    /// game from the same position.
    fn repeats(&self) -> bool {
        false
    }

    /// Its search in matches, measurements and evaluations; none if it does not search.
    fn search_at_play(&self) -> Option<SearchSpec> {
        None
    }

    /// Those who say why it would play what it plays, each with a word for it: their policy is shown at a tau of 1,
    /// without the noise of self-play. None where it says no more than its move.
    fn voices(&self) -> Vec<(&'static str, Box<dyn Agent>)> {
        Vec::new()
    }

    /// The settings that others than a manifest change.
    fn knobs(&mut self) -> Knobs<'_> {
        Knobs::default()
    }
}

/// What a decision takes, counted and not timed.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Workload {
    /// Sites that are looked at, by rules of thumb or by a small network.
    pub sites: f64,
    /// Simulations of the search; 0 without one.
    pub simulations: f64,
    /// Random play-outs of a simulation.
    pub playouts: f64,
    /// Floating-point operations of the evaluation of a simulation.
    pub operations: f64,
    /// Nodes that this evaluation reads: the sites of the board and of its subgraphs, with dummy nodes.
    pub nodes: f64,
}

/// Settings that can be changed, those that an agent has.
#[derive(Debug, Default)]
pub struct Knobs<'a> {
    /// Where its weights come from.
    pub weights: Option<&'a mut Weights>,
    /// Simulations of a decision.
    pub simulations: Option<&'a mut u32>,
    /// Tau of the moves that are played.
    pub temperature: Option<&'a mut f64>,
    /// Evaluations that are remembered.
    pub cache: Option<&'a mut u32>,
}

/// Where a network's weights come from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Weights {
    /// Drawn by the run's seed: of a `net` from N(0, 1), of a guided player as its `init` says. In every game the same
    /// weights, and on every board, but of a network that is made for one (`mlp`, `az-cnn`, `agz-cnn`).
    #[default]
    Random,
    /// Those of the training that the stage takes from.
    Trained,
    /// Those of a file of the data directory: `{ file = "my.safetensors" }`. What is in it is part of what the job is known
    /// by.
    File(String),
}

impl Weights {
    /// The error of a player that does not find them where they are to come from: nothing, or those of another network.
    pub(super) fn missing(&self, player: String, held: Option<String>) -> PlayerError {
        match (self, held) {
            (Weights::File(file), Some(held)) => PlayerError::OtherWeights { place: format!("`{file}`"), held, player },
            (Weights::Random | Weights::Trained, Some(held)) => {
                PlayerError::OtherWeights { place: "the checkpoint".to_owned(), held, player }
            }
            (Weights::File(file), None) => PlayerError::NoWeights { file: file.clone(), player },
            (Weights::Random | Weights::Trained, None) => PlayerError::Untrained { player },
        }
    }
}

/// What a player that has weights takes them from.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// The run's seed.
    pub seed: &'a Seed,
    /// The bytes of a [`Checkpoint`](gauntlet_nets::nets::Checkpoint), or for a guided player of a
    /// [`DeepCheckpoint`](gauntlet_nets::nets::deep::DeepCheckpoint), where the job has one.
    pub checkpoint: Option<&'a [u8]>,
}

/// No settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

/// Whether a network is told as much of a site, a node or an edge of one game as of another.
///
/// # Errors
/// A sentence for people.
pub(super) fn require_alike(
    is_alike: bool,
    network: &str,
    learned: &dyn Game,
    played: &dyn Game,
) -> Result<(), String> {
    match is_alike {
        true => Ok(()),
        false => Err(format!(
            "{network} reads other numbers of {} than of {}: what it learns in the one cannot play the other",
            learned.name(),
            played.name()
        )),
    }
}

/// Whether weights fit, which do when the network scales or both boards are alike.
///
/// # Errors
/// A sentence for people.
pub(super) fn require_fit(fits: bool, network: &str, learned: &dyn Game, played: &dyn Game) -> Result<(), String> {
    match fits {
        true => Ok(()),
        false => Err(format!(
            "{network} is made for one board: what it learns in {} cannot play {}",
            learned.name(),
            played.name()
        )),
    }
}
