//! Openings of games.

use crate::base::Action;
use crate::games::Game;

/// The given beginning of a game: optionally a position that is set up, then given actions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Opening {
    /// Its name, for messages.
    pub name: Option<String>,
    /// The position, in the game's notation; `None` for the start by the rules.
    pub start: Option<String>,
    /// Legal actions from there.
    pub actions: Vec<Action>,
}

impl Opening {
    /// Whether the game is over after it.
    ///
    /// # Panics
    /// If the opening is for another game.
    #[must_use]
    pub fn is_over(&self, game: &dyn Game) -> bool {
        let mut position = game.begin(self.start.as_deref()).expect("the opening was read for this game");
        self.actions.iter().for_each(|&action| position.play(action));
        position.outcome().is_some()
    }
}
