//! Typed reading of trees. One call finds all mistakes: the entry with a mistake is removed, or the place of a missing key
//! is filled, and the rest is read again.

use serde::de::DeserializeOwned;

use super::deserializer::{Missing, ValueError};
use super::source::{Problem, Span, nearest};
use super::tree::{Entry, Node, Table, Value};

/// Maximum number of mistakes that are reported in one value.
const MOST_MISTAKES: usize = 50;

/// Reads a value; every mistake becomes a problem. `None` if there was any.
///
/// Missing keys of a table that follow from a mistake in another entry are not reported.
pub fn read<T: DeserializeOwned>(node: &Node, problems: &mut Vec<Problem>) -> Option<T> {
    read_without(node, problems, |_| false)
}

/// As [`read`], but unknown keys, which become problems as well, do not prevent a value.
pub fn read_known<T: DeserializeOwned>(node: &Node, problems: &mut Vec<Problem>) -> Option<T> {
    read_without(node, problems, |message| message.starts_with(UNKNOWN_KEY))
}

/// The start of the message about an unknown key.
const UNKNOWN_KEY: &str = "unknown key ";

/// Reads a value without its mistaken parts; `None` if a mistake is not harmless.
fn read_without<T: DeserializeOwned>(
    node: &Node,
    problems: &mut Vec<Problem>,
    is_harmless: impl Fn(&str) -> bool,
) -> Option<T> {
    let (mut rest, mut is_whole) = (node.clone(), true);
    let mut left_out: Vec<LeftOut> = Vec::new();
    for _ in 0..MOST_MISTAKES {
        let error = match T::deserialize(&rest) {
            Ok(value) => return is_whole.then_some(value),
            Err(error) => error,
        };
        let span = error.span.clone();
        is_whole &= is_harmless(&error.message);
        for error in missing_beside::<T>(&rest, error) {
            if !error.follows_from(&left_out) {
                problems.push(error.into_problem());
            }
        }
        match span.and_then(|span| prune(&mut rest, &span)) {
            Some(out) => left_out.push(out),
            None => return None,
        }
    }
    None
}

/// An error, and if a key of a table is missing, the errors for all other missing keys of that table: placeholders are
/// put in their places, one after another, as far as any of [`PLACEHOLDERS`] is accepted.
fn missing_beside<T: DeserializeOwned>(node: &Node, error: ValueError) -> Vec<ValueError> {
    let (mut node, mut errors) = (node.clone(), vec![error]);
    while let Some(last) = errors.last()
        && let (Some(Missing::Key(key)), Some(span), true) = (&last.missing, &last.span, errors.len() < MOST_MISTAKES)
        && let Some((filled, error)) = PLACEHOLDERS.iter().find_map(|value| filled::<T>(&node, span, key, value))
        && error.span.as_ref() == Some(span)
        && matches!(error.missing, Some(Missing::Key(_)))
    {
        node = filled;
        errors.push(error);
    }
    errors
}

/// The values that are put in the places of missing keys, until one is accepted.
const PLACEHOLDERS: [fn() -> Value; 4] =
    [|| Value::Text("x".into()), || Value::Integer(1), || Value::List(Vec::new()), || Value::Table(Table::default())];

/// The place of placeholders.
const NOWHERE: Span = usize::MAX..usize::MAX;

/// A node with a value for a missing key of the table at `span`, and the next error. `None` if the value is not
/// accepted, or nothing else is wrong.
fn filled<T: DeserializeOwned>(
    node: &Node,
    span: &Span,
    key: &str,
    value: &fn() -> Value,
) -> Option<(Node, ValueError)> {
    let mut node = node.clone();
    let entry = Entry { key: key.into(), key_span: NOWHERE, node: Node { span: NOWHERE, value: value() } };
    fill(&mut node, span, &entry);
    let error = T::deserialize(&node).err().filter(|error| error.span != Some(NOWHERE))?;
    Some((node, error))
}

/// Adds an entry to the table at `span`; returns whether it was found.
fn fill(node: &mut Node, span: &Span, entry: &Entry) -> bool {
    let is_here = node.span == *span;
    match &mut node.value {
        Value::Table(table) if is_here => {
            *table = Table::from([table.entries(), std::slice::from_ref(entry)].concat());
            true
        }
        Value::Table(table) => {
            let keys: Vec<_> = table.entries().iter().map(|entry| entry.key.clone()).collect();
            keys.iter().any(|key| table.get_mut(key).is_some_and(|node| fill(node, span, entry)))
        }
        Value::List(items) => items.iter_mut().any(|item| fill(item, span, entry)),
        _ => false,
    }
}

/// The problems that are about unknown keys of a table itself, each with the entry of the key.
pub fn unknown_keys<'a>(
    table: &'a Table,
    problems: &'a mut [Problem],
) -> impl Iterator<Item = (&'a Entry, &'a mut Problem)> {
    let unknown = problems.iter_mut().filter(|problem| problem.message.starts_with(UNKNOWN_KEY));
    unknown.filter_map(move |problem| {
        let is_here = |entry: &&Entry| Some(&entry.key_span) == problem.span.as_ref();
        Some((table.entries().iter().find(is_here)?, problem))
    })
}

/// A removed entry.
struct LeftOut {
    /// The place of its table.
    table: Span,
    /// Its key; empty for an item of a list.
    key: String,
}

/// Removes the part with the mistake at `span`: the innermost entry with this key or value, or the list item table
/// around it.
fn prune(node: &mut Node, span: &Span) -> Option<LeftOut> {
    let place = node.span.clone();
    match &mut node.value {
        Value::List(items) => {
            if let Some(out) = items.iter_mut().find_map(|item| prune(item, span)) {
                return Some(out);
            }
            let at = items.iter().position(|item| item.span == *span && item.table().is_some())?;
            items.remove(at);
            Some(LeftOut { table: place, key: String::new() })
        }
        Value::Table(table) => {
            let keys: Vec<_> = table.entries().iter().map(|entry| entry.key.clone()).collect();
            let inner = keys.iter().find_map(|key| prune(table.get_mut(key)?, span));
            inner.or_else(|| {
                let key = table.entries().iter().find(|entry| holds(entry, span))?.key.clone();
                table.remove(&key).map(|entry| LeftOut { table: place, key: entry.key.to_string() })
            })
        }
        _ => None,
    }
}

/// Whether an entry's key, its value, or a plain item of its list lies at `span`.
fn holds(entry: &Entry, span: &Span) -> bool {
    fn lies(node: &Node, span: &Span) -> bool {
        let below = match &node.value {
            Value::List(items) => items.iter().any(|item| lies(item, span)),
            _ => false,
        };
        below || node.span == *span
    }
    entry.key_span == *span || lies(&entry.node, span)
}

impl ValueError {
    /// Whether the part is missing only because it was removed, or was written with another key; or a table is wrong as a
    /// whole only because a part of it was removed.
    fn follows_from(&self, left_out: &[LeftOut]) -> bool {
        let mut here = left_out.iter().filter(|out| Some(&out.table) == self.span.as_ref());
        match self.missing {
            None => here.next().is_some(),
            Some(Missing::Choice) => here.next().is_some(),
            Some(Missing::Key(key)) => here.any(|out| out.key == key || nearest(&out.key, &[key]).is_some()),
        }
    }

    fn into_problem(self) -> Problem {
        let is_echo = self.missing.is_some();
        Problem { message: self.message, span: self.span, hint: self.hint, is_echo }
    }
}

impl From<Table> for Node {
    /// A table composed of entries, without a place of its own.
    fn from(table: Table) -> Node {
        Node { span: 0..0, value: Value::Table(table) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::text::parse::parse;
    use crate::manifest::text::source::Sources;
    use serde::Deserialize;

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields, rename_all = "kebab-case")]
    struct Thing {
        size: u8,
        #[serde(default)]
        share: f64,
        #[serde(default)]
        word: Option<String>,
        #[serde(default)]
        pairs: Vec<[i64; 2]>,
        kind: Kind,
        #[serde(default)]
        parts: Vec<Part>,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    enum Kind {
        Plain,
        Sized(Part),
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Part {
        a: i64,
        b: Option<i64>,
    }

    /// The thing, and every problem as `line message`.
    fn read_text(text: &str) -> (Option<Thing>, Vec<String>) {
        let mut sources = Sources::default();
        let (table, _) = parse(&mut sources, "test.toml", text);
        let mut problems = Vec::new();
        let thing = read(&Node::from(table), &mut problems);
        let show = |problem: &Problem| {
            let (_, line) = sources.locate(problem.span.as_ref().unwrap()).unwrap();
            let hint = problem.hint.as_ref().map_or(String::new(), |hint| format!(" ({hint})"));
            format!("{line} {}{hint}", problem.message)
        };
        (thing, problems.iter().map(show).collect())
    }

    #[test]
    fn what_is_right_is_read() {
        let (thing, problems) = read_text("size = 3\nshare = 1\nkind = { sized = { a = 2 } }\npairs = [[1, 2]]");
        let kind = Kind::Sized(Part { a: 2, b: None });
        let expected = Thing { size: 3, share: 1.0, word: None, pairs: vec![[1, 2]], kind, parts: vec![] };
        assert_eq!((thing, problems), (Some(expected), vec![]));
        assert_eq!(read_text("size = 3\nkind = \"plain\"").1, [""; 0]);
    }

    #[test]
    fn every_mistake_is_found_in_one_reading() {
        let text = "sise = 3\nshare = nan\nword = 7\npairs = [[1], [2, 3]]\nkind = { sized = { a = \"x\", c = 1 } }\n\
                    [[parts]]\nb = 2\n[[parts]]\na = 1\nd = 2\n";
        let (thing, problems) = read_text(text);
        assert_eq!(thing, None);
        assert_eq!(
            problems,
            [
                "1 unknown key `sise` (did you mean `size`?)",
                "2 NaN: the numbers of a manifest are finite",
                "3 expected a string, found integer `7` (put it in quotes)",
                "4 expected a list of length 2, found 1 of them",
                "5 expected a whole number, found string \"x\"",
                "5 unknown key `c` (known: a, b)",
                "6 missing key `a`",
                "10 unknown key `d` (known: a, b)",
            ]
        );
    }

    #[test]
    fn all_missing_keys_of_a_table_are_told_at_once() {
        #[derive(Debug, Deserialize)]
        #[expect(dead_code, reason = "only its mistakes are read")]
        struct Whole {
            name: String,
            count: u8,
            list: Vec<i64>,
            part: Part,
            parts: Vec<Part>,
        }
        let messages_of = |text: &str| {
            let (table, _) = parse(&mut Sources::default(), "test.toml", text);
            let mut problems = Vec::new();
            assert!(read::<Whole>(&Node::from(table), &mut problems).is_none());
            problems.into_iter().map(|problem| problem.message).collect::<Vec<_>>()
        };
        let missing = |keys: &[&str]| keys.iter().map(|key| format!("missing key `{key}`")).collect::<Vec<_>>();
        assert_eq!(messages_of(""), missing(&["name", "count", "list", "part"]), "no placeholder is a whole part");
        assert_eq!(messages_of("part = { a = 1 }\nlist = [1]"), missing(&["name", "count", "parts"]));
        assert_eq!(messages_of("part = { b = 1 }\nname = \"x\"\ncount = 1\nlist = []")[0], "missing key `a`");
        let mixed = messages_of("name = 7\npart = { a = 1 }");
        assert_eq!(mixed[0], "expected a string, found integer `7`");
        assert_eq!(mixed[1..], missing(&["count", "list", "parts"]));
    }

    #[test]
    fn what_is_missing_is_told_unless_a_typo_explains_it() {
        let found = read_text("size = 1\nword = 7\n").1;
        assert_eq!(found, ["2 expected a string, found integer `7` (put it in quotes)", "1 missing key `kind`"]);
        assert_eq!(read_text("size = 1\nkint = \"plain\"\n").1, ["2 unknown key `kint` (did you mean `kind`?)"]);
    }

    #[test]
    fn a_table_with_a_mistake_is_not_refused_as_a_whole() {
        #[derive(Deserialize)]
        #[serde(try_from = "Part")]
        struct Both;

        impl TryFrom<Part> for Both {
            type Error = &'static str;

            fn try_from(part: Part) -> Result<Both, &'static str> {
                if part.b.is_some() { Ok(Both) } else { Err("`b` belongs to `a`") }
            }
        }

        #[derive(Deserialize)]
        #[expect(dead_code, reason = "only its mistakes are read")]
        struct Whole {
            x: Both,
        }

        let messages_of = |text: &str| {
            let (table, _) = parse(&mut Sources::default(), "test.toml", text);
            let mut problems = Vec::new();
            assert!(read::<Whole>(&Node::from(table), &mut problems).is_none());
            problems.into_iter().map(|problem| problem.message).collect::<Vec<_>>()
        };
        assert_eq!(messages_of("x = { a = 1 }"), ["`b` belongs to `a`"]);
        assert_eq!(messages_of("x = { a = 1, b = \"2\" }"), ["expected a whole number, found string \"2\""]);
    }

    #[test]
    fn choices_say_what_there_is() {
        let problem = |text: &str| read_text(text).1.join("; ");
        assert_eq!(problem("size = 1\nkind = \"plane\""), "2 unknown choice `plane` (did you mean `plain`?)");
        assert_eq!(problem("size = 1\nkind = 3"), "2 expected one of `plain`, `sized`");
        assert_eq!(problem("size = 1\nkind = {}"), "2 nothing is chosen here, expected one of `plain`, `sized`");
        assert_eq!(
            problem("size = 1\nkind = \"sized\""),
            "2 `sized` is a table, with settings or empty: write `{ sized = {} }`"
        );
        assert_eq!(problem("size = 1\nkind = { plain = 3 }"), "2 `plain` has no settings");
        let both = problem("size = 1\nkind = { plain = {}, sized = { a = 1 } }");
        let hint = "`plain` and `sized` are written here: remove all but one";
        assert_eq!(both, format!("2 only one of `plain`, `sized` can be chosen ({hint})"));
        assert_eq!(
            problem("size = 1\nkind = { sized = { a = 1 }, b = 2 }"),
            "2 unknown choice `b` (a setting of `sized` stands in its table: write `sized.b`)"
        );
        let typo = problem("size = 1\nkind = { sized = { a = 1 }, plane = {} }");
        assert_eq!(typo, "2 unknown choice `plane` (did you mean `plain`?)");
    }
}
