//! The random player: any legal action, with equal probability.
//!
//! Schaul and Schmidhuber 2009, section 3.1: "randomly chooses any of the legal moves".

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::agent::{Agent, Source, Workload};
use super::{Chooser, Player, PlayerError};
use gauntlet_games::base::{Action, Rng};
use gauntlet_games::games::{Game, Position};

/// The settings of the random player: none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename = "Nothing")]
pub struct RandomAgent {}

impl Agent for RandomAgent {
    fn name(&self) -> String {
        "random".to_owned()
    }

    fn build(&self, _game: &Arc<dyn Game>, _source: &Source<'_>) -> Result<Box<dyn Player>, PlayerError> {
        Ok(Box::new(Random))
    }

    fn workload(&self, _game: &dyn Game) -> Workload {
        Workload::default()
    }
}

/// Plays uniformly random legal actions, in any game.
#[derive(Debug, Clone, Copy, Default)]
pub struct Random;

impl Chooser for Random {
    fn choose(&mut self, position: &dyn Position, rng: &mut Rng) -> Action {
        position.random_action(rng)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::players::{Player, Turn};
    use gauntlet_games::base::Seed;
    use gauntlet_games::games::GameSpec;

    #[test]
    fn every_legal_action_is_as_likely() {
        let game = GameSpec::examples()[0].build();
        let mut position = game.start();
        position.play(gauntlet_games::base::Action(12));
        let mut rng = Seed::new(1).rng();
        let mut counts = [0; 25];
        for _ in 0..24_000 {
            let mut turns = [Turn::new(0, &*position, &mut rng)];
            Random.decide(&mut turns).unwrap();
            counts[turns[0].decision.action.unwrap().index()] += 1;
        }
        assert_eq!(counts[12], 0);
        counts[12] = 1000;
        assert!(counts.iter().all(|count| (850..1150).contains(count)), "{counts:?}");
    }
}
