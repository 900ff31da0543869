//! The fitness of a network with given weights, with the score of every game, on one board.
//!
//! Schaul and Schmidhuber 2009, section 3. Where the weights come from (drawn, trained, the same ones on another
//! board) is not asked here. The scores are all kept, so that reliabilities and game-level errors can be computed.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::arena::{ArenaError, EvenGames, Fitness, fitness};
use crate::base::{Event, Interrupted, Seed, Sink};
use crate::games::Game;
use crate::nets::{NetError, NetSpec};
use crate::players::{NetPlayer, PlayerError, PlayerSpec};

/// How a fitness is measured.
///
/// | key | default | range | the paper |
/// |---|---|---|---|
/// | `games` | 100 | even, 2 to 1,000,000 | 100, half of them with each colour |
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FitnessSpec {
    /// Number of games.
    pub games: EvenGames,
}

impl Default for FitnessSpec {
    fn default() -> FitnessSpec {
        FitnessSpec { games: EvenGames::try_from(100).expect("100 is even") }
    }
}

/// What a network is worth against an opponent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// The mean score, -1 to 1.
    pub mean: f64,
    /// Every game's score, and how many games were different.
    #[serde(flatten)]
    pub fitness: Fitness,
}

/// Why nothing was measured.
#[derive(Debug, thiserror::Error)]
pub enum MeasureError {
    /// The measurement was asked to stop; it starts afresh in the next run.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
    /// The games could not be played.
    #[error(transparent)]
    Arena(#[from] ArenaError),
    /// The weights make no network on this board.
    #[error(transparent)]
    Net(#[from] NetError),
    /// A player cannot play this game.
    #[error(transparent)]
    Player(#[from] PlayerError),
}

/// Measures `net` with `weights` in games against `opponent`.
///
/// # Errors
/// When a player cannot play the game, when the weights are of another network, and when the sink interrupts.
pub fn measure_fitness(
    spec: &FitnessSpec,
    (net, weights): (&NetSpec, &[f64]),
    game: &Arc<dyn Game>,
    opponent: &PlayerSpec,
    seed: &Seed,
    sink: &mut dyn Sink,
) -> Result<Measured, MeasureError> {
    let mut opponent = opponent.build(game)?;
    let mut agent = NetPlayer::new(net.kernel(game.topology(), weights)?, &**game)?;
    let fitness = fitness(&**game, &mut agent, &mut *opponent, spec.games, seed)?;
    let games = spec.games.get() as u64;
    sink.record(Event::Progress { done: games, total: games })?;
    Ok(Measured { mean: fitness.mean(), fitness })
}
