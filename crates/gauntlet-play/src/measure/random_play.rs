//! Random games: uniformly random legal actions from the start, to measure outcomes and the number of games a core
//! plays in a second (Soemers et al. 2021 test against a search that plays them at its leaves).

use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::jobs::{Files, Given, Job, JobError, result};
use gauntlet_games::base::{Event, Outcome, Seed, Side, Sink};
use gauntlet_games::games::GameSpec;

/// Games between two progress events.
const ROUND: u32 = 256;

/// Plays random games. Their running time is in the timing journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RandomPlayJob {
    /// The game.
    pub game: GameSpec,
    /// Number of games.
    pub games: NonZeroU32,
}

/// The outcomes of random games.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct RandomPlay {
    /// Number of games.
    pub games: u32,
    /// Share of them that the first side won, 0 to 1.
    pub first: f64,
    /// Share of them that were drawn, 0 to 1.
    pub drawn: f64,
}

/// Plays the job's games from one random stream.
///
/// # Errors
/// If the sink interrupts.
pub fn play_at_random(job: &RandomPlayJob, seed: &Seed, sink: &mut dyn Sink) -> Result<RandomPlay, JobError> {
    let (start, mut rng) = (job.game.build().start(), seed.rng());
    let (games, mut first, mut drawn) = (job.games.get(), 0, 0);
    for done in 1..=games {
        match start.rollout(&mut rng) {
            Outcome::Win(Side::First) => first += 1,
            Outcome::Win(Side::Second) => {}
            Outcome::Draw => drawn += 1,
        }
        if done % ROUND == 0 || done == games {
            sink.record(Event::Progress { done: u64::from(done), total: u64::from(games) })?;
        }
    }
    let share = |count: u32| f64::from(count) / f64::from(games);
    Ok(RandomPlay { games, first: share(first), drawn: share(drawn) })
}

impl Job for RandomPlayJob {
    fn slug(&self) -> String {
        format!("random play {}", self.game.build().name())
    }

    fn check(&self) -> Result<(), String> {
        Ok(())
    }

    fn run(&self, given: &Given<'_>, sink: &mut dyn Sink) -> Result<Files, JobError> {
        Ok(vec![result(&play_at_random(self, &Seed::new(given.seed), sink)?)?])
    }

    fn game(&self) -> Option<GameSpec> {
        Some(self.game.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gauntlet_games::base::Silent;

    fn of(text: &str, seed: u64) -> RandomPlay {
        play_at_random(&serde_json::from_str(text).unwrap(), &Seed::new(seed), &mut Silent).unwrap()
    }

    #[test]
    fn random_tic_tac_toe_ends_as_its_tree_says() {
        let game = r#"{"game":{"mnk":{"rows":3,"columns":3,"row":3}},"games":20000}"#;
        let played = of(game, 1);
        // 737/1260 and 8/63 of random games: every path of the tree, weighted by its probability; within four standard
        // errors.
        assert!(
            (played.first - 737.0 / 1260.0).abs() < 0.014 && (played.drawn - 8.0 / 63.0).abs() < 0.0095,
            "{played:?}"
        );
        assert_eq!(of(game, 1), played);
        assert_ne!(of(game, 2), played);
    }
}
