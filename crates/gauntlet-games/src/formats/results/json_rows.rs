//! Games or counts as JSON: an object a line, or a list of objects, whose keys are the columns of a table.

use std::borrow::Cow;
use std::io::{BufRead, Read as _};

use serde::de::{Deserialize, Deserializer, IgnoredAny};
use serde_json::{Map, Value};

use super::GameResults;
use super::entries::Entries;
use super::forms::Form;
use super::json_map::read_map;
use super::table::columns;
use super::tally::{InputFault, Tally};
use crate::formats::lines::{line_feeds, objects_within};

/// Maximum length of a line in bytes.
pub(super) const LONGEST: usize = 8 << 20;

/// An object, and the first key that comes twice.
#[derive(Default)]
struct Object {
    values: Map<String, Value>,
    twice: Option<String>,
}

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Object, D::Error> {
        read_map(deserializer, "an object", |object: &mut Object, key: String, value| {
            if object.values.insert(key.clone(), value).is_some() {
                object.twice.get_or_insert(key);
            }
            Ok(())
        })
    }
}

/// The keys of an object.
#[derive(Default)]
struct Keys(Vec<String>);

impl<'de> Deserialize<'de> for Keys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Keys, D::Error> {
        read_map(deserializer, "an object", |keys: &mut Keys, key, _: IgnoredAny| {
            keys.0.push(key);
            Ok(())
        })
    }
}

impl Keys {
    /// Whether they are the columns of a known table.
    fn are_columns(&self) -> bool {
        Form::of(&self.0).1 == 1.0
    }
}

/// Whether some bytes are an object whose keys are the columns of a known table.
pub(super) fn is_row(text: &[u8]) -> bool {
    serde_json::from_slice(text).is_ok_and(|keys: Keys| keys.are_columns())
}

/// Whether a text begins with such an object, which may have several lines.
pub(super) fn begins_with_row(text: &[u8]) -> bool {
    let first = serde_json::Deserializer::from_slice(text).into_iter::<Keys>().next();
    first.is_some_and(|keys| keys.is_ok_and(|keys| keys.are_columns()))
}

/// Reads a file of lines.
pub(super) fn read(
    mut input: impl BufRead,
    results: &mut GameResults,
    tally: &mut Tally<'_>,
) -> Result<(), InputFault> {
    let (mut entries, mut bytes, mut line) = (Entries::new(results), Vec::new(), 0);
    loop {
        bytes.clear();
        if input.by_ref().take(LONGEST as u64 + 1).read_until(b'\n', &mut bytes)? == 0 {
            break;
        }
        line += 1;
        if bytes.len() > LONGEST && !bytes.ends_with(b"\n") {
            input.skip_until(b'\n')?;
            tally.fault(InputFault::at(line, "the line is longer than any line should be"))?;
            continue;
        }
        let text = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&bytes).trim_ascii();
        if text.is_empty() {
            continue;
        }
        match serde_json::from_slice(text) {
            Ok(object) => take(&object, line, &mut entries, tally)?,
            Err(error) => {
                let what = if error.is_eof() { "the line ends in the middle".to_owned() } else { error.to_string() };
                tally.fault(InputFault::at(line, what))?;
                if let Some(Ok(object)) = objects_within(text).find(|rest| is_row(rest)).map(serde_json::from_slice) {
                    take(&object, line, &mut entries, tally)?;
                }
            }
        }
    }
    entries.finish(tally);
    Ok(())
}

/// Reads a list, or several one after the other, of which `text` is the whole.
pub(super) fn read_list(text: &[u8], results: &mut GameResults, tally: &mut Tally<'_>) -> Result<(), InputFault> {
    let (mut entries, mut line) = (Entries::new(results), 1);
    let (mut rest, mut depth) = (text, 0_i64);
    loop {
        let between = rest.iter().position(|byte| !byte.is_ascii_whitespace() && !b"[,]".contains(byte));
        let (passed, next) = rest.split_at(between.unwrap_or(rest.len()));
        line += line_feeds(passed);
        for byte in passed {
            depth += i64::from(*byte == b'[') - i64::from(*byte == b']');
            if depth < 0 {
                return Err(InputFault::at(line, format!("a list ends that has not begun ({LIST})")));
            }
        }
        if next.is_empty() && depth == 0 {
            break;
        }
        let mut objects = serde_json::Deserializer::from_slice(next).into_iter::<Object>();
        let object = objects.next().unwrap_or_else(|| serde_json::from_slice(b""));
        let bad =
            |error: &serde_json::Error| InputFault::at(line + error.line() as u64 - 1, format!("{error} ({LIST})"));
        take(&object.map_err(|error| bad(&error))?, line, &mut entries, tally)?;
        let (passed, behind) = next.split_at(objects.byte_offset());
        (line, rest) = (line + line_feeds(passed), behind);
    }
    entries.finish(tally);
    Ok(())
}

/// The form of a list, for errors.
const LIST: &str = "expected a list of games, each as {\"white\": ..., \"black\": ..., \"result\": ...}";

fn names(object: &Object) -> Vec<String> {
    object.values.keys().cloned().collect()
}

fn take(object: &Object, line: u64, entries: &mut Entries<'_>, tally: &mut Tally<'_>) -> Result<(), InputFault> {
    let names = names(object);
    let form = Form::of(&names).0;
    let is_read =
        |key: &&String| form.columns.iter().any(|column| column.iter().any(|own| own.eq_ignore_ascii_case(key)));
    if let Some(key) = object.twice.as_ref().filter(is_read) {
        return tally.fault(InputFault::at(line, format!("the key `{key}` comes twice")));
    }
    let places = match columns(&names, form.columns, form.required) {
        Ok(places) => places,
        Err(what) => {
            return tally.fault(InputFault::at(line, what.replace("column", "key").replace("first line", "object")));
        }
    };
    let value = |place: &Option<usize>| object.values.values().nth((*place)?);
    let is_nested = |place: &Option<usize>| matches!(value(place), Some(Value::Object(_) | Value::Array(_)));
    let nested = places.iter().take(form.required).position(is_nested);
    if let Some(column) = nested {
        let what = format!("`{}` is an object or a list, and not a text or a number", form.name(column));
        return tally.fault(InputFault::at(line, what));
    }
    let values: Vec<Option<Cow<'_, str>>> = places.iter().map(|place| text(value(place)?)).collect();
    let cells: Vec<Option<&str>> = values.iter().map(|value| value.as_deref().map(str::trim)).collect();
    match form.read(&cells) {
        Ok(entry) => entries.take(entry, line, tally),
        Err(what) => tally.fault(InputFault::at(line, what)),
    }
}

/// A value as the text of a cell; None for an empty one.
fn text(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::Null | Value::Object(_) | Value::Array(_) => None,
        Value::String(text) if text.trim().is_empty() => None,
        Value::String(text) => Some(text.into()),
        other => Some(other.to_string().into()),
    }
}
