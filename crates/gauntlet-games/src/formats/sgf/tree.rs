//! The syntax of SGF: trees of nodes of properties. It depends on no game.
//!
//! Only the main line of each tree is kept. Text around the trees is skipped. The parser does not recurse, so that no
//! nesting can exhaust the stack.

use std::borrow::Cow;
use std::iter::Peekable;
use std::str::Chars;

use super::super::{Fault, FormatError};

/// Maximum nesting of trees.
const DEEPEST: usize = 100_000;

/// Maximum length of a value in bytes.
const LONGEST: usize = 1 << 20;

/// One node.
#[derive(Debug, Default)]
pub struct SgfNode {
    /// The line of its start.
    pub line: usize,
    properties: Vec<Property>,
}

/// One property.
#[derive(Debug)]
pub struct Property {
    /// The line of its start.
    pub line: usize,
    /// Its upper-case letters.
    pub name: String,
    /// Its values, escapes resolved; at least one.
    pub values: Vec<String>,
}

impl SgfNode {
    /// A property by its name.
    pub fn get(&self, name: &str) -> Option<&Property> {
        self.properties.iter().find(|property| property.name == name)
    }

    /// Whether it contains a move.
    pub fn moves(&self) -> bool {
        self.get("B").or(self.get("W")).is_some()
    }

    /// The line of its first property that sets up or removes stones.
    pub fn sets_stones(&self) -> Option<usize> {
        ["AB", "AW", "AE"].into_iter().find_map(|key| self.get(key)).map(|property| property.line)
    }

    /// Adds a property; repeated properties are merged.
    fn add(&mut self, property: Property) {
        match self.properties.iter_mut().find(|known| known.name == property.name) {
            Some(known) => known.values.extend(property.values),
            None => self.properties.push(property),
        }
    }
}

impl Property {
    /// The first value with all white space as spaces.
    pub fn simple_text(&self) -> String {
        self.values[0].chars().map(|c| if c.is_whitespace() { ' ' } else { c }).collect()
    }
}

/// A tree that has been opened.
struct Open {
    /// Whether its nodes belong to the main line.
    is_main: bool,
    nodes: usize,
    children: usize,
}

/// The main line of every tree of a collection, each with at least one node.
pub fn parse(text: &str) -> Result<Vec<Vec<SgfNode>>, FormatError> {
    let text = with_line_feeds(text);
    let mut reader = SgfParser { chars: text.chars().peekable(), line: 1 };
    let (mut games, mut open): (Vec<Vec<SgfNode>>, Vec<Open>) = (Vec::new(), Vec::new());
    while let Some(next) = if open.is_empty() { reader.next_tree() } else { reader.next_solid() } {
        let depth = open.len();
        match (next, open.last_mut()) {
            ('(', None) => {
                games.push(Vec::new());
                open.push(Open { is_main: true, nodes: 0, children: 0 });
            }
            ('(', Some(_)) if depth >= DEEPEST => {
                return Err(Fault::TooLarge { what: "a depth", size: depth + 1, most: DEEPEST }.at(reader.line));
            }
            ('(', Some(above)) if above.nodes > 0 => {
                let is_main = above.is_main && above.children == 0;
                above.children += 1;
                open.push(Open { is_main, nodes: 0, children: 0 });
            }
            (';', Some(tree)) if tree.children == 0 => {
                tree.nodes += 1;
                let node = reader.node()?;
                if tree.is_main {
                    games.last_mut().expect("a tree is open").push(node);
                }
            }
            (')', Some(tree)) if tree.nodes > 0 => drop(open.pop()),
            (found, _) => return Err(reader.expected("`;`, a variation or `)`", found)),
        }
    }
    if games.is_empty() || !open.is_empty() {
        let wanted = if games.is_empty() { "`(;`" } else { "`)`" };
        return Err(Fault::Expected { wanted, found: "the end of the file".to_owned() }.at(reader.line));
    }
    Ok(games)
}

/// The text with LF as the end of every line, for input with CR LF, CR or LF.
fn with_line_feeds(text: &str) -> Cow<'_, str> {
    match text.contains('\r') {
        true => text.replace("\r\n", "\n").replace('\r', "\n").into(),
        false => text.into(),
    }
}

struct SgfParser<'a> {
    chars: Peekable<Chars<'a>>,
    line: usize,
}

impl SgfParser<'_> {
    fn next(&mut self) -> Option<char> {
        let next = self.chars.next();
        self.line += usize::from(next == Some('\n'));
        next
    }

    fn skip_space(&mut self) {
        while self.chars.peek().is_some_and(|c| c.is_whitespace()) {
            self.next();
        }
    }

    /// Skips to the next `(` that is followed by a `;`.
    fn next_tree(&mut self) -> Option<char> {
        while let Some(next) = self.next() {
            if next == '(' && self.chars.clone().find(|c| !c.is_whitespace()) == Some(';') {
                return Some(next);
            }
        }
        None
    }

    /// The next character other than white space.
    fn next_solid(&mut self) -> Option<char> {
        self.skip_space();
        self.next()
    }

    fn expected(&self, wanted: &'static str, found: char) -> FormatError {
        Fault::Expected { wanted, found: format!("{found:?}") }.at(self.line)
    }

    /// The properties after a `;`.
    fn node(&mut self) -> Result<SgfNode, FormatError> {
        let mut node = SgfNode { line: self.line, properties: Vec::new() };
        loop {
            self.skip_space();
            let (mut name, line) = (String::new(), self.line);
            while let Some(letter) = self.chars.next_if(char::is_ascii_alphabetic) {
                // Older files have lower-case letters in between, which are ignored.
                name.extend(Some(letter).filter(char::is_ascii_uppercase));
                if name.len() > LONGEST {
                    return Err(Fault::TooLarge { what: "a name", size: name.len(), most: LONGEST }.at(line));
                }
            }
            if name.is_empty() {
                return Ok(node);
            }
            node.add(Property { line, name, values: self.values()? });
        }
    }

    fn values(&mut self) -> Result<Vec<String>, FormatError> {
        let mut values = Vec::new();
        loop {
            self.skip_space();
            if self.chars.next_if_eq(&'[').is_some() {
                values.push(self.value()?);
            } else if values.is_empty() {
                let found = self.chars.peek().map_or("the end of the file".to_owned(), |c| format!("{c:?}"));
                return Err(Fault::Expected { wanted: "`[`", found }.at(self.line));
            } else {
                return Ok(values);
            }
        }
    }

    /// A value, from after its `[` to its `]`.
    fn value(&mut self) -> Result<String, FormatError> {
        let (mut value, line) = (String::new(), self.line);
        loop {
            match self.next() {
                Some(']') => return Ok(value),
                Some('\\') => value.extend(self.next().filter(|&c| c != '\n')),
                Some(c) => value.push(c),
                None => {
                    return Err(Fault::Expected { wanted: "`]`", found: "the end of the file".to_owned() }.at(line));
                }
            }
            if value.len() > LONGEST {
                return Err(Fault::TooLarge { what: "a value", size: value.len(), most: LONGEST }.at(line));
            }
        }
    }
}
