//! The games that SGF supports, and its names of points.

use std::collections::BTreeSet;

use super::super::{Fault, FormatError};
use crate::base::Side;
use crate::games::{Game, GameSpec, Position, View};

/// The `GM` number of a game; `None` for a game without stones.
pub(super) fn number(spec: &GameSpec) -> Option<u8> {
    match spec {
        GameSpec::AtariGo(_) | GameSpec::Go(_) => Some(GO),
        GameSpec::Othello(_) => Some(OTHELLO),
        GameSpec::Gomoku(_) | GameSpec::Pente(_) => Some(4),
        _ => None,
    }
}

/// The `GM` number of Go.
pub(super) const GO: u8 = 1;

/// The `GM` number of Othello, whose four initial discs may be omitted.
pub(super) const OTHELLO: u8 = 2;

/// The name of a `GM` number, as far as the format names it.
pub fn numbered_name(number: usize) -> String {
    let name = match number {
        1 => "Go",
        2 => "Othello",
        3 => "chess",
        4 => "Gomoku, Renju or Pente",
        5 => "Nine Men's Morris",
        6 => "Backgammon",
        7 => "Chinese chess",
        8 => "Shogi",
        11 => "Hex",
        _ => "another kind",
    };
    format!("{name} (GM[{number}])")
}

/// Maximum number of rows and columns: coordinates are letters.
const MOST: usize = 52;

/// The letters of rows and of columns.
pub(super) const LETTERS: &[u8; MOST] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// Maximum number of columns of a board on which `tt` is a pass, as in files before `FF[4]`.
pub(super) const MOST_WITH_TT: usize = 19;

/// The `GM` number of a game on its board.
///
/// # Errors
/// [`Fault::NotStones`], and [`Fault::TooLarge`] for a board with more rows than letters.
pub(super) fn numbered(spec: &GameSpec, game: &dyn Game) -> Result<u8, FormatError> {
    let number = number(spec).ok_or_else(|| Fault::NotStones(game.name()).at(1))?;
    match game.topology().columns() {
        size if size > MOST => Err(Fault::TooLarge { what: "a board", size, most: MOST }.at(1)),
        _ => Ok(number),
    }
}

/// The sites of a side's stones.
pub(super) fn stones(position: &dyn Position, side: Side) -> BTreeSet<usize> {
    let mut view = View::new();
    position.view(&mut view);
    let own = view.pieces.iter().enumerate().filter(|(_, piece)| piece.side() == Some(side));
    own.map(|(site, _)| site).collect()
}

/// The site of two letters.
pub(super) fn point(text: &str, size: usize) -> Option<usize> {
    let &[column, row] = text.trim().as_bytes() else { return None };
    let index = |letter: u8| LETTERS.iter().position(|&known| known == letter).filter(|&index| index < size);
    Some(index(row)? * size + index(column)?)
}

/// The sites of a point or of a rectangle `ab:cd`, whose two opposite corners may be in any order.
pub(in crate::formats) fn points(text: &str, size: usize) -> Option<Vec<usize>> {
    let (one, other) = text.split_once(':').unwrap_or((text, text));
    let (one, other) = (point(one, size)?, point(other, size)?);
    let between = |one: usize, other: usize| one.min(other)..=one.max(other);
    let (rows, columns) = (between(one / size, other / size), between(one % size, other % size));
    Some(rows.flat_map(|row| columns.clone().map(move |column| row * size + column)).collect())
}

/// The fault for a text that is not a point.
pub(super) fn no_point(value: &str, line: usize) -> FormatError {
    Fault::Expected { wanted: "a point of the board", found: format!("{value:?}") }.at(line)
}
