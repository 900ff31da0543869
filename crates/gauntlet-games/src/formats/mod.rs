//! File formats of games: JSON lines and PGN for every game, SGF for stone games; openings from any of these and from
//! EPD; results of games from files of any tournament tool; and metrics for TensorBoard.
//!
//! Input is untrusted, so sizes, text, and every move are checked on reading. This room plays nothing and depends on
//! no player and no rating. A [`Transcript`] holds one game, an [`Opening`] a beginning of games,
//! [`results::GameResults`] the results of many games. The file name determines the format for writing ([`write()`])
//! and for reading openings ([`openings`]).

mod book;
pub mod epd;
mod fault;
mod lines;
mod opening;
pub mod pgn;
pub mod records;
pub mod results;
pub mod sgf;
mod stated;
pub mod tensorboard;
mod text;
mod write;

use crate::base::{Action, Ending, Outcome};
use crate::games::{Game, Offsite, Position, SetUpError};
pub use book::openings;
pub use fault::{Fault, FormatError};
pub use opening::Opening;
pub use stated::{LeftOut, StatedResult};
pub use text::decode;
pub use write::{ENDINGS, write};

/// Maximum size of a file in bytes.
pub const LARGEST: usize = 256 << 20;

/// One game as read from a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Transcript {
    /// Names of the players, first side first; empty if missing.
    pub names: [String; 2],
    /// The position that was set up, in the game's notation; `None` for the start by the rules.
    pub start: Option<String>,
    /// Every action, in order.
    pub actions: Vec<Action>,
    /// Number of actions that an opening gave.
    pub opening: u32,
    /// The outcome, if the game has ended.
    pub outcome: Option<Outcome>,
    /// Why it ended, as far as the format records it.
    pub ending: Ending,
}

fn check_size(bytes: &[u8]) -> Result<(), FormatError> {
    let is_small = bytes.len() <= LARGEST;
    is_small.then_some(()).ok_or_else(|| Fault::TooLarge { what: "a file", size: bytes.len(), most: LARGEST }.at(1))
}

/// The initial position of a game.
///
/// # Errors
/// [`Fault::Position`] for a text that is not a position of the game.
fn begin(game: &dyn Game, start: Option<&str>) -> Result<Box<dyn Position>, Fault> {
    let fault =
        |error: SetUpError| Fault::Position { text: start.unwrap_or_default().to_owned(), error: game.reason(error) };
    game.begin(start).map_err(fault)
}

/// Replays actions from a position; `line_of(i)` is the line of action `i`.
///
/// # Errors
/// A fault for an illegal action, including an action after the end.
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

/// Plays an action, number `ply` of its game from 1; `legal` is a buffer for the legal actions.
///
/// # Errors
/// A fault for an illegal action.
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
        return Err(if position.outcome().is_some() {
            after_end(game, ply, &name)
        } else {
            Fault::Illegal { ply, name }
        });
    }
    position.play(action);
    Ok(())
}

/// The fault of a move after the end of its game.
fn after_end(game: &dyn Game, ply: usize, name: &str) -> Fault {
    Fault::Form(format!("move {ply}, {name}, comes after the end of the game by the rules of {}", game.name()))
}

/// The pass of a side that has no other action. Many files omit it.
fn forced_pass(game: &dyn Game, position: &dyn Position) -> Option<Action> {
    let mut legal = Vec::new();
    position.actions(&mut legal);
    let [only] = legal[..] else { return None };
    (game.offsite(only) == Some(Offsite::Pass)).then_some(only)
}

/// The outcome by the rules, or else by the file. `sides` are the names of the sides, and `advice` is added to the
/// fault.
///
/// # Errors
/// [`Fault::WrongResult`] if the file contradicts the rules about a game that has ended.
fn settle(
    ended: Option<Outcome>,
    stated: Option<Outcome>,
    sides: [&'static str; 2],
    advice: &'static str,
) -> Result<Option<Outcome>, Fault> {
    match (ended, stated) {
        (Some(ended), Some(stated)) if ended != stated => Err(Fault::WrongResult { ended, stated, sides, advice }),
        (ended, stated) => Ok(ended.or(stated)),
    }
}
