//! Rules. One file is one game; everything above sees a [`Position`] and a [`Game`] and never a concrete type.
//!
//! To add a game: a file with a [`State`] and a [`Game`], then one variant and one arm of [`GameSpec`].
//! The conformance kit runs on [`GameSpec::examples`].

mod topology;
mod view;

use crate::base::{Action, Outcome, Rng, Side};
pub use topology::Topology;
pub use view::{Piece, View};

/// A position as the author of a game writes it.
///
/// Laws (tested by the conformance kit): `actions` is empty exactly when `outcome` is some; an action
/// from `actions` may be played; `outcome_after(a)` equals the outcome after `play(a)`.
pub trait State: Clone + Send + Sync + 'static {
    /// Who is to move.
    fn side(&self) -> Side;
    /// Appends the legal actions, ascending; none when the game is over.
    fn actions(&self, into: &mut Vec<Action>);
    /// Plays a legal action. An illegal one is a bug of the caller.
    fn play(&mut self, action: Action);
    /// How the game ended, if it has.
    fn outcome(&self) -> Option<Outcome>;
    /// Writes the neutral view of this position into a reused buffer.
    fn view(&self, view: &mut View);
    /// How the game would end if `action` were played now, if it would.
    ///
    /// The default plays on a copy; games override it with a local test (one-ply players live on it).
    fn outcome_after(&self, action: Action) -> Option<Outcome> {
        let mut next = self.clone();
        next.play(action);
        next.outcome()
    }
}

/// A position of any game. Nobody implements it by hand: every [`State`] is one.
pub trait Position: Send + Sync {
    /// Who is to move.
    fn side(&self) -> Side;
    /// Appends the legal actions, ascending; none when the game is over.
    fn actions(&self, into: &mut Vec<Action>);
    /// Plays a legal action.
    fn play(&mut self, action: Action);
    /// How the game ended, if it has.
    fn outcome(&self) -> Option<Outcome>;
    /// Writes the neutral view of this position into a reused buffer.
    fn view(&self, view: &mut View);
    /// How the game would end if `action` were played now, if it would.
    fn outcome_after(&self, action: Action) -> Option<Outcome>;
    /// An independent copy.
    fn fork(&self) -> Box<dyn Position>;
    /// Plays uniformly random legal actions on a copy until the game ends; one virtual call a play-out.
    fn rollout(&self, rng: &mut Rng) -> Outcome;
}

impl<S: State> Position for S {
    fn side(&self) -> Side {
        State::side(self)
    }
    fn actions(&self, into: &mut Vec<Action>) {
        State::actions(self, into);
    }
    fn play(&mut self, action: Action) {
        State::play(self, action);
    }
    fn outcome(&self) -> Option<Outcome> {
        State::outcome(self)
    }
    fn view(&self, view: &mut View) {
        State::view(self, view);
    }
    fn outcome_after(&self, action: Action) -> Option<Outcome> {
        State::outcome_after(self, action)
    }
    fn fork(&self) -> Box<dyn Position> {
        Box::new(self.clone())
    }
    fn rollout(&self, rng: &mut Rng) -> Outcome {
        use rand::seq::IndexedRandom;
        let mut state = self.clone();
        let mut actions = Vec::new();
        loop {
            if let Some(outcome) = State::outcome(&state) {
                return outcome;
            }
            actions.clear();
            State::actions(&state, &mut actions);
            let action = actions.choose(rng).expect("a game that is not over has a legal action");
            State::play(&mut state, *action);
        }
    }
}

/// The static facts of a game's rules at one board size.
pub trait Game: Send + Sync {
    /// The rules and the size, for people: `atari-go 7x7`.
    fn name(&self) -> String;
    /// The starting position.
    fn start(&self) -> Box<dyn Position>;
    /// Sites, neighbours and symmetries of the board.
    fn topology(&self) -> &Topology;
    /// Number of actions; every action's index is below it.
    fn action_count(&self) -> usize;
    /// An action as people write it.
    fn action_name(&self, action: Action) -> String;
    /// The action that people write so, if there is one.
    fn parse_action(&self, name: &str) -> Option<Action>;
}
