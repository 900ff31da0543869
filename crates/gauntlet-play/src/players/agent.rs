//! The settings of a player, before it has a game and weights: its name, the games that it can play, its network, and
//! the cost of its decisions.
//!
//! Its [`Player`] makes the decisions.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Player, PlayerError};
use crate::search::{SearchBudget, SearchSpec};
use gauntlet_games::base::Seed;
use gauntlet_games::games::Game;
use gauntlet_nets::nets::NumberFormat;

/// The settings of a player, before it has a game and weights.
pub trait Agent: Any + Debug + Send + Sync {
    /// A short display name: `MDLSTM k=3`, `tactician 0.05`.
    fn name(&self) -> String;

    /// The player, ready for this game.
    ///
    /// # Errors
    /// [`PlayerError::Unsuited`] if the player does not support the game; for a network, an error if its weights do
    /// not fit.
    fn build(&self, game: &Arc<dyn Game>, source: &Source<'_>) -> Result<Box<dyn Player>, PlayerError>;

    /// Checks, before anything runs, that the player can play the game.
    ///
    /// # Errors
    /// The reason, as a sentence.
    fn check(&self, game: &Arc<dyn Game>) -> Result<(), String> {
        let source = Source { seed: &Seed::new(0), checkpoint: None };
        self.build(game, &source).map(|_| ()).map_err(|error| error.to_string())
    }

    /// The source of its weights; `None` if it has none.
    fn weights(&self) -> Option<&Weights> {
        None
    }

    /// The file of the data directory with its weights; `None` if they have another source.
    fn weights_file(&self) -> Option<&str> {
        if let Some(Weights::File(file)) = self.weights() { Some(file) } else { None }
    }

    /// The number format of its network; `f32` if it has none.
    fn numbers(&self) -> NumberFormat {
        NumberFormat::F32
    }

    /// Whether the seed changes the player: it draws weights, or samples by the seed.
    fn depends_on_seed(&self) -> bool {
        self.weights() == Some(&Weights::Random)
    }

    /// Whether both have the same network, so that their weights are interchangeable.
    fn shares_network(&self, _other: &dyn Agent) -> bool {
        false
    }

    /// Whether both give their networks the same input for a position.
    fn shares_input(&self, _other: &dyn Agent) -> bool {
        true
    }

    /// Checks that weights trained in one game fit another one, board and actions.
    ///
    /// # Errors
    /// The reason, as a sentence.
    fn check_transfer(&self, _learned: &Arc<dyn Game>, _played: &Arc<dyn Game>) -> Result<(), String> {
        Ok(())
    }

    /// The work of a decision on this board. Default: one visit of each site.
    fn workload(&self, game: &dyn Game) -> Workload {
        Workload { sites: game.topology().sites() as f64, ..Workload::default() }
    }

    /// The time of each of its moves, if time limits them: its results depend on the machine.
    fn thinking_time(&self) -> Option<Duration> {
        None
    }

    /// Whether it is deterministic, except for random choice among equal moves. Two such players repeat their
    /// game from the same position.
    fn repeats(&self) -> bool {
        false
    }

    /// Its search in matches, measurements and evaluations; `None` if it does not search.
    fn played_search(&self) -> Option<SearchSpec> {
        None
    }

    /// Agents that explain its choice, each with a label: their policy is shown at a tau of 1, without the noise of
    /// self-play. Empty if it reports only its move.
    fn explainers(&self) -> Vec<(&'static str, Box<dyn Agent>)> {
        Vec::new()
    }

    /// The settings that can be overridden outside a manifest.
    fn play_overrides(&mut self) -> PlayOverrides<'_> {
        PlayOverrides::default()
    }
}

/// Work of a decision, counted and not timed.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Workload {
    /// Sites read, by heuristics or by a small network.
    pub sites: f64,
    /// Simulations of the search; 0 without one.
    pub simulations: f64,
    /// Random play-outs of each simulation.
    pub playouts: f64,
    /// Floating-point operations of the evaluation in each simulation.
    pub operations: f64,
    /// Nodes that this evaluation reads: the sites of the board and of its subgraphs, with dummy nodes.
    pub nodes: f64,
}

/// The overridable settings that an agent has.
#[derive(Debug, Default)]
pub struct PlayOverrides<'a> {
    /// The source of its weights.
    pub weights: Option<&'a mut Weights>,
    /// Simulations of a decision.
    pub simulations: Option<&'a mut SearchBudget>,
    /// Tau of the played moves.
    pub temperature: Option<&'a mut f64>,
    /// Capacity of the evaluation cache.
    pub cache: Option<&'a mut u32>,
}

/// The source of a network's weights.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Weights {
    /// Drawn by the run's seed: for a `net` from N(0, 1), for a guided player according to its `init`. The weights are
    /// the same in every game and on every board, except for networks made for one board.
    #[default]
    Random,
    /// Those of the training in the stage's `from`.
    Trained,
    /// Those of a file of the data directory: `{ file = "my.safetensors" }`. The file's contents are part of the job's
    /// key.
    File(String),
}

impl Weights {
    /// The error if the source holds no weights, or those of another network.
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

/// The sources of a player's weights.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// The run's seed.
    pub seed: &'a Seed,
    /// The bytes of a [`Checkpoint`](gauntlet_nets::nets::Checkpoint), or for a guided player of a
    /// [`DeepCheckpoint`](gauntlet_nets::nets::deep::DeepCheckpoint), if the job has one.
    pub checkpoint: Option<&'a [u8]>,
}

/// No settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

/// Checks that a network's input for a site, a node or an edge has the same width in both games.
///
/// # Errors
/// The reason, as a sentence.
pub(super) fn require_alike(
    is_alike: bool,
    network: &str,
    learned: &dyn Game,
    played: &dyn Game,
) -> Result<(), String> {
    match is_alike {
        true => Ok(()),
        false => Err(format!(
            "{network} has other inputs in {} than in {}: weights from one game cannot play the other",
            learned.name(),
            played.name()
        )),
    }
}

/// Checks that weights fit: the network scales, or both boards are alike.
///
/// # Errors
/// The reason, as a sentence.
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
