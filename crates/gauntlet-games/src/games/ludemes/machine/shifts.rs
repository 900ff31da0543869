//! Generators of steps as shifts of the whole board. If a direction is the same difference of site numbers
//! everywhere, the origins of the steps into a set are that set, shifted.

use super::super::program::{Dirs, Moves, MovesId, Program, RegionId, Who};
use super::super::topology::Compass;
use super::bits::Bits;
use super::steady::{SteadyStep, steady_steps};

/// Maximum number of pairs of rule and direction.
pub const MOST_SHIFTS: usize = 8;

/// Steps by one rule in one direction.
#[derive(Debug, Clone, Copy)]
pub struct BoardShift<const W: usize> {
    /// The rule of its moves.
    pub rule: u8,
    /// The difference of the site numbers.
    pub by: i32,
    /// The sites that have a next one.
    pub inner: Bits<W>,
    /// The allowed destinations.
    pub to: RegionId,
}

/// The steps of a generator for pieces, by colour to move: in the order of the list of moves from one site, no two of
/// them to the same site. Empty if the generator contains anything else, or a direction is not the same everywhere.
pub fn shifts<const W: usize>(program: &Program, generator: MovesId) -> [Vec<BoardShift<W>>; 3] {
    [0, 1, 2].map(|colour| shifts_of(program, generator, colour).unwrap_or_default())
}

fn shifts_of<const W: usize>(program: &Program, generator: MovesId, colour: u8) -> Option<Vec<BoardShift<W>>> {
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
fn directed<const W: usize>(program: &Program, step: &SteadyStep, dirs: u16) -> Option<Vec<BoardShift<W>>> {
    let points = (0..16).filter(|point| dirs >> point & 1 != 0);
    let mut shifts: Vec<BoardShift<W>> =
        points.map(|point| directed_to(program, step, point)).collect::<Option<_>>()?;
    shifts.sort_by_key(|shift| shift.by);
    Some(shifts)
}

fn directed_to<const W: usize>(program: &Program, step: &SteadyStep, point: i32) -> Option<BoardShift<W>> {
    let next = |site: usize| program.graph.step(Compass::N.turned(point), site);
    let (mut by, mut inner) = (None, Bits::EMPTY);
    for (site, to) in (0..program.board_sites()).filter_map(|site| next(site).map(|to| (site, to))) {
        inner.insert(site);
        let distance = i32::from(to) - site as i32;
        if *by.get_or_insert(distance) != distance {
            return None;
        }
    }
    Some(BoardShift { rule: step.rule, by: by.unwrap_or(1), inner, to: step.to })
}
