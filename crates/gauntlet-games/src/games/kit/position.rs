//! The traits of a position: [`State`], which a game implements, and [`Position`], which all callers use.

use std::any::Any;

use rand::RngExt as _;

use super::{Lookback, Past, Piece, SetUpError, View, key};
use crate::base::{Action, Outcome, Rng, Side};

/// A position as a game implements it.
///
/// Laws (tested by the conformance kit): `actions` is empty exactly when `outcome` is some; an action from `actions`
/// may be played; `outcome_after(a)` equals the outcome after `play(a)`; `decisive` lists exactly the actions for
/// which `outcome_after` returns a win or a loss; `lead_after(a)` equals the lead after `play(a)`; keys are equal
/// exactly when side, pieces, scalars and legal actions are.
pub trait State: Clone + Send + Sync + 'static {
    /// The side to move.
    fn side(&self) -> Side;
    /// Appends the legal actions, ascending; none when the game is over.
    fn actions(&self, into: &mut Vec<Action>);
    /// Plays a legal action. An illegal one is a bug of the caller.
    fn play(&mut self, action: Action);
    /// How the game ended, if it has.
    fn outcome(&self) -> Option<Outcome>;
    /// Writes the neutral view of this position into a reused buffer.
    fn view(&self, view: &mut View);
    /// Writes the history into a reused buffer: the wanted part, as far as [`Game::keeps`](super::Game::keeps)
    /// includes it.
    ///
    /// The default takes the last action from the view; games that keep more override it.
    fn past(&self, wanted: Lookback, past: &mut Past) {
        past.clear();
        if wanted.actions > 0 {
            self.view(&mut past.view);
            past.actions.extend(past.view.last);
        }
    }
    /// A hash that distinguishes the positions of one game, on boards of any size, for caches. It depends only on the
    /// number of sites, side to move, pieces, counts, scalars and legal actions (so on a present ko). It ignores
    /// earlier moves, which a cache has to add if an encoder looks back, and the history that forbids later actions.
    ///
    /// The default hashes view and actions; games override it with a cheaper computation.
    fn key(&self) -> u128 {
        let (mut view, mut actions) = (View::new(), Vec::new());
        self.view(&mut view);
        self.actions(&mut actions);
        key::of(&view, &actions)
    }
    /// Whether the rules read more than the key holds: earlier positions (repetition, superko) or the number of plies.
    /// If false, two positions of one game with the same key have the same future.
    ///
    /// The default is true, which is always safe: it only keeps searches from sharing values between positions.
    fn has_history(&self) -> bool {
        true
    }
    /// The lead of `side` by the count that the game's doc defines, negative if behind; `None` for games without a
    /// count.
    fn lead(&self, _side: Side) -> Option<f64> {
        None
    }
    /// The lead of the side to move after `action`.
    ///
    /// The default plays on a copy; games override it with a local computation.
    fn lead_after(&self, action: Action) -> Option<f64> {
        let mut next = self.clone();
        next.play(action);
        next.lead(self.side())
    }
    /// The position with these pieces, one to a site, and this side to move, without a history, on the same board and
    /// under the same rules.
    ///
    /// # Errors
    /// If the game has no setup, or not this position.
    fn set_up(&self, _pieces: &[Piece], _side: Side) -> Result<Self, SetUpError> {
        Err(SetUpError::Unsupported)
    }
    /// The outcome if `action` were played now and ended the game.
    ///
    /// The default plays on a copy; games override it with a local test (one-ply players depend on it).
    fn outcome_after(&self, action: Action) -> Option<Outcome> {
        let mut next = self.clone();
        next.play(action);
        next.outcome()
    }
    /// A uniformly random legal action of a position that is not over.
    ///
    /// The default lists all actions; games override it if they can draw without a list.
    fn random_action(&self, rng: &mut Rng) -> Action {
        let mut actions = Vec::new();
        self.actions(&mut actions);
        actions[rng.random_range(0..actions.len())]
    }
    /// Appends the actions that win at once, and those that lose at once, for the side to move; ascending.
    ///
    /// The default tries every action; games override it if they track these actions.
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

/// A position of any game. Every [`State`] implements it; do not implement it directly.
pub trait Position: Any + Send + Sync {
    /// The side to move.
    fn side(&self) -> Side;
    /// Appends the legal actions, ascending; none when the game is over.
    fn actions(&self, into: &mut Vec<Action>);
    /// Plays a legal action.
    fn play(&mut self, action: Action);
    /// How the game ended, if it has.
    fn outcome(&self) -> Option<Outcome>;
    /// Writes the neutral view of this position into a reused buffer.
    fn view(&self, view: &mut View);
    /// Writes the history into a reused buffer: see [`State::past`].
    fn past(&self, wanted: Lookback, past: &mut Past);
    /// A hash that distinguishes the positions of one game: see [`State::key`].
    fn key(&self) -> u128;
    /// Whether the rules read more than the key holds: see [`State::has_history`].
    fn has_history(&self) -> bool;
    /// The lead of `side` by the game's count, if it has one: see [`State::lead`].
    fn lead(&self, side: Side) -> Option<f64>;
    /// The lead of the side to move after a legal action.
    fn lead_after(&self, action: Action) -> Option<f64>;
    /// The outcome if `action` were played now and ended the game.
    fn outcome_after(&self, action: Action) -> Option<Outcome>;
    /// A uniformly random legal action of a position that is not over.
    fn random_action(&self, rng: &mut Rng) -> Action;
    /// Appends the actions that win at once, and those that lose at once, for the side to move; ascending.
    fn decisive(&self, wins: &mut Vec<Action>, losses: &mut Vec<Action>);
    /// An independent copy.
    fn fork(&self) -> Box<dyn Position>;
    /// Becomes a copy of another position and reuses its own memory. If `from` belongs to another type of game,
    /// nothing happens and the result is false.
    fn assign(&mut self, from: &dyn Position) -> bool;
    /// Plays uniformly random legal actions on a copy until the game ends or `most` are played, in one virtual call
    /// per play-out. Returns `None` if the game is not over by then.
    fn rollout_within(&self, rng: &mut Rng, most: u32) -> Option<Outcome>;
}

impl dyn Position {
    /// Plays uniformly random legal actions on a copy until the game ends.
    #[must_use]
    #[inline]
    pub fn rollout(&self, rng: &mut Rng) -> Outcome {
        self.rollout_within(rng, u32::MAX).expect("a game ends")
    }

    /// A hash that distinguishes the positions of one game together with the history that `lookback` covers; `past`
    /// is a buffer.
    #[must_use]
    #[inline]
    pub fn key_with(&self, lookback: Lookback, past: &mut Past) -> u128 {
        if lookback == Lookback::NONE {
            return self.key();
        }
        self.past(lookback, past);
        past.mixed(self.key())
    }

    /// The concrete position, if it is one of type `S`.
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
    fn has_history(&self) -> bool {
        State::has_history(self)
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
