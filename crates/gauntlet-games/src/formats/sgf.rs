//! SGF (Smart Game Format, `FF[4]`) for stone games: written one tree a game, read along each main line.
//!
//! After <https://www.red-bean.com/sgf/>. Black is the first side. Go and Atari-Go are written as Go (`GM[1]`), Othello
//! as `GM[2]`, Gomoku and Pente as `GM[4]`, all with the rules' name in `RU`; points are two letters, column then row,
//! from the top left, with capitals from the 27th row on, and a pass is an empty point.
//! Stones that stand before the first move are set up with `AB` and `AW`, and `PL` says who begins where that is not the
//! game's own start. `ON` says how many plies the opening gave; `RE` ends with `R` where a player resigned.

mod tree;
mod write;

use std::collections::BTreeSet;

use tree::{Property, SgfNode, parse};
pub use write::{write, write_game};

use super::{Fault, FormatError, Transcript, replay, settle, text_of};
use crate::base::{Action, Ending, Outcome, Side};
use crate::games::{Game, GameSpec, Piece, Position, View};

/// The `GM` number of a game; `None` for a game without stones.
fn number(spec: &GameSpec) -> Option<u8> {
    match spec {
        GameSpec::AtariGo(_) | GameSpec::Go(_) => Some(1),
        GameSpec::Othello(_) => Some(OTHELLO),
        GameSpec::Gomoku(_) | GameSpec::Pente(_) => Some(4),
        GameSpec::Mnk(_) | GameSpec::ConnectFour(_) | GameSpec::Chess(_) => None,
        GameSpec::Hex(_) | GameSpec::Breakthrough(_) | GameSpec::Ludeme(_) => None,
    }
}

/// The `GM` number of Othello, whose four discs need not be written.
const OTHELLO: u8 = 2;

/// Rows and columns of the largest board: points are letters.
const MOST: usize = 52;

/// The `GM` number of a game on its board.
///
/// # Errors
/// [`Fault::NotStones`], and [`Fault::TooLarge`] for a board without letters for all of its points.
fn numbered(spec: &GameSpec, game: &dyn Game) -> Result<u8, FormatError> {
    let number = number(spec).ok_or_else(|| Fault::NotStones(game.name()).at(1))?;
    match game.topology().columns() {
        size if size > MOST => Err(Fault::TooLarge { what: "a board", size, most: MOST }.at(1)),
        _ => Ok(number),
    }
}

/// Reads every game of a collection as a game of `spec`; variations are passed over.
///
/// # Errors
/// [`FormatError`] for the first thing that is wrong, in form or by the rules.
pub fn read(bytes: &[u8], spec: &GameSpec) -> Result<Vec<Transcript>, FormatError> {
    let text = text_of(bytes)?;
    let game = spec.build();
    let number = numbered(spec, &*game)?;
    parse(text)?.iter().map(|nodes| transcript(nodes, &*game, number)).collect()
}

fn transcript(nodes: &[SgfNode], game: &dyn Game, number: u8) -> Result<Transcript, FormatError> {
    let root = &nodes[0];
    check_root(root, game, number)?;
    check_stones(nodes)?;
    let mut played: Vec<(Side, Action, usize)> = Vec::new();
    for node in nodes {
        played.extend(move_of(node, game)?);
    }
    let actions: Vec<Action> = played.iter().map(|&(_, action, _)| action).collect();
    let is_silent = ["AB", "AW", "PL"].iter().all(|key| root.get(key).is_none());
    let set_up = match number == OTHELLO && is_silent {
        true => None,
        false => set_up(root, game, played.first().map(|&(side, ..)| side))?,
    };
    let begin = || set_up.as_ref().map_or_else(|| game.start(), |position| position.fork());
    let position = replay(game, begin(), &actions, |at| played[at].2)?;
    check_turns(&played, begin())?;
    let result = root.get("RE");
    let told = result.map_or(Ok(None), outcome)?;
    let outcome = settle(position.outcome(), told, result.map_or(root.line, |property| property.line))?;
    let name = |key: &str| root.get(key).map_or(String::new(), |property| property.simple_text());
    let opening = name("ON").split(' ').next().and_then(|plies| plies.parse().ok()).unwrap_or(0);
    let opening = if opening as usize <= actions.len() { opening } else { 0 };
    let start = set_up.and_then(|position| game.write_position(&*position));
    let resigned = result.is_some_and(|property| property.values[0].trim().contains("+R"));
    let ending = if resigned { Ending::Resigned } else { Ending::Rules };
    Ok(Transcript { names: [name("PB"), name("PW")], start, actions, opening, outcome, ending })
}

/// Whether the root tells of this game, by its number and its size.
fn check_root(root: &SgfNode, game: &dyn Game, number: u8) -> Result<(), FormatError> {
    let size = game.topology().columns();
    let told = |key: &str, default: usize| match root.get(key) {
        None => Ok((default, root.line)),
        Some(property) => {
            let text = property.simple_text();
            let sides: Vec<&str> = text.split(':').collect();
            let same = sides.iter().all(|side| *side == sides[0]);
            let number = sides[0].trim().parse().ok().filter(|_| same && sides.len() < 3);
            let expected = || Fault::Expected { wanted: "a number", found: format!("{text:?}") }.at(property.line);
            number.map(|number| (number, property.line)).ok_or_else(expected)
        }
    };
    let other = |found: String, line| Err(Fault::OtherGame { wanted: game.name(), found }.at(line));
    let usual = if number == OTHELLO { 8 } else { 19 };
    match (told("GM", 1)?, told("SZ", usual)?) {
        ((told, line), _) if told != usize::from(number) => other(format!("SGF's number {told}"), line),
        (_, (told, line)) if told != size => other(format!("size {told}"), line),
        _ => Ok(()),
    }
}

/// Stones are put on the board at the root alone, and none is taken off it but by moves.
fn check_stones(nodes: &[SgfNode]) -> Result<(), FormatError> {
    let cleared = nodes[0].get("AE");
    let later = nodes[1..].iter().find_map(|node| ["AB", "AW", "AE"].into_iter().find_map(|key| node.get(key)));
    match cleared.or(later) {
        Some(property) => {
            Err(Fault::Form("stones are set up or taken away in the midst of the game".into()).at(property.line))
        }
        None => Ok(()),
    }
}

/// The position that the root sets up, unless it is the game's own start; `first` made the first move.
fn set_up(root: &SgfNode, game: &dyn Game, first: Option<Side>) -> Result<Option<Box<dyn Position>>, FormatError> {
    let start = game.start();
    let sites = [put(root, "AB", game)?, put(root, "AW", game)?];
    let told = told_side(root)?;
    if sites == Side::BOTH.map(|side| stones(&*start, side)) && told.is_none_or(|side| side == start.side()) {
        return Ok(None);
    }
    let mut pieces = vec![Piece::EMPTY; game.topology().sites()];
    for (side, sites) in Side::BOTH.into_iter().zip(&sites) {
        sites.iter().for_each(|&site| pieces[site] = Piece::stone(side));
    }
    let side = told.or(first).unwrap_or(start.side());
    game.set_up(&pieces, side).map(Some).map_err(|error| {
        let found = format!("{} stones of black and {} of white ({error})", sites[0].len(), sites[1].len());
        let property = root.get("AB").or(root.get("AW"));
        Fault::OtherGame { wanted: game.name(), found }.at(property.map_or(root.line, |property| property.line))
    })
}

/// The sites that a property puts stones on.
fn put(root: &SgfNode, key: &str, game: &dyn Game) -> Result<BTreeSet<usize>, FormatError> {
    let (mut sites, size) = (BTreeSet::new(), game.topology().columns());
    let Some(property) = root.get(key) else { return Ok(sites) };
    for value in &property.values {
        sites.extend(points(value, size).ok_or_else(|| no_point(value, property.line))?);
    }
    Ok(sites)
}

/// Who begins, where the root says so.
fn told_side(root: &SgfNode) -> Result<Option<Side>, FormatError> {
    let Some(property) = root.get("PL") else { return Ok(None) };
    match property.simple_text().trim() {
        "B" | "b" => Ok(Some(Side::First)),
        "W" | "w" => Ok(Some(Side::Second)),
        other => Err(Fault::Expected { wanted: "a side, B or W", found: format!("{other:?}") }.at(property.line)),
    }
}

/// The sites of a side's stones.
fn stones(position: &dyn Position, side: Side) -> BTreeSet<usize> {
    let mut view = View::new();
    position.view(&mut view);
    let own = view.pieces.iter().enumerate().filter(|(_, piece)| piece.side() == Some(side));
    own.map(|(site, _)| site).collect()
}

/// The move of a node, if it has one.
fn move_of(node: &SgfNode, game: &dyn Game) -> Result<Option<(Side, Action, usize)>, FormatError> {
    let sides = [(Side::First, "B"), (Side::Second, "W")];
    let mut moves = sides.into_iter().filter_map(|(side, key)| node.get(key).map(|property| (side, property)));
    let Some((side, property)) = moves.next() else { return Ok(None) };
    if moves.next().is_some() {
        return Err(Fault::Expected { wanted: "one move", found: "two in one node".to_owned() }.at(property.line));
    }
    let [value] = &property.values[..] else {
        let found = format!("{} values", property.values.len());
        return Err(Fault::Expected { wanted: "one point", found }.at(property.line));
    };
    let board = game.topology();
    let passes = value.is_empty() && game.action_count() > board.sites();
    let site = if passes { Some(board.sites()) } else { point(value, board.columns()) };
    let site = site.ok_or_else(|| no_point(value, property.line))?;
    Ok(Some((side, Action::from(site), property.line)))
}

/// Whether every move is of the side whose turn it is.
fn check_turns(played: &[(Side, Action, usize)], mut position: Box<dyn Position>) -> Result<(), FormatError> {
    for &(side, action, line) in played {
        if position.side() != side {
            let found = format!("one of {}", if side == Side::First { "black" } else { "white" });
            return Err(Fault::Expected { wanted: "a move of the other side", found }.at(line));
        }
        position.play(action);
    }
    Ok(())
}

fn no_point(value: &str, line: usize) -> FormatError {
    Fault::Expected { wanted: "a point of the board", found: format!("{value:?}") }.at(line)
}

/// The letters of rows and of columns.
const LETTERS: &[u8; MOST] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// The site that two letters name.
fn point(text: &str, size: usize) -> Option<usize> {
    let &[column, row] = text.as_bytes() else { return None };
    let index = |letter: u8| LETTERS.iter().position(|&known| known == letter).filter(|&index| index < size);
    Some(index(row)? * size + index(column)?)
}

/// The sites of a point or of a rectangle `ab:cd`.
fn points(text: &str, size: usize) -> Option<Vec<usize>> {
    let (from, to) = text.split_once(':').unwrap_or((text, text));
    let (from, to) = (point(from, size)?, point(to, size)?);
    let (rows, columns) = (from / size..=to / size, from % size..=to % size);
    Some(rows.flat_map(|row| columns.clone().map(move |column| row * size + column)).collect())
}

/// What a result says: `B+R`, `W+3.5`, `0`, `Draw`; nothing for `Void`, `?` and an empty one.
fn outcome(property: &Property) -> Result<Option<Outcome>, FormatError> {
    let text = property.simple_text();
    match text.trim() {
        won if won.starts_with("B+") => Ok(Some(Outcome::Win(Side::First))),
        won if won.starts_with("W+") => Ok(Some(Outcome::Win(Side::Second))),
        "0" | "Draw" => Ok(Some(Outcome::Draw)),
        "" | "?" | "Void" => Ok(None),
        other => Err(Fault::Expected { wanted: "a result", found: format!("{other:?}") }.at(property.line)),
    }
}

#[cfg(test)]
mod tests;
