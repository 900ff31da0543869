//! Rules. One file is one game; everything above sees a [`Position`] and a [`Game`] and never a concrete type.
//!
//! To add a game: a file with a [`State`] and a [`Game`], then one variant and one arm of [`GameSpec`].
//! The conformance kit runs on [`GameSpec::examples`].

mod atari_go;
mod board;
pub mod conformance;
mod gomoku;
mod groups;
mod lines;
mod notation;
mod pente;
mod sites;
mod size;
mod spec;
mod square;
mod topology;
mod view;

use std::any::Any;

use rand::RngExt as _;

use crate::base::{Action, Outcome, Rng, Side};
pub use atari_go::{AtariGo, AtariGoSpec};
pub use gomoku::{Gomoku, GomokuSpec};
pub use pente::{Pente, PenteRules, PenteSpec};
pub use sites::SiteSet;
pub use size::{BoardSize, OutOfRange, RowLength};
pub use spec::GameSpec;
pub use square::SquareGame;
pub use topology::Topology;
pub use view::{Piece, View};

/// A position as the author of a game writes it.
///
/// Laws (tested by the conformance kit): `actions` is empty exactly when `outcome` is some; an action
/// from `actions` may be played; `outcome_after(a)` equals the outcome after `play(a)`; `decisive` lists
/// exactly the actions that `outcome_after` calls decided.
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
    /// A uniformly random legal action of a position that is not over.
    ///
    /// The default lists them all; games override it where they can draw without a list.
    fn random_action(&self, rng: &mut Rng) -> Action {
        let mut actions = Vec::new();
        self.actions(&mut actions);
        actions[rng.random_range(0..actions.len())]
    }
    /// Appends the actions that win at once, and those that lose at once, for the side to move; ascending.
    ///
    /// The default tries every action; games override it where they know where to look.
    fn decisive(&self, wins: &mut Vec<Action>, losses: &mut Vec<Action>) {
        let mut actions = Vec::new();
        self.actions(&mut actions);
        for action in actions {
            match self.outcome_after(action) {
                Some(Outcome::Win(winner)) if winner == self.side() => wins.push(action),
                Some(Outcome::Win(_)) => losses.push(action),
                Some(Outcome::Draw) | None => {}
            }
        }
    }
}

/// A position of any game. Nobody implements it by hand: every [`State`] is one.
pub trait Position: Any + Send + Sync {
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
    /// A uniformly random legal action of a position that is not over.
    fn random_action(&self, rng: &mut Rng) -> Action;
    /// Appends the actions that win at once, and those that lose at once, for the side to move; ascending.
    fn decisive(&self, wins: &mut Vec<Action>, losses: &mut Vec<Action>);
    /// An independent copy.
    fn fork(&self) -> Box<dyn Position>;
    /// Becomes a copy of another position, in the memory it already has. Not if that is one of another kind of game:
    /// then nothing happens, and the answer is false.
    fn assign(&mut self, from: &dyn Position) -> bool;
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
    fn random_action(&self, rng: &mut Rng) -> Action {
        State::random_action(self, rng)
    }
    fn decisive(&self, wins: &mut Vec<Action>, losses: &mut Vec<Action>) {
        State::decisive(self, wins, losses);
    }
    fn fork(&self) -> Box<dyn Position> {
        Box::new(self.clone())
    }
    fn assign(&mut self, from: &dyn Position) -> bool {
        let from: &dyn Any = from;
        let state = from.downcast_ref::<S>();
        state.inspect(|state| self.clone_from(state)).is_some()
    }
    fn rollout(&self, rng: &mut Rng) -> Outcome {
        let mut state = self.clone();
        loop {
            if let Some(outcome) = State::outcome(&state) {
                return outcome;
            }
            let action = State::random_action(&state, rng);
            State::play(&mut state, action);
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
