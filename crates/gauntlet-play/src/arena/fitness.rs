//! Fitness of an agent against an opponent: the mean outcome of games of which it starts exactly half.
//!
//! Schaul and Schmidhuber 2009, section 3: "100 games against the opponent, 50 as black and 50 as white; a win counts
//! 1, a draw 0 and a loss -1". The scores of all games are kept, so that errors can be estimated elsewhere.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ArenaError, Cohort, PlayedGame};
use crate::players::Player;
use gauntlet_games::base::{Seed, Side};
use gauntlet_games::games::Game;

/// A number of games with an equal share for both sides: even, and at least 2.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "i64", into = "u32")]
#[schemars(extend("minimum" = 2, "maximum" = 1_000_000, "multipleOf" = 2))]
pub struct EvenGames(u32);

/// Errors of a number of games.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Uneven {
    /// An odd number.
    #[error("{0} games cannot be split evenly over the two colours: take an even number")]
    Odd(i64),
    /// No games, or more than the limit.
    #[error("{0} games: take an even number from 2 to 1000000")]
    OutOfRange(i64),
}

impl EvenGames {
    /// The number of games.
    #[must_use]
    pub fn get(self) -> usize {
        self.0 as usize
    }
}

impl TryFrom<i64> for EvenGames {
    type Error = Uneven;
    fn try_from(games: i64) -> Result<EvenGames, Uneven> {
        match games {
            outside if !(1..=1_000_000).contains(&outside) => Err(Uneven::OutOfRange(outside)),
            odd if odd % 2 == 1 => Err(Uneven::Odd(odd)),
            even => Ok(EvenGames(even as u32)),
        }
    }
}

impl From<EvenGames> for u32 {
    fn from(games: EvenGames) -> u32 {
        games.0
    }
}

/// The agent's score in each game: win 1, draw 0, loss -1. As text, one of `W`, `D` and `L` a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct Scores(Vec<i8>);

impl Scores {
    /// The scores, the games as first side first.
    #[must_use]
    pub fn as_slice(&self) -> &[i8] {
        &self.0
    }

    /// The mean score, -1 to 1.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.0.iter().map(|&score| i64::from(score)).sum::<i64>() as f64 / self.0.len() as f64
    }
}

impl From<Scores> for String {
    fn from(scores: Scores) -> String {
        scores.0.iter().map(|score| ['L', 'D', 'W'][(score + 1) as usize]).collect()
    }
}

/// The error for a text with other letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a score: scores are W, D and L")]
pub struct NoScore(char);

impl TryFrom<String> for Scores {
    type Error = NoScore;
    fn try_from(text: String) -> Result<Scores, NoScore> {
        let score = |letter| match letter {
            'W' => Ok(1),
            'D' => Ok(0),
            'L' => Ok(-1),
            other => Err(NoScore(other)),
        };
        text.chars().map(score).collect::<Result<_, _>>().map(Scores)
    }
}

/// The results of an agent against an opponent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Fitness {
    /// One score for each game; in the first half of them the agent was the first side.
    pub scores: Scores,
    /// Number of actions played in all games, by both players.
    pub plies: u64,
    /// Number of different games among them; deterministic players repeat themselves.
    pub distinct: usize,
}

impl Fitness {
    /// The mean score, -1 to 1.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.scores.mean()
    }
}

/// Plays `games` games between `agent` and `opponent`, the first half with the agent as the first side.
///
/// # Errors
/// If a player cannot answer.
pub fn fitness(
    game: &dyn Game,
    agent: &mut dyn Player,
    opponent: &mut dyn Player,
    games: EvenGames,
    seed: &Seed,
) -> Result<Fitness, ArenaError> {
    let seats = |index: usize| if index < games.get() / 2 { [AGENT, OPPONENT] } else { [OPPONENT, AGENT] };
    let played = Cohort::default().play(game, &mut [agent, opponent], games.get(), seats, seed)?;
    Ok(Fitness {
        scores: Scores(played.iter().map(score).collect()),
        plies: played.iter().map(|played| u64::from(played.plies)).sum(),
        distinct: played.iter().map(|played| played.line).collect::<HashSet<_>>().len(),
    })
}

const AGENT: usize = 0;
const OPPONENT: usize = 1;

fn score(played: &PlayedGame) -> i8 {
    let side = if played.players[0] == AGENT { Side::First } else { Side::Second };
    played.outcome.score(side) as i8
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Chaser, RaceGame, Strider};
    use super::*;

    fn race(games: i64, seed: u64) -> Fitness {
        let games = EvenGames::try_from(games).expect("even");
        fitness(&RaceGame::default(), &mut Strider, &mut Chaser::default(), games, &Seed::new(seed))
            .expect("no player fails")
    }

    #[test]
    fn the_agent_starts_the_first_half_of_the_games() {
        let fitness = race(2000, 1);
        let mean = |half: &[i8]| half.iter().map(|&score| f64::from(score)).sum::<f64>() / half.len() as f64;
        let (starting, following) = fitness.scores.as_slice().split_at(1000);
        assert!(mean(starting) > mean(following) + 0.3, "who starts a race has an advantage");
        assert!(fitness.mean() > 0.05, "the faster one wins more often");
        assert!((fitness.mean() - (mean(starting) + mean(following)) / 2.0).abs() < 1e-12);
        assert!(fitness.distinct > 5 && fitness.distinct < 200, "short games repeat themselves");
    }

    #[test]
    fn a_fitness_is_a_function_of_its_seed() {
        assert_eq!(race(200, 4), race(200, 4));
        assert_ne!(race(200, 4), race(200, 5));
    }

    #[test]
    fn scores_are_written_as_letters() {
        let scores: Scores = serde_json::from_str("\"WLLD\"").expect("these are scores");
        assert_eq!(scores.as_slice(), [1, -1, -1, 0]);
        assert_eq!(scores.mean(), -0.25);
        assert_eq!(serde_json::to_string(&scores).expect("text"), "\"WLLD\"");
        assert!(serde_json::from_str::<Scores>("\"WX\"").is_err());
    }

    #[test]
    fn games_are_shared_evenly() {
        let error = toml::from_str::<std::collections::BTreeMap<String, EvenGames>>("games = 37").expect_err("odd");
        assert!(error.message().contains("37 games cannot be split evenly over the two colours"), "{error}");
        assert_eq!(EvenGames::try_from(0), Err(Uneven::OutOfRange(0)));
        assert_eq!(EvenGames::try_from(100).map(EvenGames::get), Ok(100));
    }
}
