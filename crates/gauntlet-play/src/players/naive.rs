//! The naive player: looks one ply ahead.
//!
//! Schaul and Schmidhuber 2009, section 3.1: "If possible, it always picks a move that makes it win the game
//! immediately, and never picks a move that would make it lose the game immediately. In all other cases (the large
//! majority), it randomly picks a legal move."

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::agent::{Agent, Source, Workload};
use super::chooser::any;
use super::{Chooser, Player, PlayerError};
use gauntlet_games::base::{Action, Rng};
use gauntlet_games::games::{Game, Position};

/// Number of random actions to try before all legal ones are listed.
const TRIES: usize = 4;

/// The settings of the naive player: none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename = "Nothing")]
pub struct NaiveAgent {}

impl Agent for NaiveAgent {
    fn name(&self) -> String {
        "naive".to_owned()
    }

    fn build(&self, _game: &Arc<dyn Game>, _source: &Source<'_>) -> Result<Box<dyn Player>, PlayerError> {
        Ok(Box::new(Naive::default()))
    }

    fn workload(&self, _game: &dyn Game) -> Workload {
        Workload::default()
    }
}

/// Wins at once if it can, loses at once only if it must, and otherwise plays at random. Supports any game.
#[derive(Debug, Clone, Default)]
pub struct Naive {
    wins: Vec<Action>,
    losses: Vec<Action>,
    legal: Vec<Action>,
}

impl Chooser for Naive {
    fn choose(&mut self, position: &dyn Position, rng: &mut Rng) -> Action {
        let (wins, _) = self.look(position);
        if wins.is_empty() { self.avoid_losses(position, rng) } else { any(wins, rng) }
    }
}

impl Naive {
    /// The actions that win at once and those that lose at once.
    pub(super) fn look(&mut self, position: &dyn Position) -> (&[Action], &[Action]) {
        self.wins.clear();
        self.losses.clear();
        position.decisive(&mut self.wins, &mut self.losses);
        (&self.wins, &self.losses)
    }

    /// A uniformly random action that is not one of the losses found last, if there is one.
    pub(super) fn avoid_losses(&mut self, position: &dyn Position, rng: &mut Rng) -> Action {
        for _ in 0..TRIES {
            let action = position.random_action(rng);
            if !self.losses.contains(&action) {
                return action;
            }
        }
        self.legal.clear();
        position.actions(&mut self.legal);
        self.legal.retain(|action| !self.losses.contains(action));
        any(if self.legal.is_empty() { &self.losses } else { &self.legal }, rng)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gauntlet_games::base::Seed;
    use gauntlet_games::games::GameSpec;

    /// Plays many games and compares each choice with the outcomes of all actions.
    #[test]
    fn it_wins_when_it_can_and_loses_only_when_it_must() {
        let (mut naive, mut rng) = (Naive::default(), Seed::new(2).rng());
        let (mut won, mut avoided) = (0, 0);
        for game in GameSpec::examples().iter().map(GameSpec::build) {
            for _ in 0..40 {
                let mut position = game.start();
                while position.outcome().is_none() {
                    let mut legal = Vec::new();
                    position.actions(&mut legal);
                    let score = |action| position.outcome_after(action).map_or(0.0, |end| end.score(position.side()));
                    let best = legal.iter().map(|&action| score(action)).fold(-1.0, f64::max);
                    let action = naive.choose(&*position, &mut rng);
                    assert_eq!(score(action), best);
                    won += usize::from(best > 0.0);
                    avoided += usize::from(best == 0.0 && legal.iter().any(|&action| score(action) < 0.0));
                    position.play(action);
                }
            }
        }
        assert!(won > 100 && avoided > 100, "{won} {avoided}");
    }

    #[test]
    fn all_winning_actions_are_as_likely() {
        let game = GameSpec::examples()[1].build();
        let mut position = game.start();
        for point in "A2 A1 A6 A7 G6 G7 D4 E4".split(' ') {
            position.play(game.parse_action(point).unwrap());
        }
        let (mut naive, mut rng) = (Naive::default(), Seed::new(3).rng());
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..3000 {
            *counts.entry(game.action_name(naive.choose(&*position, &mut rng))).or_insert(0) += 1;
        }
        assert_eq!(counts.keys().collect::<Vec<_>>(), ["B1", "B7", "F7"]);
        assert!(counts.values().all(|count| (850..1150).contains(count)), "{counts:?}");
    }
}
