//! The match job: pairs of games between two players, with their records.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::contest::{Contest, ContestResult, Players, thinking};
use super::sequential::SequentialResult;
use super::{Adjudication, Clock, EvenGames, Format, OpeningsSpec, Pair, Resign, Standing, Terms};
use crate::jobs::{Files, GAMES, Given, Job, JobError, file, result};
use crate::players::{PlayerError, PlayerSpec, Source};
use gauntlet_games::base::{Seed, Sink};
use gauntlet_games::formats::records::write;
use gauntlet_games::games::{Game, GameSpec};
use gauntlet_ratings::sprt::Sprt;

/// Settings of a match.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct MatchJob {
    /// The game.
    pub game: GameSpec,
    /// The first player; it starts the first game of every pair.
    pub agent: PlayerSpec,
    /// The other player.
    pub opponent: PlayerSpec,
    /// Number of games; in a sequential test, the maximum.
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
    /// A sequential test; the match ends with the pair of games that decides it. Default: all games are played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sprt: Option<Sprt>,
}

/// The numbers of a match: those of a standing, and of a fitness.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MatchResult {
    /// The counted results.
    #[serde(flatten)]
    pub standing: Standing,
    /// The agent's mean score, -1 to 1.
    pub mean: f64,
    /// The agent's score in every game: `W`, `D` or `L`.
    pub scores: String,
    /// The result of the test, if the match has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sprt: Option<SequentialResult>,
}

impl MatchJob {
    fn contest(&self) -> Contest<'_> {
        let MatchJob { game, games, openings, .. } = self;
        let MatchJob { max_plies, resign, adjudicate, clock, sprt, .. } = *self;
        let terms = Terms { max_plies, resign, adjudicate, clock, keep_actions: true };
        let (format, mirrors, games) = (Format::RoundRobin, false, *games);
        let (streams, thinking) = (Vec::new(), thinking([&self.agent, &self.opponent]));
        Contest { game, format, mirrors, games, openings, terms, sprt, streams, thinking }
    }

    /// The names of the two players in its result.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        let [name, mut other] = [&self.agent, &self.opponent].map(PlayerSpec::name);
        if name == other {
            other += " (opponent)";
        }
        vec![name, other]
    }

    fn seated(&self, game: &Arc<dyn Game>, given: &Given<'_>) -> Result<Players, PlayerError> {
        let seed = &Seed::new(given.seed);
        let agent = self.agent.build(game, &Source { seed, checkpoint: given.upstream.of("agent") })?;
        let own = Source { seed: &seed.child("opponent", 0), checkpoint: given.upstream.of("opponent") };
        let opponent = self.opponent.build(game, &own)?;
        Ok((self.names(), vec![agent, opponent]))
    }
}

impl Job for MatchJob {
    fn slug(&self) -> String {
        format!("{} {} {}", self.game.build().name(), self.agent.name(), self.opponent.name())
    }

    fn check(&self) -> Result<(), String> {
        let game = self.game.build();
        self.agent.check(&game)?;
        self.opponent.check(&game)?;
        self.sprt.map_or(Ok(()), |test| test.check())?;
        self.contest().check()
    }

    fn caution(&self) -> Option<String> {
        repeated([&self.agent, &self.opponent], &self.openings, self.games)
    }

    fn run(&self, given: &Given<'_>, sink: &mut dyn Sink) -> Result<Files, JobError> {
        let game = self.game.build();
        let ContestResult { pairs, standing, header } =
            self.contest().play(&*game, self.seated(&game, given)?, given, sink)?;
        let (mean, scores) = fitness(&pairs);
        let outcomes = pairs.iter().map(|[one, two]| [one.outcome, two.outcome]);
        let sprt = self.sprt.and_then(|test| SequentialResult::new(test, outcomes));
        let games = write(&header, pairs.into_iter().flatten());
        Ok(vec![file(GAMES, games), result(&MatchResult { standing, mean, scores, sprt })?])
    }

    fn is_timed(&self) -> bool {
        self.contest().is_timed()
    }

    fn game(&self) -> Option<GameSpec> {
        Some(self.game.clone())
    }

    fn players(&self) -> Vec<(&str, &PlayerSpec)> {
        vec![("agent", &self.agent), ("opponent", &self.opponent)]
    }
}

/// A caution if two deterministic players start every game from the same position: they play only one game with each
/// colour.
pub(super) fn repeated(players: [&PlayerSpec; 2], openings: &OpeningsSpec, games: EvenGames) -> Option<String> {
    let is_from_start = *openings == OpeningsSpec::None;
    let remedy = "add `openings`, or sample some moves (`sampled-plies`)";
    is_from_start.then(|| repetition(players, games, remedy)).flatten()
}

/// The caution for games that all start from the same position, with the remedy.
pub fn repetition(players: [&PlayerSpec; 2], games: EvenGames, remedy: &str) -> Option<String> {
    let is_repeated = players.iter().all(|player| player.agent().repeats());
    (is_repeated && games.get() > 2).then(|| {
        let ([one, other], games) = (players.map(PlayerSpec::name), games.get());
        format!(
            "{one} and {other} choose no moves at random and begin every game at the start. {games} games are 2 different \
             ones: {remedy}"
        )
    })
}

/// The agent's mean score, win 1, draw 0, loss -1, and its score in every game as a letter.
fn fitness(pairs: &[Pair]) -> (f64, String) {
    let scores: Vec<i8> = pairs.iter().flatten().map(|record| record.score(0) as i8).collect();
    let mean = scores.iter().map(|&score| f64::from(score)).sum::<f64>() / scores.len() as f64;
    (mean, scores.iter().map(|score| ['L', 'D', 'W'][(score + 1) as usize]).collect())
}
