//! The neutral view of a position: what stands on every site and level, and what the board does not show.

use super::super::super::{Piece, View as Shown};
use super::super::program::Program;
use super::board::Board;
use crate::base::{Action, Side};

/// Levels of a site that a view shows.
pub fn levels(program: &Program) -> usize {
    if program.stacking { program.start.len() } else { 1 }
}

/// Writes a position into a view: levels from the lowest; colours as the sides that play them now. Pieces of no player
/// show as if the first side's. The side to move is left out.
pub fn show<const W: usize, const S: usize>(program: &Program, board: &Board<W, S>, view: &mut Shown) {
    let levels = levels(program);
    view.pieces.clear();
    for site in 0..program.board_sites() {
        view.pieces.extend((0..levels).map(|level| piece(program, board, board.level(site, level))));
    }
    view.last = board.last_action.checked_sub(1).map(Action);
    view.scalars.clear();
    scalars(program, board, |scalar| view.scalars.push(scalar));
}

fn piece<const W: usize, const S: usize>(program: &Program, board: &Board<W, S>, kind: u8) -> Piece {
    if kind == 0 {
        return Piece::EMPTY;
    }
    let second = (program.pieces[usize::from(kind)].owner == 2) != board.swapped;
    let side = if second { Side::Second } else { Side::First };
    Piece::new(side, shape(program, kind))
}

/// The number of a kind of piece among the kinds of all owners, from 0: pieces of one name have one number.
pub fn shape(program: &Program, kind: u8) -> u8 {
    let base = &program.pieces[usize::from(kind)].base;
    let mut names: Vec<&str> = Vec::new();
    for piece in &program.pieces[1..=usize::from(kind)] {
        if !names.contains(&piece.base.as_str()) {
            names.push(&piece.base);
        }
    }
    names.iter().position(|name| name == base).unwrap_or(0) as u8
}

/// What the board does not show and rules may ask: hands, phases, whose last move it was, counters, votes, swap.
pub fn scalars<const W: usize, const S: usize>(program: &Program, board: &Board<W, S>, mut each: impl FnMut(f32)) {
    for hand in &program.hands {
        let first = usize::from(hand.first) - program.board_sites();
        board.counts[first..first + usize::from(hand.size)].iter().for_each(|&count| each(f32::from(count)));
    }
    if program.swap {
        each(f32::from(u8::from(board.swapped)));
    }
    if program.phases.len() > 1 {
        board.phase[1..].iter().for_each(|&phase| each(f32::from(phase)));
    }
    if !program.texts.is_empty() {
        each(f32::from(board.proposed));
    }
}
