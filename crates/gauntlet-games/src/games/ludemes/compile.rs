//! The compiler: from the text of a description to a game.

use super::lowering::lower;
use super::program::Program;
use super::schema::{Type, bind};
use super::text::{Expanded, Mistakes, Source, mistakes_of, read};

/// Compiles a description with the macros of other files and the chosen options (`Heading/Item`).
///
/// # Errors
/// All mistakes in the description, each with its place.
pub fn compile(description: Source, macros: &[Source], choices: &[String]) -> Result<Program, Mistakes> {
    compile_expanded(read(description, macros, choices)?).map_err(|wrong| mistakes_of(description, macros, wrong))
}

/// Compiles a game after macros and options are replaced.
fn compile_expanded(read: Expanded) -> Result<Program, Vec<super::text::Mistake>> {
    let mut wrong = Vec::new();
    match bind(&read.game, Type::Game, &mut wrong) {
        Some(tree) => lower(&tree, read.options),
        None => Err(wrong),
    }
}
