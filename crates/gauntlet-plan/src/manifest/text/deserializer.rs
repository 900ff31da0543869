//! A serde deserializer for [`Node`], whose errors all have a place.

use std::fmt::Display;

use serde::de::value::StrDeserializer;
use serde::de::{self, DeserializeSeed, Error as _, Expected, IntoDeserializer, Unexpected, Visitor};

use super::source::{Span, nearest};
use super::tree::{Entry, Node, Value};

/// The reason why a value could not be read.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message}")]
pub struct ValueError {
    pub(super) message: String,
    pub(super) span: Option<Span>,
    pub(super) hint: Option<String>,
    pub(super) missing: Option<Missing>,
}

/// A missing part.
#[derive(Debug, Clone)]
pub(super) enum Missing {
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
            Value::Table(table) => visitor.visit_map(TableEntries { entries: table.entries().iter(), value: None }),
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
            Some(stray) => {
                let error = ValueError::unknown("choice", &stray.key, variants).or_at(&stray.key_span);
                match misplaced(variants, entries, &stray.key) {
                    Some(hint) => ValueError { hint: Some(hint), ..error },
                    None => error,
                }
            }
            None => {
                let written: Vec<String> = entries.iter().map(|entry| format!("`{}`", entry.key)).collect();
                let hint = Some(format!("{} are written here: remove all but one", written.join(" and ")));
                let error = ValueError::custom(format!("only {} can be chosen", one_of(variants)));
                ValueError { hint, ..error }.or_at(&last.key_span)
            }
        },
    }
}

/// The hint for a key beside the one choice of a table, if it may be a setting of that choice: a profile with
/// `agents.a.simulations` leaves out its kind.
fn misplaced(variants: &[&str], entries: &[Entry], stray: &str) -> Option<String> {
    let mut chosen = entries.iter().filter(|entry| variants.contains(&&*entry.key));
    let (choice, None, None) = (chosen.next()?, chosen.next(), nearest(stray, variants)) else { return None };
    let kind = choice.node.table().map(|_| &choice.key)?;
    Some(format!("a setting of `{kind}` stands in its table: write `{kind}.{stray}`"))
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

struct TableEntries<'a> {
    entries: std::slice::Iter<'a, Entry>,
    value: Option<&'a Node>,
}

impl<'de> de::MapAccess<'de> for TableEntries<'_> {
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
