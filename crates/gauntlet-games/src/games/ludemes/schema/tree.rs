//! The typed tree of a description: every ludeme with its row, every argument under its parameter.

use super::super::text::{Node, Place};
use super::types::Type;
use super::words::Word;

/// A ludeme with its arguments.
#[derive(Debug, Clone)]
pub struct Tree {
    /// Which ludeme.
    pub word: Word,
    /// Its type.
    pub result: Type,
    /// Arguments by the name of the parameter; those of a repeated one are all here.
    pub arguments: Vec<(&'static str, Argument)>,
    /// Where it begins.
    pub place: Place,
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
    /// Where it begins.
    pub fn place(&self) -> Place {
        match self {
            Argument::Tree(tree) => tree.place,
            Argument::Value(node) => node.place,
        }
    }

    /// The text or word that it is.
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

    /// The ludeme that an argument is, if it was given.
    pub fn tree(&self, name: &str) -> Option<&Tree> {
        match self.get(name) {
            Some(Argument::Tree(tree)) => Some(tree),
            Some(Argument::Value(_)) | None => None,
        }
    }

    /// All ludemes that a repeated parameter was given.
    pub fn trees<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Tree> {
        self.all(name).filter_map(|argument| match argument {
            Argument::Tree(tree) => Some(tree),
            Argument::Value(_) => None,
        })
    }

    /// The text or word that an argument is.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name).and_then(Argument::text)
    }

    /// Whether an argument is the word `True`.
    pub fn flag(&self, name: &str) -> bool {
        self.text(name).is_some_and(|word| word.eq_ignore_ascii_case("true"))
    }
}
