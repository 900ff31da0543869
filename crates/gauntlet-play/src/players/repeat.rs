//! The check of engines that are declared deterministic: a whole game is asked again, of a process that has played no other.
//!
//! The second game of a job is asked, if there is one. A generator that the engine sets up at its start, and that goes on
//! from game to game, then gives other moves; so does one that differs between processes, or acts late in a game.

use crate::engines::{Ask, shown};
use gauntlet_games::base::{Action, Seed};
use gauntlet_games::games::Game;

/// Games that are noted.
const GAMES: usize = 2;

/// The first games of a job, until one is asked again.
#[derive(Debug)]
pub struct Repeat {
    is_wanted: bool,
    games: Vec<Noted>,
}

/// A game with the engine's moves.
#[derive(Debug)]
struct Noted {
    game: usize,
    is_over: bool,
    asked: Vec<Asked>,
}

/// A position and the engine's move there.
#[derive(Debug)]
pub struct Asked {
    game: usize,
    start: Option<String>,
    actions: Vec<Action>,
    stream: Seed,
    chosen: Option<Action>,
}

impl Repeat {
    /// A check, or none.
    #[must_use]
    pub fn new(is_wanted: bool) -> Repeat {
        Repeat { is_wanted, games: Vec::new() }
    }

    /// Notes a decision, if it belongs to the first games.
    pub fn note(&mut self, ask: &Ask<'_>, chosen: Option<Action>) {
        if !self.is_wanted {
            return;
        }
        let Ask { game, stream, .. } = *ask;
        let (start, actions) = (ask.start.map(str::to_owned), ask.actions.to_vec());
        let asked = Asked { game, start, actions, stream, chosen };
        // The number of a game that is over may be used again.
        let known = self.games.iter().position(|noted| noted.game == game && !noted.is_over);
        match known {
            Some(at) => self.games[at].asked.push(asked),
            None if self.games.len() < GAMES => self.games.push(Noted { game, is_over: false, asked: vec![asked] }),
            None => {}
        }
    }

    /// Ends a game.
    pub fn end(&mut self, game: usize) {
        self.games.iter_mut().filter(|noted| noted.game == game).for_each(|noted| noted.is_over = true);
    }

    /// The moves to ask again, once: those of the second game when it is over, or of the last one when no other follows.
    pub fn due(&mut self, is_last: bool) -> Option<Vec<Asked>> {
        let least = if is_last { 0 } else { GAMES - 1 };
        let at = self.games.iter().rposition(|noted| noted.is_over).filter(|&at| at >= least)?;
        self.is_wanted = false;
        let noted = self.games.swap_remove(at);
        self.games.clear();
        Some(noted.asked)
    }
}

/// Asks moves again, in their order. Returns the fault, if a move differs.
///
/// # Errors
/// Those of `decide`.
pub fn difference<E>(
    asked: &[Asked],
    rules: &dyn Game,
    mut decide: impl FnMut(Ask<'_>) -> Result<Option<Action>, E>,
) -> Result<Option<String>, E> {
    for Asked { game, start, actions, stream, chosen } in asked {
        let Ok(mut position) = rules.begin(start.as_deref()) else { continue };
        actions.iter().for_each(|&action| position.play(action));
        let (game, stream, position) = (*game, *stream, &*position);
        let again = decide(Ask { game, start: start.as_deref(), actions, position, stream, clock: None })?;
        if again != *chosen {
            let name = |action: Option<Action>| {
                action.map_or_else(|| "to resign".to_owned(), |action| shown(&rules.action_name(action)))
            };
            return Ok(Some(format!(
                "is declared deterministic, but after {} plies of a game it chose {}, and a second process chose {} in the \
                 same game: leave `deterministic` out",
                actions.len(),
                name(*chosen),
                name(again)
            )));
        }
    }
    Ok(None)
}
