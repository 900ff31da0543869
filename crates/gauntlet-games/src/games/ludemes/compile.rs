//! From the text of a description to a compiled game.

use super::lowering::lower;
use super::program::Program;
use super::schema::{Type, bind};
use super::text::{Expanded, Mistakes, Source, mistakes_of, read};

/// Compiles a description with the macros of other files and these choices (`Heading/Item`) among its options.
///
/// # Errors
/// Everything that is wrong with it, each with its place.
pub fn compile(description: Source, macros: &[Source], choices: &[String]) -> Result<Program, Mistakes> {
    compile_expanded(read(description, macros, choices)?).map_err(|wrong| mistakes_of(description, macros, wrong))
}

/// Compiles a game whose macros and options are replaced.
fn compile_expanded(read: Expanded) -> Result<Program, Vec<super::text::Mistake>> {
    let mut wrong = Vec::new();
    match bind(&read.game, Type::Game, &mut wrong) {
        Some(tree) => lower(&tree, read.options),
        None => Err(wrong),
    }
}
