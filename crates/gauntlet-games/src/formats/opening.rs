//! What a game begins with.

use crate::base::Action;
use crate::games::Game;

/// What a game begins with before anybody is asked: perhaps a position that is set up, then given actions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Opening {
    /// What people call it, for messages.
    pub name: Option<String>,
    /// The position, as the game writes it; `None` for the start by the rules.
    pub start: Option<String>,
    /// Legal actions from there.
    pub actions: Vec<Action>,
}

impl Opening {
    /// Whether it ends the game.
    ///
    /// # Panics
    /// For an opening of another game.
    #[must_use]
    pub fn is_over(&self, game: &dyn Game) -> bool {
        let mut position = game.begin(self.start.as_deref()).expect("the opening was read for this game");
        self.actions.iter().for_each(|&action| position.play(action));
        position.outcome().is_some()
    }
}
