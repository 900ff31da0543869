//! Manifests as trees of values with their places: parsing, merging, and setting what a dotted path names.

use toml::de::{DeTable, DeValue};

use super::source::{Problem, Sources, Span};

/// A value and its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Where it stands.
    pub span: Span,
    /// What it is.
    pub value: Value,
}

/// What a manifest can hold.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// A number with a fraction.
    Float(f64),
    /// A string (dates too, as written).
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// A table.
    Table(Table),
}

/// A table, in the order of the text.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    entries: Vec<Entry>,
}

/// One key of a table with its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// Where the key stands.
    pub key_span: Span,
    /// Its value.
    pub node: Node,
}

impl Table {
    /// The entries, in the order of the text.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The value of a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|entry| &entry.node)
    }

    /// The entry of a key.
    #[must_use]
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    /// The value of a key, to be changed.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        self.entries.iter_mut().find(|entry| entry.key == key).map(|entry| &mut entry.node)
    }

    /// The table that is this table's only value.
    #[must_use]
    pub fn only_table(&self) -> Option<&Table> {
        match self.entries.as_slice() {
            [only] => only.node.table(),
            _ => None,
        }
    }

    /// As [`Table::only_table`], to be changed.
    pub fn only_table_mut(&mut self) -> Option<&mut Table> {
        match self.entries.as_mut_slice() {
            [Entry { node: Node { value: Value::Table(table), .. }, .. }] => Some(table),
            _ => None,
        }
    }

    /// Takes a key out.
    pub fn remove(&mut self, key: &str) -> Option<Node> {
        let at = self.entries.iter().position(|entry| entry.key == key)?;
        Some(self.entries.remove(at).node)
    }

    /// Adds an entry, or replaces the one of the same key.
    pub fn insert(&mut self, entry: Entry) {
        match self.entries.iter_mut().find(|known| known.key == entry.key) {
            Some(known) => *known = entry,
            None => self.entries.push(entry),
        }
    }

    /// Lays `over` over this table: tables merge key by key, everything else is replaced.
    pub fn merge(&mut self, over: Table) {
        for entry in over.entries {
            match (self.get_mut(&entry.key).map(|node| &mut node.value), entry.node.value) {
                (Some(Value::Table(below)), Value::Table(above)) => below.merge(above),
                (_, value) => self.insert(Entry { node: Node { span: entry.node.span, value }, ..entry }),
            }
        }
    }

    /// Sets what a dotted path names. The kind of a tagged value may be left out: `game.size` reaches into
    /// `game = { gomoku = { size = 9 } }`. A key that is not there is added where the path leads, and the typed
    /// reading that follows reports it if it is wrong.
    pub fn set(&mut self, path: &str, span: &Span, value: Value) {
        let (head, rest) = path.split_once('.').map_or((path, None), |(head, rest)| (head, Some(rest)));
        let value = match rest {
            None => value,
            Some(rest) => {
                if let Some(Node { value: Value::Table(inner), .. }) = self.get_mut(head) {
                    return inner.set_below(rest, span, value);
                }
                let mut inner = Table::default();
                inner.set(rest, span, value);
                Value::Table(inner)
            }
        };
        self.insert(Entry { key: head.to_owned(), key_span: span.clone(), node: Node { span: span.clone(), value } });
    }

    /// As [`Table::set`] in the value of a key, which may be a tag with its content.
    fn set_below(&mut self, path: &str, span: &Span, value: Value) {
        let tag = match self.entries.as_slice() {
            [Entry { key, node: Node { value: Value::Table(_), .. }, .. }] => key.clone(),
            _ => return self.set(path, span, value),
        };
        let Some(content) = self.only_table_mut() else { return };
        match path.strip_prefix(&tag).map(|rest| rest.strip_prefix('.')) {
            Some(Some(rest)) => content.set(rest, span, value),
            Some(None) if path == tag => self.set(path, span, value),
            _ => content.set(path, span, value),
        }
    }

    /// The value that a dotted path leads to, stepping through tags as [`Table::set`] does.
    #[must_use]
    pub fn lookup(&self, path: &str) -> Option<&Value> {
        let (head, rest) = path.split_once('.').map_or((path, None), |(head, rest)| (head, Some(rest)));
        let node = self.get(head)?;
        match rest {
            None => Some(&node.value),
            Some(rest) => node.table()?.look_through(rest),
        }
    }

    fn look_through(&self, path: &str) -> Option<&Value> {
        match (self.lookup(path), self.entries.as_slice()) {
            (Some(value), _) => Some(value),
            (None, [only]) => only.node.table()?.look_through(path),
            (None, _) => None,
        }
    }
}

impl Node {
    /// The table that this is, if it is one.
    #[must_use]
    pub fn table(&self) -> Option<&Table> {
        match &self.value {
            Value::Table(table) => Some(table),
            _ => None,
        }
    }

    /// The string that this is, if it is one.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl Value {
    /// A scalar as a label for people; lists and tables in brackets.
    #[must_use]
    pub fn label(&self) -> String {
        match self {
            Value::Bool(value) => value.to_string(),
            Value::Integer(value) => value.to_string(),
            Value::Float(value) => value.to_string(),
            Value::Text(value) => value.clone(),
            Value::List(list) => list.iter().map(|node| node.value.label()).collect::<Vec<_>>().join("-"),
            Value::Table(table) => {
                let parts = table.entries.iter().map(|entry| match &entry.node.value {
                    Value::Table(inner) if inner.entries.is_empty() => entry.key.clone(),
                    value => format!("{} {}", entry.key, value.label()),
                });
                parts.collect::<Vec<_>>().join(" ")
            }
        }
    }
}

/// Parses a text and adds it to the sources; every syntax error is one problem.
pub fn parse(sources: &mut Sources, name: &str, content: &str) -> (Table, Vec<Problem>) {
    let start = sources.add(name, content);
    let (table, errors) = DeTable::parse_recoverable(content);
    let mut problems = Vec::new();
    for error in errors {
        let message = error.message().lines().next().unwrap_or_default().to_owned();
        let span = error.span().map(|span| span.start + start..span.end + start);
        problems.push(Problem { message, span, hint: None });
    }
    let table = own_table(table.get_ref(), start, &mut problems);
    (table, problems)
}

/// Parses the value of `--set key=value`; what is no TOML value is a string.
#[must_use]
pub fn parse_value(text: &str) -> Value {
    match DeValue::parse(text) {
        Ok(value) => own_node(&value, 0, &mut Vec::new()).value,
        Err(_) => Value::Text(text.to_owned()),
    }
}

fn own_table(table: &DeTable<'_>, start: usize, problems: &mut Vec<Problem>) -> Table {
    let mut entries: Vec<Entry> = Vec::with_capacity(table.len());
    for (key, value) in table {
        let span = key.span();
        entries.push(Entry {
            key: key.get_ref().to_string(),
            key_span: span.start + start..span.end + start,
            node: own_node(value, start, problems),
        });
    }
    entries.sort_by_key(|entry| entry.key_span.start);
    Table { entries }
}

fn own_node(node: &toml::Spanned<DeValue<'_>>, start: usize, problems: &mut Vec<Problem>) -> Node {
    let span = node.span().start + start..node.span().end + start;
    let value = match node.get_ref() {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Boolean(value) => Value::Bool(*value),
        DeValue::Datetime(value) => Value::Text(value.to_string()),
        DeValue::Array(list) => Value::List(list.iter().map(|item| own_node(item, start, problems)).collect()),
        DeValue::Table(table) => Value::Table(own_table(table, start, problems)),
        DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
            Ok(value) => Value::Integer(value),
            Err(_) => {
                problems.push(Problem::at(span.clone(), "the number does not fit 64 bits"));
                Value::Integer(0)
            }
        },
        DeValue::Float(number) => Value::Float(number.as_str().parse().unwrap_or(f64::NAN)),
    };
    Node { span, value }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(text: &str) -> Table {
        let (table, problems) = parse(&mut Sources::default(), "test.toml", text);
        assert_eq!(problems, []);
        table
    }

    #[test]
    fn merging_replaces_leaves_and_keeps_the_rest() {
        let mut below = tree("a = { x = 1, y = 2 }\nb = [1, 2]");
        below.merge(tree("a.y = 3\nb = [9]\nc = true"));
        assert_eq!(strip(&below), "a x 1 y 3 b 9 c true");
    }

    #[test]
    fn a_path_reaches_through_tags() {
        let mut job = tree("game = { gomoku = { size = 9 } }\ngames = 100");
        job.set("game.size", &(0..0), Value::Integer(7));
        job.set("games", &(0..0), Value::Integer(10));
        assert_eq!(strip(&job), "game gomoku size 7 games 10");
        assert_eq!(job.lookup("game.size"), Some(&Value::Integer(7)));
        assert_eq!(job.lookup("size"), None);
    }

    #[test]
    fn an_unknown_key_lands_where_the_path_leads() {
        let mut job = tree("game = { gomoku = { size = 9 } }");
        job.set("game.sise", &(0..0), Value::Integer(7));
        job.set("opponent", &(0..0), Value::Integer(7));
        assert_eq!(strip(&job), "game gomoku size 9 sise 7 opponent 7");
        let mut job = tree("agent = { net = { network = { mdlstm = { cells = 3 } } } }");
        job.set("agent.weights", &(0..0), Value::Integer(1));
        job.set("agent.net.other", &(0..0), Value::Integer(2));
        job.set("agent.network.cells", &(0..0), Value::Integer(4));
        assert_eq!(strip(&job), "agent net network mdlstm cells 4 weights 1 other 2");
    }

    #[test]
    fn every_syntax_error_is_found() {
        let (_, problems) = parse(&mut Sources::default(), "test.toml", "a = \nb = [1\nc = 3\nc = 4\n");
        assert!(problems.len() >= 2, "{problems:?}");
    }

    fn strip(table: &Table) -> String {
        Value::Table(table.clone()).label()
    }
}
