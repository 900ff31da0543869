//! The pieces that could make a move on an empty board, for networks over moves.
//!
//! Rigaux and Kashima 2024, Table 2, as implemented in their code: a pawn moves one row ahead, or two from its second
//! row (on every board), in its own or a neighbouring column, whatever its promotion; castling is not a king's move.

use super::board::ChessMove;
use super::geometry::{Geometry, WIDTH};
use crate::base::{Chessman, Side};

/// The kinds that could make a move, as a bit set for each side.
pub(super) fn reach(geometry: &Geometry, ChessMove { from, to, under }: ChessMove) -> [u64; 2] {
    let place = |square: u32| ((square % WIDTH) as i32, (square / WIDTH) as i32);
    let ((column, row), (to_column, to_row)) = (place(from), place(to));
    let (across, down) = ((to_column - column).abs(), to_row - row);
    let knight = [across, down.abs()] == [1, 2] || [across, down.abs()] == [2, 1];
    let (line, diagonal) = (across == 0 || down == 0, across == down.abs());
    let plain = under.is_none();
    let any = [
        (Chessman::Knight, knight),
        (Chessman::Bishop, plain && diagonal),
        (Chessman::Rook, plain && line),
        (Chessman::Queen, plain && (line || diagonal)),
        (Chessman::King, plain && across.max(down.abs()) <= 1),
    ];
    let both: u64 = any.into_iter().map(|(kind, can)| u64::from(can) << kind as u32).sum();
    Side::BOTH.map(|side| {
        let (ahead, second) = if side == Side::First { (-1, geometry.size as i32 - 2) } else { (1, 1) };
        let pawn = across <= 1 && (down == ahead || down == 2 * ahead && row == second);
        both | u64::from(pawn) << Chessman::Pawn as u32
    })
}
