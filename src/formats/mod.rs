//! Played games in and out of files: JSON lines for every game, SGF for stone games; and the results of games in
//! files of any tournament tool, PGN among them.
//!
//! Files come from outside, so everything is checked at the door: sizes, text, and every move by the rules. It plays
//! nothing and knows no player and no rating; what a file tells of one game is a [`Transcript`], what files tell of who
//! beat whom are [`results::Results`].

mod fault;
mod opening;
pub mod pgn;
pub mod records;
pub mod results;
pub mod sgf;

use crate::base::{Action, Outcome};
use crate::games::{Game, Position};
pub use fault::{Fault, FormatError};
pub use opening::openings;

/// Files larger than this are refused, in bytes.
pub const LARGEST: usize = 256 << 20;

/// One game as a file tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transcript {
    /// Names of the players, first side first; empty where the file has none.
    pub names: [String; 2],
    /// Every action, in order.
    pub actions: Vec<Action>,
    /// How many of the actions an opening gave.
    pub opening: u32,
    /// How the game ended, if it did.
    pub outcome: Option<Outcome>,
}

/// Replays actions from the start of a game; `line_of(i)` is where action `i` stands.
///
/// # Errors
/// [`Fault::Illegal`] for an action that the rules do not allow there, an action after the end included.
fn replay(
    game: &dyn Game,
    actions: &[Action],
    line_of: impl Fn(usize) -> usize,
) -> Result<Box<dyn Position>, FormatError> {
    let mut position = game.start();
    let mut legal = Vec::new();
    for (at, &action) in actions.iter().enumerate() {
        legal.clear();
        position.actions(&mut legal);
        if legal.binary_search(&action).is_err() {
            let named = action.index() < game.action_count();
            let name = if named { game.action_name(action) } else { action.index().to_string() };
            return Err(Fault::Illegal { ply: at + 1, name }.at(line_of(at)));
        }
        position.play(action);
    }
    Ok(position)
}

/// What the rules say of the end of a game, against what the file says: the rules have the last word.
///
/// # Errors
/// [`Fault::WrongResult`] when a game that is over by the rules ended otherwise.
fn settle(position: &dyn Position, told: Option<Outcome>, line: usize) -> Result<Option<Outcome>, FormatError> {
    match (position.outcome(), told) {
        (Some(ended), Some(told)) if ended != told => Err(Fault::WrongResult { ended, told }.at(line)),
        (ended, told) => Ok(ended.or(told)),
    }
}
