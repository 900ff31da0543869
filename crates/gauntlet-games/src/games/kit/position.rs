//! A position: as the author of a game writes it, and as everything above sees it.

use std::any::Any;

use rand::RngExt as _;

use super::{Lookback, Past, Piece, SetUpError, View, key};
use crate::base::{Action, Outcome, Rng, Side};

/// A position as the author of a game writes it.
///
/// Laws (tested by the conformance kit): `actions` is empty exactly when `outcome` is some; an action
/// from `actions` may be played; `outcome_after(a)` equals the outcome after `play(a)`; `decisive` lists
/// exactly the actions that `outcome_after` calls decided; `lead_after(a)` equals the lead after `play(a)`; keys are
/// equal exactly where side, pieces, scalars and legal actions are.
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
    /// Writes what was played into a reused buffer: of what is asked for, as much as there is and as [`Game::keeps`](super::Game::keeps) says.
    ///
    /// The default knows the last action, from the view; games that keep more override it.
    fn past(&self, wanted: Lookback, past: &mut Past) {
        past.clear();
        if wanted.actions > 0 {
            self.view(&mut past.view);
            past.actions.extend(past.view.last);
        }
    }
    /// A number that tells the positions of one game apart, on boards of any size, for caches: a function of the
    /// number of sites, side to move, pieces, counts, scalars and legal actions (so of what ko forbids now), and of nothing
    /// else: not of what was played before, which a cache has to add where an encoder looks back, and not of the history
    /// that forbids actions later.
    ///
    /// The default asks for view and actions; games override it with what is cheaper.
    fn key(&self) -> u128 {
        let (mut view, mut actions) = (View::new(), Vec::new());
        self.view(&mut view);
        self.actions(&mut actions);
        key::of(&view, &actions)
    }
    /// How far `side` is ahead by the count that the game's doc names, and its opponent behind; where it has none, `None`.
    fn lead(&self, _side: Side) -> Option<f64> {
        None
    }
    /// The lead of the side to move after `action`.
    ///
    /// The default plays on a copy; games override it where a local look will do.
    fn lead_after(&self, action: Action) -> Option<f64> {
        let mut next = self.clone();
        next.play(action);
        next.lead(self.side())
    }
    /// The position with these pieces, one to a site, and this side to move, without a history, on the board and
    /// under the rules of this one.
    ///
    /// # Errors
    /// When the game has no such positions, or cannot have this one.
    fn set_up(&self, _pieces: &[Piece], _side: Side) -> Result<Self, SetUpError> {
        Err(SetUpError::Unsupported)
    }
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
    /// Writes what was played before into a reused buffer: see [`State::past`].
    fn past(&self, wanted: Lookback, past: &mut Past);
    /// A number that tells the positions of one game apart: see [`State::key`].
    fn key(&self) -> u128;
    /// How far `side` is ahead by the game's count, if it has one: see [`State::lead`].
    fn lead(&self, side: Side) -> Option<f64>;
    /// The lead of the side to move after a legal action.
    fn lead_after(&self, action: Action) -> Option<f64>;
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
    /// Plays uniformly random legal actions on a copy until the game ends, or `most` are played; one virtual call a
    /// play-out. Nothing where the game is not over by then.
    fn rollout_within(&self, rng: &mut Rng, most: u32) -> Option<Outcome>;
}

impl dyn Position {
    /// Plays uniformly random legal actions on a copy until the game ends.
    #[must_use]
    #[inline]
    pub fn rollout(&self, rng: &mut Rng) -> Outcome {
        self.rollout_within(rng, u32::MAX).expect("a game ends")
    }

    /// A number that tells apart the positions of one game together with what was played before, as far as somebody
    /// looks back; `past` is room to work in.
    #[must_use]
    #[inline]
    pub fn key_with(&self, lookback: Lookback, past: &mut Past) -> u128 {
        if lookback == Lookback::NONE {
            return self.key();
        }
        self.past(lookback, past);
        past.mixed(self.key())
    }

    /// The position as that of one game, if it is.
    #[must_use]
    #[inline]
    pub fn state<S: State>(&self) -> Option<&S> {
        let any: &dyn Any = self;
        any.downcast_ref()
    }
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
    fn past(&self, wanted: Lookback, past: &mut Past) {
        State::past(self, wanted, past);
    }
    fn key(&self) -> u128 {
        State::key(self)
    }
    fn lead(&self, side: Side) -> Option<f64> {
        State::lead(self, side)
    }
    fn lead_after(&self, action: Action) -> Option<f64> {
        State::lead_after(self, action)
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
        from.state::<S>().inspect(|state| self.clone_from(state)).is_some()
    }
    fn rollout_within(&self, rng: &mut Rng, most: u32) -> Option<Outcome> {
        let mut state = self.clone();
        for _ in 0..most {
            if let Some(outcome) = State::outcome(&state) {
                return Some(outcome);
            }
            let action = State::random_action(&state, rng);
            State::play(&mut state, action);
        }
        State::outcome(&state)
    }
}
