//! The taker: the naive player, but it captures whenever it can.
//!
//! A hypothesis about Schaul and Schmidhuber 2009, whose Table 1 on Pente fits a naive opponent that takes any pair
//! (`experiments/schaul2009/table1-taker.toml`). Neither the paper nor its authors' released code has such a player.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::agent::{Agent, Source};
use super::chooser::any;
use super::naive::Naive;
use super::{Chooser, Player, PlayerError};
use gauntlet_games::base::{Action, Rng};
use gauntlet_games::games::{Game, Position};

/// The settings of the taker: none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename = "Nothing")]
pub struct TakerAgent {}

impl Agent for TakerAgent {
    fn name(&self) -> String {
        "taker".to_owned()
    }

    fn build(&self, game: &Arc<dyn Game>, _source: &Source<'_>) -> Result<Box<dyn Player>, PlayerError> {
        Ok(Box::new(Taker::new(game)?))
    }
}

/// Wins at once if it can; otherwise plays any action that improves its lead at once; otherwise is the naive player.
/// Supports any game with a lead: in Pente the lead is in captured pairs.
#[derive(Debug, Clone, Default)]
pub struct Taker {
    naive: Naive,
    gains: Vec<Action>,
}

impl Taker {
    /// A taker for one game.
    ///
    /// # Errors
    /// [`PlayerError::Unsuited`] if the game has no lead.
    pub fn new(game: &Arc<dyn Game>) -> Result<Taker, PlayerError> {
        let start = game.start();
        if start.lead(start.side()).is_none() {
            let reason = "it does not count who is ahead".into();
            return Err(PlayerError::Unsuited { player: "taker".into(), game: game.name(), reason });
        }
        Ok(Taker::default())
    }
}

impl Chooser for Taker {
    fn choose(&mut self, position: &dyn Position, rng: &mut Rng) -> Action {
        let (wins, losses) = self.naive.look(position);
        if !wins.is_empty() {
            return any(wins, rng);
        }
        self.gains.clear();
        position.actions(&mut self.gains);
        let lead = position.lead(position.side());
        self.gains.retain(|action| position.lead_after(*action) > lead && !losses.contains(action));
        if self.gains.is_empty() { self.naive.avoid_losses(position, rng) } else { any(&self.gains, rng) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gauntlet_games::base::Seed;
    use gauntlet_games::games::GameSpec;

    fn pente() -> Arc<dyn Game> {
        toml::from_str::<GameSpec>("pente = { size = 7, rules = \"paper\" }").unwrap().build()
    }

    /// Compares each choice of many games with the outcomes of all actions.
    #[test]
    fn it_takes_wherever_it_can_unless_it_wins() {
        let (game, mut rng) = (pente(), Seed::new(5).rng());
        let (mut taker, mut took, mut won, mut free) = (Taker::new(&game).unwrap(), 0, 0, 0);
        for _ in 0..60 {
            let mut position = game.start();
            while position.outcome().is_none() {
                let (mut legal, side) = (Vec::new(), position.side());
                position.actions(&mut legal);
                let wins =
                    |action: &Action| position.outcome_after(*action).is_some_and(|outcome| outcome.score(side) > 0.0);
                let gain = |action: &Action| {
                    let mut next = position.fork();
                    next.play(*action);
                    next.lead(side) > position.lead(side)
                };
                let action = taker.choose(&*position, &mut rng);
                if legal.iter().any(wins) {
                    assert!(wins(&action));
                    won += 1;
                } else if legal.iter().any(gain) {
                    assert!(gain(&action));
                    took += 1;
                } else {
                    free += 1;
                }
                position.play(action);
            }
        }
        assert!(took > 50 && won > 20 && free > 200, "{took} {won} {free}");
    }

    #[test]
    fn a_game_without_a_count_is_refused() {
        let hex: GameSpec = toml::from_str("hex = { size = 5 }").unwrap();
        assert!(matches!(Taker::new(&hex.build()), Err(PlayerError::Unsuited { .. })));
    }
}
