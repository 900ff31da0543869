//! Playing jobs as a manifest writes them: games whose records are kept.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ArenaError, Cohort, EvenGames};
use crate::base::{Event, Record, Seed, Sink};
use crate::games::GameSpec;
use crate::players::{PlayerSpec, Source};

/// The kinds of playing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PlaySpec {
    /// Games between two players, each starting half of them.
    Match(MatchJob),
}

/// One match.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct MatchJob {
    /// The game.
    pub game: GameSpec,
    /// The first player, who starts the first half of the games.
    pub agent: PlayerSpec,
    /// The other player.
    pub opponent: PlayerSpec,
    /// Number of games.
    pub games: EvenGames,
}

/// What a game costs, per site of the board, in seconds of one core.
const SECONDS_PER_SITE: f64 = 3e-6;

impl PlaySpec {
    /// A few words for people.
    #[must_use]
    pub fn slug(&self) -> String {
        let PlaySpec::Match(job) = self;
        format!("{} {} {}", job.game.build().name(), job.agent.name(), job.opponent.name())
    }

    /// Rough seconds of one core.
    #[must_use]
    pub fn cost(&self) -> f64 {
        let PlaySpec::Match(job) = self;
        job.games.get() as f64 * job.game.build().topology().sites() as f64 * SECONDS_PER_SITE
    }

    /// Whether both players know the game.
    ///
    /// # Errors
    /// A sentence for people.
    pub fn check(&self) -> Result<(), String> {
        let PlaySpec::Match(job) = self;
        let game = job.game.build();
        job.agent.check(&game).and_then(|()| job.opponent.check(&game))
    }

    /// Plays; `checkpoint` holds the trained weights of the agent, where it wants them.
    ///
    /// # Errors
    /// When a player cannot play the game, and when the sink interrupts.
    pub fn run(&self, number: u64, checkpoint: Option<&[u8]>, sink: &mut dyn Sink) -> Result<Vec<Record>, ArenaError> {
        let PlaySpec::Match(job) = self;
        let (game, seed) = (job.game.build(), Seed::new(number));
        let mut agent = job.agent.build(&game, &Source { seed: &seed, checkpoint })?;
        let own = Source { seed: &seed.child("opponent", 0), checkpoint: None };
        let mut opponent = job.opponent.build(&game, &own)?;
        let games = job.games.get();
        let seats = |index: usize| if index < games / 2 { [0, 1] } else { [1, 0] };
        let cohort = Cohort { keep_actions: true, ..Cohort::new(games) };
        let seed = seed.child("match", 0).child(&game.name(), 0);
        let played = cohort.play(&*game, &mut [&mut *agent, &mut *opponent], seats, &seed)?;
        sink.record(Event::Progress { done: games as u64, total: games as u64 })?;
        Ok(played.into_iter().map(Record::from).collect())
    }
}
