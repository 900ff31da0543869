//! The check of engines that are declared deterministic: the first moves of one game are asked again, as a new game.

use crate::engines::{Ask, shown};
use gauntlet_games::base::{Action, Seed};
use gauntlet_games::games::Game;

/// Positions that are asked twice.
const POSITIONS: usize = 8;

/// The moves of one game, until they are asked again.
#[derive(Debug)]
pub struct Repeat {
    is_wanted: bool,
    game: Option<usize>,
    is_over: bool,
    asked: Vec<Asked>,
}

/// A position and the engine's move there.
#[derive(Debug)]
struct Asked {
    start: Option<String>,
    actions: Vec<Action>,
    stream: Seed,
    chosen: Option<Action>,
}

impl Repeat {
    /// A check, or none.
    #[must_use]
    pub fn new(is_wanted: bool) -> Repeat {
        Repeat { is_wanted, game: None, is_over: false, asked: Vec::new() }
    }

    /// Notes a decision, if it belongs to the first game.
    pub fn note(&mut self, ask: &Ask<'_>, chosen: Option<Action>) {
        let is_of_game = *self.game.get_or_insert(ask.game) == ask.game && !self.is_over;
        if self.is_wanted && is_of_game && self.asked.len() < POSITIONS {
            let start = ask.start.map(str::to_owned);
            self.asked.push(Asked { start, actions: ask.actions.to_vec(), stream: ask.stream, chosen });
        }
    }

    /// Ends a game.
    pub fn end(&mut self, game: usize) {
        self.is_over |= self.game == Some(game);
    }

    /// The game to ask again, if it is over.
    #[must_use]
    pub fn due(&self) -> Option<usize> {
        self.game.filter(|_| self.is_wanted && self.is_over)
    }

    /// Asks the moves again, in their order. Returns the fault, if a move differs.
    ///
    /// # Errors
    /// Those of `decide`.
    pub fn check<E>(
        &mut self,
        rules: &dyn Game,
        mut decide: impl FnMut(Ask<'_>) -> Result<Option<Action>, E>,
    ) -> Result<Option<String>, E> {
        let game = self.game.unwrap_or_default();
        for Asked { start, actions, stream, chosen } in self.asked.drain(..) {
            let Ok(mut position) = rules.begin(start.as_deref()) else { continue };
            actions.iter().for_each(|&action| position.play(action));
            let (start, actions, position) = (start.as_deref(), &actions[..], &*position);
            let again = decide(Ask { game, start, actions, position, stream, clock: None })?;
            if again != chosen {
                let name = |action: Option<Action>| {
                    action.map_or_else(|| "to resign".to_owned(), |action| shown(&rules.action_name(action)))
                };
                let (first, second) = (name(chosen), name(again));
                return Ok(Some(format!(
                    "is declared deterministic, but after {} plies of a game it chose {first}, and {second} in the same \
                     game again: leave `deterministic` out",
                    actions.len()
                )));
            }
        }
        self.is_wanted = false;
        Ok(None)
    }
}
