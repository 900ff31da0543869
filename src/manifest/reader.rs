//! Typed reading of trees. Goes on after an error, so that one reading finds every mistake.

use serde::de::value::StrDeserializer;
use serde::de::{self, DeserializeOwned, DeserializeSeed, Error as _, IntoDeserializer, Visitor};

use super::source::{Problem, Span, nearest};
use super::tree::{Entry, Node, Table, Value};

/// More mistakes in one value than this are not looked for.
const MOST_MISTAKES: usize = 50;

/// Reads a value; every mistake becomes a problem. `None` when there was any.
///
/// After a mistake the entry that holds it is left out and the rest is read again.
pub fn read<T: DeserializeOwned>(node: &Node, problems: &mut Vec<Problem>) -> Option<T> {
    let mut node = node.clone();
    let mut mistaken = false;
    for _ in 0..MOST_MISTAKES {
        match T::deserialize(&node) {
            Ok(value) => return (!mistaken).then_some(value),
            Err(error) if mistaken && error.follows_from_an_omission() => return None,
            Err(error) => {
                mistaken = true;
                let span = error.span.clone();
                problems.push(error.into_problem());
                if !span.is_some_and(|span| prune(&mut node, &span)) {
                    return None;
                }
            }
        }
    }
    None
}

/// Takes the innermost entry out whose key or value lies at `span`.
fn prune(node: &mut Node, span: &Span) -> bool {
    match &mut node.value {
        Value::List(list) => list.iter_mut().any(|item| prune(item, span)),
        Value::Table(table) => {
            let keys: Vec<String> = table.entries().iter().map(|entry| entry.key.clone()).collect();
            if keys.iter().any(|key| table.get_mut(key).is_some_and(|inner| prune(inner, span))) {
                return true;
            }
            let holds = |entry: &&Entry| entry.key_span == *span || entry.node.span == *span;
            match table.entries().iter().find(holds).map(|entry| entry.key.clone()) {
                Some(key) => table.remove(&key).is_some(),
                None => false,
            }
        }
        _ => false,
    }
}

/// Why a value could not be read.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message}")]
pub struct ReadError {
    message: String,
    span: Option<Span>,
}

impl ReadError {
    fn or_at(mut self, span: &Span) -> ReadError {
        self.span.get_or_insert_with(|| span.clone());
        self
    }

    fn follows_from_an_omission(&self) -> bool {
        self.message.starts_with("missing") || self.message.starts_with("nothing is chosen")
    }

    /// Adds `did you mean` to messages of the form "unknown field `x`, expected one of `a`, `b`".
    fn into_problem(self) -> Problem {
        let words: Vec<&str> = self.message.split('`').skip(1).step_by(2).collect();
        let hint = match words.split_first() {
            Some((word, known)) if self.message.starts_with("unknown") => {
                nearest(word, known).map(|near| format!("did you mean `{near}`?"))
            }
            _ => None,
        };
        Problem { message: self.message, span: self.span, hint }
    }
}

impl de::Error for ReadError {
    fn custom<T: std::fmt::Display>(message: T) -> ReadError {
        ReadError { message: message.to_string(), span: None }
    }
}

impl<'de> de::Deserializer<'de> for &Node {
    type Error = ReadError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        let result = match &self.value {
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Integer(value) => visitor.visit_i64(*value),
            Value::Float(value) => visitor.visit_f64(*value),
            Value::Text(value) => visitor.visit_str(value),
            Value::List(list) => visitor.visit_seq(Items(list.iter())),
            Value::Table(table) => visitor.visit_map(Pairs { entries: table.entries().iter(), value: None }),
        };
        result.map_err(|error: ReadError| error.or_at(&self.span))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_newtype_struct(self).map_err(|error: ReadError| error.or_at(&self.span))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        let result = match &self.value {
            Value::Text(variant) => {
                let variant: StrDeserializer<'_, ReadError> = variant.as_str().into_deserializer();
                visitor.visit_enum(variant)
            }
            Value::Table(table) => match table.entries() {
                [entry] => visitor.visit_enum(Tagged(entry)),
                entries => Err(one_of(variants, entries)),
            },
            _ => return self.deserialize_any(visitor),
        };
        result.map_err(|error: ReadError| error.or_at(&self.span))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq
        tuple tuple_struct map struct identifier ignored_any
    }
}

fn one_of(variants: &[&str], entries: &[Entry]) -> ReadError {
    let known = variants.iter().map(|variant| format!("`{variant}`")).collect::<Vec<_>>().join(", ");
    match entries {
        [] => ReadError::custom(format!("nothing is chosen here, expected one of {known}")),
        [.., last] => ReadError::custom(format!("only one of {known} can be chosen")).or_at(&last.key_span),
    }
}

struct Items<'a>(std::slice::Iter<'a, Node>);

impl<'de> de::SeqAccess<'de> for Items<'_> {
    type Error = ReadError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, ReadError> {
        self.0.next().map(|node| seed.deserialize(node).map_err(|error| error.or_at(&node.span))).transpose()
    }
}

struct Pairs<'a> {
    entries: std::slice::Iter<'a, Entry>,
    value: Option<&'a Node>,
}

impl<'de> de::MapAccess<'de> for Pairs<'_> {
    type Error = ReadError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, ReadError> {
        let Some(entry) = self.entries.next() else { return Ok(None) };
        self.value = Some(&entry.node);
        let key: StrDeserializer<'_, ReadError> = entry.key.as_str().into_deserializer();
        seed.deserialize(key).map(Some).map_err(|error| error.or_at(&entry.key_span))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, ReadError> {
        let node = self.value.take().expect("serde asks for a value after its key");
        seed.deserialize(node).map_err(|error| error.or_at(&node.span))
    }
}

struct Tagged<'a>(&'a Entry);

impl<'de, 'a> de::EnumAccess<'de> for Tagged<'a> {
    type Error = ReadError;
    type Variant = Content<'a>;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Content<'a>), ReadError> {
        let key: StrDeserializer<'_, ReadError> = self.0.key.as_str().into_deserializer();
        let variant = seed.deserialize(key).map_err(|error| error.or_at(&self.0.key_span))?;
        Ok((variant, Content(&self.0.node)))
    }
}

struct Content<'a>(&'a Node);

impl<'de> de::VariantAccess<'de> for Content<'_> {
    type Error = ReadError;

    fn unit_variant(self) -> Result<(), ReadError> {
        match &self.0.value {
            Value::Table(table) if table.entries().is_empty() => Ok(()),
            _ => Err(ReadError::custom("this has no settings").or_at(&self.0.span)),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, ReadError> {
        seed.deserialize(self.0)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, ReadError> {
        de::Deserializer::deserialize_any(self.0, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], visitor: V) -> Result<V::Value, ReadError> {
        de::Deserializer::deserialize_any(self.0, visitor)
    }
}

/// An empty table at a place, for reading defaults.
#[must_use]
pub fn empty_table(span: Span) -> Node {
    Node { span, value: Value::Table(Table::default()) }
}
