//! SGF (Smart Game Format, `FF[4]`) for stone games: one tree a game when writing, the main line of each tree when
//! reading.
//!
//! After <https://www.red-bean.com/sgf/>. Black is the first side. Go and Atari-Go are written as Go (`GM[1]`), Othello
//! as `GM[2]`, Gomoku and Pente as `GM[4]`, all with the rules' name in `RU`; points are two letters, column then row,
//! from the top left, with capitals from the 27th row on, and a pass is an empty point.
//! Stones on the board before the first move are set up with `AB` and `AW`, and `PL` is the side to move if it
//! differs from the game's own start. `ON` says how many plies the opening gave; `RE` ends with `R` if a player
//! resigned.
//!
//! Conventions of other programs are accepted. `tt` is a pass on boards up to 19, and Othello's passes may be
//! omitted. Passes after the end are skipped. Stones may be set up in any node before the first move. Handicap stones
//! may be Black's first moves, and the stone with which Pente begins White's first move. A property may occur twice,
//! text may surround the trees, and `RE` may hold any text. `CA` names the encoding.

mod board;
mod moves;
mod result;
mod stage;
mod tree;
mod write;

use board::{OTHELLO, numbered};
pub(super) use board::{numbered_name, points};
use moves::play;
use result::{ending, outcome, stated};
pub(super) use result::{komi, stated_by};
use stage::Stage;
use tree::parse;
pub(super) use tree::{Property, SgfNode, Trees, begins_game};
pub use write::{write, write_game};

use super::{Fault, FormatError, Transcript, decode};
use crate::games::{Game, GameSpec, Komi};

/// Reads every game of a collection as a game of `spec`, at most the first `most` plies of each; later moves are not
/// checked. Variations are skipped.
///
/// # Errors
/// [`FormatError`] for the first fault, in form or by the rules.
pub fn read(bytes: &[u8], spec: &GameSpec, most: usize) -> Result<Vec<Transcript>, FormatError> {
    let (text, game) = (decode(bytes)?, spec.build());
    let number = numbered(spec, &*game)?;
    let komi = if let GameSpec::Go(rules) = spec { Some(rules.komi.get()) } else { None };
    let wanted = Wanted { game: &*game, number, komi, is_judged: true, most };
    parse(&text)?.iter().map(|nodes| wanted.transcript(nodes)).collect()
}

/// Reads the first game of a collection under its own size and, in Go, its own komi, as far as the rules of `spec` allow
/// them. Unlike [`read`], it accepts a result that contradicts the rules, as after dead stones were removed.
///
/// # Errors
/// [`FormatError`] if there is no game, and for its first fault, in form or by the rules.
pub fn read_first(bytes: &[u8], spec: &GameSpec, most: usize) -> Result<(GameSpec, Transcript), FormatError> {
    let trees = parse(&decode(bytes)?)?;
    let nodes = trees.first().ok_or_else(|| Fault::Form("there is no game".to_owned()).at(1))?;
    let spec = adapted(&nodes[0], spec)?;
    let game = spec.build();
    let wanted = Wanted { game: &*game, number: numbered(&spec, &*game)?, komi: None, is_judged: false, most };
    let transcript = wanted.transcript(nodes)?;
    Ok((spec, transcript))
}

/// The rules with the size and the komi of a file, if the game has them. A file of another game keeps the size: the
/// check of the root reports it.
///
/// # Errors
/// For a size or a komi that the rules do not allow.
fn adapted(root: &SgfNode, spec: &GameSpec) -> Result<GameSpec, FormatError> {
    let number = board::number(spec);
    let usual = if number == Some(OTHELLO) { OTHELLO_SIZE } else { GO_SIZE };
    let is_own = numbers(root, "GM", 1)?.0.first().copied() == number.map(usize::from);
    let bad =
        |key: &str, reason: String| Fault::Form(reason).at(root.get(key).map_or(root.line, |property| property.line));
    let (sizes, _) = numbers(root, "SZ", usual)?;
    let is_square = sizes.iter().all(|&size| size == sizes[0]);
    let mut spec = match u32::try_from(sizes[0]) {
        Ok(size) if is_own && is_square => spec.resized(size).map_err(|reason| bad("SZ", reason))?,
        _ => spec.clone(),
    };
    if let GameSpec::Go(rules) = &mut spec
        && let Some(text) = root.get("KM").map(|property| property.simple_text().trim().to_owned())
        && !text.is_empty()
    {
        let unreadable = || bad("KM", format!("the komi {text:?} is no number of points"));
        let komi = result::komi(root).ok_or_else(unreadable)?;
        rules.komi = Komi::new(with_same_winners(komi)).map_err(|reason| bad("KM", reason.to_string()))?;
    }
    Ok(spec)
}

/// A komi in steps of a half with the same winners: results by area are whole points, so that 5.75 is like 5.5.
fn with_same_winners(komi: f64) -> f64 {
    if (2.0 * komi).fract() == 0.0 { komi } else { komi.floor() + 0.5 }
}

/// The size of a board without `SZ`.
const GO_SIZE: usize = 19;
/// The size of a board of Othello without `SZ`.
const OTHELLO_SIZE: usize = 8;

/// The game to read, and the number of plies.
struct Wanted<'a> {
    game: &'a dyn Game,
    number: u8,
    /// Komi by the rules, in Go.
    komi: Option<f64>,
    /// Whether a result that contradicts the rules is a fault.
    is_judged: bool,
    most: usize,
}

impl Wanted<'_> {
    /// The game of one tree.
    fn transcript(&self, nodes: &[SgfNode]) -> Result<Transcript, FormatError> {
        let (root, game) = (&nodes[0], self.game);
        check_root(root, game, self.number)?;
        let stage = Stage::read(nodes, game, self.number)?;
        let begin = stage.start.as_ref().map_or_else(|| game.start(), |position| position.fork());
        let played = play(game, begin, stage.moves, self.most)?;
        let line = root.get("RE").map_or(root.line, |property| property.line);
        let outcome = match self.is_judged {
            true => outcome(root, &played, self.komi).map_err(|fault| fault.at(line))?,
            false => stated(root).or(played.position.outcome()),
        };
        let name = |key: &str| root.get(key).map_or(String::new(), Property::simple_text);
        let opening = name("ON").split(' ').next().and_then(|plies| plies.parse().ok()).unwrap_or(0);
        let plies = played.actions.len();
        let all = stage.moves.iter().filter(|node| node.moves()).count().max(plies);
        let opening = if opening as usize <= all { opening.min(plies as u32) } else { 0 };
        let start = stage.start.and_then(|position| game.write_position(&*position));
        let ending = ending(root);
        Ok(Transcript { names: [name("PB"), name("PW")], start, actions: played.actions, opening, outcome, ending })
    }
}

/// Checks that the root matches this game, by its number and its size.
fn check_root(root: &SgfNode, game: &dyn Game, number: u8) -> Result<(), FormatError> {
    let other = |found: String, line| Err(Fault::OtherGame { wanted: game.name(), found }.at(line));
    let usual = if number == OTHELLO { OTHELLO_SIZE } else { GO_SIZE };
    let (stated, line) = numbers(root, "GM", 1)?;
    if stated != [usize::from(number)] {
        return other(board::numbered_name(stated[0]), line);
    }
    let size = game.topology().columns();
    match numbers(root, "SZ", usual)? {
        (stated, line) if stated.len() == 2 && stated[0] != stated[1] => {
            let [columns, rows] = [stated[0], stated[1]];
            other(format!("{columns} columns and {rows} rows (boards are square here)"), line)
        }
        (stated, line) if stated[0] != size => other(format!("size {}", stated[0]), line),
        _ => Ok(()),
    }
}

/// The one or two numbers of a property, `9` or `9:7`, with their line; `usual` if the property is missing.
fn numbers(root: &SgfNode, key: &str, usual: usize) -> Result<(Vec<usize>, usize), FormatError> {
    let stated = root.get(key).map(|property| (property, property.simple_text()));
    let Some((property, text)) = stated.filter(|(_, text)| !text.trim().is_empty()) else {
        return Ok((vec![usual], root.line));
    };
    let numbers: Option<Vec<usize>> = text.split(':').map(|number| number.trim().parse().ok()).collect();
    let expected = || Fault::Expected { wanted: "a number", found: format!("{text:?}") }.at(property.line);
    let numbers = numbers.filter(|numbers| numbers.len() < 3).ok_or_else(expected)?;
    Ok((numbers, property.line))
}

#[cfg(test)]
mod dialects;
#[cfg(test)]
mod tests;
