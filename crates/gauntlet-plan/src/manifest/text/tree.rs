//! Manifests as trees of values with their places: merging, and setting values by dotted paths.
//!
//! Tables are shared: a copy costs nothing until it is changed, and then only the tables on the path to the change. A
//! sweep of 100,000 cells thus fits into memory.

use std::sync::Arc;

use super::source::Span;

/// The key of a variant's changes.
pub const SET: &str = "set";

/// A value and its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// The place in the text.
    pub span: Span,
    /// The value.
    pub value: Value,
}

/// A value in a manifest.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// A number with a fraction.
    Float(f64),
    /// A string (dates too, as written).
    Text(Arc<str>),
    /// A list.
    List(Vec<Node>),
    /// A table.
    Table(Table),
}

/// A table, in the order of the text.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    entries: Arc<[Entry]>,
}

/// One key of a table with its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The key.
    pub key: Arc<str>,
    /// The place of the key.
    pub key_span: Span,
    /// Its value.
    pub node: Node,
}

/// A value with a dotted path.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// The dotted path; a part that contains dots is quoted.
    pub path: Arc<str>,
    /// The place of the path.
    pub span: Span,
    /// The value, with its place.
    pub node: Node,
}

impl From<&Entry> for Setting {
    fn from(entry: &Entry) -> Setting {
        Setting { path: entry.key.clone(), span: entry.key_span.clone(), node: entry.node.clone() }
    }
}

impl From<Vec<Entry>> for Table {
    fn from(entries: Vec<Entry>) -> Table {
        Table { entries: entries.into() }
    }
}

impl Table {
    /// The entries, in the order of the text.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The keys, in the order of the text.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| &*entry.key)
    }

    /// The value of a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|entry| &entry.node)
    }

    /// The entry of a key.
    #[must_use]
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| &*entry.key == key)
    }

    /// The mutable value of a key.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        let at = self.position(key)?;
        Some(&mut Arc::make_mut(&mut self.entries)[at].node)
    }

    fn position(&self, key: &str) -> Option<usize> {
        self.entries.iter().position(|entry| &*entry.key == key)
    }

    /// The only entry, if there is just one and it is a table: a tag with its content. A variant's changes, [`SET`],
    /// are never a tag, with or without seeds beside them.
    #[must_use]
    pub fn tagged(&self) -> Option<(&Entry, &Table)> {
        match &*self.entries {
            [only] if &*only.key != SET => Some((only, only.node.table()?)),
            _ => None,
        }
    }

    /// The mutable content behind a tag, as in [`Table::tagged`].
    pub fn tagged_mut(&mut self) -> Option<&mut Table> {
        self.tagged()?;
        match Arc::make_mut(&mut self.entries) {
            [Entry { node: Node { value: Value::Table(table), .. }, .. }] => Some(table),
            _ => None,
        }
    }

    /// Removes the entry of a key.
    pub fn remove(&mut self, key: &str) -> Option<Entry> {
        let at = self.position(key)?;
        let mut entries = self.entries.to_vec();
        let entry = entries.remove(at);
        self.entries = entries.into();
        Some(entry)
    }

    /// Adds an entry, or replaces the entry of the same key.
    pub fn insert(&mut self, entry: Entry) {
        match self.position(&entry.key) {
            Some(at) => Arc::make_mut(&mut self.entries)[at] = entry,
            None => self.entries = self.entries.iter().cloned().chain([entry]).collect(),
        }
    }

    /// Merges `over` over this table: tables merge key by key, other values are replaced.
    pub fn merge(&mut self, over: &Table) {
        for entry in over.entries() {
            match (self.get_mut(&entry.key).map(|node| &mut node.value), &entry.node.value) {
                (Some(Value::Table(below)), Value::Table(above)) => below.merge(above),
                _ => self.insert(entry.clone()),
            }
        }
    }

    /// Sets the value at a dotted path. The kind of a tagged value may be omitted: `game.size` reaches into `game = {
    /// gomoku = { size = 9 } }`. A missing key is added at the end of the path; the typed reading reports it if it is
    /// wrong.
    pub fn set(&mut self, path: &str, span: &Span, node: Node) {
        let (head, rest) = split(path);
        let node = match rest {
            None => node,
            Some(rest) => {
                if let Some(Node { value: Value::Table(inner), .. }) = self.get_mut(head) {
                    return inner.set_below(rest, span, node);
                }
                let mut inner = Table::default();
                inner.set(rest, span, node);
                Node { span: span.clone(), value: Value::Table(inner) }
            }
        };
        self.insert(Entry { key: head.into(), key_span: span.clone(), node });
    }

    /// Like [`Table::set`], in the value of a key, which may be a tag with its content.
    fn set_below(&mut self, path: &str, span: &Span, node: Node) {
        let names_tag = self.tagged().is_none_or(|(tag, _)| *tag.key == *split(path).0);
        match self.tagged_mut() {
            Some(content) if !names_tag => content.set(path, span, node),
            _ => self.set(path, span, node),
        }
    }

    /// The value at a dotted path, passing through tags like [`Table::set`].
    #[must_use]
    pub fn lookup(&self, path: &str) -> Option<&Value> {
        let (head, rest) = split(path);
        let node = self.get(head)?;
        match rest {
            None => Some(&node.value),
            Some(rest) => node.table()?.look_through(rest),
        }
    }

    /// Like [`Table::lookup`], but the path may leave out the only key of this table, too.
    #[must_use]
    pub fn look_through(&self, path: &str) -> Option<&Value> {
        self.lookup(path).or_else(|| self.tagged()?.1.look_through(path))
    }
}

/// The first part of a dotted path, and the rest.
fn split(path: &str) -> (&str, Option<&str>) {
    if let Some((head, rest)) = path.strip_prefix('"').and_then(|quoted| quoted.split_once('"')) {
        return (head, rest.strip_prefix('.'));
    }
    path.split_once('.').map_or((path, None), |(head, rest)| (head, Some(rest)))
}

impl Node {
    /// The table, if the value is one.
    #[must_use]
    pub fn table(&self) -> Option<&Table> {
        match &self.value {
            Value::Table(table) => Some(table),
            _ => None,
        }
    }

    /// The mutable table, if the value is one.
    pub fn table_mut(&mut self) -> Option<&mut Table> {
        match &mut self.value {
            Value::Table(table) => Some(table),
            _ => None,
        }
    }

    /// The string, if the value is one.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        self.value.text()
    }

    /// The first place in this value, except keys, with exactly this text.
    #[must_use]
    pub fn place_of(&self, text: &str) -> Option<&Span> {
        match &self.value {
            Value::Text(found) => (**found == *text).then_some(&self.span),
            Value::List(items) => items.iter().find_map(|item| item.place_of(text)),
            Value::Table(table) => table.entries().iter().find_map(|entry| entry.node.place_of(text)),
            _ => None,
        }
    }
}

/// Integers below it have one float each.
const EXACT: f64 = 9_007_199_254_740_992.0;

impl Value {
    /// The string, if the value is one.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Whether both values are equal, regardless of their places and their spelling.
    #[must_use]
    pub fn same(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Integer(a), Value::Integer(b)) => a == b,
            (Value::Text(a), Value::Text(b)) => a == b,
            (a, b) => a.identity() == b.identity(),
        }
    }

    /// A text that is the same for equal values only: `1` and `1.0` are one number, and the order of keys is no part of
    /// a table.
    #[must_use]
    pub fn identity(&self) -> String {
        match self {
            Value::Float(value) if value.fract() == 0.0 && value.abs() < EXACT => (*value as i64).to_string(),
            Value::Bool(_) | Value::Integer(_) | Value::Float(_) => self.label(),
            Value::Text(value) => format!("{value:?}"),
            Value::List(list) => {
                let items: Vec<String> = list.iter().map(|node| node.value.identity()).collect();
                format!("[{}]", items.join(","))
            }
            Value::Table(table) => {
                let entry = |entry: &Entry| format!("{:?}={}", entry.key, entry.node.value.identity());
                let mut entries: Vec<String> = table.entries().iter().map(entry).collect();
                entries.sort_unstable();
                format!("{{{}}}", entries.join(","))
            }
        }
    }

    /// A scalar as a label; lists and tables in one line.
    #[must_use]
    pub fn label(&self) -> String {
        match self {
            Value::Bool(value) => value.to_string(),
            Value::Integer(value) => value.to_string(),
            Value::Float(value) => value.to_string(),
            Value::Text(value) => value.to_string(),
            Value::List(list) => list.iter().map(|node| node.value.label()).collect::<Vec<_>>().join("-"),
            Value::Table(table) => {
                let parts = table.entries().iter().map(|entry| match &entry.node.value {
                    Value::Table(inner) if inner.entries.is_empty() => entry.key.to_string(),
                    value => format!("{} {}", entry.key, value.label()),
                });
                parts.collect::<Vec<_>>().join(" ")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::text::parse::parse;
    use crate::manifest::text::source::Sources;

    fn tree(text: &str) -> Table {
        let (table, problems) = parse(&mut Sources::default(), "test.toml", text);
        assert_eq!(problems, []);
        table
    }

    fn set(table: &mut Table, path: &str, value: i64) {
        table.set(path, &(0..0), Node { span: 0..0, value: Value::Integer(value) });
    }

    fn strip(table: &Table) -> String {
        Value::Table(table.clone()).label()
    }

    #[test]
    fn merging_replaces_leaves_and_keeps_the_rest() {
        let mut below = tree("a = { x = 1, y = 2 }\nb = [1, 2]");
        let before = below.clone();
        below.merge(&tree("a.y = 3\nb = [9]\nc = true"));
        assert_eq!(strip(&below), "a x 1 y 3 b 9 c true");
        assert_eq!(strip(&before), "a x 1 y 2 b 1-2", "a copy is a copy");
    }

    #[test]
    fn a_value_has_one_identity_in_every_spelling() {
        let table = tree(
            "a = [1, 1.0, 1e0, 0x1]\nb = [0, -0.0]\nc = [{ x = 1, y = [2.0] }, { y = [2], x = 1.0 }]\n\
             d = [\"1\", 1, true, \"true\", 1.5, [1], \"[1]\", 9007199254740993, 9007199254740992.0]",
        );
        let of = |key: &str| -> Vec<String> {
            let Some(Value::List(items)) = table.get(key).map(|node| &node.value) else { panic!("{key}") };
            items.iter().map(|item| item.value.identity()).collect()
        };
        for key in ["a", "b", "c"] {
            assert!(of(key).windows(2).all(|pair| pair[0] == pair[1]), "{key}: {:?}", of(key));
        }
        let different: std::collections::BTreeSet<String> = of("d").into_iter().collect();
        assert_eq!(different.len(), 9, "{different:?}");
    }

    #[test]
    fn a_path_reaches_through_tags() {
        let mut job = tree("game = { gomoku = { size = 9 } }\ngames = 100");
        set(&mut job, "game.size", 7);
        set(&mut job, "games", 10);
        assert_eq!(strip(&job), "game gomoku size 7 games 10");
        assert_eq!(job.lookup("game.size"), Some(&Value::Integer(7)));
        assert_eq!(job.lookup("size"), None);
    }

    #[test]
    fn a_path_may_name_the_only_entry_and_reach_through_the_next() {
        let mut root = tree("games = { g = { gomoku = { size = 9 } } }");
        set(&mut root, "games.g.size", 7);
        set(&mut root, "games.g.gomoku.row", 4);
        assert_eq!(strip(&root), "games g gomoku size 7 row 4");
    }

    #[test]
    fn what_a_variant_changes_is_no_tag() {
        let mut arms = tree("b = { set = { x = 1 } }\nc = {}");
        set(&mut arms, "b.seeds", 3);
        set(&mut arms, "b.set.y", 2);
        assert_eq!(strip(&arms), "b set x 1 y 2 seeds 3 c");
    }

    #[test]
    fn a_quoted_part_may_have_dots() {
        let mut stage = tree("sweep = { \"game.size\" = 5, games = 3 }");
        set(&mut stage, "sweep.\"game.size\"", 9);
        assert_eq!(strip(&stage), "sweep game.size 9 games 3");
        assert_eq!(stage.lookup("sweep.\"game.size\""), Some(&Value::Integer(9)));
    }

    #[test]
    fn an_unknown_key_lands_where_the_path_leads() {
        let mut job = tree("game = { gomoku = { size = 9 } }");
        set(&mut job, "game.sise", 7);
        set(&mut job, "opponent", 7);
        assert_eq!(strip(&job), "game gomoku size 9 sise 7 opponent 7");
        let mut job = tree("agent = { net = { network = { mdlstm = { cells = 3 } } } }");
        set(&mut job, "agent.weights", 1);
        set(&mut job, "agent.net.other", 2);
        set(&mut job, "agent.network.cells", 4);
        assert_eq!(strip(&job), "agent net network mdlstm cells 4 weights 1 other 2");
    }

    #[test]
    fn a_text_is_found_at_its_place() {
        let table = tree("show = { means = { stage = \"s\", rows = [\"a\", \"b\"] } }");
        let node = Node { span: 0..0, value: Value::Table(table) };
        assert_eq!(node.place_of("b"), Some(&(45..48)));
        assert_eq!(node.place_of("rows"), None);
    }
}
