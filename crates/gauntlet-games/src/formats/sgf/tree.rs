//! The syntax of SGF: trees of nodes of properties. It depends on no game.
//!
//! Only the main line of each tree is kept. Text around the trees is skipped. The parser does not recurse, so that no
//! nesting can exhaust the stack.

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
struct OpenTree {
    /// Whether its nodes belong to the main line.
    is_main: bool,
    nodes: usize,
    children: usize,
}

/// The main line of every tree of a collection, each with at least one node.
///
/// # Errors
/// For the first tree with a fault, and for a text without a tree.
pub fn parse(text: &str) -> Result<Vec<Vec<SgfNode>>, FormatError> {
    let mut trees = Trees::new(text);
    let games = trees.by_ref().collect::<Result<Vec<_>, _>>()?;
    if games.is_empty() {
        let found = "the end of the file".to_owned();
        return Err(Fault::Expected { wanted: "`(;`", found }.at(trees.line));
    }
    Ok(games)
}

/// The properties with which the root of a game begins.
const OF_ROOTS: [&str; 25] = [
    "FF", "GM", "CA", "AP", "SZ", "PB", "PW", "RE", "KM", "RU", "GN", "EV", "DT", "PC", "US", "ST", "HA", "TM", "BR",
    "WR", "RO", "SO", "AN", "OT", "CP",
];

/// Number of bytes in which the first property of a root is sought.
const NEAR: usize = 256;

/// Whether a text begins with a game: `(;` and a property that only roots have. Within a value no such text can be: the
/// bracket that ends the property would end the value.
pub fn begins_game(text: &str) -> bool {
    let node = text.strip_prefix('(').and_then(|rest| rest.trim_start().strip_prefix(';'));
    let Some(node) = node.map(str::trim_start) else { return false };
    let (name, value) = node.split_at(node.bytes().take_while(u8::is_ascii_alphabetic).count());
    let near = value.bytes().take(NEAR).find(|byte| matches!(byte, b'\\' | b']'));
    OF_ROOTS.contains(&name) && value.trim_start().starts_with('[') && near == Some(b']')
}

/// The trees of a collection, one by one: the nodes of the main line, or the fault of the tree. A torn tree ends where
/// the next game begins.
pub struct Trees<'a> {
    rest: &'a str,
    /// The line to read next, from 1.
    pub line: usize,
    /// Whether the last tree had a fault, so that its variations may follow.
    is_torn: bool,
}

impl<'a> Trees<'a> {
    /// The trees of a text.
    pub fn new(text: &'a str) -> Trees<'a> {
        Trees { rest: text, line: 1, is_torn: false }
    }
}

impl Iterator for Trees<'_> {
    type Item = Result<Vec<SgfNode>, FormatError>;

    fn next(&mut self) -> Option<Result<Vec<SgfNode>, FormatError>> {
        self.find_tree()?;
        let tree = self.tree();
        self.is_torn = tree.is_err();
        Some(tree)
    }
}

impl Trees<'_> {
    /// Moves to the next `(` that is followed by a `;`; after a torn tree, to the next game.
    fn find_tree(&mut self) -> Option<()> {
        loop {
            let at = self.rest.find('(');
            self.skip(at.unwrap_or(self.rest.len()));
            at?;
            let behind = self.rest[1..].trim_start();
            if if self.is_torn { begins_game(self.rest) } else { behind.starts_with(';') } {
                return Some(());
            }
            self.skip(1);
        }
    }

    /// The tree that begins here. The first of several variations belongs to the main line.
    fn tree(&mut self) -> Result<Vec<SgfNode>, FormatError> {
        let (mut nodes, mut open): (Vec<SgfNode>, Vec<OpenTree>) = (Vec::new(), Vec::new());
        let start = self.line;
        loop {
            self.skip_space();
            if !open.is_empty() && begins_game(self.rest) {
                return Err(Fault::Form("this game never ends: a `)` is missing".to_owned()).at(start));
            }
            let Some(next) = self.next_char() else {
                return Err(self.expected("`)`", None));
            };
            let depth = open.len();
            match (next, open.last_mut()) {
                ('(', None) => open.push(OpenTree { is_main: true, nodes: 0, children: 0 }),
                ('(', Some(_)) if depth >= DEEPEST => {
                    return Err(Fault::TooLarge { what: "a depth", size: depth + 1, most: DEEPEST }.at(self.line));
                }
                ('(', Some(above)) if above.nodes > 0 => {
                    let is_main = above.is_main && above.children == 0;
                    above.children += 1;
                    open.push(OpenTree { is_main, nodes: 0, children: 0 });
                }
                (';', Some(tree)) if tree.children == 0 => {
                    tree.nodes += 1;
                    let (is_main, node) = (tree.is_main, self.node()?);
                    nodes.extend(is_main.then_some(node));
                }
                (')', Some(tree)) if tree.nodes > 0 => drop(open.pop()),
                (found, _) => return Err(self.expected("`;`, a variation or `)`", Some(found))),
            }
            if open.is_empty() {
                return Ok(nodes);
            }
        }
    }

    /// Skips this many bytes.
    fn skip(&mut self, bytes: usize) {
        let (passed, rest) = self.rest.split_at(bytes);
        self.line += line_ends(passed);
        self.rest = rest;
    }

    fn next_char(&mut self) -> Option<char> {
        let next = self.rest.chars().next()?;
        self.skip(next.len_utf8());
        Some(next)
    }

    fn skip_space(&mut self) {
        self.skip(self.rest.len() - self.rest.trim_start().len());
    }

    fn expected(&self, wanted: &'static str, found: Option<char>) -> FormatError {
        let found = found.map_or("the end of the file".to_owned(), |found| format!("{found:?}"));
        Fault::Expected { wanted, found }.at(self.line)
    }

    /// The properties after a `;`.
    fn node(&mut self) -> Result<SgfNode, FormatError> {
        let mut node = SgfNode { line: self.line, properties: Vec::new() };
        loop {
            self.skip_space();
            let (length, line) = (self.rest.bytes().take_while(u8::is_ascii_alphabetic).count(), self.line);
            // Older files have lower-case letters in between, which are ignored.
            let name: String = self.rest[..length].chars().filter(char::is_ascii_uppercase).collect();
            if name.len() > LONGEST {
                return Err(Fault::TooLarge { what: "a name", size: name.len(), most: LONGEST }.at(line));
            }
            self.skip(length);
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
            if self.rest.starts_with('[') {
                self.skip(1);
                values.push(self.value()?);
            } else if values.is_empty() {
                return Err(self.expected("`[`", self.rest.chars().next()));
            } else {
                return Ok(values);
            }
        }
    }

    /// A value, from after its `[` to its `]`, with a line feed for each line end. Nothing is read of a value that never
    /// ends, up to the next game.
    fn value(&mut self) -> Result<String, FormatError> {
        let (mut value, line) = (String::new(), self.line);
        let mut chars = self.rest.char_indices().peekable();
        let outcome = loop {
            let Some((at, c)) = chars.next() else {
                break Err((
                    Fault::Expected { wanted: "`]`", found: "the end of the file".to_owned() },
                    self.rest.len(),
                ));
            };
            match c {
                ']' => break Ok(at + 1),
                '(' if begins_game(&self.rest[at..]) => {
                    let found = "the beginning of the next game".to_owned();
                    break Err((Fault::Expected { wanted: "`]`", found }, at));
                }
                '\r' => {
                    chars.next_if(|(_, next)| *next == '\n');
                    value.push('\n');
                }
                '\\' if begins_game(&self.rest[at + 1..]) => {}
                '\\' => match chars.next() {
                    Some((_, '\r')) => drop(chars.next_if(|(_, next)| *next == '\n')),
                    escaped => value.extend(escaped.map(|(_, c)| c).filter(|c| *c != '\n')),
                },
                c => value.push(c),
            }
            if value.len() > LONGEST {
                break Err((Fault::TooLarge { what: "a value", size: value.len(), most: LONGEST }, at));
            }
        };
        let (value, passed) = match outcome {
            Ok(passed) => (Ok(value), passed),
            Err((fault, passed)) => (Err(fault.at(line)), passed),
        };
        self.skip(passed);
        value
    }
}

/// The number of line ends: LF, CR LF and CR.
fn line_ends(text: &str) -> usize {
    let bytes = text.as_bytes();
    let is_end = |at: &usize| bytes[*at] == b'\n' || bytes[*at] == b'\r' && bytes.get(at + 1) != Some(&b'\n');
    (0..bytes.len()).filter(is_end).count()
}
