//! Lowering: from the typed tree to the flat program. Names become numbers, conditions on single sites become sets of
//! sites.
//!
//! All mistakes are collected; an invalid part lowers to a harmless default, so that the rest is checked too.

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
use super::text::{Mistake, SourcePlace};
use context::{Lowering, NamedRegion, intern};

/// Lowers a game.
///
/// # Errors
/// All mistakes in it.
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
