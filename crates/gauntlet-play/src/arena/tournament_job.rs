//! The tournament job: matches between many players, with their records.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::contest::{Contest, Players};
use super::match_job::repeated;
use super::{Adjudication, Clock, EvenGames, Format, OpeningsSpec, Resign};
use crate::jobs::{Files, Given, Job, JobError};
use crate::players::{PlayerError, PlayerSpec, Source};
use gauntlet_games::base::{Seed, Sink};
use gauntlet_games::games::{Game, GameSpec};

/// Maximum length of a name, so that it fits in a table.
const LONGEST_NAME: usize = 200;

/// Settings of a tournament.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TournamentJob {
    /// The game.
    pub game: GameSpec,
    /// The players; in a manifest, names of agents.
    pub players: Vec<Entrant>,
    /// The format, which pairs the players. Default: all pairs.
    #[serde(default)]
    pub format: Format,
    /// Whether every player also plays a match against itself. Default: no. No rating counts those games.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub mirrors: bool,
    /// Games of a match. The paper's matches have 60.
    pub games: EvenGames,
    /// Openings of the pairs of games. Default: the starting position.
    #[serde(default)]
    pub openings: OpeningsSpec,
    /// Plies after which an unfinished game is adjudicated a draw. Default: no limit.
    #[serde(default)]
    pub max_plies: Option<u32>,
    /// The resignation rule; players without expected outcomes never resign. Default: no resignation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resign: Option<Resign>,
    /// Adjudication of draws and wins by scores on which both players agree. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adjudicate: Option<Adjudication>,
    /// The time of each side for a game. Such results depend on the machine. Default: no clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<Clock>,
}

/// A player of a tournament. Random weights are drawn by its name, so that two of the same kind differ.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Entrant {
    /// Its name in tables; names are unique.
    pub name: String,
    /// Its kind and settings.
    pub agent: PlayerSpec,
}

impl TournamentJob {
    /// The number of matches, including those against oneself.
    #[must_use]
    pub fn matches(&self) -> usize {
        self.format.matches(self.players.len()) + if self.mirrors { self.players.len() } else { 0 }
    }

    fn contest(&self) -> Contest<'_> {
        let TournamentJob { game, games, openings, .. } = self;
        let TournamentJob { format, mirrors, max_plies, resign, adjudicate, clock, .. } = *self;
        let (games, sprt) = (*games, None);
        Contest { game, format, mirrors, games, openings, max_plies, resign, adjudicate, clock, sprt }
    }

    fn seated(&self, game: &Arc<dyn Game>, given: &Given<'_>) -> Result<Players, PlayerError> {
        let names = self.players.iter().map(|entrant| entrant.name.clone()).collect();
        let player = |entrant: &Entrant| {
            let seed = Seed::new(given.seed).child("player", 0).child(&entrant.name, 0);
            entrant.agent.build(game, &Source { seed: &seed, checkpoint: given.trained.of(&entrant.name) })
        };
        self.players.iter().map(player).collect::<Result<Vec<_>, _>>().map(|players| (names, players))
    }

    fn check_entrants(&self, game: &Arc<dyn Game>) -> Result<(), String> {
        for (at, Entrant { name, agent }) in self.players.iter().enumerate() {
            if name.is_empty() || name.len() > LONGEST_NAME {
                return Err(format!("a player's name has 1 to {LONGEST_NAME} bytes, not {}", name.len()));
            }
            if self.players[..at].iter().any(|other| other.name == *name) {
                return Err(format!("two players are called `{name}`"));
            }
            agent.check(game)?;
        }
        Ok(())
    }
}

impl Job for TournamentJob {
    fn slug(&self) -> String {
        format!("{} tournament of {}", self.game.build().name(), self.players.len())
    }

    fn check(&self) -> Result<(), String> {
        self.format.check(self.players.len())?;
        self.check_entrants(&self.game.build())?;
        self.contest().check()
    }

    fn caution(&self) -> Option<String> {
        let mut repeating = self.players.iter().map(|entrant| &entrant.agent).filter(|agent| agent.agent().repeats());
        repeated([repeating.next()?, repeating.next()?], &self.openings, self.games)
    }

    fn run(&self, given: &Given<'_>, sink: &mut dyn Sink) -> Result<Files, JobError> {
        let game = self.game.build();
        self.contest().play(&*game, self.seated(&game, given)?, given, sink)?.files()
    }

    fn is_timed(&self) -> bool {
        self.clock.is_some()
    }

    fn game(&self) -> Option<GameSpec> {
        Some(self.game.clone())
    }

    fn players(&self) -> Vec<(&str, &PlayerSpec)> {
        self.players.iter().map(|entrant| (&*entrant.name, &entrant.agent)).collect()
    }
}
