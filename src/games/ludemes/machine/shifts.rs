//! Steps of all pieces of a colour at once: where a direction is the same distance between the numbers of sites
//! everywhere, the sites from which it leads to a set are that set, shifted.

use super::super::program::{Dirs, Moves, MovesId, Program, RegionId, Who};
use super::super::topology::Compass;
use super::bits::Bits;
use super::board::Move;
use super::steady::{SteadyStep, steady_steps};
use super::tables::NOWHERE;
use super::values::{Registers, Scene};

/// At most so many pairs of rule and direction are looked at together.
pub const MOST_SHIFTS: usize = 8;

/// Steps by one rule in one direction.
#[derive(Debug, Clone, Copy)]
pub struct Shift<const W: usize> {
    rule: u8,
    /// What is added to the number of a site.
    by: i32,
    /// The sites that have a next one.
    inner: Bits<W>,
    /// Where steps may end.
    to: RegionId,
}

/// Where steps begin that are allowed now, by shift.
pub struct Origins<'a, const W: usize> {
    shifts: &'a [Shift<W>],
    from: [Bits<W>; MOST_SHIFTS],
}

/// The steps of a generator for pieces, by colour to move: in the order in which they are listed from one site, no two
/// of them to the same site. Nothing where there is something else in it, or some direction is not the same everywhere.
pub fn shifts<const W: usize>(program: &Program, generator: MovesId) -> [Vec<Shift<W>>; 3] {
    [0, 1, 2].map(|colour| shifts_of(program, generator, colour).unwrap_or_default())
}

fn shifts_of<const W: usize>(program: &Program, generator: MovesId, colour: u8) -> Option<Vec<Shift<W>>> {
    let Moves::Pieces { who: Who::Mover, table, hand: false } = program.moves[usize::from(generator.0)] else {
        return None;
    };
    let row = &program.tables[usize::from(table)];
    let mut own = (0..row.len()).filter(|&kind| program.pieces[kind].owner == colour).map(|kind| row[kind]);
    let first = own.next()??;
    let steps = steady_steps(program, first);
    let mut shifts = Vec::new();
    let (mut met, alike) = (0, own.all(|other| other == Some(first)));
    for step in &steps {
        let dirs = fixed(program, step, colour).filter(|dirs| dirs & met == 0)?;
        met |= dirs;
        shifts.extend(directed(program, step, dirs)?);
    }
    (alike && shifts.len() <= MOST_SHIFTS).then_some(shifts)
}

fn fixed(program: &Program, step: &SteadyStep, colour: u8) -> Option<u16> {
    match program.dirs[usize::from(step.dirs.0)] {
        Dirs::Fixed(bits) => Some(bits[usize::from(colour)]),
        Dirs::Same | Dirs::Opposite | Dirs::Towards(..) => None,
    }
}

/// The directions of a step, those to lower sites first.
fn directed<const W: usize>(program: &Program, step: &SteadyStep, dirs: u16) -> Option<Vec<Shift<W>>> {
    let points = (0..16).filter(|point| dirs >> point & 1 != 0);
    let mut shifts: Vec<Shift<W>> = points.map(|point| directed_to(program, step, point)).collect::<Option<_>>()?;
    shifts.sort_by_key(|shift| shift.by);
    Some(shifts)
}

fn directed_to<const W: usize>(program: &Program, step: &SteadyStep, point: i32) -> Option<Shift<W>> {
    let next = |site: usize| program.graph.step(Compass::N.turned(point), site);
    let (mut by, mut inner) = (None, Bits::EMPTY);
    for (site, to) in (0..program.board_sites()).filter_map(|site| next(site).map(|to| (site, to))) {
        inner.insert(site);
        let distance = i32::from(to) - site as i32;
        if *by.get_or_insert(distance) != distance {
            return None;
        }
    }
    Some(Shift { rule: step.rule, by: by.unwrap_or(1), inner, to: step.to })
}

impl<const W: usize> Shift<W> {
    #[inline]
    fn step(&self, from: usize) -> Move {
        Move { rule: self.rule, from: from as u16, to: (from as i32 + self.by) as u16, between: NOWHERE }
    }
}

impl<'a, const W: usize> Origins<'a, W> {
    /// Those of the mover.
    #[inline]
    pub fn new<const S: usize>(view: &Scene<W, S>, shifts: &'a [Shift<W>]) -> Origins<'a, W> {
        let (mover, at) = (view.board.mover, Registers::of(view.board.mover));
        let own = &view.board.own[usize::from(mover)];
        let mut from = [Bits::EMPTY; MOST_SHIFTS];
        let (mut to, mut known) = (Bits::EMPTY, None);
        for (shift, from) in shifts.iter().zip(&mut from) {
            if known != Some(shift.to) {
                (to, known) = (view.region(shift.to, &at), Some(shift.to));
            }
            *from = to.shifted(-shift.by).and(&shift.inner).and(own);
        }
        Origins { shifts, from }
    }

    #[inline]
    fn sets(&self) -> &[Bits<W>] {
        &self.from[..self.shifts.len()]
    }

    /// How many steps there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.sets().iter().map(Bits::len).sum()
    }

    /// The step before which `nth` others are listed, where there are more than `nth`.
    #[inline]
    pub fn nth(&self, nth: usize) -> Option<Move> {
        let mut left = nth;
        for from in self.sets().iter().fold(Bits::EMPTY, |all, set| all.or(set)) {
            let here: usize = self.sets().iter().map(|set| usize::from(set.has(from))).sum();
            if left < here {
                let allowed = self.shifts.iter().zip(self.sets()).filter(|(_, set)| set.has(from));
                return allowed.map(|(shift, _)| shift.step(from)).nth(left);
            }
            left -= here;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::library::{LIBRARY, described};
    use super::super::super::spec::LudemeSpec;
    use super::super::Position as Played;
    use super::*;
    use crate::base::{Action, Rng, Seed};
    use crate::games::{Game as _, Position, State};

    /// What random play draws, what it draws from the list of moves, and whether it shifts the board for it.
    fn drawn(position: &dyn Position, rng: &Rng) -> (Action, Action, bool) {
        fn of<const W: usize, const S: usize>(position: &dyn Position, rng: &Rng) -> Option<(Action, Action, bool)> {
            let played = position.state::<Played<W, S>>()?;
            Some((
                State::random_action(played, &mut rng.clone()),
                played.random_listed(&mut rng.clone()),
                played.has_shifts(),
            ))
        }
        let narrow =
            of::<1, 0>(position, rng).or_else(|| of::<1, 1>(position, rng)).or_else(|| of::<2, 0>(position, rng));
        narrow.or_else(|| of::<4, 0>(position, rng)).or_else(|| of::<6, 0>(position, rng)).unwrap()
    }

    #[test]
    fn what_is_drawn_without_a_list_is_what_is_drawn_from_it() {
        let wide = described("breakthrough").unwrap().text.replace("<8>", "<11>");
        let others = LIBRARY.iter().map(|game| (game.name, game.text, game.name == "breakthrough"));
        for (name, text, shifts) in others.chain([("wide", wide.as_str(), true)]) {
            let game = LudemeSpec::read(name, text, &[], &[]).unwrap().build();
            let (mut position, mut rng) = (game.start(), Seed::new(6).rng());
            while position.outcome().is_none() {
                let (fast, listed, shifted) = drawn(&*position, &rng);
                assert_eq!((fast, shifted), (listed, shifts), "{name}");
                position.play(position.random_action(&mut rng));
            }
        }
    }

    #[test]
    fn a_set_is_shifted_over_the_ends_of_its_words() {
        for by in [-129, -128, -65, -64, -9, -1, 0, 1, 7, 63, 64, 66, 128, 130] {
            let sites = [0, 1, 62, 63, 64, 65, 100, 127];
            let mut set = Bits::<2>::EMPTY;
            sites.into_iter().for_each(|site| set.insert(site));
            let moved: Vec<usize> = sites.iter().filter_map(|&site| usize::try_from(site as i32 + by).ok()).collect();
            let expected: Vec<usize> = moved.into_iter().filter(|&site| site < 128).collect();
            assert_eq!(set.shifted(by).into_iter().collect::<Vec<_>>(), expected, "{by}");
        }
    }
}
