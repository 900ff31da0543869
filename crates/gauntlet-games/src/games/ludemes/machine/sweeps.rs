//! Moves of one piece along the directions of the board: steps, slides, runs along tracks, hops.

use super::super::program::{DirsId, MovesId, RegionId, Register};
use super::bits::Bits;
use super::board::Move;
use super::gathered::Gathered;
use super::steady::MOST_STEPS;
use super::tables::NOWHERE;
use super::values::{EvalContext, Registers};

/// The steps of a generator, with their directions and allowed destinations.
pub struct Steps<const W: usize> {
    generator: MovesId,
    count: usize,
    steps: [(u8, u16, Bits<W>); MOST_STEPS],
}

impl<const W: usize> Steps<W> {
    /// The steps of a generator; they are computed now if the previous ones are of another generator.
    #[inline]
    pub fn of<'a, const S: usize>(
        before: &'a mut Option<Steps<W>>,
        view: &EvalContext<W, S>,
        generator: MovesId,
        at: &Registers,
    ) -> &'a Steps<W> {
        if before.as_ref().is_none_or(|steps| steps.generator != generator) {
            let steady = view.tables.steady(generator);
            let mut steps = [(0, 0, Bits::EMPTY); MOST_STEPS];
            for (into, step) in steps.iter_mut().zip(steady) {
                *into = (step.rule, view.dirs(step.dirs, at), view.region(step.to, at));
            }
            *before = Some(Steps { generator, count: steady.len(), steps });
        }
        before.as_ref().expect("they have just been found")
    }

    /// The moves from a site.
    #[inline]
    pub fn generate<const S: usize>(&self, view: &EvalContext<W, S>, from: usize, found: &mut Gathered<W>) {
        if from >= view.tables.program.board_sites() {
            return;
        }
        for &(rule, dirs, to) in &self.steps[..self.count] {
            for to in found.ends(near(view, from, dirs).and(&to)) {
                found.push(rule, from, to);
            }
            if found.is_full() {
                return;
            }
        }
    }
}

/// The next sites in some directions.
#[inline]
fn near<const W: usize, const S: usize>(view: &EvalContext<W, S>, from: usize, dirs: u16) -> Bits<W> {
    let (mut near, mut left) = (Bits::EMPTY, dirs);
    while left != 0 {
        let next = view.tables.next(left.trailing_zeros() as usize, from);
        if next != NOWHERE {
            near.insert(usize::from(next));
        }
        left &= left - 1;
    }
    near
}

/// Steps to a next site of a set.
#[inline]
pub fn step<const W: usize, const S: usize>(
    view: &EvalContext<W, S>,
    [rule, dirs]: [usize; 2],
    from: i32,
    to: RegionId,
    at: &Registers,
    found: &mut Gathered<W>,
) {
    if from < 0 || from as usize >= view.tables.program.board_sites() {
        return;
    }
    let near = near(view, from as usize, view.dirs(DirsId(dirs as u16), at));
    if near.is_empty() {
        return;
    }
    for to in found.ends(near.and(&view.region(to, &at.with(Register::From, from as usize)))) {
        found.push(rule as u8, from as usize, to);
    }
}

/// Slides over the sites of a set, up to a site of another set.
#[inline]
pub fn slide<const W: usize, const S: usize>(
    view: &EvalContext<W, S>,
    rule: u8,
    from: i32,
    dirs: u16,
    [go, stop]: [&Bits<W>; 2],
    found: &mut Gathered<W>,
) {
    if from < 0 || from as usize >= view.tables.program.board_sites() {
        return;
    }
    let mut left = dirs;
    while left != 0 {
        let point = left.trailing_zeros() as usize;
        left &= left - 1;
        let mut to = view.tables.next(point, from as usize);
        while to != NOWHERE {
            let site = usize::from(to);
            let (stops, goes) = (stop.has(site), go.has(site));
            if (stops || goes) && found.only.is_none_or(|only| only.has(site)) {
                found.push(rule, from as usize, site);
            }
            if stops || !goes {
                break;
            }
            to = view.tables.next(point, site);
        }
    }
}

/// Runs along the tracks of the board, up to a site that stops the run.
#[inline]
pub fn track<const W: usize, const S: usize>(
    view: &EvalContext<W, S>,
    rule: u8,
    from: i32,
    [go, stop]: &[Bits<W>; 2],
    found: &mut Gathered<W>,
) {
    for &[track, start] in view.tables.on_tracks(from) {
        let track = &view.tables.program.tracks[usize::from(track)];
        let (mut place, mut bends) = (usize::from(start), 0);
        for _ in 1..track.sites.len() {
            bends += u32::from(track.bends[place]);
            place = if place + 1 == track.sites.len() { 0 } else { place + 1 };
            let site = usize::from(track.sites[place]);
            if stop.has(site) {
                if bends > 0 && found.only.is_none_or(|only| only.has(site)) {
                    found.push(rule, from as usize, site);
                }
                break;
            }
            if !go.has(site) && site as i32 != from {
                break;
            }
        }
    }
}

/// Hops over a site of a set to the site behind it.
#[inline]
pub fn hop<const W: usize, const S: usize>(
    view: &EvalContext<W, S>,
    rule: u8,
    from: i32,
    dirs: u16,
    [over, to]: &[Bits<W>; 2],
    found: &mut Gathered<W>,
) {
    if from < 0 || from as usize >= view.tables.program.board_sites() {
        return;
    }
    let mut left = dirs;
    while left != 0 {
        let point = left.trailing_zeros() as usize;
        left &= left - 1;
        let between = view.tables.next(point, from as usize);
        if between == NOWHERE || !over.has(usize::from(between)) {
            continue;
        }
        let end = view.tables.next(point, usize::from(between));
        if end != NOWHERE && to.has(usize::from(end)) {
            found.list.push(Move { rule, from: from as u16, to: end, between });
        }
    }
}
