//! Changes of the pieces on a site: board, owners and stacks together.

use super::board::Board;
use super::tables::Tables;

/// Puts a piece on a site and replaces any piece there.
#[inline]
fn put<const W: usize, const S: usize>(tables: &Tables<W>, board: &mut Board<W, S>, site: usize, piece: u8) {
    clear(tables, board, site);
    show(tables, board, site, piece);
    if S > 0 {
        board.pile(site, u128::from(piece));
    }
}

/// Adds a piece: increases its count in a hand, or replaces any piece on a site of the board.
#[inline]
pub fn add<const W: usize, const S: usize>(tables: &Tables<W>, board: &mut Board<W, S>, site: usize, piece: u8) {
    match site.checked_sub(tables.program.board_sites()) {
        None => put(tables, board, site, piece),
        Some(place) => {
            board.set(site, piece);
            board.counts[place] = board.counts[place].saturating_add(1);
        }
    }
}

/// Removes all pieces from a site of the board or of a hand.
pub fn remove<const W: usize, const S: usize>(tables: &Tables<W>, board: &mut Board<W, S>, site: usize) {
    match site.checked_sub(tables.program.board_sites()) {
        None => clear(tables, board, site),
        Some(place) => {
            board.set(site, 0);
            board.counts[place] = 0;
        }
    }
}

/// Removes all pieces from a site of the board.
#[inline]
fn clear<const W: usize, const S: usize>(tables: &Tables<W>, board: &mut Board<W, S>, site: usize) {
    let piece = board.piece(site);
    if piece != 0 {
        board.own[usize::from(tables.owner[usize::from(piece)])].remove(site);
        board.set(site, 0);
    }
    if S > 0 {
        board.stacks[0][site % 64] = 0;
    }
}

/// Replaces the top piece of a site by another kind.
pub fn turn<const W: usize, const S: usize>(tables: &Tables<W>, board: &mut Board<W, S>, site: usize, piece: u8) {
    if usize::from(piece) >= tables.owner.len() {
        return;
    }
    if site >= tables.program.board_sites() {
        // The sets hold the sites of the board alone.
        return board.set(site, piece);
    }
    if S > 0 && board.height(site) > 0 {
        board.take_level(site, board.height(site) - 1);
        board.pile(site, u128::from(piece));
    }
    hide(tables, board, site);
    show(tables, board, site, piece);
}

/// Moves the top piece of a site, or all of its pieces, onto another site and replaces the pieces there, or stacks on
/// them. A hand keeps the pieces that it has.
#[inline]
pub fn carry<const W: usize, const S: usize>(
    tables: &Tables<W>,
    board: &mut Board<W, S>,
    from: usize,
    to: usize,
    stack: bool,
) {
    if let Some(place) = from.checked_sub(tables.program.board_sites()) {
        return drop_from(tables, board, place, to);
    }
    if S > 0 {
        return pile(tables, board, from, to, (!stack).then(|| board.height(from).saturating_sub(1)));
    }
    let piece = board.piece(from);
    clear(tables, board, from);
    if to >= tables.program.board_sites() {
        return add(tables, board, to, piece);
    }
    clear(tables, board, to);
    show(tables, board, to, piece);
}

/// Moves a piece from a hand to the board, or to a hand.
fn drop_from<const W: usize, const S: usize>(tables: &Tables<W>, board: &mut Board<W, S>, place: usize, to: usize) {
    let site = tables.program.board_sites() + place;
    let piece = board.piece(site);
    board.counts[place] = board.counts[place].saturating_sub(1);
    if board.counts[place] == 0 {
        board.set(site, 0);
    }
    add(tables, board, to, piece);
}

/// Moves a level of a stack, or all of it, on top of another.
pub fn pile<const W: usize, const S: usize>(
    tables: &Tables<W>,
    board: &mut Board<W, S>,
    from: usize,
    to: usize,
    level: Option<usize>,
) {
    let moved = match level {
        Some(level) => u128::from(board.take_level(from, level)),
        None => std::mem::take(&mut board.stacks[0][from % 64]),
    };
    board.pile(to, moved);
    for site in [from, to] {
        let height = board.height(site);
        hide(tables, board, site);
        if height > 0 {
            show(tables, board, site, board.level(site, height - 1));
        }
    }
}

/// Removes the top piece of a site from the sets.
fn hide<const W: usize, const S: usize>(tables: &Tables<W>, board: &mut Board<W, S>, site: usize) {
    let piece = board.piece(site);
    if piece != 0 {
        board.own[usize::from(tables.owner[usize::from(piece)])].remove(site);
        board.set(site, 0);
    }
}

/// Adds the top piece of a site to the sets.
#[inline]
fn show<const W: usize, const S: usize>(tables: &Tables<W>, board: &mut Board<W, S>, site: usize, piece: u8) {
    board.set(site, piece);
    if piece != 0 {
        board.own[usize::from(tables.owner[usize::from(piece)])].insert(site);
    }
}
