//! Executes the [`Effect`]s of a move on a board.

use super::super::program::{DirsId, Effect, EffectId, IntId, NearId, RegionId, Register};
use super::bits::Bits;
use super::board::Board;
use super::tables::{NOWHERE, Tables};
use super::values::{EvalContext, Registers};
use super::{lines, pieces};

/// The neighbours that an effect tests: the origin, the sites to hit, and the condition on the sites behind or
/// around.
struct Around {
    from: IntId,
    between: RegionId,
    effect: EffectId,
}

/// Executes an effect.
pub fn run<const W: usize, const S: usize>(tables: &Tables<W>, board: &mut Board<W, S>, id: EffectId, at: &Registers) {
    match tables.program.effects[usize::from(id.0)] {
        Effect::None => {}
        Effect::Seq(a, b) => {
            run(tables, board, a, at);
            run(tables, board, b, at);
        }
        Effect::If(condition, then, other) => {
            let holds = EvalContext { tables, board }.bool(condition, at);
            run(tables, board, if holds { then } else { other }, at);
        }
        Effect::Remove(region) => {
            for site in (EvalContext { tables, board }).region(region, at) {
                pieces::remove(tables, board, site);
            }
        }
        Effect::Relocate { from, to, level } => relocate(tables, board, [from, to], level, at),
        Effect::Add { piece, to } => {
            let view = EvalContext { tables, board };
            let (piece, to) = (view.int(piece, at), view.int(to, at));
            if exists(tables, to) && (1..tables.owner.len() as i32).contains(&piece) {
                pieces::add(tables, board, to as usize, piece as u8);
            }
        }
        Effect::Promote { at: site, piece } => {
            let view = EvalContext { tables, board };
            let (piece, site) = (view.int(piece, at), view.int(site, at));
            if exists(tables, site)
                && (1..tables.owner.len() as i32).contains(&piece)
                && view.board.piece(site as usize) != 0
            {
                pieces::turn(tables, board, site as usize, piece as u8);
            }
        }
        Effect::Attract { from, dirs } => attract(tables, board, from, dirs, at),
        Effect::Custodial { from, dirs, most, between, to, effect } => {
            custodial(tables, board, &Around { from, between, effect }, (dirs, most, to), at);
        }
        Effect::Surround { from, near, between, to, except, effect } => {
            surround(tables, board, &Around { from, between, effect }, (near, to, except), at);
        }
        Effect::Enclose { from, near, between, effect } => {
            enclose(tables, board, &Around { from, between, effect }, near, at);
        }
        Effect::Directional { from, dirs, to, effect } => directional(tables, board, (from, dirs, to), effect, at),
        Effect::SetCounter(value) => board.counter = EvalContext { tables, board }.int(value, at),
        Effect::MoveAgain => board.again = true,
        Effect::ForEachSite(region, effect) => {
            for site in (EvalContext { tables, board }).region(region, at) {
                run(tables, board, effect, &at.with(Register::Site, site));
            }
        }
    }
}

/// Whether the site exists.
fn exists<const W: usize>(tables: &Tables<W>, site: i32) -> bool {
    usize::try_from(site).is_ok_and(|site| site < tables.program.sites)
}

fn relocate<const W: usize, const S: usize>(
    tables: &Tables<W>,
    board: &mut Board<W, S>,
    [from, to]: [IntId; 2],
    level: Option<IntId>,
    at: &Registers,
) {
    let view = EvalContext { tables, board };
    let level = level.map(|level| view.int(level, at));
    let (Ok(from), Ok(to)) = (usize::try_from(view.int(from, at)), usize::try_from(view.int(to, at))) else { return };
    if from == to || from.max(to) >= tables.program.sites || board.piece(from) == 0 {
        return;
    }
    match level.and_then(|level| usize::try_from(level).ok()) {
        Some(level) if S > 0 => pieces::pile(tables, board, from, to, Some(level)),
        _ => pieces::carry(tables, board, from, to, true),
    }
}

/// Sites from a site in a direction to the edge, nearest first.
fn ray<const W: usize>(tables: &Tables<W>, point: usize, from: usize) -> impl Iterator<Item = usize> + '_ {
    let mut at = from;
    std::iter::from_fn(move || {
        let next = tables.next(point, at);
        (next != NOWHERE).then(|| {
            at = usize::from(next);
            at
        })
    })
}

/// The compass directions in a set.
fn points(dirs: u16) -> impl Iterator<Item = usize> {
    (0..16).filter(move |point| dirs >> point & 1 != 0)
}

/// The site of the board with this number.
fn origin<const W: usize, const S: usize>(view: &EvalContext<W, S>, from: IntId, at: &Registers) -> Option<usize> {
    usize::try_from(view.int(from, at)).ok().filter(|&site| site < view.tables.program.board_sites())
}

/// Slides the pieces on the rays from a site towards it, in order.
fn attract<const W: usize, const S: usize>(
    tables: &Tables<W>,
    board: &mut Board<W, S>,
    from: IntId,
    dirs: DirsId,
    at: &Registers,
) {
    let view = EvalContext { tables, board };
    let (Some(from), dirs) = (origin(&view, from, at), view.dirs(dirs, at)) else { return };
    for point in points(dirs) {
        let mut free = ray(tables, point, from);
        for site in ray(tables, point, from) {
            if board.piece(site) == 0 {
                continue;
            }
            if let Some(to) = free.next().filter(|&to| to != site) {
                pieces::carry(tables, board, site, to, true);
            }
        }
    }
}

fn custodial<const W: usize, const S: usize>(
    tables: &Tables<W>,
    board: &mut Board<W, S>,
    around: &Around,
    (dirs, most, to): (DirsId, IntId, RegionId),
    at: &Registers,
) {
    let view = EvalContext { tables, board };
    let Some(from) = origin(&view, around.from, at) else { return };
    let (hit, flank) = (view.region(around.between, at), view.region(to, at));
    let most = usize::try_from(view.int(most, at)).unwrap_or(0);
    let mut caught = Bits::<W>::EMPTY;
    for point in points(view.dirs(dirs, at)) {
        let row = ray(tables, point, from).take_while(|&site| hit.has(site)).count();
        if (1..=most).contains(&row) && ray(tables, point, from).nth(row).is_some_and(|site| flank.has(site)) {
            ray(tables, point, from).take(row).for_each(|site| caught.insert(site));
        }
    }
    for site in caught {
        run(tables, board, around.effect, &at.with(Register::Between, site));
    }
}

fn surround<const W: usize, const S: usize>(
    tables: &Tables<W>,
    board: &mut Board<W, S>,
    around: &Around,
    (near, to, except): (NearId, RegionId, IntId),
    at: &Registers,
) {
    let view = EvalContext { tables, board };
    let Some(from) = origin(&view, around.from, at) else { return };
    let except = usize::try_from(view.int(except, at)).unwrap_or(0);
    let mut caught = Bits::<W>::EMPTY;
    for site in tables.near(near, from as i32).and(&view.region(around.between, at)) {
        let beside = tables.near(near, site as i32);
        let friends = view.region(to, &at.with(Register::Between, site));
        if beside.without(&friends).len() <= except {
            caught.insert(site);
        }
    }
    for site in caught {
        run(tables, board, around.effect, &at.with(Register::Between, site));
    }
}

fn enclose<const W: usize, const S: usize>(
    tables: &Tables<W>,
    board: &mut Board<W, S>,
    around: &Around,
    near: NearId,
    at: &Registers,
) {
    let view = EvalContext { tables, board };
    let Some(from) = origin(&view, around.from, at) else { return };
    let (hit, empty) = (view.region(around.between, at), view.empty());
    let (mut left, mut caught) = (tables.near(near, from as i32).and(&hit), Bits::EMPTY);
    while !left.is_empty() {
        let site = left.first() as usize;
        left.remove(site);
        if let Some(group) = lines::escapes(tables, site, &hit, &empty, near) {
            caught = caught.or(&group);
            left = left.without(&group);
        }
    }
    for site in caught {
        run(tables, board, around.effect, &at.with(Register::Between, site));
    }
}

fn directional<const W: usize, const S: usize>(
    tables: &Tables<W>,
    board: &mut Board<W, S>,
    (from, dirs, to): (IntId, DirsId, RegionId),
    effect: EffectId,
    at: &Registers,
) {
    let view = EvalContext { tables, board };
    let Some(from) = origin(&view, from, at) else { return };
    let hit = view.region(to, at);
    let mut caught = Bits::<W>::EMPTY;
    for point in points(view.dirs(dirs, at)) {
        ray(tables, point, from).take_while(|&site| hit.has(site)).for_each(|site| caught.insert(site));
    }
    for site in caught {
        run(tables, board, effect, &at.with(Register::To, site));
    }
}
