//! Tests whether a colour can move, or could move to a site.

use super::super::program::{Moves, MovesId, Register, Who};
use super::apply;
use super::bits::Bits;
use super::values::{EvalContext, Registers};

fn has_moves<const W: usize, const S: usize>(view: &EvalContext<W, S>, who: Who, mover: u8) -> bool {
    let colour = view.colour(who, mover);
    if matches!(who, Who::Colour(_) | Who::Mover | Who::Both) && !view.board.again {
        // A player who had to pass is known to be unable to move.
        return colour != mover || !view.board.stuck;
    }
    let mut board = *view.board;
    apply::advance(view.tables, &mut board, mover);
    let next = EvalContext { tables: view.tables, board: &board };
    next.exists(play(&next, board.mover), &Registers::of(board.mover), None)
}

/// The generator of a colour's moves in its phase.
#[inline]
pub fn play<const W: usize, const S: usize>(view: &EvalContext<W, S>, colour: u8) -> MovesId {
    view.tables.program.phases[usize::from(view.board.phase[usize::from(colour)])].play
}

impl<const W: usize, const S: usize> EvalContext<'_, W, S> {
    /// Whether a colour has a legal move: the mover now, the next colour after this move.
    pub fn has_moves(&self, who: Who, mover: u8) -> bool {
        has_moves(self, who, mover)
    }

    /// Whether an enemy of the piece on one of these sites could move there by the rule of its own piece.
    pub fn threatened(&self, sites: &Bits<W>) -> bool {
        sites.into_iter().any(|site| {
            let owner = self.tables.owner[usize::from(self.board.piece(site))];
            let mut only = Bits::EMPTY;
            only.insert(site);
            owner != 0 && attacked(self, 3 - owner, only)
        })
    }
}

fn attacked<const W: usize, const S: usize>(view: &EvalContext<W, S>, by: u8, only: Bits<W>) -> bool {
    let pieces = &view.tables.program.pieces;
    view.board.own[usize::from(by)].into_iter().any(|site| {
        let moves = pieces[usize::from(view.board.piece(site))].moves;
        let at = Registers::of(by).with(Register::From, site);
        moves.is_some_and(|moves| view.exists(bare(view, moves), &at, Some(only)))
    })
}

/// A generator without its condition on the position after a move.
fn bare<const W: usize, const S: usize>(view: &EvalContext<W, S>, id: MovesId) -> MovesId {
    match view.tables.program.moves[usize::from(id.0)] {
        Moves::Do(inner, ..) => inner,
        _ => id,
    }
}
