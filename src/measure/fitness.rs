//! The fitness of an agent, with the score of every game, on one board.
//!
//! Schaul and Schmidhuber 2009, section 3. Where the weights come from (drawn, trained, the same ones on another
//! board) is not asked here. The scores are all kept, so that reliabilities and game-level errors can be computed.

use serde::{Deserialize, Serialize};

use super::FitnessJob;
use crate::arena::{ArenaError, Fitness, fitness};
use crate::base::{Event, Interrupted, Seed, Sink};
use crate::players::{PlayerError, Source};

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
    /// A player cannot play this game.
    #[error(transparent)]
    Player(#[from] PlayerError),
}

/// Measures what the job asks for. All weights come from `seed` alone, the games from the seed and the game, so
/// that the same network meets other games on every board.
///
/// # Errors
/// When a player cannot play the game, when the weights are of another network, and when the sink interrupts.
pub fn measure_fitness(
    job: &FitnessJob,
    seed: &Seed,
    checkpoint: Option<&[u8]>,
    sink: &mut dyn Sink,
) -> Result<Measured, MeasureError> {
    let game = job.game.build();
    let mut agent = job.agent.build(&game, &Source { seed, checkpoint })?;
    let own = Source { seed: &seed.child("opponent", 0), checkpoint: None };
    let mut opponent = job.opponent.build(&game, &own)?;
    let games_seed = seed.child("fitness", 0).child(&game.name(), 0);
    let fitness = fitness(&*game, &mut *agent, &mut *opponent, job.games, &games_seed)?;
    let games = job.games.get() as u64;
    sink.record(Event::Progress { done: games, total: games })?;
    Ok(Measured { mean: fitness.mean(), fitness })
}
