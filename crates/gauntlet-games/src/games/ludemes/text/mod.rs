//! The text layer: from files to the syntax of one game, with its macros and options replaced.

mod expand;
mod lexer;
mod node;
mod place;
mod write;

use expand::Definitions;
pub use node::{Kind, Node, nodes};
pub use place::{Mistake, Mistakes, SourcePlace, hint};
pub use write::write;

/// A source file.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// Its name in messages.
    pub name: &'a str,
    /// Its contents.
    pub text: &'a str,
}

/// A game with its macros and options replaced.
#[derive(Debug, Clone)]
pub struct Expanded {
    /// `(game ...)`.
    pub game: Node,
    /// The headings of its options with the names of their items.
    pub options: Vec<(String, Vec<String>)>,
}

/// Reads a description with the macros of other files and the chosen options (`Heading/Item`).
///
/// # Errors
/// All mistakes in brackets, macros and options.
pub fn read(description: Source, macros: &[Source], choices: &[String]) -> Result<Expanded, Mistakes> {
    let mut known = Definitions::default();
    let mut wrong = Vec::new();
    for (file, source) in macros.iter().enumerate() {
        let (nodes, mistakes) = node::nodes(file as u16 + 1, source.text);
        wrong.extend(mistakes);
        known.add_macros(&nodes, &mut wrong);
    }
    let (nodes, mistakes) = node::nodes(0, description.text);
    wrong.extend(mistakes);
    known.add_macros(&nodes, &mut wrong);
    if wrong.is_empty() {
        known.choose(&nodes, choices, &mut wrong);
    }
    let mut game = None;
    if wrong.is_empty() {
        game = whole(&nodes, &mut wrong).and_then(|node| known.expand(node, &mut wrong));
    }
    match game {
        Some(game) if wrong.is_empty() => Ok(Expanded { game, options: known.headings().to_vec() }),
        _ => Err(mistakes_of(description, macros, wrong)),
    }
}

/// The mistakes with the names of their files.
pub fn mistakes_of(description: Source, macros: &[Source], mut list: Vec<Mistake>) -> Mistakes {
    list.sort_by_key(|mistake| mistake.place);
    list.dedup();
    let files = std::iter::once(&description).chain(macros).map(|source| source.name.to_owned()).collect();
    Mistakes { files, list }
}

/// Heads allowed beside the game on the top level.
const BESIDE: [&str; 5] = ["define", "option", "rulesets", "metadata", "game"];

/// The only game of a description.
fn whole<'a>(nodes: &'a [Node], wrong: &mut Vec<Mistake>) -> Option<&'a Node> {
    for node in nodes {
        let head = node.head().unwrap_or_default();
        if !BESIDE.contains(&head) {
            let message = format!("`({head} ...)` cannot stand beside the game{}", hint(head, BESIDE));
            wrong.push(Mistake::new(node.place, message));
        }
    }
    let mut games = nodes.iter().filter(|node| node.head() == Some("game"));
    let game = games.next();
    if let Some(second) = games.next() {
        wrong.push(Mistake::new(second.place, "a description holds one game; this is a second one"));
    }
    if game.is_none() {
        wrong.push(Mistake::new(
            SourcePlace { line: 1, column: 1, ..SourcePlace::default() },
            "there is no `(game ...)` here",
        ));
    }
    game
}
