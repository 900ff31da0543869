//! Played games in and out of files: JSON lines and PGN for every game, SGF for stone games; openings from any of
//! these and from EPD; the results of games in files of any tournament tool; and metrics for TensorBoard.
//!
//! Files come from outside, so everything is checked at the door: sizes, text, and every move by the rules. It plays
//! nothing and knows no player and no rating; what a file tells of one game is a [`Transcript`], what it tells of how
//! games shall begin is an [`Opening`], what files tell of who beat whom are [`results::GameResults`]. Which format a file
//! has is told by its name when it is written ([`write()`]) and read for openings ([`openings`]).

mod book;
pub mod epd;
mod fault;
mod lines;
mod opening;
pub mod pgn;
pub mod records;
pub mod results;
pub mod sgf;
pub mod tensorboard;
mod text;
mod write;

use crate::base::{Action, Ending, Outcome};
use crate::games::{Game, Offsite, Position};
pub use book::openings;
pub use fault::{Fault, FormatError};
pub use opening::Opening;
pub use text::decode;
pub use write::{ENDINGS, write};

/// Files larger than this are refused, in bytes.
pub const LARGEST: usize = 256 << 20;

/// One game as a file tells it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Transcript {
    /// Names of the players, first side first; empty where the file has none.
    pub names: [String; 2],
    /// The position that was set up, as the game writes it; `None` for the start by the rules.
    pub start: Option<String>,
    /// Every action, in order.
    pub actions: Vec<Action>,
    /// How many of the actions an opening gave.
    pub opening: u32,
    /// How the game ended, if it did.
    pub outcome: Option<Outcome>,
    /// Why it was over, as far as the format tells.
    pub ending: Ending,
}

fn check_size(bytes: &[u8]) -> Result<(), FormatError> {
    let is_small = bytes.len() <= LARGEST;
    is_small.then_some(()).ok_or_else(|| Fault::TooLarge { what: "a file", size: bytes.len(), most: LARGEST }.at(1))
}

/// The position that a game begins with.
///
/// # Errors
/// [`Fault::Position`] for a text that is no position of the game.
fn begin(game: &dyn Game, start: Option<&str>) -> Result<Box<dyn Position>, Fault> {
    let fault = |error| Fault::Position { text: start.unwrap_or_default().to_owned(), error };
    game.begin(start).map_err(fault)
}

/// Replays actions from a position; `line_of(i)` is where action `i` stands.
///
/// # Errors
/// [`Fault::Illegal`] for an action that the rules do not allow there, an action after the end included.
fn replay(
    game: &dyn Game,
    mut position: Box<dyn Position>,
    actions: &[Action],
    line_of: impl Fn(usize) -> usize,
) -> Result<Box<dyn Position>, FormatError> {
    let mut legal = Vec::new();
    for (at, &action) in actions.iter().enumerate() {
        step(game, &mut *position, action, at + 1, &mut legal).map_err(|fault| fault.at(line_of(at)))?;
    }
    Ok(position)
}

/// Plays an action, number `ply` of its game from 1; `legal` is room for the legal ones.
///
/// # Errors
/// [`Fault::Illegal`] for an action that the rules do not allow there.
fn step(
    game: &dyn Game,
    position: &mut dyn Position,
    action: Action,
    ply: usize,
    legal: &mut Vec<Action>,
) -> Result<(), Fault> {
    legal.clear();
    position.actions(legal);
    if legal.binary_search(&action).is_err() {
        let named = action.index() < game.action_count();
        let name = if named { game.action_name(action) } else { action.index().to_string() };
        return Err(Fault::Illegal { ply, name });
    }
    position.play(action);
    Ok(())
}

/// The pass of a side that can do nothing else. Many files do not write it.
fn forced_pass(game: &dyn Game, position: &dyn Position) -> Option<Action> {
    let mut legal = Vec::new();
    position.actions(&mut legal);
    let [only] = legal[..] else { return None };
    (game.offsite(only) == Some(Offsite::Pass)).then_some(only)
}

/// What the rules say of the end of a game, against what the file says: the rules have the last word. `sides` are the
/// names of the sides, and `advice` is added to the fault.
///
/// # Errors
/// [`Fault::WrongResult`] when a game that is over by the rules ended otherwise.
fn settle(
    ended: Option<Outcome>,
    told: Option<Outcome>,
    sides: [&'static str; 2],
    advice: &'static str,
) -> Result<Option<Outcome>, Fault> {
    match (ended, told) {
        (Some(ended), Some(told)) if ended != told => Err(Fault::WrongResult { ended, told, sides, advice }),
        (ended, told) => Ok(ended.or(told)),
    }
}
