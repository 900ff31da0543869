//! Generation of moves.

use super::super::program::{IntId, Moves, MovesId, Register, Who};
use super::apply;
use super::bits::Bits;
use super::board::Move;
use super::gathered::{Gathered, MOST, with_list};
use super::sweeps::{Steps, hop, slide, step, track};
use super::tables::NOWHERE;
use super::values::{EvalContext, Registers};

/// All moves of a generator.
pub fn all<const W: usize, const S: usize>(
    view: &EvalContext<W, S>,
    generator: MovesId,
    at: &Registers,
    list: &mut Vec<Move>,
) {
    generate(view, generator, at, &mut Gathered { list, enough: MOST, only: None });
}

impl<const W: usize, const S: usize> EvalContext<'_, W, S> {
    /// Whether a generator has a move, optionally one that ends in a set.
    pub fn exists(&self, generator: MovesId, at: &Registers, only: Option<Bits<W>>) -> bool {
        with_list(|list| {
            generate(self, generator, at, &mut Gathered { list, enough: 1, only });
            !list.is_empty()
        })
    }
}

fn generate<const W: usize, const S: usize>(
    view: &EvalContext<W, S>,
    id: MovesId,
    at: &Registers,
    found: &mut Gathered<W>,
) {
    match view.tables.program.moves[usize::from(id.0)] {
        Moves::None => {}
        Moves::On { rule, sites } => {
            for site in found.ends(view.region(sites, at)) {
                found.push(rule, site, site);
            }
        }
        Moves::Alone { rule } => {
            if found.only.is_none() {
                found.list.push(Move { rule, from: NOWHERE, to: NOWHERE, between: NOWHERE });
            }
        }
        Moves::Step { rule, from, dirs, to } => {
            let at = &from_there(view, from, at);
            step(view, [rule as usize, dirs.0 as usize], view.int(from, at), to, at, found)
        }
        Moves::Slide { rule, from, dirs, go, stop } => {
            let at = &from_there(view, from, at);
            let go = view.region(go, at);
            let stop = stop.map_or(Bits::EMPTY, |stop| view.region(stop, at));
            slide(view, rule, view.int(from, at), view.dirs(dirs, at), [&go, &stop], found);
        }
        Moves::Track { rule, from, go, stop } => {
            let at = &from_there(view, from, at);
            let sets = [view.region(go, at), view.region(stop, at)];
            track(view, rule, view.int(from, at), &sets, found);
        }
        Moves::Hop { rule, from, dirs, between, to } => {
            let at = &from_there(view, from, at);
            let sets = [view.region(between, at), found.ends(view.region(to, at))];
            hop(view, rule, view.int(from, at), view.dirs(dirs, at), &sets, found);
        }
        Moves::Any { rule, from, to } => {
            for from in view.region(from, at) {
                for to in found.ends(view.region(to, &at.with(Register::From, from))) {
                    found.push(rule, from, to);
                }
            }
        }
        Moves::Pieces { who, table, hand } => pieces(view, who, usize::from(table), hand, at, found),
        Moves::Or(a, b) => {
            generate(view, a, at, found);
            if !found.is_full() {
                generate(view, b, at, found);
            }
        }
        Moves::Priority(a, b) => {
            let before = found.list.len();
            generate(view, a, at, found);
            if found.list.len() == before {
                generate(view, b, at, found);
            }
        }
        Moves::If(condition, then, other) => {
            generate(view, if view.bool(condition, at) { then } else { other }, at, found);
        }
        Moves::Do(inner, after, free) => filtered(view, inner, (after, free), at, found),
    }
}

/// Registers for a move that begins on a site: conditions read that site as `(from)`.
#[inline]
fn from_there<const W: usize, const S: usize>(view: &EvalContext<W, S>, from: IntId, at: &Registers) -> Registers {
    match usize::try_from(view.int(from, at)) {
        Ok(from) => at.with(Register::From, from),
        Err(_) => *at,
    }
}

/// Moves of all pieces of a colour. It is separate from [`generate`], which is called for each of them.
#[inline(never)]
fn pieces<const W: usize, const S: usize>(
    view: &EvalContext<W, S>,
    who: Who,
    table: usize,
    hand: bool,
    at: &Registers,
    found: &mut Gathered<W>,
) {
    let row = &view.tables.program.tables[table];
    let colour = view.colour(who, at.mover);
    let sites = if hand { view.hand(colour) } else { view.own(who, at.mover) };
    // The pieces of another colour move by that colour's rules.
    let at = &Registers { mover: if colour == 0 { at.mover } else { colour }, ..*at };
    let mut steps = None;
    for site in sites {
        if let Some(moves) = row[usize::from(view.board.piece(site))] {
            match view.tables.steady(moves) {
                [] => generate(view, moves, &at.with(Register::From, site), found),
                _ => Steps::of(&mut steps, view, moves, at).generate(view, site, found),
            }
            if found.is_full() {
                return;
            }
        }
    }
}

/// Keeps the moves after which a condition holds.
#[inline(never)]
fn filtered<const W: usize, const S: usize>(
    view: &EvalContext<W, S>,
    inner: MovesId,
    (after, free): (super::super::program::BoolId, Option<super::super::program::NearId>),
    at: &Registers,
    found: &mut Gathered<W>,
) {
    let (start, enough) = (found.list.len(), found.enough);
    found.enough = MOST;
    generate(view, inner, at, found);
    found.enough = enough;
    let (empty, by) = (view.empty(), maker(view, inner, at.mover));
    let mut kept = start;
    for index in start..found.list.len() {
        let candidate = found.list[index];
        let near_empty = free.is_some_and(|near| view.tables.near(near, i32::from(candidate.to)).meets(&empty));
        if near_empty || holds_after(view, &candidate, after, (by, at)) {
            found.list[kept] = candidate;
            kept += 1;
            if kept >= enough {
                break;
            }
        }
    }
    found.list.truncate(kept);
}

/// The colour that makes the moves of a generator.
fn maker<const W: usize, const S: usize>(view: &EvalContext<W, S>, generator: MovesId, mover: u8) -> u8 {
    match view.tables.program.moves[usize::from(generator.0)] {
        Moves::Pieces { who, .. } => Some(view.colour(who, mover)).filter(|&colour| colour != 0).unwrap_or(mover),
        _ => mover,
    }
}

fn holds_after<const W: usize, const S: usize>(
    view: &EvalContext<W, S>,
    candidate: &Move,
    after: super::super::program::BoolId,
    (by, at): (u8, &Registers),
) -> bool {
    let mut board = *view.board;
    board.again = false;
    apply::perform(view.tables, &mut board, candidate, by);
    EvalContext { tables: view.tables, board: &board }.bool(after, &Registers::of(at.mover))
}
