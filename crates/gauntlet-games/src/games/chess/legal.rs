//! Legal moves of a chess position, computed for each piece as sets of squares, without trying moves.
//!
//! In check, only destinations that end the check are legal. A pinned piece stays on its line. The king moves to
//! squares that are not attacked after it has left its own. A capture en passant, which removes two pieces from one
//! row, is tried.

use super::board::{ChessBoard, LONG, SHORT, rights_of};
use super::geometry::{Geometry, Squares, bit, each};
use crate::base::{Chessman, Side};

/// The constraints on the legal moves of a side.
struct MoveConstraints {
    /// The king's square.
    king: u32,
    /// Squares that the opponent attacks once the king has left its square.
    danger: Squares,
    /// Pieces that give check.
    checkers: Squares,
    /// Squares allowed for all pieces but the king: not occupied by own pieces, and ending any check.
    targets: Squares,
    /// Rows and columns between the king and an attacker that is blocked by one own piece; likewise diagonals. A
    /// pinned piece moves within the set: its lines meet no other pin line at a square that it can reach.
    straight: Squares,
    diagonal: Squares,
}

/// Calls `emit` for every piece of the side to move that has legal moves: its square, its destinations, and whether
/// it promotes there. A pawn that can capture en passant comes twice.
#[inline]
pub(super) fn each_piece(geometry: &Geometry, board: &ChessBoard, mut emit: impl FnMut(u32, Squares, bool)) {
    let us = board.side;
    let bounds = MoveConstraints::of(geometry, board);
    let mut give = |from: u32, to: Squares, promotes: bool| {
        if to != 0 {
            emit(from, to, promotes);
        }
    };
    let own = board.sides[us as usize];
    let steps = geometry.king[bounds.king as usize] & !own & !bounds.danger;
    give(bounds.king, steps | castlings(board, &bounds), false);
    if bounds.checkers.count_ones() > 1 {
        return;
    }
    let (occupied, free) = (board.occupied(), !(bounds.straight | bounds.diagonal));
    for from in each(board.of(us, Chessman::Knight) & free) {
        give(from, geometry.knight[from as usize] & bounds.targets, false);
    }
    let queens = board.of(us, Chessman::Queen);
    for from in each((board.of(us, Chessman::Bishop) | queens) & !bounds.straight) {
        give(from, geometry.bishop(from, occupied) & bounds.targets & bounds.along(bounds.diagonal, from), false);
    }
    for from in each((board.of(us, Chessman::Rook) | queens) & !bounds.diagonal) {
        give(from, geometry.rook(from, occupied) & bounds.targets & bounds.along(bounds.straight, from), false);
    }
    for from in each(board.of(us, Chessman::Pawn)) {
        let to = pawn_moves(geometry, board, &bounds, from);
        give(from, to, to & geometry.last_row[us as usize] != 0);
    }
    if let Some(to) = board.passant {
        for from in each(geometry.pawn[us.opponent() as usize][usize::from(to)] & board.of(us, Chessman::Pawn)) {
            if passes(geometry, board, bounds.king, from, u32::from(to)) {
                give(from, bit(u32::from(to)), false);
            }
        }
    }
}

/// Pieces of the opponent that attack a square, given the occupied squares.
#[inline]
fn attackers(geometry: &Geometry, board: &ChessBoard, square: u32, occupied: Squares) -> Squares {
    let (us, [pawns, knights, bishops, rooks, queens, kings]) = (board.side, board.kinds);
    let at = square as usize;
    let found = geometry.pawn[us as usize][at] & pawns
        | geometry.knight[at] & knights
        | geometry.king[at] & kings
        | geometry.bishop(square, occupied) & (bishops | queens)
        | geometry.rook(square, occupied) & (rooks | queens);
    found & board.sides[us.opponent() as usize]
}

/// The opponent's pieces that give check.
#[inline]
pub(super) fn checkers(geometry: &Geometry, board: &ChessBoard) -> Squares {
    let king = board.of(board.side, Chessman::King).trailing_zeros();
    attackers(geometry, board, king, board.occupied())
}

impl MoveConstraints {
    #[inline]
    fn of(geometry: &Geometry, board: &ChessBoard) -> MoveConstraints {
        let (us, them) = (board.side, board.side.opponent());
        let king = board.of(us, Chessman::King).trailing_zeros();
        let checkers = attackers(geometry, board, king, board.occupied());
        let ends = match checkers.count_ones() {
            0 => geometry.board,
            _ => checkers | geometry.between(king, checkers.trailing_zeros()),
        };
        let queens = board.of(them, Chessman::Queen);
        let (rooks, bishops) = (board.of(them, Chessman::Rook) | queens, board.of(them, Chessman::Bishop) | queens);
        let (own, foes) = (board.sides[us as usize], board.sides[them as usize]);
        let pins = |snipers: Squares| {
            let lines = each(snipers).map(|sniper| geometry.between(king, sniper) | bit(sniper));
            lines.filter(|line| (line & own).count_ones() == 1).fold(0, |all, line| all | line)
        };
        MoveConstraints {
            king,
            danger: danger(geometry, board, board.occupied() ^ bit(king)),
            checkers,
            targets: ends & !own,
            straight: pins(geometry.rook(king, foes) & rooks),
            diagonal: pins(geometry.bishop(king, foes) & bishops),
        }
    }

    /// Squares that the pin allows: the line of a pinned piece, or all squares.
    #[inline]
    fn along(&self, lines: Squares, from: u32) -> Squares {
        if lines & bit(from) == 0 { !0 } else { lines }
    }
}

/// All squares that the opponent attacks, given the occupied squares.
#[inline]
fn danger(geometry: &Geometry, board: &ChessBoard, occupied: Squares) -> Squares {
    let them = board.side.opponent();
    let queens = board.of(them, Chessman::Queen);
    let mut attacked = each(board.of(them, Chessman::King)).fold(0, |all, from| all | geometry.king[from as usize]);
    for from in each(board.of(them, Chessman::Pawn)) {
        attacked |= geometry.pawn[them as usize][from as usize];
    }
    for from in each(board.of(them, Chessman::Knight)) {
        attacked |= geometry.knight[from as usize];
    }
    for from in each(board.of(them, Chessman::Bishop) | queens) {
        attacked |= geometry.bishop(from, occupied);
    }
    for from in each(board.of(them, Chessman::Rook) | queens) {
        attacked |= geometry.rook(from, occupied);
    }
    attacked
}

/// Destinations of a pawn, without captures en passant.
#[inline]
fn pawn_moves(geometry: &Geometry, board: &ChessBoard, bounds: &MoveConstraints, from: u32) -> Squares {
    let (us, empty) = (board.side, geometry.board & !board.occupied());
    let one = Geometry::ahead(us, bit(from)) & empty;
    let two = Geometry::ahead(us, one & geometry.halfway[us as usize]) & empty;
    let takes = geometry.pawn[us as usize][from as usize] & board.sides[us.opponent() as usize];
    let steps = (one | two) & bounds.along(bounds.straight, from);
    let allowed = match bit(from) {
        pawn if bounds.diagonal & pawn != 0 => takes & bounds.diagonal,
        pawn if bounds.straight & pawn != 0 => steps,
        _ => steps | takes,
    };
    allowed & bounds.targets
}

/// Whether a capture en passant leaves the king unattacked.
fn passes(geometry: &Geometry, board: &ChessBoard, king: u32, from: u32, to: u32) -> bool {
    let taken = Geometry::ahead(board.side.opponent(), bit(to));
    let occupied = board.occupied() ^ bit(from) ^ bit(to) ^ taken;
    attackers(geometry, board, king, occupied) & !taken == 0
}

/// Castling destinations of the king: its path must be empty, and not attacked from its origin to its destination.
#[inline]
fn castlings(board: &ChessBoard, bounds: &MoveConstraints) -> Squares {
    let us = board.side;
    let rights = board.castling & rights_of(us, SHORT | LONG);
    if rights == 0 || bounds.checkers != 0 {
        return 0;
    }
    // By column from the left of the king's row.
    let row = if us == Side::First { 56 } else { 0 };
    let (occupied, danger) = (board.occupied() >> row, bounds.danger >> row);
    let short = rights & rights_of(us, SHORT) != 0 && occupied & 0b0110_0000 == 0 && danger & 0b0110_0000 == 0;
    let long = rights & rights_of(us, LONG) != 0 && occupied & 0b0000_1110 == 0 && danger & 0b0000_1100 == 0;
    u64::from(short) << (row + 6) | u64::from(long) << (row + 2)
}
