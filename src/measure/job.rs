//! Measuring jobs as a manifest writes them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{MeasureError, Measured, measure_fitness};
use crate::arena::EvenGames;
use crate::base::{Seed, Sink};
use crate::games::GameSpec;
use crate::players::PlayerSpec;

/// The kinds of measurements.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MeasureSpec {
    /// What an agent scores against an opponent.
    Fitness(FitnessJob),
}

/// One measurement of fitness (Schaul and Schmidhuber 2009, section 3).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct FitnessJob {
    /// The game.
    pub game: GameSpec,
    /// Whose fitness is measured.
    pub agent: PlayerSpec,
    /// Against whom.
    pub opponent: PlayerSpec,
    /// Number of games, half of them with the agent as the first side.
    pub games: EvenGames,
}

/// What a game costs, per site of the board, in seconds of one core.
const SECONDS_PER_SITE: f64 = 3e-6;

impl MeasureSpec {
    /// A few words for people.
    #[must_use]
    pub fn slug(&self) -> String {
        let MeasureSpec::Fitness(job) = self;
        format!("{} {} {}", job.game.build().name(), job.agent.name(), job.opponent.name())
    }

    /// Rough seconds of one core.
    #[must_use]
    pub fn cost(&self) -> f64 {
        let MeasureSpec::Fitness(job) = self;
        job.games.get() as f64 * job.game.build().topology().sites() as f64 * SECONDS_PER_SITE
    }

    /// Whether both players know the game.
    ///
    /// # Errors
    /// A sentence for people.
    pub fn check(&self) -> Result<(), String> {
        let MeasureSpec::Fitness(job) = self;
        let game = job.game.build();
        job.agent.check(&game).and_then(|()| job.opponent.check(&game))
    }

    /// Measures; `checkpoint` holds the trained weights, where the agent wants them.
    ///
    /// # Errors
    /// As [`measure_fitness`].
    pub fn run(&self, number: u64, checkpoint: Option<&[u8]>, sink: &mut dyn Sink) -> Result<Measured, MeasureError> {
        let MeasureSpec::Fitness(job) = self;
        measure_fitness(job, &Seed::new(number), checkpoint, sink)
    }
}
