//! Generators of steps whose directions and destinations do not depend on the origin: these are computed once for all
//! pieces of a kind.

use super::super::program::{Dirs, DirsId, Int, Moves, MovesId, Program, Region, RegionId, Register};

/// Maximum number of rules whose steps are computed together.
pub const MOST_STEPS: usize = 4;

/// A step from the site of a piece.
#[derive(Debug, Clone, Copy)]
pub struct SteadyStep {
    /// The rule of its moves.
    pub rule: u8,
    /// The directions.
    pub dirs: DirsId,
    /// The allowed destinations.
    pub to: RegionId,
}

/// The steps of a generator, in order; empty if it contains anything else.
pub fn steady_steps(program: &Program, generator: MovesId) -> Vec<SteadyStep> {
    let mut steps = Vec::new();
    let whole = gather(program, generator, &mut steps) && steps.len() <= MOST_STEPS;
    if whole { steps } else { Vec::new() }
}

fn gather(program: &Program, generator: MovesId, steps: &mut Vec<SteadyStep>) -> bool {
    match program.moves[usize::from(generator.0)] {
        Moves::Or(a, b) => gather(program, a, steps) && gather(program, b, steps),
        Moves::Step { rule, from, dirs, to } => {
            steps.push(SteadyStep { rule, dirs, to });
            let from_piece = program.ints[usize::from(from.0)] == Int::Register(Register::From);
            let steady = !matches!(program.dirs[usize::from(dirs.0)], Dirs::Towards(..));
            from_piece && steady && is_steady(program, to)
        }
        _ => false,
    }
}

/// Whether a set does not depend on the registers.
fn is_steady(program: &Program, region: RegionId) -> bool {
    match program.regions[usize::from(region.0)] {
        Region::Not(inner) => is_steady(program, inner),
        Region::And(a, b) | Region::Or(a, b) => is_steady(program, a) && is_steady(program, b),
        Region::Mask(_) | Region::MaskOf(..) | Region::Empty | Region::Occupied | Region::Own(_) => true,
        _ => false,
    }
}
