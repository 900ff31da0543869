//! Players that decide one position at a time, and the choice among the best-scoring actions.

use rand::RngExt as _;

use super::{Player, PlayerError, Turn};
use gauntlet_games::base::{Action, Rng};
use gauntlet_games::games::Position;

/// Chooses an action for one position at a time; every chooser is a [`Player`].
pub trait Chooser: Send {
    /// An action for this position, which is not over.
    fn choose(&mut self, position: &dyn Position, rng: &mut Rng) -> Action;
}

impl<C: Chooser> Player for C {
    fn decide(&mut self, turns: &mut [Turn<'_>]) -> Result<(), PlayerError> {
        for turn in turns {
            turn.decision.action = Some(self.choose(turn.position, turn.rng));
        }
        Ok(())
    }
}

/// A uniformly random one of these actions.
pub(super) fn any(actions: &[Action], rng: &mut Rng) -> Action {
    actions[rng.random_range(0..actions.len())]
}

/// Keeps the actions with the highest score, in their order.
pub(super) fn keep_best<S: PartialOrd + Copy>(actions: &mut Vec<Action>, mut score: impl FnMut(Action) -> S) {
    let (mut most, mut kept) = (None, 0);
    for at in 0..actions.len() {
        let action = actions[at];
        let score = score(action);
        if most.is_none_or(|most| score > most) {
            (most, kept) = (Some(score), 0);
        }
        if most == Some(score) {
            actions[kept] = action;
            kept += 1;
        }
    }
    actions.truncate(kept);
}
