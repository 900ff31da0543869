//! The typed tree of a description: every ludeme with its row, every argument with its parameter.

use super::super::text::{Node, SourcePlace};
use super::types::Type;
use super::words::Word;

/// A ludeme with its arguments.
#[derive(Debug, Clone)]
pub struct Tree {
    /// The ludeme.
    pub word: Word,
    /// Its type.
    pub result: Type,
    /// Arguments by the name of the parameter; a repeated parameter has several entries.
    pub arguments: Vec<(&'static str, Argument)>,
    /// Its start.
    pub place: SourcePlace,
}

/// An argument.
#[derive(Debug, Clone)]
pub enum Argument {
    /// A ludeme.
    Tree(Tree),
    /// A word, a number, a text, or a set of them.
    Value(Node),
}

impl Argument {
    /// The start of the argument.
    pub fn place(&self) -> SourcePlace {
        match self {
            Argument::Tree(tree) => tree.place,
            Argument::Value(node) => node.place,
        }
    }

    /// The text or word of the argument.
    pub fn text(&self) -> Option<&str> {
        match self {
            Argument::Value(node) => node.text().or_else(|| match &node.kind {
                super::super::text::Kind::Word(word) => Some(word),
                _ => None,
            }),
            Argument::Tree(_) => None,
        }
    }
}

impl Tree {
    /// The argument of a parameter, if it was given.
    pub fn get(&self, name: &str) -> Option<&Argument> {
        self.arguments.iter().find(|(of, _)| *of == name).map(|(_, argument)| argument)
    }

    /// All arguments of a repeated parameter.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Argument> {
        self.arguments.iter().filter(move |(of, _)| *of == name).map(|(_, argument)| argument)
    }

    /// The argument as a ludeme, if it was given.
    pub fn tree(&self, name: &str) -> Option<&Tree> {
        match self.get(name) {
            Some(Argument::Tree(tree)) => Some(tree),
            Some(Argument::Value(_)) | None => None,
        }
    }

    /// All arguments of a repeated parameter as ludemes.
    pub fn trees<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Tree> {
        self.all(name).filter_map(|argument| match argument {
            Argument::Tree(tree) => Some(tree),
            Argument::Value(_) => None,
        })
    }

    /// The argument as a text or word.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name).and_then(Argument::text)
    }

    /// Whether an argument is the word `True`.
    pub fn flag(&self, name: &str) -> bool {
        self.text(name).is_some_and(|word| word.eq_ignore_ascii_case("true"))
    }
}
