//! Common parts of the protocols that know one game and one move at a time: GTP, UCI and Gomocup's.

use super::engine::{Ask, Reply};
use super::error::{EngineError, shown};
use super::process::Process;
use gauntlet_games::base::Action;
use gauntlet_games::games::Game;

/// Longest line of such an engine, in bytes.
pub const LONGEST_LINE: usize = 1 << 16;

/// A game as the engine knows it: the actions that it has on its board.
#[derive(Debug, Default)]
pub struct OnBoard {
    game: Option<usize>,
    actions: Vec<Action>,
}

impl OnBoard {
    /// The actions that the engine lacks, if it knows the beginning of this game; `None` if it needs a new game.
    #[must_use]
    pub fn missing<'a>(&self, ask: &Ask<'a>) -> Option<&'a [Action]> {
        let is_same = self.game == Some(ask.game);
        ask.actions.strip_prefix(&self.actions[..]).filter(|_| is_same)
    }

    /// Sets the game and its actions.
    pub fn set(&mut self, ask: &Ask<'_>) {
        self.game = Some(ask.game);
        self.actions.clear();
        self.actions.extend_from_slice(ask.actions);
    }

    /// Adds the engine's own move.
    pub fn add(&mut self, action: Action) {
        self.actions.push(action);
    }

    /// Ends the game.
    pub fn end(&mut self, games: &[usize]) {
        if self.game.is_some_and(|game| games.contains(&game)) {
            *self = OnBoard::default();
        }
    }
}

/// Whether a game is of a kind: the first word of its name.
pub fn is_kind(game: &dyn Game, kind: &str) -> bool {
    game.name().split(' ').next() == Some(kind)
}

/// A move as text: an error that names it, if it is not legal.
pub fn chosen(process: &Process, game: &dyn Game, ask: &Ask<'_>, text: &str) -> Result<Action, EngineError> {
    let named = game.parse_action(text).filter(|&action| is_legal(ask, action));
    named.or_else(|| game.read_move(ask.position, text)).ok_or_else(|| illegal(process, ask, text))
}

/// Whether an action is legal.
pub fn is_legal(ask: &Ask<'_>, action: Action) -> bool {
    let mut legal = Vec::new();
    ask.position.actions(&mut legal);
    legal.binary_search(&action).is_ok()
}

/// The error of a move that is not legal.
pub fn illegal(process: &Process, ask: &Ask<'_>, text: &str) -> EngineError {
    let (game, plies) = (ask.game, ask.actions.len());
    process.broken(format!("chose `{}`, which is not a legal move, in game {game} after {plies} plies", shown(text)))
}

/// A reply with a move alone.
#[must_use]
pub fn plain(action: Action) -> Reply {
    Reply { action: Some(action), value: None, policy: Vec::new() }
}
