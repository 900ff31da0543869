//! A match: pairs of games between two players, whose records are kept.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::contest::{Contest, Players};
use super::{EvenGames, Format, OpeningsSpec, Pair, Resign};
use crate::base::{Seed, Sink};
use crate::games::{Game, GameSpec};
use crate::jobs::{Files, Given, Job, JobError};
use crate::players::{PlayerError, PlayerSpec, Source};

/// One match.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct MatchJob {
    /// The game.
    pub game: GameSpec,
    /// The first player, who starts the first game of every pair.
    pub agent: PlayerSpec,
    /// The other player.
    pub opponent: PlayerSpec,
    /// Number of games.
    pub games: EvenGames,
    /// What pairs of games begin with. Default: the start.
    #[serde(default)]
    pub openings: OpeningsSpec,
    /// Plies after which an unfinished game is called a draw. Default: never.
    #[serde(default)]
    pub max_plies: Option<u32>,
    /// When players resign; those that expect nothing never do. Default: nobody resigns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resign: Option<Resign>,
}

impl MatchJob {
    fn contest(&self) -> Contest<'_> {
        let MatchJob { game, games, openings, max_plies, resign, .. } = self;
        let (format, max_plies, resign) = (Format::RoundRobin, *max_plies, *resign);
        Contest { game, format, mirrors: false, games: *games, openings, max_plies, resign }
    }

    fn seated(&self, game: &Arc<dyn Game>, given: &Given<'_>) -> Result<Players, PlayerError> {
        let seed = &Seed::new(given.seed);
        let agent = self.agent.build(game, &Source { seed, checkpoint: given.trained.of("agent") })?;
        let own = Source { seed: &seed.child("opponent", 0), checkpoint: given.trained.of("opponent") };
        let opponent = self.opponent.build(game, &own)?;
        let [name, mut other] = [&self.agent, &self.opponent].map(PlayerSpec::name);
        if name == other {
            other += " (opponent)";
        }
        Ok((vec![name, other], vec![agent, opponent]))
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
        self.contest().check()
    }

    /// Beside the numbers of a standing, `mean` and `scores`, as of a fitness.
    fn run(&self, given: &Given<'_>, sink: &mut dyn Sink) -> Result<Files, JobError> {
        let game = self.game.build();
        let mut report = self.contest().play(&*game, self.seated(&game, given)?, given, sink)?;
        let (mean, scores) = fitness(&report.pairs);
        (report.result["mean"], report.result["scores"]) = (json!(mean), json!(scores));
        report.files()
    }

    fn game(&self) -> Option<GameSpec> {
        Some(self.game)
    }

    fn players(&self) -> Vec<(&str, &PlayerSpec)> {
        vec![("agent", &self.agent), ("opponent", &self.opponent)]
    }
}

/// The agent's mean score, win 1, draw 0, loss -1, and its score in every game as a letter.
fn fitness(pairs: &[Pair]) -> (f64, String) {
    let scores: Vec<i8> = pairs.iter().flatten().map(|record| record.score(0) as i8).collect();
    let mean = scores.iter().map(|&score| f64::from(score)).sum::<f64>() / scores.len() as f64;
    (mean, scores.iter().map(|score| ['L', 'D', 'W'][(score + 1) as usize]).collect())
}
