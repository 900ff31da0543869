//! From the typed tree to the flat program: names become numbers, conditions on single sites become sets of sites.
//!
//! Everything that is wrong is collected; what is wrong lowers to something harmless, so that the rest is read too.

mod actions;
mod bools;
mod circles;
mod context;
mod directions;
mod effect_ludemes;
mod equipment;
mod filters;
mod frame;
mod ints;
mod moves;
mod regions;
mod rules;

use super::program::{Bool, BoolId, DirsId, Effect, EffectId, IntId, Moves, MovesId, NearId, Program};
use super::schema::Tree;
use super::text::{Mistake, Place};
use context::{Lowering, NamedRegion, intern};

/// Lowers a game.
///
/// # Errors
/// Everything that is wrong with it.
pub fn lower(tree: &Tree, options: Vec<(String, Vec<String>)>) -> Result<Program, Vec<Mistake>> {
    let mut wrong = Vec::new();
    let program = frame::board(tree, &mut wrong).map(|board| {
        let mut lowering = Lowering::new(frame::empty(tree, board, options), std::mem::take(&mut wrong));
        lowering.game(tree);
        wrong = lowering.wrong;
        lowering.program
    });
    match program {
        Some(program) if wrong.is_empty() => Ok(program),
        _ => Err(wrong),
    }
}
