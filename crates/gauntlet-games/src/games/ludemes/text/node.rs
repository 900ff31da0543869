//! The syntax of a description: lists in round brackets, sets in braces, words, strings, labels.

use std::rc::Rc;

use super::lexer::{Token, tokens};
use super::{Mistake, SourcePlace};

/// Maximum nesting of brackets.
pub const DEEPEST: usize = 120;

/// The kind of a syntax node.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// `( ... )`.
    List(Rc<[Node]>),
    /// `{ ... }`.
    Set(Rc<[Node]>),
    /// `< ... >`: an argument of an option, or its use.
    Angle(Rc<[Node]>),
    /// Text between quotes.
    Text(String),
    /// A word, a number, or an operator.
    Word(String),
    /// Asterisks after an item of an option.
    Stars(usize),
}

/// A node of the syntax.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// `name` of `name:value`.
    pub label: Option<String>,
    /// Its kind.
    pub kind: Kind,
    /// Its start.
    pub place: SourcePlace,
}

impl Node {
    /// The first word of a list, if it has one.
    pub fn head(&self) -> Option<&str> {
        match &self.kind {
            Kind::List(items) => items.first().and_then(Node::word),
            Kind::Set(_) | Kind::Angle(_) | Kind::Text(_) | Kind::Word(_) | Kind::Stars(_) => None,
        }
    }

    /// The word, if it is one without a label.
    pub fn word(&self) -> Option<&str> {
        match &self.kind {
            Kind::Word(word) if self.label.is_none() => Some(word),
            _ => None,
        }
    }

    /// The text between quotes, if it is one.
    pub fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Whether its brackets are nested at most to this depth.
    pub fn is_nested_within(&self, depth: usize) -> bool {
        let nested = !matches!(self.kind, Kind::Text(_) | Kind::Word(_) | Kind::Stars(_));
        !nested || depth > 0 && self.items().iter().all(|item| item.is_nested_within(depth - 1))
    }

    /// Whether two nodes are equal, ignoring their places.
    pub fn is_same(&self, other: &Node) -> bool {
        let flat = |kind: &Kind| matches!(kind, Kind::Text(_) | Kind::Word(_) | Kind::Stars(_));
        let [one, two] = [self.items(), other.items()];
        self.label == other.label
            && std::mem::discriminant(&self.kind) == std::mem::discriminant(&other.kind)
            && (!flat(&self.kind) || self.kind == other.kind)
            && one.len() == two.len()
            && one.iter().zip(two).all(|(one, two)| one.is_same(two))
    }

    /// The nodes in its brackets; empty if it has none.
    pub fn items(&self) -> &[Node] {
        match &self.kind {
            Kind::List(items) | Kind::Set(items) | Kind::Angle(items) => items,
            Kind::Text(_) | Kind::Word(_) | Kind::Stars(_) => &[],
        }
    }
}

/// The nodes of a text, and the mistakes.
pub fn nodes(file: u16, text: &str) -> (Vec<Node>, Vec<Mistake>) {
    let (tokens, wrong) = tokens(file, text);
    if !wrong.is_empty() {
        return (Vec::new(), wrong);
    }
    let mut reader = Reader { open: Vec::new(), done: Vec::new(), label: None, wrong };
    for (token, place) in tokens {
        if !reader.token(token, place) {
            break;
        }
    }
    reader.finish()
}

/// An open bracket: its sign, its label, its place, and the nodes before it.
struct OpenBracket {
    sign: char,
    label: Option<String>,
    place: SourcePlace,
    before: Vec<Node>,
}

struct Reader {
    open: Vec<OpenBracket>,
    done: Vec<Node>,
    label: Option<(String, SourcePlace)>,
    wrong: Vec<Mistake>,
}

impl Reader {
    /// Handles one token; false if reading must stop.
    fn token(&mut self, token: Token, place: SourcePlace) -> bool {
        match token {
            Token::Open(sign) => return self.open(sign, place),
            Token::Close(sign) => return self.close(sign, place),
            Token::Text(text) => self.put(Kind::Text(text), place),
            Token::Word(word) => self.put(Kind::Word(word), place),
            Token::Stars(stars) => self.put(Kind::Stars(stars), place),
            // Within an option `Size:cells` is one name.
            Token::Label(name) if self.open.last().is_some_and(|open| open.sign == '<') => {
                self.put(Kind::Word(format!("{name}:")), place);
            }
            Token::Label(name) => self.label = Some((name, place)),
        }
        true
    }

    fn put(&mut self, kind: Kind, place: SourcePlace) {
        let label = self.label.take().map(|(name, _)| name);
        self.done.push(Node { label, kind, place });
    }

    fn open(&mut self, sign: char, place: SourcePlace) -> bool {
        if self.open.len() >= DEEPEST {
            self.wrong.push(Mistake::new(place, format!("brackets are nested deeper than {DEEPEST}")));
            return false;
        }
        let label = self.label.take().map(|(name, _)| name);
        self.open.push(OpenBracket { sign, label, place, before: std::mem::take(&mut self.done) });
        true
    }

    fn close(&mut self, sign: char, place: SourcePlace) -> bool {
        let Some(open) = self.open.pop() else {
            self.wrong.push(Mistake::new(place, format!("`{sign}` closes nothing")));
            return false;
        };
        if let Some((name, place)) = self.label.take() {
            self.wrong.push(Mistake::new(place, format!("`{name}:` has no value")));
        }
        let inside: Rc<[Node]> = std::mem::replace(&mut self.done, open.before).into();
        let (kind, wanted) = match open.sign {
            '(' => (Kind::List(inside), ')'),
            '{' => (Kind::Set(inside), '}'),
            _ => (Kind::Angle(inside), '>'),
        };
        if sign != wanted {
            let SourcePlace { line, column, .. } = open.place;
            let message = format!("`{sign}` does not close the `{}` of line {line}, column {column}", open.sign);
            self.wrong.push(Mistake::new(place, message));
            return false;
        }
        self.done.push(Node { label: open.label, kind, place: open.place });
        true
    }

    fn finish(mut self) -> (Vec<Node>, Vec<Mistake>) {
        if self.wrong.is_empty() {
            let never = |open: &OpenBracket| Mistake::new(open.place, format!("`{}` is never closed", open.sign));
            self.wrong.extend(self.open.iter().map(never));
        }
        (self.done, self.wrong)
    }
}
