//! Typed reading of trees: a serde deserializer for [`Node`], whose errors all have a place.
//!
//! One call finds all mistakes: the entry with a mistake is removed, and the rest is read again.

use std::fmt::Display;

use serde::de::value::StrDeserializer;
use serde::de::{self, DeserializeOwned, DeserializeSeed, Error as _, Expected, IntoDeserializer, Unexpected, Visitor};

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

/// The reason why a value could not be read.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message}")]
pub struct ValueError {
    message: String,
    span: Option<Span>,
    hint: Option<String>,
    missing: Option<Missing>,
}

/// A missing part.
#[derive(Debug, Clone)]
enum Missing {
    /// This key of a table.
    Key(&'static str),
    /// The one entry of a choice.
    Choice,
}

impl ValueError {
    fn or_at(mut self, span: &Span) -> ValueError {
        self.span.get_or_insert_with(|| span.clone());
        self
    }

    /// Whether the part is missing only because it was removed, or was written with another key.
    fn follows_from(&self, left_out: &[LeftOut]) -> bool {
        let mut here = left_out.iter().filter(|out| Some(&out.table) == self.span.as_ref());
        match self.missing {
            None => false,
            Some(Missing::Choice) => here.next().is_some(),
            Some(Missing::Key(key)) => here.any(|out| out.key == key || nearest(&out.key, &[key]).is_some()),
        }
    }

    fn into_problem(self) -> Problem {
        let is_echo = self.missing.is_some();
        Problem { message: self.message, span: self.span, hint: self.hint, is_echo }
    }

    fn unknown(what: &str, word: &str, known: &[&str]) -> ValueError {
        let hint = match nearest(word, known) {
            Some(near) => Some(format!("did you mean `{near}`?")),
            None if known.is_empty() => Some("nothing can be set here".to_owned()),
            None => Some(format!("known: {}", known.join(", "))),
        };
        ValueError { hint, ..ValueError::custom(format!("unknown {what} `{word}`")) }
    }
}

impl de::Error for ValueError {
    fn custom<T: Display>(message: T) -> ValueError {
        ValueError { message: message.to_string(), span: None, hint: None, missing: None }
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> ValueError {
        let wanted = expected.to_string();
        let hint = match found {
            Unexpected::Map if plain(&wanted) == "a list" => Some("`[[name]]` with two brackets adds one to a list"),
            Unexpected::Str(text) if text.parse::<f64>().is_ok() && plain(&wanted).contains("number") => {
                Some("leave the quotes out")
            }
            Unexpected::Signed(_) | Unexpected::Unsigned(_) | Unexpected::Float(_) if wanted == "a string" => {
                Some("put it in quotes")
            }
            _ => None,
        };
        let found = match found {
            Unexpected::Map => "a table".to_owned(),
            Unexpected::Seq => "a list".to_owned(),
            found => found.to_string(),
        };
        let hint = hint.map(str::to_owned);
        ValueError { hint, ..ValueError::custom(format!("expected {}, found {found}", plain(&wanted))) }
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> ValueError {
        ValueError::invalid_type(found, expected)
    }

    fn invalid_length(length: usize, expected: &dyn Expected) -> ValueError {
        ValueError::custom(format!("expected {}, found {length} of them", plain(&expected.to_string())))
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> ValueError {
        ValueError::unknown("key", field, expected)
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> ValueError {
        ValueError::unknown("choice", variant, expected)
    }

    fn missing_field(field: &'static str) -> ValueError {
        let missing = Some(Missing::Key(field));
        let hint = (field == "schema").then(|| "the first line of a manifest is `schema = 1`".to_owned());
        ValueError { missing, hint, ..ValueError::custom(format!("missing key `{field}`")) }
    }
}

/// Serde's expectation without names of Rust types.
fn plain(expected: &str) -> String {
    match expected {
        "i8" | "i16" | "i32" | "i64" => "a whole number".to_owned(),
        "u64" | "usize" => "a whole number from 0".to_owned(),
        "a nonzero u64" => "a whole number from 1".to_owned(),
        "u8" | "a nonzero u8" => whole(expected, u8::MAX.into()),
        "u16" | "a nonzero u16" => whole(expected, u16::MAX.into()),
        "u32" | "a nonzero u32" => whole(expected, u32::MAX),
        "f32" | "f64" => "a number".to_owned(),
        "a sequence" => "a list".to_owned(),
        "a map" => "a table".to_owned(),
        other if other.starts_with("struct ") => "a table".to_owned(),
        other => other.replace("an array of length", "a list of length"),
    }
}

/// The range of a type of whole numbers.
fn whole(expected: &str, most: u32) -> String {
    format!("a whole number from {} to {most}", u8::from(expected.starts_with("a nonzero")))
}

impl<'de> de::Deserializer<'de> for &Node {
    type Error = ValueError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        let result = match &self.value {
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Integer(value) => visitor.visit_i64(*value),
            Value::Float(value) if value.is_finite() => visitor.visit_f64(*value),
            Value::Float(value) => Err(ValueError::custom(format!("{value}: the numbers of a manifest are finite"))),
            Value::Text(value) => visitor.visit_str(value),
            Value::List(list) => visitor.visit_seq(Items(list.iter())),
            Value::Table(table) => visitor.visit_map(Pairs { entries: table.entries().iter(), value: None }),
        };
        result.map_err(|error: ValueError| error.or_at(&self.span))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        visitor.visit_some(self)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        visitor.visit_unit()
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, ValueError> {
        visitor.visit_newtype_struct(self).map_err(|error: ValueError| error.or_at(&self.span))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ValueError> {
        let result = match &self.value {
            Value::Text(variant) => visitor.visit_enum(Tagged { tag: variant, span: &self.span, content: None }),
            Value::Table(table) => match table.entries() {
                [Entry { key, key_span, node }] => {
                    visitor.visit_enum(Tagged { tag: key, span: key_span, content: Some(node) })
                }
                entries => Err(not_one(variants, entries)),
            },
            _ => Err(ValueError::custom(format!("expected {}", one_of(variants)))),
        };
        result.map_err(|error: ValueError| error.or_at(&self.span))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq
        tuple tuple_struct map struct identifier
    }
}

fn one_of(variants: &[&str]) -> String {
    let known = variants.iter().map(|variant| format!("`{variant}`")).collect::<Vec<_>>().join(", ");
    if variants.len() > 1 { format!("one of {known}") } else { known }
}

fn not_one(variants: &[&str], entries: &[Entry]) -> ValueError {
    match entries {
        [] => {
            let message = format!("nothing is chosen here, expected {}", one_of(variants));
            ValueError { missing: Some(Missing::Choice), ..ValueError::custom(message) }
        }
        [.., last] => match entries.iter().find(|entry| !variants.contains(&&*entry.key)) {
            Some(stray) => ValueError::unknown("choice", &stray.key, variants).or_at(&stray.key_span),
            None => ValueError::custom(format!("only {} can be chosen", one_of(variants))).or_at(&last.key_span),
        },
    }
}

struct Items<'a>(std::slice::Iter<'a, Node>);

impl<'de> de::SeqAccess<'de> for Items<'_> {
    type Error = ValueError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, ValueError> {
        self.0.next().map(|node| seed.deserialize(node).map_err(|error| error.or_at(&node.span))).transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.0.len())
    }
}

struct Pairs<'a> {
    entries: std::slice::Iter<'a, Entry>,
    value: Option<&'a Node>,
}

impl<'de> de::MapAccess<'de> for Pairs<'_> {
    type Error = ValueError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, ValueError> {
        let Some(entry) = self.entries.next() else { return Ok(None) };
        self.value = Some(&entry.node);
        let key: StrDeserializer<'_, ValueError> = (*entry.key).into_deserializer();
        seed.deserialize(key).map(Some).map_err(|error| error.or_at(&entry.key_span))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, ValueError> {
        let node = self.value.take().expect("serde asks for a value after its key");
        seed.deserialize(node).map_err(|error| error.or_at(&node.span))
    }
}

/// A choice: `"mean"`, or `{ gomoku = { size = 9 } }`.
struct Tagged<'a> {
    tag: &'a str,
    span: &'a Span,
    content: Option<&'a Node>,
}

impl<'de, 'a> de::EnumAccess<'de> for Tagged<'a> {
    type Error = ValueError;
    type Variant = Tagged<'a>;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Tagged<'a>), ValueError> {
        let tag: StrDeserializer<'_, ValueError> = self.tag.into_deserializer();
        let variant = seed.deserialize(tag).map_err(|error| error.or_at(self.span))?;
        Ok((variant, self))
    }
}

impl<'a> Tagged<'a> {
    fn content(&self) -> Result<&'a Node, ValueError> {
        let message = || format!("`{0}` is a table, with settings or empty: write `{{ {0} = {{}} }}`", self.tag);
        self.content.ok_or_else(|| ValueError::custom(message()).or_at(self.span))
    }
}

impl<'de> de::VariantAccess<'de> for Tagged<'_> {
    type Error = ValueError;

    fn unit_variant(self) -> Result<(), ValueError> {
        match self.content {
            None => Ok(()),
            Some(node) if node.table().is_some_and(|table| table.entries().is_empty()) => Ok(()),
            Some(node) => Err(ValueError::custom(format!("`{}` has no settings", self.tag)).or_at(&node.span)),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, ValueError> {
        let node = self.content()?;
        seed.deserialize(node).map_err(|error| error.or_at(&node.span))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, ValueError> {
        de::Deserializer::deserialize_any(self.content()?, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], visitor: V) -> Result<V::Value, ValueError> {
        de::Deserializer::deserialize_any(self.content()?, visitor)
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
        let told = |text: &str| {
            let (table, _) = parse(&mut Sources::default(), "test.toml", text);
            let mut problems = Vec::new();
            assert!(read::<Whole>(&Node::from(table), &mut problems).is_none());
            problems.into_iter().map(|problem| problem.message).collect::<Vec<_>>()
        };
        let missing = |keys: &[&str]| keys.iter().map(|key| format!("missing key `{key}`")).collect::<Vec<_>>();
        assert_eq!(told(""), missing(&["name", "count", "list", "part"]), "no placeholder is a whole part");
        assert_eq!(told("part = { a = 1 }\nlist = [1]"), missing(&["name", "count", "parts"]));
        assert_eq!(told("part = { b = 1 }\nname = \"x\"\ncount = 1\nlist = []")[0], "missing key `a`");
        let mixed = told("name = 7\npart = { a = 1 }");
        assert_eq!(mixed[0], "expected a string, found integer `7`");
        assert_eq!(mixed[1..], missing(&["count", "list", "parts"]));
    }

    #[test]
    fn what_is_missing_is_told_unless_a_typo_explains_it() {
        let told = read_text("size = 1\nword = 7\n").1;
        assert_eq!(told, ["2 expected a string, found integer `7` (put it in quotes)", "1 missing key `kind`"]);
        assert_eq!(read_text("size = 1\nkint = \"plain\"\n").1, ["2 unknown key `kint` (did you mean `kind`?)"]);
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
        assert_eq!(both, "2 only one of `plain`, `sized` can be chosen");
    }
}
