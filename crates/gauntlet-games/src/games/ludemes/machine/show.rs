//! The neutral view of a position: the pieces on every site and level, and the state that the board does not show.

use super::super::super::{Piece, View as Shown};
use super::super::program::Program;
use super::board::Board;
use crate::base::{Action, Side};

/// Number of levels of a site in a view.
pub fn levels(program: &Program) -> usize {
    if program.stacking { program.start.len() } else { 1 }
}

/// Writes a position into a view, except for the side to move: levels from the lowest; colours as the sides that play
/// them now.
pub fn show<const W: usize, const S: usize>(program: &Program, board: &Board<W, S>, view: &mut Shown) {
    let levels = levels(program);
    view.pieces.clear();
    for site in 0..program.sites {
        view.pieces.extend((0..levels).map(|level| piece(program, board, board.level(site, level))));
    }
    view.counts.clear();
    if !program.hands.is_empty() {
        view.counts.extend((0..program.board_sites()).map(|site| u16::from(board.piece(site) != 0)));
        let kept = program.sites - program.board_sites();
        view.counts.extend(board.counts[..kept].iter().map(|&count| u16::from(count)));
    }
    view.last = board.last_actions[0].checked_sub(1).map(Action);
    view.scalars.clear();
    scalars(program, board, |scalar| view.scalars.push(scalar));
}

fn piece<const W: usize, const S: usize>(program: &Program, board: &Board<W, S>, kind: u8) -> Piece {
    if kind == 0 {
        return Piece::EMPTY;
    }
    let owner = program.pieces[usize::from(kind)].owner;
    if owner == 0 {
        return Piece::neutral(program.pieces[usize::from(kind)].shape);
    }
    let second = (owner == 2) != board.swapped;
    let side = if second { Side::Second } else { Side::First };
    Piece::new(side, program.pieces[usize::from(kind)].shape)
}

/// The state that the board does not show and that rules may read: swap, phases, proposals.
pub fn scalars<const W: usize, const S: usize>(program: &Program, board: &Board<W, S>, mut each: impl FnMut(f32)) {
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
